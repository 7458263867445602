//! A JSON array of flat objects as a table.

use super::cells;
use crate::set::Set;
use serde_json::Value;

/// Reads it; the first object has the names.
pub(super) fn read(name: &str, raw: &[u8]) -> Option<Set> {
    let Value::Array(rows) = serde_json::from_slice(raw).ok()? else {
        return None;
    };
    let names: Vec<&String> = rows.first()?.as_object()?.keys().collect();
    let cell = |row: &Value, name: &str| match row.get(name) {
        Some(Value::String(text)) => text.clone().into_bytes(),
        Some(Value::Null) | None => Vec::new(),
        Some(other) => other.to_string().into_bytes(),
    };
    let column = |name: &&String| {
        let of_rows: Vec<Vec<u8>> = rows.iter().map(|row| cell(row, name)).collect();
        cells::column(name, &of_rows)
    };
    Some(Set::new(name, names.iter().map(column).collect()))
}
