//! Rows as bytes whose unsigned order is the order asked for.

use varve_types::{Column, ColumnData, ColumnRef, encode_key_cell};

use super::KeyBlock;

/// Flags before a value; `encode_key_cell` puts 1 before what is not NULL.
const NULL_FIRST: u8 = 0;
const NULL_LAST: u8 = 2;

/// How one key column is ordered; ascending with NULLs last by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyOrder {
    pub(crate) descending: bool,
    pub(crate) nulls_first: bool,
}

/// Appends one key a row of these columns to `block`. A column without an order ascends; without
/// columns every key is empty.
pub(crate) fn encode_keys(
    columns: &[ColumnRef],
    orders: &[KeyOrder],
    rows: usize,
    block: &mut KeyBlock,
) {
    let default = KeyOrder::default();
    let orders = orders.iter().chain(core::iter::repeat(&default));
    let sources: Vec<Source<'_>> = columns
        .iter()
        .zip(orders)
        .map(|(column, order)| Source::new(column, *order))
        .collect();
    let bytes_max = sources.iter().map(|source| source.bytes_max).sum();
    for row in 0..rows {
        block.push_with(bytes_max, |bytes| {
            for source in &sources {
                source.append(row, bytes);
            }
        });
    }
}

/// A key column, each value of an encoded form turned into bytes once.
struct Source<'c> {
    column: &'c Column,
    order: KeyOrder,
    /// The keys of the dictionary's values, or the one key of a constant.
    encoded: KeyBlock,
    /// No key is much longer.
    bytes_max: usize,
}

impl<'c> Source<'c> {
    fn new(column: &'c Column, order: KeyOrder) -> Source<'c> {
        let mut encoded = KeyBlock::default();
        let values = match column.data() {
            // A dictionary larger than the batch is cheaper to read row by row.
            ColumnData::Dictionary { values, .. } if values.len() <= column.len() => values,
            ColumnData::Constant(value) => value,
            _ => {
                return Source {
                    column,
                    order,
                    encoded,
                    bytes_max: column.memory_bytes(),
                };
            }
        };
        for i in 0..values.len() {
            encoded.push_with(0, |bytes| append_value(values, i, order, bytes));
        }
        let lengths = (0..encoded.len()).map(|i| encoded.get(i).len());
        Source {
            column,
            order,
            bytes_max: lengths.max().unwrap_or(0),
            encoded,
        }
    }

    fn append(&self, row: usize, bytes: &mut Vec<u8>) {
        let code = match self.column.data() {
            ColumnData::Dictionary { codes, .. } if !self.column.is_null(row) => {
                codes.get(row).map_or(usize::MAX, |code| *code as usize)
            }
            ColumnData::Constant(_) => 0,
            _ => usize::MAX,
        };
        if code < self.encoded.len() {
            bytes.extend_from_slice(self.encoded.get(code));
        } else {
            append_value(self.column, row, self.order, bytes);
        }
    }
}

fn append_value(column: &Column, row: usize, order: KeyOrder, bytes: &mut Vec<u8>) {
    let start = bytes.len();
    let is_null = column.is_null(row);
    if !is_null {
        encode_key_cell(column, row, bytes);
    }
    if is_null {
        bytes.push(if order.nulls_first {
            NULL_FIRST
        } else {
            NULL_LAST
        });
    } else if order.descending {
        for byte in bytes.iter_mut().skip(start + 1) {
            *byte = !*byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use varve_types::{Column, LogicalType, Value};

    use super::{KeyOrder, encode_keys};
    use crate::keys::KeyBlock;

    fn block(column: Column, order: KeyOrder) -> KeyBlock {
        let rows = column.len();
        let mut block = KeyBlock::default();
        encode_keys(&[Arc::new(column)], &[order], rows, &mut block);
        block
    }

    #[test]
    fn bytes_order_as_asked_for() {
        let values = [
            Value::text("b"),
            Value::Null,
            Value::text("a"),
            Value::text(""),
            Value::text("ab"),
        ];
        let cases = [
            (false, false, [3, 2, 4, 0, 1]),
            (false, true, [1, 3, 2, 4, 0]),
            (true, false, [0, 4, 2, 3, 1]),
            (true, true, [1, 0, 4, 2, 3]),
        ];
        for (descending, nulls_first, expected) in cases {
            let order = KeyOrder {
                descending,
                nulls_first,
            };
            let keys = block(Column::from_values(LogicalType::Text, &values), order);
            let mut rows: Vec<usize> = (0..values.len()).collect();
            rows.sort_by(|a, b| keys.get(*a).cmp(keys.get(*b)));
            assert_eq!(rows, expected, "{order:?}");
        }
    }

    #[test]
    fn encoded_forms_have_the_keys_of_plain_ones() {
        let values = Arc::new(Column::from_values(
            LogicalType::Int4,
            &[Value::Int4(7), Value::Int4(-7)],
        ));
        let validity = [true, false, true].into_iter().collect();
        let forms = [
            Column::dictionary(vec![1, 0, 0], Arc::clone(&values), Some(validity)).unwrap(),
            Column::run_ends(vec![1, 4], values).unwrap(),
            Column::constant(LogicalType::Int4, &Value::Int4(3), 3),
            Column::constant(LogicalType::Int4, &Value::Null, 2),
        ];
        let order = KeyOrder {
            descending: true,
            nulls_first: true,
        };
        for form in forms {
            let form = Arc::new(form);
            let plain = (*form.flatten()).clone();
            let (a, b) = (block((*form).clone(), order), block(plain, order));
            assert_eq!(a.len(), form.len());
            assert!((0..a.len()).all(|i| a.get(i) == b.get(i)), "{form:?}");
        }
    }
}
