//! Vectors of values that are made of integers and strings: wide numbers and lists.

mod lists;
#[cfg(test)]
mod tests;
mod wide;

pub use lists::{
    IntegerLists, StringLists, decode_integer_lists, decode_string_lists, encode_integer_lists,
    encode_string_lists,
};
pub use wide::{decode_wide, encode_wide, gather_wide};
