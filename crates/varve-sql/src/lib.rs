//! SQL text to a bound plan: parsing, name and type resolution, push-down, EXPLAIN text, and the catalogue model.
//! It knows nothing of storage or execution: what it gives is plain values.
//!
//! Invariant: no text makes it panic; what it does not support answers `0A000` naming the feature.
//! Invariant: every error position counts characters of the whole text from 1.
//! Invariant: a plan's expressions are fully typed; both sides of a comparison have one type.

mod catalog;
mod plan;

pub use catalog::{Catalog, ColumnDef, TableDef};
pub use plan::{
    AggregateCall, Bound, CopyPlan, CsvOptions, Field, InsertPlan, JoinNode, LookupNode,
    ModifyPlan, NewTable, Plan, PushedPredicate, Query, Relation, Row, ScanNode, SortKeyExpr,
    Statement, SystemView,
};
