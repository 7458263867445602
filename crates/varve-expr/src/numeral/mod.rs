//! Numbers by templates: `to_char` of numbers, and `to_number`.

mod read;
mod template;
mod write;

pub(crate) use read::from_char;
pub(crate) use write::{Number, to_char};

#[cfg(test)]
mod tests;
