//! Errors and notices of the engine as text.

use std::io::Write;

use varve_psql::{Message, Verbosity, write_message};
use varve_types::Error;
use varvedb::Notice;

/// Writes a line to standard error. Where that is closed nobody can be told.
pub fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Writes a line to standard output.
pub fn print(line: &str) -> Result<(), String> {
    let mut out = std::io::stdout();
    let written = writeln!(out, "{line}").and_then(|()| out.flush());
    written.map_err(|error| format!("cannot write to standard output: {error}"))
}

/// An error that belongs to no statement.
pub fn of(error: &Error) -> String {
    of_statement(error, "", Verbosity::Verbose)
}

/// An error of a statement, with its line and a mark under the place.
pub fn of_statement(error: &Error, sql: &str, verbosity: Verbosity) -> String {
    let fields = error.fields();
    let names = [
        ("TABLE NAME", fields.table.as_deref()),
        ("COLUMN NAME", fields.column.as_deref()),
        ("CONSTRAINT NAME", fields.constraint.as_deref()),
    ];
    let message = Message {
        severity: "ERROR",
        state: fields.state.code(),
        text: &fields.message,
        position: fields.position,
        detail: fields.detail.as_deref(),
        hint: fields.hint.as_deref(),
        context: fields.context.as_deref(),
        names: &names,
    };
    text(&message, sql, verbosity)
}

/// A notice.
pub fn of_notice(notice: &Notice, verbosity: Verbosity) -> String {
    let message = Message {
        severity: notice.severity,
        state: notice.state.code(),
        text: &notice.message,
        detail: notice.detail.as_deref(),
        hint: notice.hint.as_deref(),
        ..Message::default()
    };
    text(&message, "", verbosity)
}

fn text(message: &Message<'_>, sql: &str, verbosity: Verbosity) -> String {
    let mut text = String::new();
    write_message(message, sql, verbosity, &mut text);
    text.truncate(text.trim_end().len());
    text
}
