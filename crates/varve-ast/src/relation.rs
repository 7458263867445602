//! Relations of FROM and their joins.

use crate::expr::{Argument, Expr};
use crate::name::{Name, ObjectName};
use crate::query::Query;
use crate::span::Span;
use crate::type_name::TypeName;

/// A relation with the joins behind it.
pub struct FromItem {
    /// The first relation.
    pub relation: Relation,
    /// The relations that are joined to it, in order.
    pub joins: Vec<Join>,
}

/// A relation.
pub enum Relation {
    /// A table, view or named query.
    Table(Box<TableRelation>),
    /// The rows of functions.
    Function(Box<FunctionRelation>),
    /// A query in parentheses.
    Subquery(Box<SubqueryRelation>),
    /// Joins in parentheses, or on the right side of a join.
    Joined {
        /// The joins.
        item: Box<FromItem>,
        /// Its alias.
        alias: Option<Alias>,
    },
}

/// `[ONLY] name [AS alias] [TABLESAMPLE ...]`
pub struct TableRelation {
    /// Its name.
    pub name: ObjectName,
    /// Where `ONLY` stands: the tables below are left out.
    pub only: Option<Span>,
    /// Its alias.
    pub alias: Option<Alias>,
    /// `TABLESAMPLE`
    pub sample: Option<TableSample>,
}

/// `TABLESAMPLE method (percentage) [REPEATABLE (seed)]`
pub struct TableSample {
    /// How rows are chosen.
    pub method: SampleMethod,
    /// How many of a hundred.
    pub percentage: Expr,
    /// `REPEATABLE`
    pub seed: Option<Expr>,
}

/// How the rows of a sample are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleMethod {
    /// `BERNOULLI`
    Bernoulli,
    /// `SYSTEM`
    System,
}

/// `f(x)`, `ROWS FROM (f(x), g(y))`, `CURRENT_DATE`
pub struct FunctionRelation {
    /// `LATERAL` is written.
    pub is_lateral: bool,
    /// The functions; one unless it is ROWS FROM.
    pub functions: Vec<RowsFunction>,
    /// Whether it is written as ROWS FROM.
    pub is_rows_from: bool,
    /// `WITH ORDINALITY`
    pub with_ordinality: bool,
    /// Its alias. An alias without a name, as in `AS (a int)`, has the function's.
    pub alias: Option<Alias>,
    /// Where it stands.
    pub span: Span,
}

/// A function whose rows are read.
pub struct RowsFunction {
    /// The call: of a name with arguments, or in a form of its own.
    pub call: RowsCall,
    /// Its columns in ROWS FROM: `AS (a int)`.
    pub columns: Vec<AliasColumn>,
}

/// A call in FROM.
pub enum RowsCall {
    /// `f(x)`
    Call {
        /// The function.
        name: ObjectName,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// `CURRENT_DATE`, `CAST(...)`; in ROWS FROM any call.
    Expr(Box<Expr>),
}

/// `[LATERAL] (query) [AS alias]`
pub struct SubqueryRelation {
    /// `LATERAL` is written.
    pub is_lateral: bool,
    /// The query.
    pub query: Box<Query>,
    /// Its alias.
    pub alias: Option<Alias>,
}

/// `[AS] name [(columns)]`
#[derive(Clone, Debug)]
pub struct Alias {
    /// Its name.
    pub name: Name,
    /// Its columns.
    pub columns: Vec<AliasColumn>,
}

/// A column of an alias.
#[derive(Clone, Debug)]
pub struct AliasColumn {
    /// Its name.
    pub name: Name,
    /// Its type, which only functions take.
    pub type_name: Option<TypeName>,
}

/// A relation that is joined to those before it.
pub struct Join {
    /// Which rows without a partner stay.
    pub kind: JoinKind,
    /// What makes partners.
    pub condition: JoinCondition,
    /// The relation.
    pub relation: Relation,
}

/// Which rows without a partner a join keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// `[INNER] JOIN`
    Inner,
    /// `LEFT [OUTER] JOIN`
    Left,
    /// `RIGHT [OUTER] JOIN`
    Right,
    /// `FULL [OUTER] JOIN`
    Full,
    /// `CROSS JOIN`
    Cross,
}

/// What makes partners of rows.
pub enum JoinCondition {
    /// Nothing: `CROSS JOIN`.
    None,
    /// `ON condition`
    On(Expr),
    /// `USING (columns) [AS alias]`
    Using {
        /// The columns.
        columns: Vec<Name>,
        /// The name for the columns together.
        alias: Option<Name>,
    },
    /// `NATURAL`
    Natural,
}
