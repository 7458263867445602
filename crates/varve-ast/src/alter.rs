//! ALTER of tables and of what else has columns or rows.

use crate::column::{Column, Identity, TableConstraint};
use crate::expr::Expr;
use crate::name::{Name, ObjectName};
use crate::option::DefinedOption;
use crate::sequence::{SequenceOption, SignedNumber};
use crate::span::Span;
use crate::table::PartitionValues;
use crate::type_name::TypeName;

/// `ALTER kind [IF EXISTS] name action, ...`
pub struct Alter {
    /// The kind that the statement names.
    pub kind: AlterKind,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `ONLY`: not the tables below.
    pub only: bool,
    /// What is altered.
    pub name: ObjectName,
    /// What is done to it.
    pub actions: Vec<AlterAction>,
}

/// What kind of object is altered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlterKind {
    /// A table; statements may say so of all the others but schemas too.
    Table,
    /// An index.
    Index,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A sequence.
    Sequence,
    /// A schema.
    Schema,
}

/// What is done to a table or another object.
pub enum AlterAction {
    /// `ADD [COLUMN] [IF NOT EXISTS] column`
    AddColumn {
        /// The column.
        column: Box<Column>,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
    },
    /// `ADD constraint [NOT VALID]`
    AddConstraint {
        /// The constraint.
        constraint: Box<TableConstraint>,
        /// Rows that are there are not checked.
        not_valid: bool,
    },
    /// `DROP [COLUMN] [IF EXISTS] name [CASCADE]`
    DropColumn {
        /// The column.
        name: Name,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CASCADE`
        is_cascade: bool,
    },
    /// `DROP CONSTRAINT [IF EXISTS] name [CASCADE]`
    DropConstraint {
        /// The constraint.
        name: Name,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CASCADE`
        is_cascade: bool,
    },
    /// `ALTER [COLUMN] name change`
    Column {
        /// The column.
        name: Name,
        /// What is done to it.
        change: ColumnChange,
    },
    /// `VALIDATE CONSTRAINT name`
    Validate(Name),
    /// `RENAME [COLUMN] name TO name`
    RenameColumn {
        /// Its name.
        from: Name,
        /// Its new name.
        to: Name,
    },
    /// `RENAME CONSTRAINT name TO name`
    RenameConstraint {
        /// Its name.
        from: Name,
        /// Its new name.
        to: Name,
    },
    /// `RENAME TO name`
    RenameTo(Name),
    /// `SET SCHEMA name`
    SetSchema(Name),
    /// `[NO] INHERIT table`
    Inherit {
        /// The table.
        parent: ObjectName,
        /// Without `NO`.
        joins: bool,
    },
    /// `ATTACH PARTITION table bound`
    Attach {
        /// The table.
        partition: ObjectName,
        /// Which rows it takes.
        values: Box<PartitionValues>,
    },
    /// `ATTACH PARTITION index` of an index.
    AttachIndex(ObjectName),
    /// `DETACH PARTITION table`
    Detach(ObjectName),
    /// `OWNER TO role`; `None` for the session's.
    Owner(Option<Name>),
    /// `SET (...)`
    Options(Vec<DefinedOption>),
    /// `RESET (...)`, options without values.
    ResetOptions(Vec<DefinedOption>),
    /// What says how rows are stored, logged or guarded, by its words, and the index that it names.
    Storage(&'static str, Option<Name>),
}

/// What is done to a column.
pub enum ColumnChange {
    /// `TYPE type [COLLATE collation] [USING expression]`
    Type {
        /// The type.
        type_name: Box<TypeName>,
        /// How its values are ordered, and where `COLLATE` stands.
        collation: Option<(ObjectName, Span)>,
        /// What values are made by.
        using: Option<Box<Expr>>,
    },
    /// `SET DEFAULT expression`
    SetDefault(Box<Expr>),
    /// `DROP DEFAULT`
    DropDefault,
    /// `SET NOT NULL`
    SetNotNull,
    /// `DROP NOT NULL`
    DropNotNull,
    /// `DROP EXPRESSION [IF EXISTS]`
    DropExpression {
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `ADD GENERATED ... AS IDENTITY`
    AddIdentity(Identity),
    /// `SET GENERATED ...`, `SET option`, `RESTART`, any of them together
    SetIdentity {
        /// `ALWAYS` or `BY DEFAULT`, where it is said.
        is_always: Option<bool>,
        /// Options of its sequence.
        options: Vec<SequenceOption>,
        /// `RESTART [WITH n]`
        restart: Option<Option<SignedNumber>>,
    },
    /// `DROP IDENTITY [IF EXISTS]`
    DropIdentity {
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `SET (...)`, `RESET (...)`
    Options(Vec<DefinedOption>),
    /// `SET STORAGE mode`
    Storage(Name),
    /// `SET COMPRESSION method`, its level in parentheses.
    Compression(Name),
    /// `SET STATISTICS`
    Statistics,
}
