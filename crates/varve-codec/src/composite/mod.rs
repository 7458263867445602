//! Vectors of values that are made of words and strings: wide numbers and lists.

mod lists;
#[cfg(test)]
mod tests;
mod wide;

pub use lists::{
    StringLists, WordLists, decode_string_lists, decode_word_lists, encode_string_lists,
    encode_word_lists,
};
pub use wide::{decode_wide, encode_wide, gather_wide};

use crate::CodecError;
use crate::reader::ByteReader;
use crate::writer::put_varint;

/// Appends what `put` writes, behind its length.
fn put_nested(out: &mut Vec<u8>, put: impl FnOnce(&mut Vec<u8>)) {
    let mut nested = Vec::new();
    put(&mut nested);
    put_varint(nested.len() as u64, out);
    out.extend_from_slice(&nested);
}

/// What [`put_nested`] wrote.
fn take_nested<'a>(reader: &mut ByteReader<'a>) -> Result<&'a [u8], CodecError> {
    let bytes = reader.count(0, reader.rest().len(), "nested length")?;
    reader.take(bytes)
}
