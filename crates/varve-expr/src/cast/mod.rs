//! Conversions between types, and the text form of every type.

mod convert;
mod parse;
mod write;

pub(crate) use convert::cast_column;
pub use convert::cast_value;
pub use parse::parse_value;
pub use write::{format_value, write_cell, write_value};

#[cfg(test)]
mod tests;
