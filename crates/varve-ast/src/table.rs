//! CREATE TABLE and CREATE INDEX.

use crate::column::{Column, TableConstraint};
use crate::expr::Expr;
use crate::index_options::IndexOptions;
use crate::name::{Name, ObjectName};
use crate::option::DefinedOption;
use crate::query::{NullsOrder, OrderDirection};
use crate::span::Span;

/// `CREATE TABLE`, without AS.
pub struct CreateTable {
    /// `TEMPORARY`
    pub is_temporary: bool,
    /// `UNLOGGED`
    pub is_unlogged: bool,
    /// `GLOBAL`, else `LOCAL`, where either is said.
    pub is_global: Option<bool>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its name.
    pub name: ObjectName,
    /// What stands in the parentheses, in order.
    pub elements: Vec<TableElement>,
    /// `INHERITS`
    pub inherits: Vec<ObjectName>,
    /// `PARTITION OF table bound`
    pub partition_of: Option<(ObjectName, PartitionValues)>,
    /// `PARTITION BY`
    pub partition_by: Option<PartitionBy>,
    /// `WITH (...)`
    pub options: Vec<DefinedOption>,
    /// `ON COMMIT`
    pub on_commit: Option<OnCommit>,
    /// Where the statement stands.
    pub span: Span,
}

/// What stands in the parentheses of CREATE TABLE.
pub enum TableElement {
    /// A column.
    Column(Column),
    /// A constraint.
    Constraint(TableConstraint),
    /// `LIKE`
    Like(LikeTable),
}

/// `LIKE table INCLUDING what EXCLUDING what`
pub struct LikeTable {
    /// The table.
    pub table: ObjectName,
    /// What is included and what is excluded, in order.
    pub options: Vec<(bool, LikeOption)>,
    /// Where it stands.
    pub span: Span,
}

/// What LIKE takes of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LikeOption {
    /// `COMMENTS`
    Comments,
    /// `COMPRESSION`
    Compression,
    /// `CONSTRAINTS`
    Constraints,
    /// `DEFAULTS`
    Defaults,
    /// `IDENTITY`
    Identity,
    /// `GENERATED`
    Generated,
    /// `INDEXES`
    Indexes,
    /// `STATISTICS`
    Statistics,
    /// `STORAGE`
    Storage,
    /// `ALL`
    All,
}

/// `PARTITION BY strategy (columns and expressions)`
pub struct PartitionBy {
    /// `RANGE`, `LIST`, `HASH`
    pub strategy: Name,
    /// The columns and expressions.
    pub keys: Vec<Expr>,
}

/// Which rows a partition takes.
pub enum PartitionValues {
    /// `DEFAULT`
    Default,
    /// `FOR VALUES IN (...)`
    In(Vec<Expr>),
    /// `FOR VALUES FROM (...) TO (...)`
    Range {
        /// The first values.
        from: Vec<PartitionBound>,
        /// The values behind the last ones.
        to: Vec<PartitionBound>,
    },
    /// `FOR VALUES WITH (MODULUS n, REMAINDER n)`
    Hash {
        /// By what hashes are divided.
        modulus: u64,
        /// What is left over.
        remainder: u64,
    },
}

/// An end of a range of values.
pub enum PartitionBound {
    /// `MINVALUE`
    Min,
    /// `MAXVALUE`
    Max,
    /// A value.
    Value(Expr),
}

/// What becomes of a temporary table's rows at the end of a transaction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnCommit {
    /// `PRESERVE ROWS`
    #[default]
    Preserve,
    /// `DELETE ROWS`
    Delete,
    /// `DROP`
    Drop,
}

/// `CREATE INDEX`
pub struct CreateIndex {
    /// What goes into its definition as it is written.
    pub kept: IndexOptions,
    /// `CONCURRENTLY`
    pub is_concurrent: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Its name.
    pub name: Option<ObjectName>,
    /// `ONLY`: not the tables below.
    pub only: bool,
    /// The table.
    pub table: ObjectName,
    /// `USING`
    pub method: Option<Name>,
    /// The columns and expressions.
    pub elements: Vec<IndexElement>,
    /// `INCLUDE`
    pub include: Vec<Name>,
    /// `WITH (...)`
    pub options: Vec<DefinedOption>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// Where the statement stands.
    pub span: Span,
}

/// A column or expression of an index.
pub struct IndexElement {
    /// What is indexed.
    pub key: IndexKey,
    /// Its operator class.
    pub operator_class: Option<ObjectName>,
    /// `ASC`, `DESC`
    pub direction: Option<OrderDirection>,
    /// `NULLS FIRST`, `NULLS LAST`
    pub nulls: Option<NullsOrder>,
}

/// What an element of an index is: a column, a call or an expression in parentheses, with its
/// collation around it.
pub type IndexKey = Expr;
