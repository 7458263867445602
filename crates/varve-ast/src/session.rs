//! Statements about the session: its transaction, settings, prepared statements and cursors.

use crate::expr::Expr;
use crate::name::{Name, ObjectName};
use crate::query::Query;
use crate::span::Span;
use crate::type_name::TypeName;

/// A statement about the session.
pub enum Session {
    /// One that needs no catalog.
    Command(Command),
    /// `PREPARE`
    Prepare(Box<Prepare>),
    /// `EXECUTE`
    Execute(Box<Execute>),
    /// `DECLARE`
    Declare(Box<DeclareCursor>),
    /// `SELECT zstd_enable_transparent(...)` and the like.
    Transparent(Box<TransparentCall>),
}

/// How much VACUUM and COMPRESS write anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VacuumExtent {
    /// What has deleted rows.
    Deleted,
    /// `FULL`: also runs that lie over each other.
    Full,
    /// `COMPRESS`: also what is not compressed as it is to be.
    Compress,
}

/// A function of sqlite-zstd that is a statement: it defines something, or is many transactions.
pub struct TransparentCall {
    /// Which one.
    pub function: TransparentFunction,
    /// What it is given.
    pub arguments: Vec<Expr>,
    /// The name of its column.
    pub label: String,
    /// Where it stands.
    pub span: Span,
}

/// The functions of sqlite-zstd that are statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransparentFunction {
    /// `zstd_enable_transparent(config)`
    Enable,
    /// `zstd_incremental_maintenance(duration, load)`
    Maintain,
}

impl TransparentFunction {
    /// The function of a name.
    pub fn named(name: &str) -> Option<TransparentFunction> {
        match name {
            "zstd_enable_transparent" => Some(TransparentFunction::Enable),
            "zstd_incremental_maintenance" => Some(TransparentFunction::Maintain),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            TransparentFunction::Enable => "zstd_enable_transparent",
            TransparentFunction::Maintain => "zstd_incremental_maintenance",
        }
    }
}

/// `PREPARE name (types) AS statement`
pub struct Prepare {
    /// Its name.
    pub name: Name,
    /// The types of its parameters.
    pub types: Vec<TypeName>,
    /// The text of the statement.
    pub text: String,
    /// Where that stands.
    pub span: Span,
}

/// `EXECUTE name (arguments)`
pub struct Execute {
    /// The prepared statement.
    pub name: Name,
    /// The values of its parameters.
    pub arguments: Vec<Expr>,
    /// The texts before and behind it where its rows make a table: `CREATE TABLE t AS`, `WITH
    /// DATA`.
    pub around: Option<(String, String)>,
}

/// `DECLARE name CURSOR FOR query`
pub struct DeclareCursor {
    /// Its name.
    pub name: Name,
    /// `SCROLL`, `NO SCROLL`, where either is said.
    pub is_scroll: Option<bool>,
    /// `WITH HOLD`
    pub is_held: bool,
    /// Its query.
    pub query: Box<Query>,
}

/// A statement that changes the session, its transaction or the store, and reads no table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `BEGIN`, `START TRANSACTION`.
    Begin(TransactionModes),
    /// `COMMIT`, `END`.
    Commit {
        /// `AND CHAIN`: the next transaction begins at once, with the same modes.
        chain: bool,
    },
    /// `ROLLBACK`, `ABORT`.
    Rollback {
        /// `AND CHAIN`
        chain: bool,
    },
    /// `SAVEPOINT name`
    Savepoint(String),
    /// `ROLLBACK TO [SAVEPOINT] name`
    RollbackTo(String),
    /// `RELEASE [SAVEPOINT] name`
    Release(String),
    /// `SET TRANSACTION ...`
    SetTransaction(TransactionModes),
    /// `SET SESSION CHARACTERISTICS AS TRANSACTION`
    SetCharacteristics(TransactionModes),
    /// `SET CONSTRAINTS ...`
    SetConstraints {
        /// Names of constraints; `None` for `ALL`.
        names: Option<Vec<String>>,
        /// `DEFERRED`, else `IMMEDIATE`.
        deferred: bool,
    },
    /// `SET [SESSION | LOCAL] name = value`
    Set {
        /// Its name, in lower case.
        name: String,
        /// The value as text; `None` for `DEFAULT`.
        value: Option<String>,
        /// Until the end of the transaction only.
        local: bool,
    },
    /// `RESET name`; `None` for `ALL`.
    Reset(Option<String>),
    /// `SHOW name`; `None` for `ALL`.
    Show(Option<String>),
    /// `VACUUM [FULL] [table, ...]`
    Vacuum {
        /// How much of them is written anew.
        extent: VacuumExtent,
        /// Tables; none means all.
        tables: Vec<ObjectName>,
        /// On how many threads, if that was said.
        workers: Option<u32>,
        /// Options of which nothing comes.
        unused: Vec<String>,
    },
    /// `COMPRESS [TABLE] [table, ...] [WITH (workers = n)]`: writes tables anew in the codecs that
    /// they ask for.
    Compress {
        /// Tables; none means all.
        tables: Vec<ObjectName>,
        /// On how many threads, if that was said.
        workers: Option<u32>,
    },
    /// `CHECKPOINT`, or RisingWave's `FLUSH`
    Checkpoint,
    /// `FETCH`, `MOVE`
    Fetch {
        /// The cursor.
        name: String,
        /// Which rows.
        direction: Direction,
        /// The rows are not given.
        is_move: bool,
    },
    /// `CLOSE cursor`; `None` for `ALL`.
    Close(Option<String>),
    /// `DEALLOCATE name`; `None` for `ALL`.
    Deallocate(Option<String>),
    /// `DISCARD`
    Discard(DiscardWhat),
}

/// Which rows FETCH gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The next ones, the greatest number meaning all of them; 0 the row where it stands.
    Forward(i64),
    /// Those before, the last of them first.
    Backward(i64),
    /// The row with a number, from the end where it is negative.
    Absolute(i64),
    /// The row so many further on.
    Relative(i64),
}

/// What DISCARD takes from a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscardWhat {
    /// Everything.
    All,
    /// Plans, which are shared and stay.
    Plans,
    /// What `currval` says.
    Sequences,
    /// Temporary tables.
    Temporary,
}

/// What a transaction is asked to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransactionModes {
    /// ISOLATION LEVEL, where the statement says.
    pub isolation: Option<Isolation>,
    /// `READ ONLY` or `READ WRITE`, where the statement says.
    pub read_only: Option<bool>,
    /// `DEFERRABLE` or `NOT DEFERRABLE`, where the statement says.
    pub deferrable: Option<bool>,
}

/// How far transactions are kept apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Isolation {
    /// READ UNCOMMITTED
    ReadUncommitted,
    /// READ COMMITTED
    ReadCommitted,
    /// REPEATABLE READ
    #[default]
    RepeatableRead,
    /// SERIALIZABLE
    Serializable,
}

impl Isolation {
    /// All levels, the weakest first.
    pub const ALL: [Isolation; 4] = [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Serializable,
    ];

    /// As SHOW gives it.
    pub fn name(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "read uncommitted",
            Isolation::ReadCommitted => "read committed",
            Isolation::RepeatableRead => "repeatable read",
            Isolation::Serializable => "serializable",
        }
    }
}
