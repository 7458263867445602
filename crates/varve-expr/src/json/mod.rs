//! JSON: text, values, and what is done with them.

mod build;
mod contain;
mod lex;
mod modify;
mod parse;
mod path;
mod shallow;
mod sqlite_path;
mod write;

use varve_types::Json;

pub(crate) use build::{decoded, jsonb, key_of, to_json, write_cell_as_json};
pub(crate) use contain::{contains, has_key};
pub(crate) use lex::Token;
pub(crate) use modify::{
    Change, change, concat, parse_index, position, strip_nulls, without_element, without_keys,
};
pub(crate) use parse::{check_json, json_kind, parse_json};
pub(crate) use path::{Found, FoundRows, Query, parse_path, write_path};
pub(crate) use shallow::{Shallow, minified, shallow, strip_text_nulls, text_kind};
pub(crate) use sqlite_path::{PathStep, parse_sqlite_path};
pub(crate) use write::{write_json, write_pretty, write_string};

#[cfg(test)]
mod tests;

/// Stands before an element of `json_agg` that was a row; no JSON begins so.
pub(crate) const LINE: char = '\u{1}';

/// What `jsonb_typeof` answers.
pub(crate) fn kind_name(json: &Json) -> &'static str {
    match json {
        Json::Null => "null",
        Json::Boolean(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}
