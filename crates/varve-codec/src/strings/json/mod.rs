//! JSON template: the text that the documents of a block share is stored once, their values become
//! columns of strings and integers, and the exact text comes back.
//!
//! A template is literal text and fields in turn. Documents are cut where the scanner finds their
//! values and put together by laying literals and values one after another; so whitespace, order of
//! keys, spelling of numbers and escapes are kept without a rule for each. A string's field is its
//! raw text between the quotes; what all values of a field begin or end with is literal text too.
//! Numbers that are spelled in one way only, quoted or not, are integers. A field that mostly
//! equals one before it holds only the differing values. Pays on objects that share their keys.
//! Worst case: documents of many shapes; at most half of a vector's rows are exceptions, which are
//! stored as strings, and the plan is given up above that. Layout of a vector: resource (u8); bytes
//! of the codes (varint) and those, as nested integers of 32 bits: the template of each row, their
//! number for an exception; then for each template that has rows, for each field, the bytes
//! (varint) of its nested vector, and those; the exceptions as a nested vector, if there are any.
//! The nested vector of a text field may be [`crate::tags::TAG_SAME`]: which field before
//! it (u8), then the layout of [`super::same`].

pub(crate) mod number;
pub(crate) mod pattern;
pub(crate) mod scan;
pub(crate) mod shape;
pub(crate) mod split;
pub(crate) mod template;
#[cfg(test)]
mod tests;

pub(crate) use template::{Template, read, write};
