//! Batches as text: fields by spaces, rows by `;`, batches by `|`, `-` for NULL. Types are letters.

use std::sync::Arc;

use varve_types::{Batch, Column, LogicalType, Value};

pub(crate) fn types_of_letters(letters: &str) -> Vec<LogicalType> {
    let ty = |letter| match letter {
        'b' => LogicalType::Boolean,
        'i' => LogicalType::Int4,
        'l' => LogicalType::Int8,
        'f' => LogicalType::Float8,
        't' => LogicalType::Text,
        'd' => LogicalType::Date,
        _ => panic!("no type has the letter {letter}"),
    };
    letters.chars().map(ty).collect()
}

pub(crate) fn value(ty: LogicalType, text: &str) -> Value {
    match ty {
        _ if text == "-" => Value::Null,
        LogicalType::Boolean => Value::Boolean(text == "t"),
        LogicalType::Int4 => Value::Int4(text.parse().unwrap()),
        LogicalType::Int8 => Value::Int8(text.parse().unwrap()),
        LogicalType::Float8 => Value::Float8(text.parse().unwrap()),
        LogicalType::Date => Value::Date(text.parse().unwrap()),
        _ => Value::text(text),
    }
}

pub(crate) fn table(letters: &str, text: &str) -> Vec<Batch> {
    let types = types_of_letters(letters);
    let batch = |text: &str| {
        let rows: Vec<Vec<Value>> = text
            .split(';')
            .map(|row| {
                let fields = row.split_whitespace().zip(&types);
                fields.map(|(field, ty)| value(*ty, field)).collect()
            })
            .collect();
        batch_of(&types, &rows)
    };
    let parts = text.split('|').map(str::trim);
    parts.filter(|part| !part.is_empty()).map(batch).collect()
}

/// Rows in batches of `batch_rows`.
pub(crate) fn batches_of(letters: &str, rows: &[Vec<Value>], batch_rows: usize) -> Vec<Batch> {
    let types = types_of_letters(letters);
    let chunks = rows.chunks(batch_rows);
    chunks.map(|chunk| batch_of(&types, chunk)).collect()
}

fn batch_of(types: &[LogicalType], rows: &[Vec<Value>]) -> Batch {
    let column = |(i, ty): (usize, &LogicalType)| {
        Arc::new(Column::from_values(*ty, rows.iter().map(|row| &row[i])))
    };
    Batch::new(types.iter().enumerate().map(column).collect(), rows.len())
}

pub(crate) fn show_batches(batches: &[Batch]) -> String {
    let batches: Vec<String> = batches.iter().map(show_batch).collect();
    batches.join(" | ")
}

/// As [`show_batches`], without the borders of batches.
pub(crate) fn show(batches: &[Batch]) -> String {
    let batches: Vec<String> = batches.iter().map(show_batch).collect();
    batches.join("; ")
}

fn show_batch(batch: &Batch) -> String {
    let batch = batch.compact();
    let field = |row: usize, column: usize| match batch.column(column).unwrap().value(row) {
        Value::Null => "-".to_owned(),
        Value::Boolean(bit) => if bit { "t" } else { "f" }.to_owned(),
        Value::Int4(number) | Value::Date(number) => number.to_string(),
        Value::Int8(number) => number.to_string(),
        Value::Float8(number) => number.to_string(),
        Value::Text(text) => text.to_string(),
        other => format!("{other:?}"),
    };
    let row = |row| {
        let fields: Vec<String> = (0..batch.width())
            .map(|column| field(row, column))
            .collect();
        fields.join(" ")
    };
    let rows: Vec<String> = (0..batch.rows()).map(row).collect();
    rows.join("; ")
}
