//! What statements do, bound against one catalog: queries, changes and the rest.

use std::sync::Arc;

use varve_ast::Command;
use varve_catalog::dependency::bound_to::Dependencies;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::index::IndexDef;
use varve_catalog::model::sequence::SequenceDef;
use varve_catalog::model::table::{CheckDef, TableDef};
use varve_catalog::model::trigger_def::Event;
use varve_expr::Expr;
use varve_types::{LogicalType, ObjectId, TreeId, Value};

use crate::plan::alter::AlterTable;
use crate::plan::utility::{Message, SessionStatement, Utility};
use crate::plan::walk::taken;
use crate::plan::{Field, Plan, WithNode};

pub use varve_ast::OnCommit;

/// What a statement does, bound against one catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A query.
    Query(Query),
    /// `CALL`: a query of the row that a procedure gives; without columns where it gives none.
    Call(Query),
    /// `INSERT`: `source` gives one column a table column, in order, of the column's type.
    Insert(InsertPlan),
    /// `UPDATE`: `source` gives all columns of the table with their new values, the row's position,
    /// then what RETURNING reads of other relations.
    Update(ModifyPlan),
    /// `DELETE`: `source` gives the row's position, or as for UPDATE where there is RETURNING.
    Delete(ModifyPlan),
    /// `MERGE`
    Merge(MergePlan),
    /// `CREATE TABLE`; `existing` is set when IF NOT EXISTS found one.
    CreateTable {
        /// The table, ids not yet assigned.
        definition: NewTable,
        /// IF NOT EXISTS and it does: nothing happens but a notice.
        exists: bool,
    },
    /// `TRUNCATE`
    Truncate {
        /// The tables: those that it names, then those that refer to them.
        tables: Vec<Arc<TableDef>>,
        /// How many it names.
        named: usize,
        /// The sequences that start anew.
        sequences: Vec<Arc<SequenceDef>>,
    },
    /// `ALTER TABLE`, and what else makes another table of one.
    AlterTable(Box<AlterTable>),
    /// `CREATE INDEX`.
    CreateIndex {
        /// The table.
        table: Arc<TableDef>,
        /// The index, ids not yet assigned; `None` where IF NOT EXISTS found one.
        definition: Option<NewIndex>,
        /// Its name.
        name: String,
    },
    /// `DROP INDEX`.
    DropIndex {
        /// The indexes, with their tables.
        indexes: Vec<(ObjectId, TreeId)>,
        /// Names that IF EXISTS did not find, for notices.
        missing: Vec<String>,
    },
    /// `CREATE SEQUENCE`
    CreateSequence {
        /// The sequence, ids not yet assigned.
        definition: SequenceDef,
        /// IF NOT EXISTS and it does: nothing happens but a notice.
        exists: bool,
    },
    /// `ALTER SEQUENCE`
    AlterSequence {
        /// What it is then; `None` where IF EXISTS did not find it.
        changed: Option<SequenceDef>,
        /// Its name.
        name: String,
        /// The value that comes next, where that changes.
        restart: Option<i64>,
    },
    /// One that needs no plan; see also [`varve_parser::ParsedStatement::command`].
    Command(Command),
    /// `EXPLAIN [ANALYZE] statement`.
    Explain {
        /// What is explained.
        statement: Box<Statement>,
        /// What is shown.
        options: ExplainOptions,
    },
    /// A statement with those that change rows before it, by WITH.
    Changes(Box<Changes>),
    /// One of the statements around queries.
    Utility(Box<Utility>),
    /// One about what the session keeps.
    Session(Box<SessionStatement>),
    /// `COPY table FROM STDIN`.
    CopyFrom(Box<CopyPlan>),
    /// `COPY ... TO STDOUT`.
    CopyTo(Box<CopyOut>),
}

/// A query with the names of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// How rows are made.
    pub plan: Plan,
    /// The columns of the result.
    pub fields: Vec<Field>,
    /// Which columns are constants that no place has given a type: text for now.
    pub untyped: Vec<bool>,
}

