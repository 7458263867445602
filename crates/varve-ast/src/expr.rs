//! Expressions.

use crate::name::{Name, ObjectName};
use crate::query::{OrderItem, Query};
use crate::span::Span;
use crate::type_name::TypeName;
use crate::window::Over;

/// An expression.
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, without parentheses around it. `CAST(x AS t)` starts at its operand, `type
    /// 'text'` at its text, a subquery at its parenthesis: errors are told of there.
    pub span: Span,
    /// Whether parentheses stand around it, which the span leaves out.
    pub is_parenthesized: bool,
}

/// What an expression is.
#[derive(Default)]
pub enum ExprKind {
    /// `NULL`; what is left where a node was taken out.
    #[default]
    Null,
    /// `DEFAULT` in the place of a value.
    Default,
    /// A number, string or truth value.
    Literal(Literal),
    /// `type 'text'`
    TypedLiteral(Box<TypedLiteral>),
    /// `INTERVAL 'text' fields`
    Interval(Box<IntervalLiteral>),
    /// `$1`, by its number; the greatest number for one that is too large.
    Parameter(u32),
    /// A column: `a`, `t.a`, `s.t.a`.
    Column(ObjectName),
    /// `t.*` where a value stands: the row.
    TableStar(ObjectName),
    /// Fields and subscripts behind a value: `(x).a[1]`.
    Access {
        /// The value.
        root: Box<Expr>,
        /// What is taken of it, in order.
        steps: Vec<Access>,
    },
    /// `operator x`
    Prefix {
        /// The operator.
        operator: Operator,
        /// The operand.
        operand: Box<Expr>,
    },
    /// `x operator y`
    Infix {
        /// The left operand.
        left: Box<Expr>,
        /// The operator.
        operator: Operator,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `x AND y`
    And(Box<Expr>, Box<Expr>),
    /// `x OR y`
    Or(Box<Expr>, Box<Expr>),
    /// `NOT x`
    Not(Box<Expr>),
    /// `x IS [NOT] NULL`
    IsNull {
        /// The operand.
        operand: Box<Expr>,
        /// `NOT`
        is_negated: bool,
    },
    /// `x IS [NOT] TRUE | FALSE | UNKNOWN`
    IsTruth {
        /// The operand.
        operand: Box<Expr>,
        /// What it is asked to be.
        truth: Truth,
        /// `NOT`
        is_negated: bool,
    },
    /// `x IS [NOT] DISTINCT FROM y`
    IsDistinct {
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
        /// `NOT`
        is_negated: bool,
        /// Where `FROM` stands.
        operator: Span,
    },
    /// `x IS [NOT] JSON ...`
    IsJson(Box<JsonPredicate>),
    /// `x IS [NOT] form NORMALIZED`
    IsNormalized {
        /// The operand.
        operand: Box<Expr>,
        /// The form, NFC where none is written.
        form: Option<NormalForm>,
        /// `NOT`
        is_negated: bool,
    },
    /// `x [NOT] IN (items)`
    InList {
        /// The operand.
        operand: Box<Expr>,
        /// The items.
        items: Vec<Expr>,
        /// `NOT`
        is_negated: bool,
        /// Where `IN` stands.
        operator: Span,
    },
    /// `x [NOT] IN (query)`
    InSubquery(Box<InSubquery>),
    /// `x [NOT] BETWEEN low AND high`
    Between(Box<Between>),
    /// `x [NOT] LIKE pattern`
    Like(Box<Like>),
    /// `x operator ANY (y)`
    Quantified(Box<Quantified>),
    /// `x COLLATE name`
    Collate {
        /// The operand.
        operand: Box<Expr>,
        /// How it is ordered.
        collation: ObjectName,
        /// Where `COLLATE` stands.
        operator: Span,
    },
    /// `CAST(x AS type)`, `x::type`
    Cast(Box<Cast>),
    /// `x AT TIME ZONE zone`
    AtTimeZone {
        /// The time.
        operand: Box<Expr>,
        /// The zone.
        zone: Box<Expr>,
        /// Where `AT` stands.
        operator: Span,
    },
    /// `f(x)`
    Call(Box<Call>),
    /// A call with words between its arguments.
    Special(Box<SpecialCall>),
    /// The constructors of SQL/JSON.
    Json(Box<JsonConstructor>),
    /// `CASE`
    Case(Box<Case>),
    /// `ARRAY[...]`, and what stands in brackets in one.
    Array(Vec<Expr>),
    /// `ARRAY(query)`
    ArraySubquery(Box<Query>),
    /// `(x, y)`, `ROW(x, y)`
    Row {
        /// The fields.
        fields: Vec<Expr>,
        /// Whether `ROW` is written.
        is_explicit: bool,
    },
    /// `(query)`
    Subquery(Box<Query>),
    /// `EXISTS (query)`
    Exists(Box<Query>),
}

/// A literal.
pub struct Literal {
    /// What it is written as.
    pub kind: LiteralKind,
    /// Its text without quotes, escapes read; of a number as it is written.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// What a literal is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralKind {
    /// A number.
    Number,
    /// A string of any kind but those below.
    Text,
    /// `N'text'`
    National,
    /// `B'01'`
    Bits,
    /// `X'0F'`
    Hex,
    /// `TRUE`
    True,
    /// `FALSE`
    False,
}

/// `type 'text'`
pub struct TypedLiteral {
    /// The type.
    pub type_name: TypeName,
    /// Its text.
    pub literal: Literal,
}

/// `INTERVAL 'text' first TO last (digits)`
pub struct IntervalLiteral {
    /// Its text.
    pub literal: Literal,
    /// The first field, or the only one.
    pub first: Option<IntervalField>,
    /// The last field.
    pub last: Option<IntervalField>,
    /// Digits of seconds.
    pub precision: Option<u64>,
}

/// A field of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalField {
    /// `YEAR`
    Year,
    /// `MONTH`
    Month,
    /// `DAY`
    Day,
    /// `HOUR`
    Hour,
    /// `MINUTE`
    Minute,
    /// `SECOND`
    Second,
}

