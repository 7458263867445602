//! Queries.

use crate::dml::Dml;
use crate::expr::Expr;
use crate::name::{Name, ObjectName};
use crate::relation::FromItem;
use crate::span::Span;
use crate::window::NamedWindow;

/// A query with what stands before and behind it.
pub struct Query {
    /// `WITH`
    pub with: Option<With>,
    /// What gives its rows.
    pub body: Box<QueryBody>,
    /// `ORDER BY`
    pub order_by: Vec<OrderItem>,
    /// `LIMIT`, `FETCH`
    pub limit: Option<Limit>,
    /// `OFFSET`
    pub offset: Option<Expr>,
    /// `FOR UPDATE` and the like.
    pub locks: Vec<Lock>,
    /// Where it stands, without parentheses around it.
    pub span: Span,
}

/// What gives the rows of a query.
pub enum QueryBody {
    /// `SELECT`, `TABLE`
    Select(Box<Select>),
    /// `VALUES`
    Values(Values),
    /// `UNION` and the like.
    Set(SetOperation),
    /// A query in parentheses.
    Query(Box<Query>),
    /// A statement that changes rows, as a part of WITH or the whole statement.
    Dml(Box<Dml>),
}

impl Default for QueryBody {
    /// No rows; what is left where a body was taken out.
    fn default() -> QueryBody {
        QueryBody::Values(Values::default())
    }
}

/// `VALUES (a, b), (c, d)`
#[derive(Default)]
pub struct Values {
    /// The rows; of INSERT and MERGE none for DEFAULT VALUES.
    pub rows: Vec<Vec<Expr>>,
    /// Where each row's parenthesis stands.
    pub row_spans: Vec<Span>,
    /// Where it stands.
    pub span: Span,
}

/// Two queries and what is made of their rows.
pub struct SetOperation {
    /// `UNION`, `EXCEPT`, `INTERSECT`
    pub operator: SetOperator,
    /// `ALL`
    pub all: bool,
    /// The first query.
    pub left: Box<QueryBody>,
    /// The second one.
    pub right: Box<QueryBody>,
    /// Where the operator stands.
    pub operator_span: Span,
}

/// What is made of the rows of two queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// All of them.
    Union,
    /// Those of the first that the second does not have.
    Except,
    /// Those that both have.
    Intersect,
}

/// `SELECT`
pub struct Select {
    /// `DISTINCT`
    pub distinct: Option<Distinct>,
    /// The select list.
    pub items: Vec<SelectItem>,
    /// `INTO`
    pub into: Option<IntoTable>,
    /// `FROM`
    pub from: Vec<FromItem>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// `GROUP BY`
    pub group_by: Vec<GroupItem>,
    /// `HAVING`
    pub having: Option<Expr>,
    /// `WINDOW`
    pub windows: Vec<NamedWindow>,
    /// Where it stands.
    pub span: Span,
}

/// Which rows DISTINCT leaves out.
pub enum Distinct {
    /// Those that are equal.
    Rows,
    /// `ON (expressions)`: those where these are equal.
    On(Vec<Expr>),
}

/// An item of a select list or of RETURNING.
pub enum SelectItem {
    /// `*`
    Star(Span),
    /// `t.*`
    TableStar {
        /// The table.
        table: ObjectName,
        /// Where the star stands.
        star: Span,
    },
    /// `(row).*`
    RowStar {
        /// The row.
        row: Box<Expr>,
        /// Where the star stands.
        star: Span,
    },
    /// An expression, with its label.
    Expr {
        /// The expression.
        expr: Expr,
        /// What stands behind AS.
        alias: Option<Name>,
    },
}

/// `SELECT ... INTO [TEMPORARY] name`
pub struct IntoTable {
    /// Its name.
    pub name: ObjectName,
    /// `TEMPORARY`
    pub is_temporary: bool,
    /// `UNLOGGED`
    pub is_unlogged: bool,
}

