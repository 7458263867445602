//! The physical plan: what the executor runs, and what the facade does with its rows.

pub mod alter;
pub mod pending_call;
pub mod prefix;
pub mod statement;
pub mod utility;
pub mod walk;
pub mod window;

use std::sync::Arc;

use prefix::Prefix;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::table::TableDef;
use varve_expr::{AggregateFunction, Expr, Function};
pub use varve_system_views::{Field, SystemView};
use varve_types::{KeyOrder, KeyPart, LogicalType, PartPredicate, TreeId};
use window::WindowNode;

pub use statement::{
    Arbiter, Bound, Change, Changes, ChildTable, ConflictUpdate, CopyFormat, CopyHeader,
    CopyOptions, CopyOut, CopyPlan, InsertPlan, MergeAction, MergeClause, MergePlan, ModifyPlan,
    NewIndex, NewTable, OnCommit, OnConflict, Query, Returning, RoutineCall, Row, Statement, Wider,
};

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
    /// FOR UPDATE: the input rows, locked; same columns.
    Lock(LockNode),
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
    /// With an order: of rows with equal values in so many of its leading columns only the first is
    /// wanted. 0: all of them are.
    pub first_of: usize,
}

/// A pushed predicate; its constants may be parameters, which are known only when the plan runs.
#[derive(Clone, Debug, PartialEq)]
pub enum PushedPredicate {
    /// Ready to use.
    Fixed(PartPredicate),
    /// `column op expr`, the expression without column references and of the column's type; NULL
    /// passes no row.
    Compare {
        /// A column of the relation, or an expression of its indexes.
        column: KeyPart,
        /// The operator.
        op: varve_types::CompareOp,
        /// The other side.
        value: Expr,
    },
    /// `column IN (exprs)`, the expressions as in `Compare`; NULL equals nothing.
    In {
        /// A column of the relation, or an expression of its indexes.
        column: KeyPart,
        /// What it may equal.
        values: Vec<Expr>,
    },
    /// The column begins so, as far as that is known when the plan runs. It may let rows pass that
    /// the condition behind it does not, where that is a pattern.
    Prefix {
        /// A column of the relation, or an expression of its indexes.
        column: KeyPart,
        /// What it begins with.
        prefix: Prefix,
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

/// Locks rows of tables.
#[derive(Clone, Debug, PartialEq)]
pub struct LockNode {
    /// Input.
    pub input: Box<Plan>,
    /// The tables.
    pub targets: Vec<LockTarget>,
    /// Table by table the column with the position of its row, and where it has several trees, the
    /// one with the number of the tree.
    pub places: Vec<Expr>,
}

/// A table whose rows are locked.
#[derive(Clone, Debug, PartialEq)]
pub struct LockTarget {
    /// Its name.
    pub name: String,
    /// Where its rows are.
    pub trees: Vec<TreeId>,
    /// How they are locked.
    pub lock: RowLock,
}

/// How rows are locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowLock {
    /// Against what.
    pub strength: LockStrength,
    /// What happens to rows that somebody else holds.
    pub wait: LockWait,
}

/// What a row lock is taken for, the weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockStrength {
    /// `FOR KEY SHARE`
    KeyShare,
    /// `FOR SHARE`
    Share,
    /// `FOR NO KEY UPDATE`
    NoKeyUpdate,
    /// `FOR UPDATE`
    Update,
}

impl LockStrength {
    /// Its clause.
    pub fn words(self) -> &'static str {
        self.command().strip_prefix("SELECT ").unwrap_or_default()
    }

    /// The command that has the clause.
    pub fn command(self) -> &'static str {
        match self {
            LockStrength::KeyShare => "SELECT FOR KEY SHARE",
            LockStrength::Share => "SELECT FOR SHARE",
            LockStrength::NoKeyUpdate => "SELECT FOR NO KEY UPDATE",
            LockStrength::Update => "SELECT FOR UPDATE",
        }
    }
}

/// What happens to rows that somebody else holds; of several clauses the last one counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockWait {
    /// They are locked all the same: who commits second fails.
    LockAnyway,
    /// `SKIP LOCKED`: they are left out.
    Skip,
    /// `NOWAIT`: an error.
    Fail,
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
    /// The function of a user that runs before the plan, for each row of the input, in place of
    /// `function`: see [`Statement::take_pending_calls`].
    pub routine: Option<Arc<FunctionDef>>,
}

/// One column of an order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderColumn {
    /// A column of the table, or an expression of its indexes.
    pub column: KeyPart,
    /// How its values stand.
    pub order: KeyOrder,
}