/// An INSERT.
#[derive(Clone, Debug, PartialEq)]
pub struct InsertPlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// One output column a table column.
    pub source: Plan,
    /// `ON CONFLICT`
    pub on_conflict: Option<OnConflict>,
    /// What new rows must pass: the conditions of views that they are written through, by the
    /// names of these.
    pub checks: Vec<CheckDef>,
    /// `RETURNING`, over the columns of the table, and behind them the OID of the table that the
    /// row is in, where it may be in several.
    pub returning: Option<Returning>,
}

/// What INSERT does with a row that is there already.
#[derive(Clone, Debug, PartialEq)]
pub struct OnConflict {
    /// What decides that it is there.
    pub arbiters: Vec<Arbiter>,
    /// `DO UPDATE`, else `DO NOTHING`.
    pub update: Option<ConflictUpdate>,
}

/// A key that decides whether a row is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arbiter {
    /// The primary key.
    PrimaryKey,
    /// The index with this tree.
    Index(TreeId),
}

/// `DO UPDATE SET ... WHERE ...`, over the columns of the row that is there, then those of the row
/// that was to be inserted.
#[derive(Clone, Debug, PartialEq)]
pub struct ConflictUpdate {
    /// The row that it becomes.
    pub exprs: Vec<Expr>,
    /// Which rows are updated.
    pub filter: Option<Expr>,
    /// The columns that get new values.
    pub assigned: Vec<usize>,
    /// Where subqueries are read: what makes of the rows that are there, side by side with those
    /// that were to be inserted, what the expressions are over.
    pub wider: Option<Box<Wider>>,
}

/// Adds what subqueries say to rows that are there before it runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Wider {
    /// The named query that stands for the rows, and a last column with their numbers.
    pub id: usize,
    /// The columns of that, then those of the subqueries.
    pub plan: Plan,
}

impl Wider {
    /// The plan over some rows.
    pub fn over(&self, rows: Plan) -> Plan {
        Plan::With(WithNode {
            id: self.id,
            name: String::new(),
            definition: Box::new(rows),
            body: Box::new(self.plan.clone()),
        })
    }
}

/// What a statement that changes rows answers of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Returning {
    /// One expression a column of the result.
    pub exprs: Vec<Expr>,
    /// The columns of the result.
    pub fields: Vec<Field>,
}

/// A table whose rows a statement changes by another that it inherits from.
#[derive(Clone, Debug, PartialEq)]
pub struct ChildTable {
    /// The table.
    pub table: Arc<TableDef>,
    /// The place in it of each column of the other table.
    pub places: Vec<usize>,
}

/// An UPDATE or DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct ModifyPlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// The rows concerned.
    pub source: Plan,
    /// The tables with the rows, where they may be in several: the number of the row's one follows
    /// its position in `source`.
    pub children: Vec<ChildTable>,
    /// The columns that get new values.
    pub assigned: Vec<usize>,
    /// As for INSERT.
    pub checks: Vec<CheckDef>,
    /// `RETURNING`: over the columns of the table, one that is not used, and what follows the
    /// row's position in `source`.
    pub returning: Option<Returning>,
}

/// A statement that reads what statements before it return.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes {
    /// Those that change rows, in the order in which they run.
    pub changes: Vec<Change>,
    /// What is run behind them.
    pub body: Statement,
    /// The tables that are read behind a change of them: as they were before all changes.
    pub read_before: Vec<TreeId>,
}

/// A named statement that changes rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Its number among the named queries.
    pub id: usize,
    /// Its name.
    pub name: String,
    /// What it does.
    pub statement: Statement,
    /// The types of what it returns.
    pub types: Vec<LogicalType>,
}

/// A MERGE.
#[derive(Clone, Debug, PartialEq)]
pub struct MergePlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// Where its rows may be in several tables: which.
    pub children: Vec<ChildTable>,
    /// The columns of the table and the position of the row, NULL where there is none, where there
    /// are children the number of the row's, then what it is joined with.
    pub source: Plan,
    /// What is done with each row: the first that fits.
    pub clauses: Vec<MergeClause>,
}

