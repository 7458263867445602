//! Statements that make, change and drop what the catalog keeps.

use crate::alter::Alter;
use crate::column::ColumnConstraint;
use crate::function::{AlterFunction, CreateFunction, FunctionName};
use crate::name::{Name, ObjectName};
use crate::option::DefinedOption;
use crate::query::Query;
use crate::sequence::SequenceChange;
use crate::span::Span;
use crate::table::{CreateIndex, CreateTable, OnCommit};
use crate::trigger::{CreateTrigger, NamedTrigger};
use crate::type_name::TypeName;
use crate::utility::NamedKind;

/// A statement about the catalog.
pub enum Ddl {
    /// `CREATE TABLE`
    CreateTable(Box<CreateTable>),
    /// `CREATE TABLE ... AS query`
    CreateTableAs(Box<CreateTableAs>),
    /// `CREATE INDEX`
    CreateIndex(Box<CreateIndex>),
    /// `CREATE [MATERIALIZED] VIEW`
    CreateView(Box<CreateView>),
    /// `CREATE SCHEMA`
    CreateSchema(Box<CreateSchema>),
    /// `CREATE DOMAIN`
    CreateDomain(Box<CreateDomain>),
    /// `CREATE TYPE name AS ENUM (labels)`
    CreateEnum {
        /// Its name.
        name: ObjectName,
        /// Its labels, in order.
        labels: Vec<String>,
    },
    /// `CREATE TYPE name AS (fields)`
    CreateRowType {
        /// Its name.
        name: ObjectName,
        /// Its fields.
        fields: Vec<(Name, TypeName)>,
    },
    /// `CREATE FUNCTION`
    CreateFunction(Box<CreateFunction>),
    /// `CREATE TRIGGER`
    CreateTrigger(Box<CreateTrigger>),
    /// `CREATE`, `ALTER` with options and `DROP SEQUENCE`
    Sequence(Box<SequenceChange>),
    /// `ALTER` of a table, index, view, sequence or schema
    Alter(Box<Alter>),
    /// `ALTER DOMAIN`
    AlterDomain {
        /// Its name.
        name: ObjectName,
        /// What is done to it.
        change: AlterDomain,
    },
    /// `ALTER TYPE` of an enumeration
    AlterEnum {
        /// Its name.
        name: ObjectName,
        /// What is done to it.
        change: AlterEnum,
    },
    /// `ALTER FUNCTION`
    AlterFunction(Box<AlterFunction>),
    /// `ALTER TRIGGER name ON table RENAME TO name`
    RenameTrigger {
        /// The trigger.
        trigger: NamedTrigger,
        /// Its new name.
        to: Name,
    },
    /// `ALTER TABLE name ENABLE | DISABLE TRIGGER`
    EnableTriggers {
        /// The table.
        table: ObjectName,
        /// The trigger; `None` for all.
        name: Option<Name>,
        /// `ENABLE`, else `DISABLE`.
        is_enabled: bool,
    },
    /// `DROP` of what has a name
    Drop(DropObjects),
    /// `DROP INDEX`
    DropIndex {
        /// Their names.
        names: Vec<ObjectName>,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CONCURRENTLY`
        is_concurrent: bool,
    },
    /// `DROP FUNCTION`
    DropFunction {
        /// The functions.
        functions: Vec<FunctionName>,
        /// `IF EXISTS`
        if_exists: bool,
        /// `CASCADE`
        is_cascade: bool,
    },
    /// `DROP TRIGGER`
    DropTrigger {
        /// The trigger.
        trigger: NamedTrigger,
        /// `CASCADE`
        is_cascade: bool,
    },
    /// `REFRESH MATERIALIZED VIEW`
    Refresh {
        /// The view.
        name: ObjectName,
        /// `CONCURRENTLY`
        is_concurrent: bool,
        /// Without `WITH NO DATA`.
        with_data: bool,
        /// `WITH (...)`: which part of a continuous aggregate.
        window: Vec<DefinedOption>,
    },
    /// `COMMENT ON`
    Comment {
        /// What it is on.
        on: CommentTarget,
        /// Its text; `None` takes it away.
        text: Option<String>,
    },
}

/// `CREATE [MATERIALIZED] VIEW`
pub struct CreateView {
    /// Its name.
    pub name: ObjectName,
    /// `OR REPLACE`
    pub or_replace: bool,
    /// `TEMPORARY`
    pub is_temporary: bool,
    /// `RECURSIVE`
    pub is_recursive: bool,
    /// The names of its columns.
    pub columns: Vec<Name>,
    /// `WITH (...)`; storage parameters of a materialized one.
    pub options: Vec<DefinedOption>,
    /// The query.
    pub query: Box<Query>,
    /// Its text.
    pub text: String,
    /// `WITH CHECK OPTION`
    pub check: ViewCheck,
    /// Where it is materialized.
    pub materialized: Option<Materialized>,
}

/// `WITH CHECK OPTION`: what rows that are written through a view must pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ViewCheck {
    /// Nothing.
    #[default]
    None,
    /// `LOCAL`: its own condition.
    Local,
    /// `CASCADED`: also those of the views under it.
    Cascaded,
}

/// What is said of a materialized view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Materialized {
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// Without `WITH NO DATA`.
    pub with_data: bool,
}

/// `CREATE TABLE ... AS query`
pub struct CreateTableAs {
    /// Its name.
    pub name: ObjectName,
    /// `TEMPORARY`
    pub is_temporary: bool,
    /// `UNLOGGED`
    pub is_unlogged: bool,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// The names of its columns.
    pub columns: Vec<Name>,
    /// `ON COMMIT`
    pub on_commit: Option<OnCommit>,
    /// Storage parameters.
    pub options: Vec<DefinedOption>,
    /// The query.
    pub query: Box<Query>,
    /// Without `WITH NO DATA`.
    pub with_data: bool,
}

/// `CREATE SCHEMA`, with statements that make what is in it.
pub struct CreateSchema {
    /// Its name, or that of its owner.
    pub name: Option<Name>,
    /// `AUTHORIZATION`
    pub owner: Option<Name>,
    /// `IF NOT EXISTS`
    pub if_not_exists: bool,
    /// In the order in which they are run.
    pub elements: Vec<SchemaElement>,
}

/// A statement that makes something in the schema.
pub struct SchemaElement {
    /// What it makes, as far as that tells of a schema.
    pub name: Option<ObjectName>,
    /// Its text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `CREATE DOMAIN`
pub struct CreateDomain {
    /// Its name.
    pub name: ObjectName,
    /// The type of its values.
    pub type_name: TypeName,
    /// What is said of it.
    pub constraints: Vec<ColumnConstraint>,
}

/// What is done to a domain.
pub enum AlterDomain {
    /// `SET DEFAULT`, `SET NOT NULL`, `ADD constraint`
    Put {
        /// What it gets.
        constraint: Box<ColumnConstraint>,
        /// `NOT VALID`: values that are there may break it.
        not_valid: bool,
    },
    /// `DROP DEFAULT`
    DropDefault,
    /// `DROP NOT NULL`
    DropNotNull,
    /// `DROP CONSTRAINT [IF EXISTS] name`
    DropConstraint {
        /// The constraint.
        name: Name,
        /// `IF EXISTS`
        if_exists: bool,
    },
    /// `VALIDATE CONSTRAINT name`
    Validate(Name),
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
    /// `OWNER TO role`; `None` for the session's.
    Owner(Option<Name>),
}

/// What is done to an enumeration.
pub enum AlterEnum {
    /// `ADD VALUE`
    Add {
        /// The label.
        label: String,
        /// `IF NOT EXISTS`
        if_not_exists: bool,
        /// Where it goes.
        place: EnumPlace,
    },
    /// `RENAME VALUE from TO to`
    RenameValue {
        /// Its label.
        from: String,
        /// Its new label.
        to: String,
    },
    /// `RENAME TO name`
    RenameTo(Name),
    /// `SET SCHEMA name`
    SetSchema(Name),
    /// `OWNER TO role`; `None` for the session's.
    Owner(Option<Name>),
}

/// Where a label is added.
pub enum EnumPlace {
    /// Behind all others.
    End,
    /// `BEFORE label`
    Before(String),
    /// `AFTER label`
    After(String),
}

/// `DROP kind [IF EXISTS] names [CASCADE]`
pub struct DropObjects {
    /// The kind that the statement names.
    pub kind: ObjectKind,
    /// The names.
    pub names: Vec<ObjectName>,
    /// `IF EXISTS`
    pub if_exists: bool,
    /// `CASCADE`
    pub is_cascade: bool,
}

/// What kind of object a statement names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A table.
    Table,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A schema.
    Schema,
    /// A type.
    Type,
    /// A domain.
    Domain,
}

impl ObjectKind {
    /// Each kind with its words.
    pub const ALL: [(ObjectKind, &'static str); 6] = [
        (ObjectKind::Table, "TABLE"),
        (ObjectKind::View, "VIEW"),
        (ObjectKind::MaterializedView, "MATERIALIZED VIEW"),
        (ObjectKind::Schema, "SCHEMA"),
        (ObjectKind::Type, "TYPE"),
        (ObjectKind::Domain, "DOMAIN"),
    ];

    /// Its name in messages.
    pub fn shown(self) -> &'static str {
        match self {
            ObjectKind::Table => "table",
            ObjectKind::View => "view",
            ObjectKind::MaterializedView => "materialized view",
            ObjectKind::Schema => "schema",
            ObjectKind::Type => "type",
            ObjectKind::Domain => "domain",
        }
    }
}

/// What a comment is on.
pub enum CommentTarget {
    /// A table or what else has rows.
    Relation(NamedKind, ObjectName),
    /// A column, by its table and its name.
    Column(ObjectName),
    /// A schema.
    Schema(Name),
    /// A type or domain.
    Type(ObjectKind, ObjectName),
    /// A function.
    Function(FunctionName),
    /// A trigger.
    Trigger(NamedTrigger),
    /// A constraint, named as a trigger is.
    Constraint {
        /// Its name and table.
        constraint: NamedTrigger,
        /// Whether it is of a domain.
        of_domain: bool,
    },
    /// A database.
    Database(Name),
    /// A role.
    Role(Name),
    /// What there is none of here.
    Other,
}
