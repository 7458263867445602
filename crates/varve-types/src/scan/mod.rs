//! What a reader asks of a tree.

mod cutoff;
mod key_range;
mod predicate;
mod spec;
mod summary;

pub use cutoff::Cutoff;
pub use key_range::KeyRange;
pub use predicate::{ColumnPredicate, CompareOp, KeyPart, PartPredicate, Predicate, PredicateTest};
pub use spec::{ScanSpec, TableScan};
pub use summary::{ColumnSummary, Summary, Wanted};
