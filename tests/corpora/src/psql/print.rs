//! Tables and failures as psql prints them.

use varve_psql::{Align, Format, Message, Verbosity, write_message};

use crate::engine::{Failure, Table};

/// Appends a table.
pub fn write_table(table: &Table, format: &Format, out: &mut String) {
    let columns = table.columns.iter().map(|column| {
        let align = match column.kind.is_number() {
            true => Align::Right,
            false => Align::Left,
        };
        (column.name.clone(), align)
    });
    let columns: Vec<(String, Align)> = columns.collect();
    let table = varve_psql::Table {
        columns: &columns,
        rows: &table.rows,
        ..varve_psql::Table::default()
    };
    varve_psql::write_table(&table, format, out);
}

/// Appends an error of a statement.
pub fn write_failure(failure: &Failure, sql: &str, verbosity: Verbosity, out: &mut String) {
    let message = Message {
        severity: "ERROR",
        state: &failure.state,
        text: &failure.message,
        position: failure.position,
        detail: failure.detail.as_deref(),
        hint: failure.hint.as_deref(),
        context: failure.context.as_deref(),
        names: &[],
    };
    write_message(&message, sql, verbosity, out);
}
