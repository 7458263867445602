//! Statements that look at tables or say how a store is kept.

use crate::function::DoBlock;
use crate::name::{Name, ObjectName};
use crate::query::Query;

/// Such a statement.
pub enum Utility {
    /// `TRUNCATE`
    Truncate(Box<Truncate>),
    /// `ANALYZE`
    Analyze(Vec<Analyze>),
    /// `LOCK TABLE`
    LockTable(LockTable),
    /// `COPY`
    Copy(Box<crate::copy::Copy>),
    /// `DO`
    Do(Box<DoBlock>),
    /// `CALL`: a query of the rows of the call.
    Call(Box<Query>),
    /// What changes nothing here, though dumps and scripts have it.
    NoOp(Box<NoOp>),
}

/// `TRUNCATE [TABLE] [ONLY] name [*], ... [RESTART IDENTITY] [CASCADE]`
pub struct Truncate {
    /// The tables, and whether those below them stay as they are.
    pub tables: Vec<(ObjectName, bool)>,
    /// `RESTART IDENTITY`
    pub restart_identity: bool,
    /// `CASCADE`
    pub is_cascade: bool,
}

/// A table of ANALYZE, and its columns where they are named.
pub struct Analyze {
    /// The table.
    pub table: ObjectName,
    /// The columns.
    pub columns: Vec<Name>,
}

/// `LOCK TABLE`: all modes are the same here.
pub struct LockTable {
    /// The tables.
    pub tables: Vec<ObjectName>,
}

/// A statement that changes nothing: REINDEX, CLUSTER, GRANT and the like. What it names must be
/// there.
#[derive(Default)]
pub struct NoOp {
    /// What it names, where that is looked at.
    pub on: Vec<(NamedKind, ObjectName)>,
    /// The roles that it names, and what is to become of them; `None` for the session's.
    pub roles: Vec<Option<Name>>,
    /// What is asked of the roles.
    pub order: RoleOrder,
    /// What it is that cannot run inside a transaction block.
    pub outside_block: Option<&'static str>,
    /// What the user should know of it.
    pub notice: Option<&'static str>,
}

/// What must have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedKind {
    /// A table.
    Table,
    /// What has rows.
    Rows,
    /// An index.
    Index,
    /// A view.
    View,
    /// A materialized view.
    MaterializedView,
    /// A sequence.
    Sequence,
    /// Anything of these.
    Relation,
    /// A schema.
    Schema,
}

/// What is asked of roles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RoleOrder {
    /// Nothing that could be seen: a role that is not there gets a notice.
    #[default]
    Note,
    /// `REASSIGN OWNED`
    Reassign,
    /// `DROP OWNED`
    DropOwned,
    /// `DROP ROLE`
    Drop,
    /// `DROP ROLE IF EXISTS`
    DropIfExists,
    /// `ALTER ROLE`
    Alter,
}
