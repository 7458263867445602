//! What a reader asks of a tree.

mod key_range;
mod predicate;
mod spec;

pub use key_range::KeyRange;
pub use predicate::{ColumnPredicate, CompareOp, KeyPart, PartPredicate, Predicate, PredicateTest};
pub use spec::{ScanSpec, TableScan};
