//! FSST: strings as one-byte codes for the symbols of a table, each symbol one to eight bytes.
//!
//! Pays on short strings with common parts (names, addresses, URLs, text), where every string must
//! decode alone; 1.8 to 4.5 times smaller, at gigabytes a second. Worst case: bytes that no symbol
//! starts with take two, so twice the input, and the table.
//! Paper: Boncz, Neumann, Leis, "FSST: Fast Random Access String Compression" (VLDB 2020).
//!
//! Differs from the paper in the encoder only: it finds the cut of a string with the fewest bytes
//! instead of the longest symbol at each place, and the training counts on that. The codes decode
//! as the paper's do.
//!
//! Strings are compared with constants code by code, up to the first difference: that costs less
//! than an encoder for the constant, and leaves encoders free in how they cut strings.
//!
//! Layout of a table: eight bytes, the number of symbols of each length from 1 to 8; then the
//! bytes of the symbols, by length and then by bytes, which is the order of their codes from 0 on.
//! Layout of a string: codes; code 255 stands before a byte that stands for itself.

mod compare;
mod decode;
mod encode;
mod lookup;
mod parse;
mod sample;
mod table;
#[cfg(test)]
mod tests;
mod train;

pub(crate) use compare::compare;
pub(crate) use decode::{decode_into, decode_strings};
pub(crate) use encode::Encoder;
pub(crate) use table::SymbolTable;
pub(crate) use train::train;

/// The code that says: the next byte stands for itself.
const ESCAPE: u8 = 255;
const SYMBOLS_MAX: usize = 255;
const SYMBOL_BYTES_MAX: usize = 8;
