//! The key of a row as memcomparable bytes.

use varve_types::{Column, encode_key_value};

/// Appends the key of row `row`: the values of the key columns, in order, as `encode_key_value`
/// writes them.
pub fn encode_row_key<'a>(
    key_columns: impl IntoIterator<Item = &'a Column>,
    row: usize,
    key: &mut Vec<u8>,
) {
    for column in key_columns {
        encode_key_value(&column.value(row), key);
    }
}
