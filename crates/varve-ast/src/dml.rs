//! INSERT, UPDATE, DELETE and MERGE.

use crate::expr::{Access, Expr};
use crate::name::{Name, ObjectName};
use crate::query::{Query, SelectItem, Values};
use crate::relation::{Alias, FromItem, Relation};
use crate::span::Span;

/// A statement that changes rows.
pub enum Dml {
    /// `INSERT`
    Insert(Box<Insert>),
    /// `UPDATE`
    Update(Box<Update>),
    /// `DELETE`
    Delete(Box<Delete>),
    /// `MERGE`
    Merge(Box<Merge>),
}

/// The table that a statement changes.
pub struct ChangedTable {
    /// Its name.
    pub name: ObjectName,
    /// Where `ONLY` stands: the tables below stay as they are.
    pub only: Option<Span>,
    /// Its alias.
    pub alias: Option<Alias>,
}

/// `INSERT INTO`
pub struct Insert {
    /// The table.
    pub table: ObjectName,
    /// Its alias.
    pub alias: Option<Name>,
    /// The columns that are given.
    pub columns: Vec<Target>,
    /// `OVERRIDING ... VALUE`
    pub overriding: Option<Overriding>,
    /// The rows.
    pub source: InsertSource,
    /// `ON CONFLICT`
    pub on_conflict: Option<OnConflict>,
    /// `RETURNING`
    pub returning: Option<Vec<SelectItem>>,
    /// Whether it was written as `SELECT zstd_train_dict_and_save(...)`: the table is made if it is
    /// missing.
    pub saves_dictionary: bool,
    /// Where it stands.
    pub span: Span,
}

/// The rows of an INSERT.
pub enum InsertSource {
    /// `DEFAULT VALUES`
    Defaults,
    /// Those of a query, of VALUES too.
    Query(Box<Query>),
}

/// `OVERRIDING ... VALUE`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overriding {
    /// `SYSTEM`
    System,
    /// `USER`
    User,
}

/// `ON CONFLICT`
pub struct OnConflict {
    /// What conflicts are meant.
    pub target: Option<ConflictTarget>,
    /// What happens to a row that conflicts.
    pub action: ConflictAction,
}

/// What conflicts are meant.
pub enum ConflictTarget {
    /// `(columns and expressions) [WHERE condition]`
    Index {
        /// The columns and expressions.
        elements: Vec<Expr>,
        /// The condition of a partial index.
        filter: Option<Expr>,
    },
    /// `ON CONSTRAINT name`
    Constraint(ObjectName),
}

/// What happens to a row that conflicts.
pub enum ConflictAction {
    /// `DO NOTHING`
    Nothing,
    /// `DO UPDATE SET assignments [WHERE condition]`
    Update {
        /// What is assigned.
        assignments: Vec<Assignment>,
        /// Which rows.
        filter: Option<Expr>,
    },
}

/// `UPDATE`
pub struct Update {
    /// The table.
    pub table: ChangedTable,
    /// `SET`
    pub assignments: Vec<Assignment>,
    /// `FROM`
    pub from: Vec<FromItem>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// `RETURNING`
    pub returning: Option<Vec<SelectItem>>,
    /// Where it stands.
    pub span: Span,
}

/// `DELETE FROM`
pub struct Delete {
    /// The table.
    pub table: ChangedTable,
    /// `USING`
    pub using: Vec<FromItem>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// `RETURNING`
    pub returning: Option<Vec<SelectItem>>,
    /// Where it stands.
    pub span: Span,
}

/// A column that is written, or a part of it: `a`, `a[1]`, `a.field`.
pub struct Target {
    /// The column, with what stands before or behind it: which part is the column is found out when
    /// it is bound.
    pub name: ObjectName,
    /// The subscripts behind a plain name.
    pub subscripts: Vec<Access>,
}

/// `target = value`, `(targets) = row`
pub struct Assignment {
    /// The columns.
    pub targets: Vec<Target>,
    /// Whether they stand in parentheses.
    pub is_row: bool,
    /// What they get.
    pub value: Expr,
}

/// `MERGE INTO`
pub struct Merge {
    /// The table.
    pub table: ChangedTable,
    /// `USING`
    pub source: Relation,
    /// `ON`
    pub condition: Expr,
    /// `WHEN`, in order.
    pub clauses: Vec<MergeWhen>,
    /// Where it stands.
    pub span: Span,
}

/// `WHEN [NOT] MATCHED [AND condition] THEN action`
pub struct MergeWhen {
    /// Without `NOT`.
    pub is_matched: bool,
    /// `AND`
    pub condition: Option<Expr>,
    /// What is done.
    pub action: MergeAction,
    /// Where it stands.
    pub span: Span,
}

/// What MERGE does with a row.
pub enum MergeAction {
    /// `DO NOTHING`
    Nothing,
    /// `DELETE`
    Delete,
    /// `UPDATE SET`
    Update(Vec<Assignment>),
    /// `INSERT [(columns)] VALUES (...)`
    Insert {
        /// The columns that are given.
        columns: Vec<Target>,
        /// One row; none for DEFAULT VALUES.
        values: Values,
    },
}
