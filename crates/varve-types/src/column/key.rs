//! The memcomparable bytes of rows of columns.

use crate::keycode::{PRESENT, int4_bytes, int8_bytes, turn};
use crate::{
    Column, ColumnData, KeyOrder, LogicalType, Value, encode_key_text, encode_key_value,
    encode_ordered_key_value,
};

/// Appends the key bytes of a row of a column of this order, as [`encode_ordered_key_value`] does
/// for its value.
pub fn encode_ordered_key_cell(column: &Column, row: usize, order: KeyOrder, key: &mut Vec<u8>) {
    let start = key.len();
    encode_key_cell(column, row, key);
    if order != KeyOrder::default() && column.is_null(row) {
        key.truncate(start);
        return encode_ordered_key_value(&Value::Null, order, key);
    }
    turn(order, start, key);
}

/// Appends the key bytes of a row of a column, as [`encode_key_value`] does for its value, but
/// without making one where the column is plain.
pub fn encode_key_cell(column: &Column, row: usize, key: &mut Vec<u8>) {
    if column.validity().is_none() {
        match column.data() {
            ColumnData::Int32(values) => {
                if let Some(number) = values.get(row) {
                    key.push(PRESENT);
                    return key.extend_from_slice(&int4_bytes(*number));
                }
            }
            ColumnData::Int64(values) => {
                if let Some(number) = values.get(row) {
                    key.push(PRESENT);
                    return key.extend_from_slice(&int8_bytes(*number));
                }
            }
            _ => {}
        }
    }
    match column.str_at(row) {
        Some(text) if column.logical_type() != LogicalType::Bpchar => encode_key_text(text, key),
        _ => encode_key_value(&column.value(row), key),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::{encode_key_cell, encode_ordered_key_cell};
    use crate::testing::{sample_types, sample_value};
    use crate::{Column, KeyOrder, Value, encode_key_value, encode_ordered_key_value};

    proptest! {
        #[test]
        fn cells_are_encoded_as_their_values(
            of in 0..sample_types().len(),
            samples in vec((any::<u64>(), "[\\x00-\\x02a-c\u{e9} ]{0,4}"), 2),
            with_null: bool,
            code in 0_u8..4,
        ) {
            let ty = sample_types()[of];
            let samples = samples.iter().map(|(bits, text)| sample_value(ty, *bits, text));
            let mut values: Vec<Value> = samples.collect();
            if with_null {
                values.push(Value::Null);
            }
            let column = Column::from_values(ty, &values);
            for row in 0..=values.len() {
                let (mut cell, mut value) = (Vec::new(), Vec::new());
                encode_key_cell(&column, row, &mut cell);
                encode_key_value(values.get(row).unwrap_or(&Value::Null), &mut value);
                prop_assert_eq!(&cell, &value);
                let order = KeyOrder::from_code(code).unwrap();
                cell.clear();
                value.clear();
                encode_ordered_key_cell(&column, row, order, &mut cell);
                let row = values.get(row).unwrap_or(&Value::Null);
                encode_ordered_key_value(row, order, &mut value);
                prop_assert_eq!(cell, value);
            }
        }
    }
}
