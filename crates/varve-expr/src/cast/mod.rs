//! Conversions between types, and the text form of every type.

mod array;
mod binary;
mod convert;
mod float_text;
mod immutable;
mod length;
mod parse;
mod row;
mod write;

pub(crate) use array::{check_shape, too_many_dimensions};
pub(crate) use convert::cast_column;
pub use convert::cast_value;
pub use immutable::{depends_on_time, is_immutable_cast, reads_locale};
pub use length::coerce_length;
pub use parse::{parse_value, parse_value_with_mod};
pub use write::{format_value, write_cell, write_value};

#[cfg(test)]
mod tests;

#[cfg(test)]
mod text_tests;
