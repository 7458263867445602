//! Aggregates and their running state.
//!
//! The commonest compute whole columns at once (`accumulator`), by the run where values and groups
//! come in runs; all others are rows of a table (`table`) with a step for a row and a result.

mod accumulator;
mod collect;
mod function;
mod json;
mod moments;
mod ordered;
mod resolve;
mod row_groups;
mod simple;
mod summary;
mod summary_table;
mod table;
mod train;

#[cfg(test)]
mod tests;

pub use accumulator::Accumulator;
pub use function::{AggregateFunction, ListedAggregate};
pub(crate) use resolve::aggregate_names;
pub use resolve::{AggregateArgs, is_aggregate, resolve_aggregate};
pub use row_groups::RowGroups;