/// An item of GROUP BY.
pub enum GroupItem {
    /// An expression.
    Expr(Expr),
    /// `()` or `(a, b)`: no group, or several in one set.
    Set(Vec<Expr>),
    /// `GROUPING SETS (...)`
    Sets(Vec<GroupItem>),
    /// `ROLLUP (...)`
    Rollup(Vec<GroupItem>),
    /// `CUBE (...)`
    Cube(Vec<GroupItem>),
}

/// An item of ORDER BY.
pub struct OrderItem {
    /// What is ordered by.
    pub expr: Expr,
    /// `ASC`, `DESC`, `USING`
    pub direction: Option<OrderDirection>,
    /// `NULLS FIRST`, `NULLS LAST`
    pub nulls: Option<NullsOrder>,
}

/// Which way values go.
pub enum OrderDirection {
    /// `ASC`
    Ascending,
    /// `DESC`
    Descending,
    /// `USING operator`
    Using(crate::expr::Operator),
}

/// Where NULL comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NullsOrder {
    /// `NULLS FIRST`
    First,
    /// `NULLS LAST`
    Last,
}

/// How many rows a query gives.
pub enum Limit {
    /// `LIMIT ALL`
    All,
    /// `LIMIT n`
    Rows(Expr),
    /// `FETCH FIRST n ROWS ONLY | WITH TIES`
    Fetch {
        /// How many; one where nothing is written.
        rows: Option<Expr>,
        /// `WITH TIES`
        with_ties: bool,
    },
}

/// `FOR UPDATE OF tables NOWAIT` and the like.
pub struct Lock {
    /// What others may still do with the rows.
    pub strength: LockStrength,
    /// The tables; none for all of the query.
    pub tables: Vec<ObjectName>,
    /// What happens where a row is locked.
    pub wait: LockWait,
}

/// How strong a lock of rows is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockStrength {
    /// `KEY SHARE`
    KeyShare,
    /// `SHARE`
    Share,
    /// `NO KEY UPDATE`
    NoKeyUpdate,
    /// `UPDATE`
    Update,
}

/// What happens where a row is locked by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockWait {
    /// The statement waits.
    Wait,
    /// `NOWAIT`: it fails.
    NoWait,
    /// `SKIP LOCKED`: the row is left out.
    SkipLocked,
}

/// `WITH [RECURSIVE]`
pub struct With {
    /// `RECURSIVE`
    pub is_recursive: bool,
    /// The named queries.
    pub ctes: Vec<Cte>,
    /// Where the word stands.
    pub span: Span,
}

/// A named query.
pub struct Cte {
    /// Its name.
    pub name: Name,
    /// The names of its columns.
    pub columns: Vec<Name>,
    /// `MATERIALIZED`, else `NOT MATERIALIZED`, where either is said.
    pub is_materialized: Option<bool>,
    /// The query, or a statement that changes rows.
    pub query: Box<Query>,
    /// `SEARCH`
    pub search: Option<Search>,
    /// `CYCLE`
    pub cycle: Option<Cycle>,
    /// Where the parenthesis behind the query stands.
    pub closing: Span,
}

/// `SEARCH DEPTH | BREADTH FIRST BY columns SET column`
pub struct Search {
    /// `BREADTH`, else `DEPTH`.
    pub is_breadth_first: bool,
    /// The columns that give the order.
    pub columns: Vec<Name>,
    /// The column that is added.
    pub column: Name,
    /// Where it stands.
    pub span: Span,
}

/// `CYCLE columns SET mark [TO value DEFAULT value] USING path`
pub struct Cycle {
    /// The columns that tell rows apart.
    pub columns: Vec<Name>,
    /// The column that says whether a row was met before.
    pub mark: Name,
    /// What it says so with, and what else: `TO` and `DEFAULT`.
    pub values: Option<(Expr, Expr)>,
    /// The column of the rows on the way.
    pub path: Name,
    /// Where it stands.
    pub span: Span,
}
