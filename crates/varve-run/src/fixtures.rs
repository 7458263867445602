//! The golden run: fixed rows of every type and form, for checking that every target writes the
//! same bytes.
//!
//! In `tests/format/v1`, in the text form of [`to_hex`], `run-small.hex` holds what [`golden_run`]
//! gives, `run-ordered.hex` what [`golden_ordered_run`] gives and `run-types.hex` what
//! [`golden_types_run`] gives. A test on another target enables the feature `fixtures`, includes
//! those files, and compares.

use std::fmt::Write;
use std::sync::Arc;

use varve_types::{
    ArrayValue, Batch, Column, ColumnId, Decimal, ElementType, EnumId, Interval, Json, KeyOrder,
    LogicalType, RunId, Value,
};

use crate::{ColumnSpec, FinishedRun, RunError, RunSpec, RunWriter};

/// Columns of the golden run: the first types.
pub const GOLDEN_COLUMNS: usize = 8;
/// The types whose values the golden runs hold, those of [`golden_run`] first.
const GOLDEN_TYPES: usize = 20;
/// Rows of the golden run.
pub const GOLDEN_ROWS: usize = 2500;

/// The golden run.
pub fn golden_run() -> Result<FinishedRun, RunError> {
    let spec = RunSpec {
        run: RunId(7),
        schema_version: 3,
        columns: (1..)
            .zip(LogicalType::ALL)
            .take(GOLDEN_COLUMNS)
            .map(|(id, ty)| ColumnSpec::values(ColumnId(id), ty))
            .collect(),
        key_columns: vec![4, 2],
        key_orders: Vec::new(),
        filter: true,
        filter_key_columns: None,
        encodings: Vec::new(),
    };
    let types: Vec<LogicalType> = spec.columns.iter().map(|column| column.ty).collect();
    let mut writer = RunWriter::new(spec)?;
    for start in (0..GOLDEN_ROWS).step_by(1000) {
        let rows: Vec<usize> = (start..GOLDEN_ROWS.min(start + 1000)).collect();
        let column = |ty: &LogicalType| {
            let values: Vec<Value> = rows.iter().map(|row| golden_value(*ty, *row)).collect();
            Arc::new(Column::from_values(*ty, &values))
        };
        writer.append(&Batch::new(types.iter().map(column).collect(), rows.len()))?;
    }
    writer.finish()
}

/// The golden run whose key columns have orders: rows of the golden run under other keys.
pub fn golden_ordered_run() -> Result<FinishedRun, RunError> {
    let order = |descending, nulls_first| KeyOrder {
        descending,
        nulls_first,
    };
    let spec = RunSpec {
        run: RunId(7),
        schema_version: 3,
        columns: (1..)
            .zip([LogicalType::Text, LogicalType::Int8])
            .map(|(id, ty)| ColumnSpec::values(ColumnId(id), ty))
            .collect(),
        key_columns: vec![0, 1],
        key_orders: vec![order(true, true), order(true, false)],
        filter: true,
        filter_key_columns: Some(1),
        encodings: Vec::new(),
    };
    let mut writer = RunWriter::new(spec)?;
    let text = |row: i64| match row / 500 {
        0 => Value::Null,
        part => Value::text(format!("part {}", 9 - part)),
    };
    for start in [0, 1000] {
        let rows = start..start + 1000;
        let texts: Vec<Value> = rows.clone().map(text).collect();
        let numbers: Vec<Value> = rows.map(|row| Value::Int8(-row)).collect();
        let columns = [
            Column::from_values(LogicalType::Text, &texts),
            Column::from_values(LogicalType::Int8, &numbers),
        ];
        writer.append(&Batch::new(columns.map(Arc::new).into(), 1000))?;
    }
    writer.finish()
}

/// The types of the columns of [`golden_types_run`]: those that [`golden_run`] has not, and twice
/// a numeric, of one scale and of many.
pub fn golden_types() -> Vec<LogicalType> {
    let old = LogicalType::ALL.into_iter().take(GOLDEN_TYPES);
    let new = old.skip(GOLDEN_COLUMNS);
    let more = [
        LogicalType::Numeric,
        LogicalType::Enum(EnumId(3)),
        LogicalType::Array(ElementType::Numeric),
        LogicalType::Array(ElementType::Enum(EnumId(3))),
    ];
    new.chain(more).collect()
}

/// The golden run of the types that [`golden_run`] has not.
pub fn golden_types_run() -> Result<FinishedRun, RunError> {
    let types = golden_types();
    let uuids = types.iter().position(|ty| *ty == LogicalType::Uuid);
    let spec = RunSpec {
        run: RunId(7),
        schema_version: 3,
        columns: (1..)
            .zip(&types)
            .map(|(id, ty)| ColumnSpec::values(ColumnId(id), *ty))
            .collect(),
        key_columns: uuids.into_iter().collect(),
        key_orders: Vec::new(),
        filter: true,
        filter_key_columns: None,
        encodings: Vec::new(),
    };
    let mut writer = RunWriter::new(spec)?;
    for start in [0, 550] {
        let column = |(at, ty): (usize, &LogicalType)| {
            let rows = start..start + 550;
            let values: Vec<Value> = rows.map(|row| golden_types_value(at, *ty, row)).collect();
            Arc::new(Column::from_values(*ty, &values))
        };
        let columns = types.iter().enumerate().map(column).collect();
        writer.append(&Batch::new(columns, 550))?;
    }
    writer.finish()
}

