//! The physical plan: what the executor runs, and what the facade does with its rows.

use std::sync::Arc;

use varve_expr::{AggregateFunction, Expr, Function};
use varve_types::{ColumnPredicate, KeyOrder, LogicalType, ObjectId, TreeId, Uniqueness, Value};

use crate::catalog::TableDef;
use crate::command::Command;
use crate::found::Found;
use crate::index::{Deferral, IndexDef};
use crate::scan_order::OrderColumn;
use crate::sequence::SequenceDef;
use crate::utility::{Message, Utility};
use crate::window::WindowNode;

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name that the query gives it.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
}

/// A plan of a query. Each node's output columns are stated; expressions refer to the output of the
/// node's input.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// Rows of a table, or of a system view.
    Scan(ScanNode),
    /// Rows of the tree whose primary key equals these expressions (no column references); at most
    /// one row.
    Lookup(LookupNode),
    /// Constant rows. One row without columns is what a query without FROM reads.
    Values {
        /// Rows of expressions without column references.
        rows: Vec<Vec<Expr>>,
        /// Types of the columns.
        types: Vec<LogicalType>,
    },
    /// The input rows for which `predicate` is true; same columns.
    Filter {
        /// Input.
        input: Box<Plan>,
        /// A boolean expression.
        predicate: Expr,
    },
    /// One column an expression.
    Project {
        /// Input.
        input: Box<Plan>,
        /// Output columns.
        exprs: Vec<Expr>,
    },
    /// The group columns, then the aggregates. Without groups: one row, also for no input. Without
    /// aggregates: DISTINCT.
    Aggregate {
        /// Input.
        input: Box<Plan>,
        /// Group keys; NULLs are equal.
        groups: Vec<Expr>,
        /// Aggregates.
        aggregates: Vec<AggregateCall>,
    },
    /// The input ordered; with a limit (a `Limit` above it that gives a constant bound) only the
    /// first rows are kept.
    Sort {
        /// Input.
        input: Box<Plan>,
        /// Most significant first. Ties keep the input's order.
        keys: Vec<SortKeyExpr>,
    },
    /// Skips `offset` rows, then gives `limit` rows. Expressions of type bigint without column
    /// references; NULL means no limit; negative answers `2201W`/`2201X`.
    Limit {
        /// Input; the executor recognises `Sort` here and runs a top-N.
        input: Box<Plan>,
        /// Most rows.
        limit: Option<Expr>,
        /// Rows left out first.
        offset: Option<Expr>,
        /// `WITH TIES`: after the last row those follow for which all of these are what they are
        /// for it; else empty.
        ties: Vec<Expr>,
    },
    /// A join; see [`JoinKind`] for the columns.
    Join(JoinNode),
    /// The rows of all inputs, one input after another.
    Append {
        /// Inputs, all with columns of the same types.
        inputs: Vec<Plan>,
        /// Types of the columns.
        types: Vec<LogicalType>,
    },
    /// INTERSECT and EXCEPT.
    SetOperation(SetOperationNode),
    /// A query that reads the rows of another, named one.
    With(WithNode),
    /// The rows of the named query around it.
    CteScan(CteScanNode),
    /// WITH RECURSIVE: the rows of `base`, then those of `step` over the rows before, until there
    /// are none.
    Recursive(RecursiveNode),
    /// DISTINCT ON: the first row with each value of the keys; same columns.
    First {
        /// Input.
        input: Box<Plan>,
        /// Keys; NULLs are equal.
        keys: Vec<Expr>,
    },
    /// Set-returning functions: the input's columns, one a call, then the row's number from 1 where
    /// asked for. Of several calls the shorter ones give NULL in the end.
    ProjectSet(ProjectSetNode),
    /// Window functions: the input's columns, then one a call.
    Window(WindowNode),
    /// TABLESAMPLE: a share of the input's rows; same columns.
    Sample {
        /// Input.
        input: Box<Plan>,
        /// The share in percent, of type double precision, without column references.
        percent: Expr,
        /// REPEATABLE; double precision.
        seed: Option<Expr>,
    },
}

/// A scan with what is pushed into it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanNode {
    /// What is scanned.
    pub relation: Relation,
    /// The table, whose indexes may be used; `None` for a system view.
    pub table: Option<Arc<TableDef>>,
    /// The table's name, for EXPLAIN.
    pub name: String,
    /// The names of all the relation's columns, for EXPLAIN.
    pub column_names: Vec<String>,
    /// Output columns: positions in the relation's columns.
    pub columns: Vec<usize>,
    /// Types of the output columns, without the position column.
    pub types: Vec<LogicalType>,
    /// A conjunction that the source applies exactly; positions in the relation's columns.
    pub predicates: Vec<PushedPredicate>,
    /// Whether a last BIGINT column with the row's position follows (for UPDATE and DELETE).
    pub with_position: bool,
    /// Under a sort of which only first rows are wanted: the order of its keys, where an index or
    /// the table gives it; else empty.
    pub order: Vec<OrderColumn>,
}

