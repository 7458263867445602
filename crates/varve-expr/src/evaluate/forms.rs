//! Columns of test values in every form.

use std::sync::Arc;

use varve_types::testing::sample_value;
use varve_types::{Bitmap, Column, ColumnRef, LogicalType, Value};

/// Values of a type with what is at its edges, NULL among them.
pub(crate) fn domain(ty: LogicalType) -> Vec<Value> {
    let mut values: Vec<Value> = match ty {
        LogicalType::Boolean => [true, false].map(Value::Boolean).to_vec(),
        LogicalType::Int4 => [0, 1, -1, 2, 7, i32::MAX, i32::MIN]
            .map(Value::Int4)
            .to_vec(),
        LogicalType::Int8 => [0, 1, -1, 3, 1 << 40, i64::MAX, i64::MIN]
            .map(Value::Int8)
            .to_vec(),
        LogicalType::Float8 => [0.0, -0.0, 1.5, -2.0, 1e308, 5e-324, f64::NAN, f64::INFINITY]
            .map(Value::Float8)
            .to_vec(),
        LogicalType::Text => ["", "a", "ab", "B%", "\u{e9}_", "12", "2013-01-01"]
            .map(Value::text)
            .to_vec(),
        LogicalType::Date => [0, 15_706, -1].map(Value::Date).to_vec(),
        LogicalType::Timestamp => [0, 1_357_020_000_250_000].map(Value::Timestamp).to_vec(),
        LogicalType::TimestampTz => [0, -1, 1_357_020_000_250_000]
            .map(Value::TimestampTz)
            .to_vec(),
        ty => [5, 6, 100_007, 1 << 40 | 9]
            .map(|bits| sample_value(ty, bits, "{}"))
            .to_vec(),
    };
    values.push(Value::Null);
    values
}

/// A column of these values: plain, a dictionary with a value that no row has, run ends, or the
/// first of them in every row as a constant.
pub(crate) fn column_in_form(ty: LogicalType, values: &[Value], form: usize) -> ColumnRef {
    let column = match form {
        0 => Column::from_values(ty, values),
        1 => {
            let name = |value: &Value| format!("{value:?}");
            let mut distinct = domain(ty);
            distinct.extend_from_slice(values);
            distinct.retain(|value| !value.is_null());
            let code = |value: &Value| distinct.iter().position(|other| name(other) == name(value));
            let codes = values.iter().map(|value| code(value).unwrap_or(0) as u32);
            let present: Bitmap = values.iter().map(|value| !value.is_null()).collect();
            let inner = Arc::new(Column::from_values(ty, &distinct));
            Column::dictionary(codes.collect(), inner, Some(present)).unwrap()
        }
        2 => {
            let (mut ends, mut heads): (Vec<u32>, Vec<Value>) = (Vec::new(), Vec::new());
            for (row, value) in values.iter().enumerate() {
                if row % 3 != 0 && format!("{:?}", heads.last()) == format!("{:?}", Some(value)) {
                    *ends.last_mut().unwrap() += 1;
                } else {
                    heads.push(value.clone());
                    ends.push(row as u32 + 1);
                }
            }
            Column::run_ends(ends, Arc::new(Column::from_values(ty, &heads))).unwrap()
        }
        _ => Column::constant(ty, values.first().unwrap_or(&Value::Null), values.len()),
    };
    Arc::new(column)
}
