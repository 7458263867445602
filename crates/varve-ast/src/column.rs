//! Columns of tables, and constraints.

use crate::expr::{Expr, Operator};
use crate::name::{Name, ObjectName};
use crate::option::DefinedOption;
use crate::sequence::SequenceOption;
use crate::span::Span;
use crate::table::IndexElement;
use crate::type_name::TypeName;

/// A column with its type and constraints.
pub struct Column {
    /// Its name.
    pub name: Name,
    /// Its type, where it needs one.
    pub type_name: Option<TypeName>,
    /// Its constraints and what else is said of it, in order.
    pub constraints: Vec<ColumnConstraint>,
}

/// What is said of a column.
pub struct ColumnConstraint {
    /// `CONSTRAINT name`
    pub name: Option<Name>,
    /// What it says.
    pub kind: ColumnConstraintKind,
    /// Where it stands, its name left out.
    pub span: Span,
}

/// What is said of a column.
pub enum ColumnConstraintKind {
    /// `NOT NULL`
    NotNull,
    /// `NULL`
    Null,
    /// `DEFAULT expression`
    Default(Expr),
    /// `COLLATE name`
    Collation(ObjectName),
    /// `CHECK (condition)`
    Check(CheckConstraint),
    /// `PRIMARY KEY`
    PrimaryKey(KeyConstraint),
    /// `UNIQUE`
    Unique(KeyConstraint),
    /// `REFERENCES`
    References(ForeignKey),
    /// `GENERATED ... AS IDENTITY`
    Identity(Identity),
    /// `GENERATED ALWAYS AS (expression) STORED`
    Generated(Expr),
    /// `STORAGE word`
    Storage(Name),
    /// `COMPRESSION word`
    Compression(Name),
}

/// `CHECK (condition)`
pub struct CheckConstraint {
    /// The condition.
    pub condition: Expr,
}

/// `PRIMARY KEY (columns)`, `UNIQUE (columns)`; of a column without the columns.
pub struct KeyConstraint {
    /// The columns.
    pub columns: Vec<Name>,
    /// `INCLUDE`
    pub include: Vec<Name>,
    /// `NULLS NOT DISTINCT`, where either is said whether they are distinct.
    pub nulls_distinct: Option<bool>,
    /// `USING INDEX name`
    pub using_index: Option<Name>,
    /// Storage parameters of its index.
    pub options: Vec<DefinedOption>,
    /// When it is checked.
    pub deferral: Option<Deferral>,
}

/// `DEFERRABLE`, `INITIALLY DEFERRED`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deferral {
    /// `DEFERRABLE` or `NOT DEFERRABLE`, where it is said.
    pub is_deferrable: Option<bool>,
    /// `INITIALLY DEFERRED` or `INITIALLY IMMEDIATE`, where it is said.
    pub is_initially_deferred: Option<bool>,
}

/// `FOREIGN KEY (columns) REFERENCES table (columns)`
pub struct ForeignKey {
    /// The columns; none of one behind a column.
    pub columns: Vec<Name>,
    /// The table that is referred to.
    pub table: ObjectName,
    /// The columns that are referred to; none for the primary key.
    pub referred: Vec<Name>,
    /// `MATCH`
    pub match_kind: Option<Match>,
    /// `ON DELETE`
    pub on_delete: Option<ReferentialAction>,
    /// `ON UPDATE`
    pub on_update: Option<ReferentialAction>,
    /// When it is checked.
    pub deferral: Option<Deferral>,
}

/// How NULL in some columns of a foreign key counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// `FULL`
    Full,
    /// `PARTIAL`
    Partial,
    /// `SIMPLE`
    Simple,
}

/// What happens to a row whose referred row goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferentialAction {
    /// `NO ACTION`
    NoAction,
    /// `RESTRICT`
    Restrict,
    /// `CASCADE`
    Cascade,
    /// `SET NULL`
    SetNull,
    /// `SET DEFAULT`
    SetDefault,
}

/// `GENERATED ALWAYS | BY DEFAULT AS IDENTITY (options)`
pub struct Identity {
    /// `ALWAYS`, else `BY DEFAULT`.
    pub is_always: bool,
    /// `SEQUENCE NAME`
    pub sequence: Option<ObjectName>,
    /// Options of its sequence.
    pub options: Vec<SequenceOption>,
}

/// A constraint of a table.
pub struct TableConstraint {
    /// `CONSTRAINT name`
    pub name: Option<Name>,
    /// What it says.
    pub kind: TableConstraintKind,
    /// Where it stands, its name left out.
    pub span: Span,
}

/// What a constraint of a table says.
pub enum TableConstraintKind {
    /// `CHECK`
    Check(CheckConstraint),
    /// `PRIMARY KEY`
    PrimaryKey(KeyConstraint),
    /// `UNIQUE`
    Unique(KeyConstraint),
    /// `FOREIGN KEY`
    ForeignKey(ForeignKey),
    /// `EXCLUDE`
    Exclusion(ExclusionConstraint),
    /// `INDEX [name] (columns)`, as CockroachDB and MySQL have it; the name is the constraint's.
    Index(Vec<IndexElement>),
}

/// `EXCLUDE USING method (element WITH operator, ...)`
pub struct ExclusionConstraint {
    /// `USING`
    pub method: Option<Name>,
    /// What is compared, and by which operators.
    pub elements: Vec<ExclusionElement>,
    /// `INCLUDE`
    pub include: Vec<Name>,
    /// Storage parameters of its index.
    pub options: Vec<DefinedOption>,
    /// `WHERE`
    pub filter: Option<Expr>,
    /// When it is checked.
    pub deferral: Option<Deferral>,
}

/// `element WITH operator`
pub struct ExclusionElement {
    /// The column or expression.
    pub element: IndexElement,
    /// The operator.
    pub operator: Operator,
}
