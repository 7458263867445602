//! Bound expressions: every name resolved, every type known.

use varve_types::{CompareOp, LogicalType, TypeMod, Value};

use super::function::Function;
use super::placeholder::Placeholder;

/// An expression over the columns of one input batch.
///
/// `position` fields are where the expression stands in the statement (characters from 1, 0 when it
/// has no place of its own). Errors of binding carry them; those of evaluation have none, as in
/// PostgreSQL.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Column `index` of the input.
    Column {
        /// Position in the input batch.
        index: usize,
        /// Its type.
        ty: LogicalType,
    },
    /// A value that is computed elsewhere. Plans have none: the binder puts a column in its place.
    Placeholder {
        /// What is computed.
        part: Placeholder,
        /// Its type.
        ty: LogicalType,
    },
    /// A constant; NULL needs its type beside it.
    Literal {
        /// The value.
        value: Value,
        /// Its type.
        ty: LogicalType,
    },
    /// A value that is known before the statement runs.
    Parameter {
        /// Which one.
        parameter: Parameter,
        /// The type that the binder inferred.
        ty: LogicalType,
    },
    /// A value that an enclosing query sets before its subquery runs; constant while it does.
    Outer {
        /// Position in the list of such values of the statement.
        slot: usize,
        /// Its type.
        ty: LogicalType,
    },
    /// A comparison of two expressions of one type; NULL when a side is NULL.
    Compare {
        /// The operator.
        op: CompareOp,
        /// Left side.
        left: Box<Expr>,
        /// Right side, of the same type.
        right: Box<Expr>,
    },
    /// `IS [NOT] DISTINCT FROM`: a comparison that knows NULL; never NULL itself.
    Distinct {
        /// Left side.
        left: Box<Expr>,
        /// Right side, of the same type.
        right: Box<Expr>,
        /// `IS NOT DISTINCT FROM`.
        negated: bool,
    },
    /// Three-valued AND of two or more conditions.
    And(Vec<Expr>),
    /// Three-valued OR of two or more conditions.
    Or(Vec<Expr>),
    /// Three-valued NOT.
    Not(Box<Expr>),
    /// `IS [NOT] NULL`.
    IsNull {
        /// What is tested.
        input: Box<Expr>,
        /// `IS NOT NULL`.
        negated: bool,
    },
    /// `[NOT] IN (list)`; all of one type.
    InList {
        /// What is looked for.
        input: Box<Expr>,
        /// Where.
        list: Vec<Expr>,
        /// `NOT IN`.
        negated: bool,
    },
    /// A function or arithmetic operator of the function table.
    Call {
        /// Which one; the arguments have exactly the types of its signature.
        function: Function,
        /// Arguments.
        args: Vec<Expr>,
        /// Where the call stands.
        position: u32,
    },
    /// A conversion.
    Cast {
        /// What is converted.
        input: Box<Expr>,
        /// To which type.
        to: LogicalType,
        /// What the type is bounded by.
        modifier: TypeMod,
        /// Whether it was asked for, and so may cut strings that are too long.
        explicit: bool,
        /// Where the cast stands.
        position: u32,
    },
    /// `CASE WHEN condition THEN result ... ELSE otherwise END`; a branch is evaluated only for the
    /// rows that reach it.
    Case {
        /// Conditions and results, all results of type `ty`.
        branches: Vec<(Expr, Expr)>,
        /// `ELSE`; NULL where absent.
        otherwise: Option<Box<Expr>>,
        /// The type of the result.
        ty: LogicalType,
    },
    /// `COALESCE`: the first argument that is not NULL, later ones evaluated only where needed.
    Coalesce {
        /// Arguments, all of type `ty`.
        args: Vec<Expr>,
        /// The type of the result.
        ty: LogicalType,
    },
}

/// A value that the text of a statement does not have. The numbers count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// `$1` is number 0.
    Given(usize),
    /// The result of a function that runs before the statement.
    Called(usize),
}

impl Expr {
    /// The type of the result.
    pub fn logical_type(&self) -> LogicalType {
        match self {
            Expr::Column { ty, .. }
            | Expr::Placeholder { ty, .. }
            | Expr::Literal { ty, .. }
            | Expr::Parameter { ty, .. }
            | Expr::Outer { ty, .. }
            | Expr::Cast { to: ty, .. }
            | Expr::Case { ty, .. }
            | Expr::Coalesce { ty, .. } => *ty,
            Expr::Call { function, .. } => function.result_type(),
            Expr::Compare { .. }
            | Expr::Distinct { .. }
            | Expr::And(_)
            | Expr::Or(_)
            | Expr::Not(_)
            | Expr::IsNull { .. }
            | Expr::InList { .. } => LogicalType::Boolean,
        }
    }
}
