//! Errors and notices as psql prints them, with the line of the statement and a mark below the
//! place.

use unicode_width::UnicodeWidthChar;

/// How much of a message is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// All that helps.
    #[default]
    Default,
    /// SQLSTATE, names of what it is about, and all that helps.
    Verbose,
    /// One line.
    Terse,
    /// The SQLSTATE only.
    SqlState,
}

/// A message of the engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Message<'a> {
    /// `ERROR`, `WARNING`, `NOTICE`.
    pub severity: &'a str,
    /// SQLSTATE.
    pub state: &'a str,
    /// What is the matter.
    pub text: &'a str,
    /// Where in the statement, in characters, from 1.
    pub position: Option<u32>,
    /// More of it.
    pub detail: Option<&'a str>,
    /// What can be done.
    pub hint: Option<&'a str>,
    /// What was done when it came.
    pub context: Option<&'a str>,
    /// Names that belong to it, by what they are names of.
    pub names: &'a [(&'a str, Option<&'a str>)],
}

/// Widest part of a line that is shown.
const SHOWN_WIDTH_MAX: usize = 60;
/// What is kept visible on the right of the place.
const RIGHT_KEPT: usize = 10;

/// Appends a message about a statement.
pub fn write_message(message: &Message<'_>, sql: &str, verbosity: Verbosity, out: &mut String) {
    let Message {
        severity,
        state,
        text,
        ..
    } = message;
    match verbosity {
        Verbosity::SqlState => return out.push_str(&format!("{severity}:  {state}\n")),
        Verbosity::Terse => {
            out.push_str(&format!("{severity}:  {text}"));
            if let Some(position) = message.position {
                out.push_str(&format!(" at character {position}"));
            }
            return out.push('\n');
        }
        Verbosity::Verbose => out.push_str(&format!("{severity}:  {state}: {text}\n")),
        Verbosity::Default => out.push_str(&format!("{severity}:  {text}\n")),
    }
    if let Some(position) = message.position {
        write_place(sql, position, out);
    }
    let parts = [
        ("DETAIL", message.detail),
        ("HINT", message.hint),
        ("CONTEXT", message.context),
    ];
    let names = match verbosity {
        Verbosity::Verbose => message.names,
        _ => &[],
    };
    for (name, text) in parts.iter().chain(names) {
        if let Some(text) = text {
            out.push_str(&format!("{name}:  {text}\n"));
        }
    }
}

/// `LINE 2: ...` and the mark below. A long line is cut on the right if the place stays well
/// inside, else on both sides.
fn write_place(sql: &str, position: u32, out: &mut String) {
    let characters: Vec<char> = sql
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    let place = usize::try_from(position)
        .ok()
        .and_then(|at| at.checked_sub(1));
    let Some((before, after)) = place.and_then(|place| characters.split_at_checked(place)) else {
        return;
    };
    let number = 1 + before.iter().filter(|c| **c == '\n').count();
    let left = before.rsplit(|c| *c == '\n').next().unwrap_or_default();
    let right = after.split(|c| *c == '\n').next().unwrap_or_default();
    let (shown_left, shown_right) = cut(left, right);
    let mut head = format!("LINE {number}: ");
    if shown_left.len() < left.len() {
        head.push_str("...");
    }
    let mark = head.len() + columns(shown_left);
    out.push_str(&head);
    out.extend(shown_left.iter().chain(shown_right));
    let is_cut = shown_right.len() < right.len();
    out.push_str(if is_cut { "...\n" } else { "\n" });
    out.extend(std::iter::repeat_n(' ', mark));
    out.push_str("^\n");
}

fn columns(characters: &[char]) -> usize {
    characters.iter().copied().map(width).sum()
}

fn width(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// What is shown on both sides of the place.
fn cut<'a>(mut left: &'a [char], mut right: &'a [char]) -> (&'a [char], &'a [char]) {
    let (mut left_width, mut right_width) = (columns(left), columns(right));
    if left_width + right_width <= SHOWN_WIDTH_MAX {
        return (left, right);
    }
    let right_max = match SHOWN_WIDTH_MAX >= left_width + RIGHT_KEPT {
        true => SHOWN_WIDTH_MAX - left_width,
        false => RIGHT_KEPT,
    };
    while let Some((last, rest)) = right.split_last()
        && right_width > right_max
    {
        right_width -= width(*last);
        right = rest;
    }
    while let Some((first, rest)) = left.split_first()
        && left_width + right_width > SHOWN_WIDTH_MAX
    {
        left_width -= width(*first);
        left = rest;
    }
    (left, right)
}

#[cfg(test)]
mod tests {
    use super::{Message, Verbosity, write_message};

    fn text(sql: &str, position: u32) -> String {
        let message = Message {
            severity: "ERROR",
            text: "no",
            position: Some(position),
            hint: Some("try"),
            ..Message::default()
        };
        let mut out = String::new();
        write_message(&message, sql, Verbosity::Default, &mut out);
        out
    }

    #[test]
    fn the_mark_is_below_the_place() {
        let wanted = "ERROR:  no\nLINE 2: b cd\n          ^\nHINT:  try\n";
        assert_eq!(text("a\nb cd", 5), wanted);
        let wanted = "ERROR:  no\nLINE 2:   \u{e9}\u{4e2d} y\n              ^\nHINT:  try\n";
        assert_eq!(text("SELECT\n  \u{e9}\u{4e2d} y", 13), wanted);
        assert_eq!(text("SELECT", 9), "ERROR:  no\nHINT:  try\n");
    }

    #[test]
    fn long_lines_are_cut_as_libpq_cuts_them() {
        let sql = "COPY x from stdin (convert_selectively (a), convert_selectively (b));";
        let wanted = "ERROR:  no\n\
            LINE 1: COPY x from stdin (convert_selectively (a), convert_selectiv...\n\
            \x20                                                   ^\nHINT:  try\n";
        assert_eq!(text(sql, 45), wanted);
        let sql = "UPDATE update_test AS t SET b = update_test.b + 10 WHERE t.a = 10;";
        assert!(text(sql, 33).contains("b + 10 WHERE t.a...\n"));
        let sql = "x".repeat(100);
        assert!(text(&sql, 95).contains("LINE 1: ...xxx"));
    }
}
