//! Rows as their table wants them: with defaults and generated columns, and after the checks that
//! need no other row: NOT NULL and CHECK.

use std::sync::Arc;

use varve_catalog::{CheckDef, ColumnDef, Filled, TableDef};
use varve_expr::{EvalContext, evaluate, format_value};
use varve_types::{Batch, Error, Result, SqlState, Value};

/// The most of a value that an error shows, as in PostgreSQL.
const SHOWN_BYTES_MAX: usize = 64;

/// Gives the columns that were not given their defaults.
pub fn with_defaults(
    table: &TableDef,
    rows: Batch,
    is_given: &dyn Fn(usize) -> bool,
    context: &EvalContext<'_>,
) -> Result<Batch> {
    let mut columns = rows.physical_columns().to_vec();
    for (at, (definition, column)) in table.columns.iter().zip(&mut columns).enumerate() {
        if definition.filled != Filled::Generated
            && let Some(default) = &definition.default
            && !is_given(at)
        {
            *column = evaluate(default, &rows, context)?;
        }
    }
    Ok(Batch::new(columns, rows.rows()))
}

/// Rows that have one column a table column, with their generated columns.
pub fn with_generated(table: &TableDef, rows: &Batch, context: &EvalContext<'_>) -> Result<Batch> {
    let rows = rows.compact();
    if !table.has_generated() {
        return Ok(rows);
    }
    let mut columns = rows.physical_columns().to_vec();
    for (definition, column) in table.columns.iter().zip(&mut columns) {
        if definition.filled == Filled::Generated
            && let Some(expr) = &definition.default
        {
            *column = evaluate(expr, &rows, context)?;
        }
    }
    Ok(Batch::new(columns, rows.rows()))
}

/// Rows that have one column a table column, with their generated columns, after `23502` and
/// `23514`.
pub fn checked(table: &TableDef, rows: &Batch, context: &EvalContext<'_>) -> Result<Batch> {
    let rows = with_generated(table, rows, context)?;
    for (definition, column) in table.columns.iter().zip(rows.physical_columns()) {
        if !definition.nullable && column.null_count() > 0 {
            let row = (0..rows.rows()).find(|row| column.is_null(*row));
            let error = not_null_error(table, definition);
            return Err(error.with_detail(failing_row(
                table,
                &rows,
                row.unwrap_or_default(),
                context,
            )));
        }
    }
    for check in &table.checks {
        if let Some(row) = first_failing(check, &rows, context)? {
            let error = check_error(table, check);
            return Err(error.with_detail(failing_row(table, &rows, row, context)));
        }
    }
    Ok(rows)
}

/// The first row that fails a CHECK.
pub fn first_failing(
    check: &CheckDef,
    rows: &Batch,
    context: &EvalContext<'_>,
) -> Result<Option<usize>> {
    let passed = evaluate(&check.expr, rows, context)?;
    let fails = |row: &usize| passed.value(*row) == Value::Boolean(false);
    Ok((0..rows.rows()).find(fails))
}

/// The first row for which a condition is not true.
pub fn first_not_true(
    check: &CheckDef,
    rows: &Batch,
    context: &EvalContext<'_>,
) -> Result<Option<usize>> {
    let passed = evaluate(&check.expr, rows, context)?;
    let fails = |row: &usize| passed.value(*row) != Value::Boolean(true);
    Ok((0..rows.rows()).find(fails))
}

/// `23502` for one column, without its detail.
pub fn not_null_error(table: &TableDef, column: &ColumnDef) -> Error {
    let message = format!(
        "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
        column.name, table.name
    );
    Error::new(SqlState::NOT_NULL_VIOLATION, message)
        .with_table(&table.name)
        .with_column(&column.name)
}

fn check_error(table: &TableDef, check: &CheckDef) -> Error {
    let message = format!(
        "new row for relation \"{}\" violates check constraint \"{}\"",
        table.name, check.name
    );
    Error::new(SqlState::CHECK_VIOLATION, message)
        .with_table(&table.name)
        .with_constraint(&check.name)
}

/// The detail that shows a row.
pub fn failing_row(
    table: &TableDef,
    rows: &Batch,
    row: usize,
    context: &EvalContext<'_>,
) -> String {
    let columns = rows.physical_columns().iter().take(table.columns.len());
    let shown = columns.map(|column| match column.value(row) {
        Value::Null => "null".to_owned(),
        value => shortened(format_value(&value, context.locale)),
    });
    let shown: Vec<String> = shown.collect();
    format!("Failing row contains ({}).", shown.join(", "))
}

fn shortened(text: String) -> String {
    if text.len() <= SHOWN_BYTES_MAX {
        return text;
    }
    let mut end = SHOWN_BYTES_MAX;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

/// Columns of `left`, then those of `right`, of as many rows.
pub fn side_by_side(left: &Batch, right: &Batch) -> Batch {
    let (left, right) = (left.compact(), right.compact());
    let columns = left
        .physical_columns()
        .iter()
        .chain(right.physical_columns());
    Batch::new(columns.map(Arc::clone).collect(), left.rows())
}
