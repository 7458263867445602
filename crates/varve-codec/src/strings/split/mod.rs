//! Split: strings cut by a template of the block into constants, columns of numbers and columns of
//! text.
//!
//! Pays on text that a program has put together: mail addresses, keys with a prefix and a number,
//! UUIDs, hashes, dates, addresses of the net. Numbers then take the codecs of integers, and text
//! that was unique as a whole repeats in its parts. Worst case: strings that do not fit are stored
//! beside the columns with their row, ten bits more than plain; a vector of which a quarter does
//! not fit is not split. Layout of a vector: resource (u8), number of exceptions (varint), their
//! rows packed in the width of the last row, then for each column that varies the bytes (varint) of
//! its nested vector and those; last the strings of the exceptions, if any, as a nested vector.
//! What comes last has no length before it. Columns leave the rows of exceptions out. Layout of the
//! template, a resource: number of pieces (varint); of each its kind (u8): 0 constant (length as a
//! varint, bytes), 1 text, 2 decimal number, 3 and 4 hexadecimal, 5 and 6 base 36 (lower, upper
//! case); numbers with the least digits that they are padded to (u8, 0 for none). Unpadded decimal
//! numbers are signed, others are not.

pub(crate) mod counter;
pub(crate) mod cut;
pub(crate) mod find;
pub(crate) mod number;
pub(crate) mod template;
#[cfg(test)]
mod tests;

pub(crate) use template::Template;