/// The value of a row of [`golden_types_run`] in its column `at`.
pub fn golden_types_value(at: usize, ty: LogicalType, row: u32) -> Value {
    let wide = i64::from(row);
    let number = |mantissa: i64, scale| {
        let number = Decimal::new(i128::from(mantissa), scale);
        Value::Numeric(number.unwrap_or(Decimal::NAN))
    };
    let null_every = |n: u32, value: Value| {
        if row.is_multiple_of(n) {
            Value::Null
        } else {
            value
        }
    };
    match ty {
        LogicalType::Float4 => Value::of_double(ty, f64::from(row % 100) / 10.0),
        LogicalType::Numeric if at > GOLDEN_COLUMNS => Some(match row % 50 {
            0 => Value::Null,
            1 => Value::Numeric(Decimal::NAN),
            2 => Value::Numeric(
                Decimal::new(i128::MAX / 10 - i128::from(row), 30).unwrap_or(Decimal::NAN),
            ),
            _ => number(wide * 37, u8::try_from(row % 4).unwrap_or(0)),
        }),
        LogicalType::Numeric => Some(null_every(9, number(wide * 1999 - 77, 2))),
        LogicalType::Bpchar => Some(Value::Bpchar(format!("{:<6}", row % 37).into())),
        LogicalType::Bytea => {
            let bytes = [0, 255, u8::try_from(row % 251).unwrap_or(0)];
            Some(null_every(5, Value::Bytea(bytes[..].into())))
        }
        LogicalType::Uuid => Some(Value::Uuid((u128::from(row) << 80 | 0x1234).to_be_bytes())),
        LogicalType::Interval => Some(Value::Interval(Interval {
            months: i32::try_from(row % 3).unwrap_or(0),
            days: i32::try_from(row % 60).unwrap_or(0),
            us: -wide * 1_000_000,
        })),
        LogicalType::Jsonb => {
            let fields = [
                ("id".to_owned(), Json::Number(Decimal::from(wide))),
                ("station".to_owned(), Json::String(format!("s{}", row % 7))),
            ];
            Some(Value::json(&Json::object(fields.into())))
        }
        LogicalType::Json => Value::of_str(ty, &format!("{{\"id\": {row}}}")),
        LogicalType::Array(element) => {
            let scale = u8::try_from(row % 3).unwrap_or(0);
            let one = match element {
                ElementType::Enum(id) => Value::Enum(id, i32::try_from(row % 4).unwrap_or(0)),
                _ => number(wide, scale),
            };
            let values = vec![one, Value::Null];
            Some(null_every(
                7,
                Value::array(&ArrayValue::of(element, values)),
            ))
        }
        _ => Value::of_integer(ty, wide % 300)
            .or_else(|| Value::of_str(ty, &format!("v{}", row % 12))),
    }
    .unwrap_or(Value::Null)
}

/// The value of a golden row in the column of this type.
pub fn golden_value(ty: LogicalType, row: usize) -> Value {
    let i = i32::try_from(row).unwrap_or(0);
    let wide = i64::from(i);
    match ty {
        LogicalType::Boolean if i % 11 == 0 => Value::Null,
        LogicalType::Boolean => Value::Boolean(i % 3 == 0),
        LogicalType::Int4 => Value::Int4(i.wrapping_mul(i).wrapping_mul(31) % 1009 - 500),
        LogicalType::Int8 => Value::Int8(wide * 3 - (wide % 2)),
        LogicalType::Float8 => match i % 250 {
            0 => Value::Null,
            1 => Value::Float8(f64::NAN),
            2 => Value::Float8(-0.0),
            3 => Value::Float8(1.0 / f64::from(i)),
            _ => Value::Float8(f64::from(i * 7919 % 30_011) / 100.0),
        },
        LogicalType::Text => Value::text(format!("station {:02} \u{e9}tage", row / 60)),
        LogicalType::Date if (1024..2048).contains(&row) => Value::Null,
        LogicalType::Date => Value::Date(19_000 + i / 400),
        LogicalType::Timestamp if i % 2 == 0 => Value::Null,
        LogicalType::Timestamp => Value::Timestamp(1_700_000_000_000_000),
        _ => Value::TimestampTz((wide * wide % 9) << 44),
    }
}

/// A run as text: the name of each part, then its bytes in lines of 64 digits.
pub fn to_hex(run: &FinishedRun) -> String {
    let mut text = String::new();
    let values = run
        .values
        .iter()
        .map(|value| (format!("value {}", value.number), &value.bytes));
    for (name, bytes) in values.chain([("head".to_owned(), &run.head_bytes)]) {
        text.push_str(&name);
        for line in bytes.chunks(32) {
            text.push('\n');
            for byte in line {
                // Writing to a string cannot fail.
                let _ = write!(text, "{byte:02x}");
            }
        }
        text.push('\n');
    }
    text
}
