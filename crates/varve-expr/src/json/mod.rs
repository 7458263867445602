//! JSON text: reading, checking, and writing jsonb.

mod parse;
mod write;

pub(crate) use parse::{check_json, parse_json};
pub(crate) use write::write_json;
