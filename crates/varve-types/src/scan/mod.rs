//! What a reader asks of a tree.

mod key_range;
mod predicate;
mod spec;
mod summary;

pub use key_range::KeyRange;
pub use predicate::{ColumnPredicate, CompareOp, KeyPart, PartPredicate, Predicate, PredicateTest};
pub use spec::{ScanSpec, TableScan};
pub use summary::{ColumnSummary, Summary, Wanted};
