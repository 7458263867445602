//! Errors as PostgreSQL's shell shows them, with a caret under the position.

use unicode_width::UnicodeWidthStr;
use varve_types::Error;

/// Several lines: state and message, the line of `sql` with a caret where the error stands, and
/// what else is known.
pub fn render(error: &Error, sql: &str) -> String {
    let fields = error.fields();
    let mut text = format!("ERROR:  {}: {}", fields.state, fields.message);
    if let Some((number, line, before)) = fields
        .position
        .and_then(|position| line_at(sql, position as usize))
    {
        let label = format!("LINE {number}: ");
        let indent = label.width() + before.width();
        text.push_str(&format!("\n{label}{line}\n{:indent$}^", ""));
    }
    for (label, value) in [
        ("DETAIL", &fields.detail),
        ("HINT", &fields.hint),
        ("CONTEXT", &fields.context),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("\n{label}:  {value}"));
        }
    }
    text
}

/// The line, from 1, in which character `position` (from 1) stands, and what of it comes before
/// that character.
fn line_at(sql: &str, position: usize) -> Option<(usize, &str, &str)> {
    let offset = match position.checked_sub(1) {
        Some(characters) => sql
            .char_indices()
            .map(|(offset, _)| offset)
            .chain([sql.len()])
            .nth(characters)?,
        None => return None,
    };
    let head = sql.get(..offset)?;
    let start = head.rfind('\n').map_or(0, |newline| newline + 1);
    let end = sql
        .get(offset..)?
        .find('\n')
        .map_or(sql.len(), |length| offset + length);
    let number = head.matches('\n').count() + 1;
    Some((number, sql.get(start..end)?, sql.get(start..offset)?))
}

#[cfg(test)]
mod tests {
    use varve_types::{Error, SqlState};

    #[test]
    fn the_caret_stands_under_the_position() {
        let error = |position| Error::new(SqlState::SYNTAX_ERROR, "no").at(position);
        let cases = [
            (
                "SELECT x",
                8,
                "ERROR:  42601: no\nLINE 1: SELECT x\n               ^",
            ),
            (
                "SELECT\n  \u{e9}\u{4e2d} y",
                13,
                "ERROR:  42601: no\nLINE 2:   \u{e9}\u{4e2d} y\n              ^",
            ),
            (
                "SELECT",
                7,
                "ERROR:  42601: no\nLINE 1: SELECT\n              ^",
            ),
            ("SELECT", 9, "ERROR:  42601: no"),
        ];
        for (sql, position, expected) in cases {
            assert_eq!(super::render(&error(position), sql), expected, "{sql}");
        }
    }
}