impl MergePlan {
    /// What it may do to rows, in the order of triggers before it.
    pub fn events(&self) -> Vec<Event> {
        let is_there = |event: &Event| {
            let mut clauses = self.clauses.iter();
            clauses.any(|clause| match clause.action {
                MergeAction::Nothing => false,
                MergeAction::Delete => *event == Event::Delete,
                MergeAction::Update { .. } => *event == Event::Update,
                MergeAction::Insert(_) => *event == Event::Insert,
            })
        };
        let events = [Event::Insert, Event::Update, Event::Delete];
        events.into_iter().filter(is_there).collect()
    }

    /// The columns that it may assign to.
    pub fn assigned(&self) -> Vec<usize> {
        let assigned = self.clauses.iter().flat_map(|clause| match &clause.action {
            MergeAction::Update { assigned, .. } => assigned.as_slice(),
            _ => &[],
        });
        assigned.copied().collect()
    }
}

/// `WHEN [NOT] MATCHED [AND condition] THEN action`
#[derive(Clone, Debug, PartialEq)]
pub struct MergeClause {
    /// Whether it is for rows that have one in the table.
    pub matched: bool,
    /// Which of them.
    pub filter: Option<Expr>,
    /// What is done with them.
    pub action: MergeAction,
}

/// What MERGE does, with expressions over the rows of its source.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAction {
    /// `DO NOTHING`
    Nothing,
    /// `DELETE`
    Delete,
    /// `UPDATE SET`
    Update {
        /// The row that it becomes.
        exprs: Vec<Expr>,
        /// The columns that get new values.
        assigned: Vec<usize>,
    },
    /// `INSERT`: the new row.
    Insert(Vec<Expr>),
}

/// A COPY into a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyPlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// Which table column each field fills, in file order; others get their defaults.
    pub columns: Vec<usize>,
    /// How the text is cut.
    pub options: CopyOptions,
    /// Rows that do not pass it are left out; over the table's columns.
    pub filter: Option<Expr>,
}

/// A COPY of rows to the client.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyOut {
    /// What gives the rows.
    pub source: Statement,
    /// The names of their columns.
    pub names: Vec<String>,
    /// How they are written.
    pub options: CopyOptions,
}

/// How COPY reads or writes rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// The format.
    pub format: CopyFormat,
    /// Whether the first line names the columns.
    pub header: CopyHeader,
    /// Between fields.
    pub delimiter: u8,
    /// Around fields of CSV.
    pub quote: u8,
    /// Before a quote in quotes.
    pub escape: u8,
    /// What stands for NULL.
    pub null: String,
    /// What stands for the default of a column.
    pub default: Option<String>,
    /// The columns, by place among those that are copied, that are written in quotes.
    pub force_quote: Vec<usize>,
    /// The columns in which `null` is a text.
    pub force_not_null: Vec<usize>,
    /// The columns in which `null` is NULL also in quotes.
    pub force_null: Vec<usize>,
}

/// The formats of COPY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyFormat {
    /// Lines of fields with backslashes before what means something else.
    Text,
    /// Comma-separated values.
    Csv,
    /// PostgreSQL's binary format.
    Binary,
}

/// What COPY does with the first line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyHeader {
    /// It is a row as any other.
    None,
    /// It names the columns.
    Line,
    /// It must name the columns that are copied.
    Match,
}

/// A table to be created, ids not yet assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTable {
    /// The table without its indexes.
    pub table: TableDef,
    /// Indexes of UNIQUE constraints.
    pub indexes: Vec<IndexDef>,
    /// Sequences of serial and identity columns, with the positions of these.
    pub sequences: Vec<(usize, SequenceDef)>,
    /// What becomes of a temporary one with each transaction.
    pub on_commit: OnCommit,
}

/// An index to be created.
#[derive(Clone, Debug, PartialEq)]
pub struct NewIndex {
    /// The index, its tree not yet made.
    pub index: IndexDef,
    /// The expressions that the table then has.
    pub expressions: Vec<Expr>,
}

impl Statement {
    /// The columns of the rows that it gives; none where it gives no rows.
    pub fn fields(&self) -> &[Field] {
        let returning = match self {
            Statement::Query(query) | Statement::Call(query) => return &query.fields,
            Statement::Changes(changes) => return changes.body.fields(),
            Statement::Insert(insert) => &insert.returning,
            Statement::Update(modify) | Statement::Delete(modify) => &modify.returning,
            Statement::Session(kept) => return kept.fields(),
            _ => return &[],
        };
        returning
            .as_ref()
            .map_or(&[], |returning| &returning.fields)
    }
}