/// A pushed predicate; its constants may be parameters, which are known only when the plan runs.
#[derive(Clone, Debug, PartialEq)]
pub enum PushedPredicate {
    /// Ready to use.
    Fixed(ColumnPredicate),
    /// `column op expr`, the expression without column references and of the column's type; NULL
    /// passes no row.
    Compare {
        /// Position in the relation's columns.
        column: usize,
        /// The operator.
        op: varve_types::CompareOp,
        /// The other side.
        value: Expr,
    },
    /// `column IN (exprs)`, the expressions as in `Compare`; NULL equals nothing.
    In {
        /// Position in the relation's columns.
        column: usize,
        /// What it may equal.
        values: Vec<Expr>,
    },
}

/// What a scan reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A table of the store.
    Tree(TreeId),
    /// A read-only view that the facade computes, for example `varve_storage`.
    System(SystemView),
}

/// The system views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SystemView {
    /// `varve_storage(table_name text, column_name text, rows bigint, stored_bytes bigint,
    /// encodings text)`: a row a column; memtable rows are counted under the column name NULL.
    Storage,
    /// `varve_tables(table_name text, column_name text, ordinal int, data_type text, nullable
    /// boolean, primary_key boolean)`: a row a column.
    Tables,
    /// `varve_caches(name text, hits bigint, misses bigint, evictions bigint, entries bigint, bytes
    /// bigint)`: a row a cache.
    Caches,
    /// `varve_jobs(id bigint, kind text, object text, state text, progress double precision,
    /// started timestamptz, error text)`: a row a job; `progress` goes from 0 to 1.
    Jobs,
    /// One of `pg_catalog` or `information_schema`.
    Catalog(u16),
    /// `varve_statistics(name text, value double precision)`: counters since the store was opened,
    /// and what it holds now.
    Statistics,
}

/// A primary-key lookup.
#[derive(Clone, Debug, PartialEq)]
pub struct LookupNode {
    /// The tree.
    pub tree: TreeId,
    /// The table's name, for EXPLAIN.
    pub name: String,
    /// The names of all the tree's columns, for EXPLAIN.
    pub column_names: Vec<String>,
    /// Positions of the key columns, for EXPLAIN.
    pub key_columns: Vec<usize>,
    /// One expression a key column, of its type; a NULL finds nothing.
    pub key: Vec<Expr>,
    /// Output columns, as in [`ScanNode`].
    pub columns: Vec<usize>,
    /// Types of the output columns, without the position column.
    pub types: Vec<LogicalType>,
    /// As in [`ScanNode`].
    pub with_position: bool,
}

/// One aggregate of an [`Plan::Aggregate`].
#[derive(Clone, Debug, PartialEq)]
pub struct AggregateCall {
    /// Which one, argument type included.
    pub function: AggregateFunction,
    /// The arguments; none for `count(*)`.
    pub args: Vec<Expr>,
    /// `DISTINCT`.
    pub distinct: bool,
    /// The order in which rows are taken in; none where it does not matter.
    pub order: Vec<SortKeyExpr>,
    /// `FILTER (WHERE ...)`.
    pub filter: Option<Expr>,
    /// Where the call stands, for errors.
    pub position: u32,
}

/// One sort key.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKeyExpr {
    /// What is ordered by.
    pub expr: Expr,
    /// `DESC`.
    pub descending: bool,
    /// NULLs before all values.
    pub nulls_first: bool,
}

/// How a join pairs its rows, and what it gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Pairs: left columns, then right columns.
    Inner,
    /// Pairs, and left rows without one, right columns NULL.
    Left,
    /// Pairs, and right rows without one, left columns NULL.
    Right,
    /// Pairs, and the rows of both sides without one.
    Full,
    /// Left rows with a match, each once; left columns only.
    Semi,
    /// Left rows without a match; left columns only.
    Anti,
    /// Every left row once: left columns, then a boolean; see [`Mark`].
    Mark,
    /// Every left row once, with its only match or NULLs; a second match answers `21000`.
    Single,
}

/// What the last column of a [`JoinKind::Mark`] says of the right rows for which `equal` and
/// `residual` hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Mark {
    /// That there is one.
    #[default]
    Exists,
    /// Whether the left expression equals the right one in one of them, in three-valued logic.
    Equal(Expr, Expr),
    /// Whether the condition, over left and right columns together, holds for one of them, in
    /// three-valued logic.
    Condition(Expr),
}

