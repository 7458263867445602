//! Errors and notices of the engine as text.

use varve_psql::{Message, Verbosity, write_message};
use varve_types::Error;
use varvedb::Notice;

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
