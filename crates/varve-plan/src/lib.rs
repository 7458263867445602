//! Plans of statements: what they are made of, how queries become quick, and how EXPLAIN shows
//! them. It knows nothing of names, storage or execution: expressions refer to columns by position.
//!
//! - `scope` has the columns in reach, `build` makes plans of bound parts; the binder uses both.
//! - `plan` has the nodes of queries, and all that a bound statement says to do.
//! - `optimize` makes joins of subqueries, moves conditions into scans, orders joins, leaves out
//!   columns that nobody reads, and chooses indexes and orders.
//! - `explain` shows a plan as text or JSON, in PostgreSQL's words.
//!
//! Invariant: a plan's expressions are fully typed; both sides of a comparison have one type.
//! Invariant: the optimized plan has the same columns and the same rows.

pub mod build;
pub mod explain;
pub mod optimize;
pub mod plan;
pub mod scope;

pub use build::open_literal::OpenUse;
pub use explain::{
    KeyAccess, NodeActual, Present, QueryPlanRow, StatementActual, explain, explain_query_plan,
    explain_with,
};
pub use optimize::index_choice::{Asked, IndexChoice, choose_index, is_named_by_key};
pub use optimize::scan_order::{OrderChoice, choose_order};
pub use plan::alter::AlterTable;
pub use plan::pending_call::PendingCalls;
pub use plan::prefix::{Prefix, PrefixForm, PrefixRange};
pub use plan::statement::ExplainOptions;
pub use plan::utility::{
    AggregateRange, Definition, Message, NewAggregate, SessionStatement, Utility,
};
pub use plan::window::{
    Frame, FrameBound, FrameExclusion, FrameUnits, WindowCall, WindowFunction, WindowNode,
};
pub use plan::{
    AggregateCall, Arbiter, Bound, Change, Changes, ChildTable, ConflictUpdate, CopyFormat,
    CopyHeader, CopyOptions, CopyOut, CopyPlan, CteScanNode, InsertPlan, JoinKind, JoinNode,
    LockNode, LockStrength, LockTarget, LockWait, LookupNode, Mark, MergeAction, MergeClause,
    MergePlan, ModifyPlan, NewIndex, NewTable, OnCommit, OnConflict, OrderColumn, Plan,
    ProjectSetNode, PushedPredicate, Query, RecursiveNode, Relation, Returning, RoutineCall, Row,
    RowLock, ScanNode, SetCall, SetOperationNode, SortKeyExpr, Statement, SystemView, Wider,
    WithNode,
};