/// An operator.
pub struct Operator {
    /// The schema in `OPERATOR(schema.+)`.
    pub qualifiers: Vec<Name>,
    /// Its name; `<>` where `!=` is written.
    pub name: Box<str>,
    /// Where it stands.
    pub span: Span,
}

/// A part that is taken of a value.
pub enum Access {
    /// `.field`
    Field(Name),
    /// `.*`, at the end of a select item only.
    Star(Span),
    /// `[index]`
    Index(Expr),
    /// `[lower:upper]`
    Slice {
        /// The first element.
        lower: Option<Expr>,
        /// The last element.
        upper: Option<Expr>,
    },
}

/// A truth value that IS asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// `TRUE`
    True,
    /// `FALSE`
    False,
    /// `UNKNOWN`
    Unknown,
}

/// A normal form of Unicode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalForm {
    /// `NFC`
    Nfc,
    /// `NFD`
    Nfd,
    /// `NFKC`
    Nfkc,
    /// `NFKD`
    Nfkd,
}

/// `x IS [NOT] JSON [kind] [WITH UNIQUE KEYS]`
pub struct JsonPredicate {
    /// The operand.
    pub operand: Expr,
    /// What it is asked to be; `VALUE` where nothing is written.
    pub kind: Option<JsonKind>,
    /// `WITH UNIQUE KEYS`
    pub unique_keys: bool,
    /// `NOT`
    pub is_negated: bool,
}

/// A kind of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonKind {
    /// `VALUE`
    Value,
    /// `SCALAR`
    Scalar,
    /// `ARRAY`
    Array,
    /// `OBJECT`
    Object,
}

/// `x [NOT] IN (query)`
pub struct InSubquery {
    /// The operand.
    pub operand: Expr,
    /// The query.
    pub query: Box<Query>,
    /// `NOT`
    pub is_negated: bool,
    /// Where `IN` stands, or `NOT` before it.
    pub operator: Span,
}

/// `x [NOT] BETWEEN [SYMMETRIC] low AND high`
pub struct Between {
    /// The operand.
    pub operand: Expr,
    /// The lower end.
    pub low: Expr,
    /// The upper end.
    pub high: Expr,
    /// `NOT`
    pub is_negated: bool,
    /// `SYMMETRIC`: the ends may be swapped.
    pub is_symmetric: bool,
    /// Where `BETWEEN` stands.
    pub operator: Span,
}

/// `x [NOT] LIKE pattern [ESCAPE escape]`
pub struct Like {
    /// How the pattern is read.
    pub kind: LikeKind,
    /// The operand.
    pub operand: Expr,
    /// The pattern.
    pub pattern: Expr,
    /// `ESCAPE`
    pub escape: Option<Expr>,
    /// `NOT`
    pub is_negated: bool,
    /// Where the word stands.
    pub operator: Span,
}

/// How a pattern is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeKind {
    /// `LIKE`
    Like,
    /// `ILIKE`
    Ilike,
    /// `SIMILAR TO`
    Similar,
}

/// `x operator ANY (y)`
pub struct Quantified {
    /// The left operand.
    pub left: Expr,
    /// The operator.
    pub operator: Operator,
    /// Whether it must hold for one or for all.
    pub quantifier: Quantifier,
    /// An array, or a [`ExprKind::Subquery`].
    pub right: Expr,
}

/// For how many elements a comparison must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// `ANY`, `SOME`
    Any,
    /// `ALL`
    All,
}

/// A cast.
pub struct Cast {
    /// What is cast.
    pub operand: Expr,
    /// To which type.
    pub type_name: TypeName,
    /// How it is written.
    pub form: CastForm,
    /// Where `::` or `CAST` stands.
    pub operator: Span,
}

