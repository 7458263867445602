//! What the statements around queries do, bound against one catalog.

use core::ops::Range;

use varve_ast::TransparentFunction;
use varve_catalog::model::comment::CommentDef;
use varve_catalog::model::domain::DomainDef;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::hypertable::ChunkDef;
use varve_catalog::model::schema::SchemaDef;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::TableDef;
use varve_catalog::model::trigger_def::TriggerDef;
use varve_catalog::model::type_def::EnumDef;
use varve_catalog::model::view::ViewDef;
use varve_expr::Expr;
use varve_system_views::Field;
use varve_types::{LogicalType, ObjectId, SqlState};

use crate::plan::alter::AlterTable;
use crate::plan::{NewTable, Query};

pub use varve_catalog::dependency::dropped::Dropped;

/// A continuous aggregate that is to be made; nothing has an object yet.
#[derive(Clone, Debug, PartialEq)]
pub struct NewAggregate {
    /// The view.
    pub view: ViewDef,
    /// The table of its rows.
    pub table: NewTable,
    /// The table of the times that change.
    pub notes: NewTable,
    /// What fills it, and the end of that; `None` for WITH NO DATA.
    pub filled: Option<(Query, Query)>,
}

/// Buckets of a continuous aggregate that are to be made anew.
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateRange {
    /// The aggregate.
    pub view: ViewDef,
    /// Their rows.
    pub query: Query,
    /// Whether the range begins and ends where buckets do.
    pub is_whole: Query,
    /// From the start of a bucket to that of another, in units of the time.
    pub range: Range<i64>,
    /// The start of the first bucket that the source has, where none was materialized yet.
    pub least: Option<i64>,
}

/// A statement around queries.
#[derive(Clone, Debug, PartialEq)]
pub enum Utility {
    /// `CREATE [OR REPLACE] VIEW`: the definition has the object of the view that it replaces, or
    /// 0.
    CreateView(ViewDef),
    /// `CREATE MATERIALIZED VIEW`: the view and the table of its rows, both without objects.
    CreateMaterializedView {
        /// The view.
        view: ViewDef,
        /// The table.
        table: NewTable,
        /// What fills it; `None` for WITH NO DATA.
        query: Option<Query>,
    },
    /// `CREATE MATERIALIZED VIEW ... WITH (tsdb.continuous)`
    CreateAggregate(Box<NewAggregate>),
    /// `REFRESH MATERIALIZED VIEW` of some buckets of a continuous aggregate.
    RefreshRange(Box<AggregateRange>),
    /// `REFRESH MATERIALIZED VIEW`
    Refresh {
        /// The view.
        view: ViewDef,
        /// What fills it; `None` for WITH NO DATA.
        query: Option<Query>,
    },
    /// `CREATE TABLE ... AS`, `SELECT INTO`
    CreateTableAs {
        /// The table.
        table: NewTable,
        /// What fills it; `None` for WITH NO DATA.
        query: Option<Query>,
    },
    /// `CREATE DOMAIN`: without an object.
    CreateDomain(Box<DomainDef>),
    /// An enumeration that is made (without an object) or changed, and the word of the answer.
    PutEnum(EnumDef, &'static str),
    /// A function that is made (without an object) or changed, and the word of the answer.
    PutFunction(Box<FunctionDef>, &'static str),
    /// `DO`: a function without a name.
    Do(Box<FunctionDef>),
    /// Triggers that are made (without an object) or changed, and the word of the answer.
    PutTrigger(Vec<TriggerDef>, &'static str),
    /// `DROP`
    Drop(Vec<Dropped>),
    /// `DROP` of what columns have as their type: what becomes of their tables, and what else goes.
    DropColumns(Vec<AlterTable>, Vec<Dropped>),
    /// `CREATE SCHEMA`: without an object, but for `public`, whose object says that it is gone.
    CreateSchema(SchemaDef),
    /// `ALTER` of what is no table.
    Alter(Vec<Definition>),
    /// `COMMENT ON`: the comment, without an object and empty where there is to be none, and the
    /// objects of those that there are.
    Comment(CommentDef, Vec<ObjectId>),
    /// `LOCK TABLE`: transactions of which one changed what the other read do not wait, they fail.
    LockTable,
    /// `ANALYZE`: there are no statistics that it would have to gather.
    Analyze,
    /// Nothing but its notices, as after IF EXISTS.
    Nothing,
}

/// The definition that an object gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Definition {
    /// Of a view.
    View(ViewDef),
    /// Of a sequence, with the value that comes next, where that changes.
    Sequence(SequenceDef, Option<i64>),
    /// Of a schema.
    Schema(SchemaDef),
    /// Of a domain.
    Domain(Box<DomainDef>),
    /// Of a table whose rows stay as they are, and the columns whose values must be seen to belong
    /// to their domains.
    Table(Box<TableDef>, Vec<usize>),
    /// Of a comment.
    Comment(CommentDef),
    /// Of a chunk, and the one whose range and rows it has taken.
    Chunk {
        /// The chunk.
        chunk: ChunkDef,
        /// The one that is no more.
        merged: Option<ObjectId>,
    },
}

/// A statement about what a session keeps.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionStatement {
    /// `PREPARE`
    Prepare {
        /// Its name.
        name: String,
        /// The types of the first parameters.
        types: Vec<Option<LogicalType>>,
        /// The statement.
        text: String,
        /// Where it stands.
        position: u32,
    },
    /// `EXECUTE`; its arguments are bound when the types of the parameters are known, by
    /// [`crate::bind_arguments`].
    Execute {
        /// The prepared statement.
        name: String,
        /// What stands before and after its text in the statement that makes a table of its rows.
        around: Option<(String, String)>,
    },
    /// `DECLARE CURSOR`
    Declare {
        /// Its name.
        name: String,
        /// `SCROLL`, `NO SCROLL`
        scroll: Option<bool>,
        /// `WITH HOLD`: it stays when the transaction commits.
        hold: bool,
        /// Its rows.
        query: Box<Query>,
    },
    /// A function of sqlite-zstd that is a statement.
    Transparent {
        /// Which one.
        function: TransparentFunction,
        /// What it is given, without columns: text, or two doubles.
        arguments: Vec<Expr>,
        /// Its column.
        field: Field,
    },
    /// `CREATE SCHEMA` with statements.
    Schema {
        /// Without an object.
        schema: SchemaDef,
        /// Their texts and where they stand, in the order in which they are run.
        elements: Vec<(String, u32)>,
    },
}

impl SessionStatement {
    /// The columns of the rows that it gives.
    pub fn fields(&self) -> &[Field] {
        match self {
            SessionStatement::Transparent { field, .. } => core::slice::from_ref(field),
            _ => &[],
        }
    }
}

/// Something that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// SQLSTATE
    pub state: SqlState,
    /// The message.
    pub text: String,
    /// More of it.
    pub detail: Option<String>,
}

impl Message {
    /// What is no condition of its own: nothing went wrong.
    pub fn notice(text: String) -> Message {
        Message::new(SqlState::SUCCESSFUL_COMPLETION, text)
    }

    /// A message without detail.
    pub fn new(state: SqlState, text: String) -> Message {
        Message {
            state,
            text,
            detail: None,
        }
    }
}
