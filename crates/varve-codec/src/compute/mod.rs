//! Filters of encoded vectors that give one bit a row, without decoding where the codec allows it.
//!
//! A predicate is first turned into the ascending ranges of integers (or strings) that pass. These
//! are then carried into the domain of each codec on the way down: runs are tested once each,
//! dictionaries turn ranges of values into ranges of codes, frames into ranges of distances,
//! decimals into ranges of integers; so every cascade is filtered by the same few kernels. Codecs
//! without a domain of their own are decoded and tested.
//!
//! Answers are those of decoding first, for all bytes that an encoder wrote. For others they are an
//! error or any bits, never a panic.

mod integer_predicate;
mod integers;
mod packed;
mod rising;
mod selection;
mod string_predicate;
mod strings;

#[cfg(test)]
mod tests;

pub use integer_predicate::{Comparison, IntegerPredicate};
pub use integers::{filter_integers, filters_integers_encoded};
pub use selection::{filter_bits, spread_bits};
pub use string_predicate::StringPredicate;
pub use strings::{filter_strings, filters_strings_encoded};
