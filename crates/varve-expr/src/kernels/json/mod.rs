//! Kernels of json and jsonb.
//!
//! Most serve both types: the type of the argument says which it is.

mod access;
mod build;
mod change;
mod inspect;
mod path;
mod populate;
mod sets;
pub(super) mod sqlite;

pub(super) use access::{extract_path, get, get_path};
pub(super) use build::{
    array_to_json, build_array, build_object, constructed_array, constructed_object, line, object,
    object_of_two, row_in_lines, row_object, to_json,
};
pub(super) use change::{
    assign, concat, delete_element, delete_key, delete_keys, delete_path, insert, set, set_lax,
    strip_nulls,
};
pub(super) use inspect::{
    array_length, contained, contains, has_all_keys, has_any_key, has_key, is_json, pretty, type_of,
};
pub(super) use path::{
    path_array, path_array_tz, path_exists, path_exists_tz, path_first, path_first_tz, path_match,
    path_match_tz, path_query, path_query_tz,
};
pub(super) use populate::{populate_record, populate_recordset, records};
pub(super) use sets::{array_elements, each, each_text, object_keys};

use varve_types::{ArrayValue, Error, Json, JsonView, LogicalType, Result, SqlState, Value};

use crate::json::decoded;
use crate::tree::Row;

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

impl Row<'_> {
    /// Whether argument `i` is of type json, and not jsonb.
    fn is_json(&self, i: usize) -> bool {
        let arg = self.args.get(i);
        arg.is_some_and(|arg| arg.logical_type() == LogicalType::Json)
    }

    /// Whether argument `i` is of type jsonb.
    fn is_jsonb(&self, i: usize) -> bool {
        let arg = self.args.get(i);
        arg.is_some_and(|arg| arg.logical_type() == LogicalType::Jsonb)
    }

    /// A jsonb argument.
    fn jsonb(&self, i: usize) -> Result<Json> {
        decoded(self.binary(i))
    }

    fn view(&self, i: usize) -> Result<JsonView<'_>> {
        JsonView::new(self.binary(i)).ok_or_else(|| Error::corrupted("a jsonb value"))
    }

    fn binary(&self, i: usize) -> &[u8] {
        let arg = self.args.get(i);
        arg.and_then(|arg| arg.binary_at(self.row))
            .unwrap_or_default()
    }

    /// A `text[]` argument, of any number of dimensions.
    fn array(&self, i: usize) -> Result<ArrayValue> {
        match self.value(i) {
            Value::Array(element, stored) => ArrayValue::read(element, &stored),
            _ => Err(Error::internal(
                "an array as the argument of a json function",
            )),
        }
    }

    /// A `text[]` argument as the steps of a path.
    fn texts(&self, i: usize) -> Result<Vec<Option<String>>> {
        let values = self.array(i)?.values;
        let texts = values.iter().map(|value| value.str().map(str::to_owned));
        Ok(texts.collect())
    }
}
