//! Aggregates and their running state.

mod accumulator;
mod function;

#[cfg(test)]
mod tests;

pub use accumulator::Accumulator;
pub use function::AggregateFunction;
