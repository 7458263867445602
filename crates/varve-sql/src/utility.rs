//! What the statements around queries do, bound against one catalogue.

use varve_types::{ColumnId, LogicalType, ObjectId, SqlState};

use crate::alter::AlterTable;
use crate::catalog::TableDef;
use crate::comment::CommentDef;
use crate::domain::DomainDef;
use crate::function_def::FunctionDef;
use crate::plan::{NewTable, Query};
use crate::schema::SchemaDef;
use crate::sequence::SequenceDef;
use crate::trigger_def::TriggerDef;
use crate::type_def::EnumDef;
use crate::view::ViewDef;

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
    /// `CREATE SCHEMA` with statements.
    Schema {
        /// Without an object.
        schema: SchemaDef,
        /// Their texts and where they stand, in the order in which they are run.
        elements: Vec<(String, u32)>,
    },
}

/// An object that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A table, with its indexes.
    Table(ObjectId),
    /// A view; of a materialized one its table is listed too.
    View(ObjectId),
    /// A sequence.
    Sequence(ObjectId),
    /// A schema.
    Schema(ObjectId),
    /// An enumeration.
    Type(ObjectId),
    /// A function.
    Function(ObjectId),
    /// A trigger of a table.
    Trigger(ObjectId, ObjectId),
    /// The default of a column of a table, by position.
    Default(ObjectId, usize),
    /// A column of a table that is altered.
    Column(ObjectId, ColumnId),
    /// A foreign key of a table, by its place.
    Key(ObjectId, usize),
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
    pub(crate) fn notice(text: String) -> Message {
        Message::new(SqlState::SUCCESSFUL_COMPLETION, text)
    }

    /// A message without detail.
    pub(crate) fn new(state: SqlState, text: String) -> Message {
        Message {
            state,
            text,
            detail: None,
        }
    }
}
