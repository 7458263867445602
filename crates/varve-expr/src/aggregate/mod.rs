//! Aggregates and their running state.

mod accumulator;
mod function;

pub use accumulator::Accumulator;
pub use function::AggregateFunction;
