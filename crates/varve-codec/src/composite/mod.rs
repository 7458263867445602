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