/// A join.
#[derive(Clone, Debug, PartialEq)]
pub struct JoinNode {
    /// What it gives.
    pub kind: JoinKind,
    /// Left input (probe side).
    pub left: Box<Plan>,
    /// Right input (build side).
    pub right: Box<Plan>,
    /// Pairs of equal expressions, one over the left input, one over the right one, of one type;
    /// none: all pairs.
    pub equal: Vec<(Expr, Expr)>,
    /// What else must hold, over left and right columns together.
    pub residual: Option<Expr>,
    /// For [`JoinKind::Mark`].
    pub mark: Mark,
    /// Slots of [`Expr::Outer`] that the right input reads, with their values for a left row. Where
    /// there are any the right input runs once for each combination of values.
    pub outer: Vec<(usize, Expr)>,
}

impl JoinNode {
    /// A join of all pairs.
    pub fn new(kind: JoinKind, left: Plan, right: Plan) -> JoinNode {
        JoinNode {
            kind,
            left: Box::new(left),
            right: Box::new(right),
            equal: Vec::new(),
            residual: None,
            mark: Mark::Exists,
            outer: Vec::new(),
        }
    }
}

/// INTERSECT or EXCEPT of rows with columns of the same types; NULLs are equal.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOperationNode {
    /// EXCEPT, else INTERSECT.
    pub except: bool,
    /// A row as often as the counts of both sides say, else at most once.
    pub all: bool,
    /// Left input.
    pub left: Box<Plan>,
    /// Right input.
    pub right: Box<Plan>,
}

/// A named query and what reads it.
#[derive(Clone, Debug, PartialEq)]
pub struct WithNode {
    /// Number of the named query in the statement.
    pub id: usize,
    /// Its name, for EXPLAIN.
    pub name: String,
    /// The named query; it runs once, as far as it is read.
    pub definition: Box<Plan>,
    /// What reads it.
    pub body: Box<Plan>,
}

/// The rows of a named query, or of the last round of a recursive one.
#[derive(Clone, Debug, PartialEq)]
pub struct CteScanNode {
    /// Number of the named query.
    pub id: usize,
    /// Its name, for EXPLAIN.
    pub name: String,
    /// The names of its columns, for EXPLAIN.
    pub column_names: Vec<String>,
    /// The types of its columns.
    pub types: Vec<LogicalType>,
}

/// A recursive query.
#[derive(Clone, Debug, PartialEq)]
pub struct RecursiveNode {
    /// Number under which `step` scans the rows of the round before.
    pub id: usize,
    /// The first round.
    pub base: Box<Plan>,
    /// Every further round.
    pub step: Box<Plan>,
    /// UNION without ALL: rows seen before are left out.
    pub distinct: bool,
    /// The types of the columns.
    pub types: Vec<LogicalType>,
}

/// Set-returning functions over an input.
#[derive(Clone, Debug, PartialEq)]
pub struct ProjectSetNode {
    /// Input.
    pub input: Box<Plan>,
    /// The calls.
    pub calls: Vec<SetCall>,
    /// `WITH ORDINALITY`.
    pub ordinality: bool,
}

/// A call of a function beside others: as many rows as the longest gives.
#[derive(Clone, Debug, PartialEq)]
pub struct SetCall {
    /// Which one; one that returns no set gives one row.
    pub function: Function,
    /// Arguments over the input.
    pub args: Vec<Expr>,
    /// The types of the columns of the result.
    pub types: Vec<LogicalType>,
    /// Where the call stands, for errors.
    pub position: u32,
}

/// What a statement does, bound against one catalogue.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// A query.
    Query(Query),
    /// `INSERT`: `source` gives one column a table column, in order, of the column's type.
    Insert(InsertPlan),
    /// `UPDATE`: `source` gives all columns of the table with their new values, the row's position,
    /// then what RETURNING reads of other relations.
    Update(ModifyPlan),
    /// `DELETE`: `source` gives the row's position, or as for UPDATE where there is RETURNING.
    Delete(ModifyPlan),
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
    /// `DROP SEQUENCE`
    DropSequence {
        /// The sequences.
        sequences: Vec<Arc<SequenceDef>>,
        /// Names that IF EXISTS did not find, for notices.
        missing: Vec<String>,
        /// Tables and positions of columns whose defaults go too.
        defaults: Vec<(ObjectId, usize)>,
    },
    /// One that needs no plan; see also [`crate::ParsedStatement::command`].
    Command(Command),
    /// `EXPLAIN [ANALYZE] statement`.
    Explain {
        /// What is explained.
        statement: Box<Statement>,
        /// Run it and show rows and times.
        analyze: bool,
    },
    /// One of the statements around queries.
    Utility(Box<Utility>),
    /// `COPY table FROM STDIN`.
    CopyFrom(CopyPlan),
}

