//! The key of a row as memcomparable bytes.

use varve_types::{Column, KeyOrder, encode_key_cell, encode_ordered_key_cell};

/// Appends the key of row `row`: the cells of the key columns, in order, as `encode_key_cell`
/// writes them.
pub fn encode_row_key<'a>(
    key_columns: impl IntoIterator<Item = &'a Column>,
    row: usize,
    key: &mut Vec<u8>,
) {
    for column in key_columns {
        encode_key_cell(column, row, key);
    }
}

/// Appends the key of row `row` where the key columns have orders of their own; without any, all
/// are ascending.
pub fn encode_ordered_row_key<'a>(
    key_columns: impl IntoIterator<Item = &'a Column>,
    orders: &[KeyOrder],
    row: usize,
    key: &mut Vec<u8>,
) {
    if orders.is_empty() {
        return encode_row_key(key_columns, row, key);
    }
    for (column, order) in key_columns.into_iter().zip(orders) {
        encode_ordered_key_cell(column, row, *order, key);
    }
}