/// How a cast is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastForm {
    /// `CAST(x AS type)`
    Call,
    /// `x::type`
    Operator,
}

/// A call of a function.
pub struct Call {
    /// The function.
    pub name: ObjectName,
    /// Its arguments; none for `count(*)`.
    pub arguments: Vec<Argument>,
    /// `f(*)`
    pub has_star: bool,
    /// Whether parentheses are written: `CURRENT_DATE` has none.
    pub has_parentheses: bool,
    /// `DISTINCT`
    pub is_distinct: bool,
    /// `ORDER BY` in the parentheses.
    pub order_by: Vec<OrderItem>,
    /// `WITHIN GROUP (ORDER BY ...)`
    pub within_group: Vec<OrderItem>,
    /// `FILTER (WHERE ...)`
    pub filter: Option<Box<Expr>>,
    /// `OVER`
    pub over: Option<Over>,
}

/// An argument of a function.
pub struct Argument {
    /// Its name: `name => value`.
    pub name: Option<Name>,
    /// Where `VARIADIC` stands.
    pub variadic: Option<Span>,
    /// Its value.
    pub value: Expr,
}

/// A call with words between its arguments.
pub enum SpecialCall {
    /// `EXTRACT(field FROM x)`
    Extract {
        /// The field, a word or a string.
        field: Name,
        /// The time.
        operand: Expr,
    },
    /// `POSITION(part IN x)`
    Position {
        /// What is looked for.
        part: Expr,
        /// Where it is looked for.
        operand: Expr,
    },
    /// `SUBSTRING(x FROM start FOR length)`; of `SIMILAR ... ESCAPE` pattern and escape.
    Substring {
        /// The text.
        operand: Expr,
        /// `FROM`
        from: Option<Expr>,
        /// `FOR`
        length: Option<Expr>,
    },
    /// `OVERLAY(x PLACING y FROM start FOR length)`
    Overlay {
        /// The text.
        operand: Expr,
        /// `PLACING`
        placing: Expr,
        /// `FROM`
        from: Expr,
        /// `FOR`
        length: Option<Expr>,
    },
    /// `TRIM(side characters FROM x)`, `TRIM(side FROM x, characters)`
    Trim {
        /// Which end.
        side: Option<TrimSide>,
        /// What is trimmed.
        operand: Expr,
        /// What is taken off, before FROM.
        characters: Option<Expr>,
        /// What is taken off, behind a comma.
        listed: Vec<Expr>,
    },
}

/// Which end TRIM trims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrimSide {
    /// `BOTH`
    Both,
    /// `LEADING`
    Leading,
    /// `TRAILING`
    Trailing,
}

/// `JSON_OBJECT(...)`, `JSON_ARRAY(...)`, `JSON_OBJECTAGG(...)`, `JSON_ARRAYAGG(...)`, as far as
/// they say more than a call can.
pub struct JsonConstructor {
    /// The call: its name, and what stands behind its parentheses. Its arguments are the entries.
    pub call: Call,
    /// Keys and values, or values.
    pub entries: Vec<JsonEntry>,
    /// `JSON_ARRAY(query)`
    pub query: Option<Box<Query>>,
    /// The FORMAT of what the query gives, as that of a [`JsonValue`].
    pub query_format: Option<(Option<&'static str>, Span)>,
    /// `NULL ON NULL`, `ABSENT ON NULL`
    pub nulls: Option<JsonNulls>,
    /// Where `WITH UNIQUE KEYS` stands.
    pub unique_keys: Option<Span>,
    /// `RETURNING`
    pub returning: Option<TypeName>,
}

/// A entry of an object, or an element of an array.
pub struct JsonEntry {
    /// Its key.
    pub key: Option<Expr>,
    /// Its value.
    pub value: JsonValue,
}

/// A value with the FORMAT that may follow it.
pub struct JsonValue {
    /// The value.
    pub value: Expr,
    /// `FORMAT JSON [ENCODING name]`: the encoding, and where it stands.
    pub format: Option<(Option<&'static str>, Span)>,
}

/// What becomes of NULL in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonNulls {
    /// `NULL ON NULL`
    Null,
    /// `ABSENT ON NULL`
    Absent,
}

/// `CASE [operand] WHEN ... END`
pub struct Case {
    /// What the conditions are compared with.
    pub operand: Option<Expr>,
    /// `WHEN`, in order.
    pub whens: Vec<When>,
    /// `ELSE`
    pub otherwise: Option<Expr>,
}

/// `WHEN condition THEN result`
pub struct When {
    /// The condition.
    pub condition: Expr,
    /// The result.
    pub result: Expr,
}

impl Expr {
    /// Takes the node out, NULL is left.
    pub fn take_kind(&mut self) -> ExprKind {
        core::mem::take(&mut self.kind)
    }
}
