//! Entropy coding with static tables: symbols of at most 256 kinds in close to as many bits as
//! their frequencies allow.
//!
//! The coder is a table-driven asymmetric numeral system: decoding a symbol is one look-up and one
//! addition of some bits. Tables belong to a block's shared part, so a vector pays for its symbols
//! only. All arithmetic is in integers: equal counts give equal tables on every target.
//! Paper: Duda, "Asymmetric numeral systems" (2013); the spreading of symbols over a table as in
//! Collet's Finite State Entropy (RFC 8878, 4.1).

mod bit_io;
mod clusters;
mod columns;
mod contexts;
mod cost;
mod frequencies;
mod symbols;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use bit_io::{BitReader, BitWriter};
pub(crate) use clusters::ContextCounts;
pub(crate) use columns::{COLUMN_STRINGS, Span, decode_columns, encode_columns};
pub(crate) use contexts::{ContextDecoder, ContextEncoder, Contexts};
pub(crate) use cost::{FRACTION_BITS, log2};
pub(crate) use frequencies::{Frequencies, LOG_MAX};
pub(crate) use symbols::{decode_symbols, encode_symbols};
pub(crate) use table::{DecodeTable, EncodeTable};