/// A query with the names of its columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// How rows are made.
    pub plan: Plan,
    /// The columns of the result.
    pub fields: Vec<Field>,
    /// `FOR UPDATE` or `FOR SHARE`: the plan gives one more column, the positions of the rows to
    /// be claimed.
    pub lock: Option<RowLock>,
    /// Which columns are constants that no place has given a type: text for now.
    pub untyped: Vec<bool>,
}

/// Rows that a query claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLock {
    /// The tree of the rows.
    pub tree: TreeId,
    /// `FOR UPDATE`, else `FOR SHARE`.
    pub update: bool,
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
    /// `RETURNING`, over the columns of the table.
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
}

/// What a statement that changes rows answers of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Returning {
    /// One expression a column of the result.
    pub exprs: Vec<Expr>,
    /// The columns of the result.
    pub fields: Vec<Field>,
}

/// An UPDATE or DELETE.
#[derive(Clone, Debug, PartialEq)]
pub struct ModifyPlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// The rows concerned.
    pub source: Plan,
    /// The columns that get new values.
    pub assigned: Vec<usize>,
    /// `RETURNING`: over the columns of the table, one that is not used, and what follows the
    /// row's position in `source`.
    pub returning: Option<Returning>,
}

/// A COPY.
#[derive(Clone, Debug, PartialEq)]
pub struct CopyPlan {
    /// The table.
    pub table: Arc<TableDef>,
    /// Which table column each CSV field fills, in file order; others become NULL.
    pub columns: Vec<usize>,
    /// How the text is cut.
    pub options: CsvOptions,
}

/// `COPY ... WITH (...)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The first line names columns and is skipped.
    pub header: bool,
    /// One ASCII character.
    pub delimiter: u8,
    /// The quote character.
    pub quote: u8,
    /// An unquoted field with this text is NULL; empty by default.
    pub null: String,
}

/// A table to be created, ids not yet assigned.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTable {
    /// The table without its indexes.
    pub table: TableDef,
    /// Indexes of UNIQUE constraints.
    pub indexes: Vec<NewIndex>,
    /// Sequences of serial and identity columns, with the positions of these.
    pub sequences: Vec<(usize, SequenceDef)>,
}

/// An index to be created; see [`crate::IndexDef`].
#[derive(Clone, Debug, PartialEq)]
pub struct NewIndex {
    /// Its name.
    pub name: String,
    /// Whether it belongs to a UNIQUE constraint, or to a PRIMARY KEY that can be deferred.
    pub is_constraint: bool,
    /// When its constraint is checked.
    pub deferral: Deferral,
    /// What its keys must be.
    pub uniqueness: Uniqueness,
    /// Its key: positions in the table's columns and expressions, and their orders.
    pub keys: Vec<(usize, KeyOrder)>,
    /// Further columns that it holds, by position.
    pub include: Vec<usize>,
    /// Only rows that pass all of these have an entry.
    pub predicate: Vec<ColumnPredicate>,
    /// The expressions that the table then has.
    pub expressions: Vec<Expr>,
}

impl NewIndex {
    /// The index, with its tree.
    pub fn with_tree(&self, tree: TreeId) -> IndexDef {
        IndexDef {
            tree,
            name: self.name.clone(),
            is_constraint: self.is_constraint,
            deferral: self.deferral,
            is_building: false,
            uniqueness: self.uniqueness,
            keys: self.keys.clone(),
            include: self.include.clone(),
            predicate: self.predicate.clone(),
        }
    }
}

impl Statement {
    /// The columns of the rows that it gives; none where it gives no rows.
    pub fn fields(&self) -> &[Field] {
        let returning = match self {
            Statement::Query(query) => return &query.fields,
            Statement::Insert(insert) => &insert.returning,
            Statement::Update(modify) | Statement::Delete(modify) => &modify.returning,
            _ => return &[],
        };
        returning
            .as_ref()
            .map_or(&[], |returning| &returning.fields)
    }
}

/// A parsed and bound statement, ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// What it does.
    pub statement: Statement,
    /// The types of `$1`, `$2`, ...
    pub parameters: Vec<LogicalType>,
    /// What its names were resolved to.
    pub found: Found,
    /// What the user should know.
    pub messages: Vec<Message>,
    /// Whether it holds only for the locale that it was bound in.
    pub reads_locale: bool,
}

/// A literal row, for small results such as EXPLAIN.
pub type Row = Vec<Value>;