/// A function that runs before the statement which calls it: once, as it is called with nothing of
/// any row.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutineCall {
    /// The function.
    pub function: Arc<FunctionDef>,
    /// Its arguments, without columns; they may be results of calls before it.
    pub args: Vec<Expr>,
}

/// A parsed and bound statement, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// What it does.
    pub statement: Statement,
    /// The types of `$1`, `$2`, ...
    pub parameters: Vec<LogicalType>,
    /// What its names were resolved to.
    pub found: Dependencies,
    /// What the user should know.
    pub messages: Vec<Message>,
    /// Whether it holds only for the locale that it was bound in.
    pub reads_locale: bool,
    /// Whether a function in it asks for settings.
    pub reads_settings: bool,
    /// What it is that cannot run inside a transaction block.
    pub outside_block: Option<&'static str>,
    /// The functions that run before it, in order.
    pub calls: Vec<RoutineCall>,
    /// Whether functions are to be called for rows: see [`Statement::take_pending_calls`].
    pub has_pending_calls: bool,
}

impl Bound {
    /// Whether functions run before it.
    pub fn has_calls(&self) -> bool {
        !self.calls.is_empty() || self.has_pending_calls
    }
}

/// A literal row, for small results such as EXPLAIN.
pub type Row = Vec<Value>;

/// The plan of the rows that a statement changes.
pub fn source_of(statement: &mut Statement) -> Option<&mut Plan> {
    match statement {
        Statement::Query(query) | Statement::Call(query) => Some(&mut query.plan),
        Statement::Insert(insert) => Some(&mut insert.source),
        Statement::Update(modify) | Statement::Delete(modify) => Some(&mut modify.source),
        Statement::Merge(merge) => Some(&mut merge.source),
        Statement::Explain { statement, .. } => source_of(statement),
        _ => None,
    }
}

impl Statement {
    /// The statement with a named query that its plan may read.
    pub fn with_named(&self, change: &Change, rows: &Plan) -> Statement {
        let mut statement = self.clone();
        let read = |plan: &mut Plan| {
            let body = taken(plan);
            *plan = Plan::With(WithNode {
                id: change.id,
                name: change.name.clone(),
                definition: Box::new(rows.clone()),
                body: Box::new(body),
            });
        };
        if let Some(source) = source_of(&mut statement) {
            read(source);
        }
        if let Statement::Insert(insert) = &mut statement
            && let Some(conflict) = &mut insert.on_conflict
            && let Some(update) = &mut conflict.update
            && let Some(wider) = &mut update.wider
        {
            read(&mut wider.plan);
        }
        statement
    }

    /// The table that it changes.
    pub fn changed_table(&self) -> Option<&Arc<TableDef>> {
        match self {
            Statement::Insert(insert) => Some(&insert.table),
            Statement::Update(modify) | Statement::Delete(modify) => Some(&modify.table),
            Statement::Merge(merge) => Some(&merge.table),
            _ => None,
        }
    }
}

/// What EXPLAIN is to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainOptions {
    /// Run the statement, and show rows and times.
    pub analyze: bool,
    /// The columns of each node.
    pub verbose: bool,
    /// Times of nodes.
    pub timing: bool,
    /// The time of all; where it is not said, as `analyze`.
    pub summary: bool,
    /// Pages that were found in caches or read.
    pub buffers: bool,
    /// How what is read is stored.
    pub storage: bool,
    /// JSON instead of lines.
    pub json: bool,
    /// `EXPLAIN QUERY PLAN`: the rows of SQLite's.
    pub query_plan: bool,
}

impl Default for ExplainOptions {
    fn default() -> ExplainOptions {
        ExplainOptions {
            analyze: false,
            verbose: false,
            timing: true,
            summary: false,
            buffers: false,
            storage: false,
            json: false,
            query_plan: false,
        }
    }
}

/// A statement of the kind that has no plan.
pub fn utility(utility: Utility) -> Statement {
    Statement::Utility(Box::new(utility))
}
