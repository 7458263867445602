//! Errors as psql prints them, with the line of the statement and a mark below the place.

use unicode_width::UnicodeWidthChar;

use crate::engine::Failure;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    #[default]
    Default,
    Terse,
    SqlState,
}

/// Widest part of a line that is shown.
const SHOWN_WIDTH_MAX: usize = 60;
/// What is kept visible on the right of the place.
const RIGHT_KEPT: usize = 10;

/// Appends an error of a statement.
pub fn write_failure(failure: &Failure, sql: &str, verbosity: Verbosity, out: &mut String) {
    match verbosity {
        Verbosity::SqlState => return out.push_str(&format!("ERROR:  {}\n", failure.state)),
        Verbosity::Terse => {
            out.push_str(&format!("ERROR:  {}", failure.message));
            if let Some(position) = failure.position {
                out.push_str(&format!(" at character {position}"));
            }
            return out.push('\n');
        }
        Verbosity::Default => out.push_str(&format!("ERROR:  {}\n", failure.message)),
    }
    if let Some(position) = failure.position {
        write_place(sql, position as usize, out);
    }
    let parts = [
        ("DETAIL", &failure.detail),
        ("HINT", &failure.hint),
        ("CONTEXT", &failure.context),
    ];
    for (name, text) in parts {
        if let Some(text) = text {
            out.push_str(&format!("{name}:  {text}\n"));
        }
    }
}

/// `LINE 2: ...` and the mark below. A long line is cut on the right if the place stays well
/// inside, else on both sides.
fn write_place(sql: &str, position: usize, out: &mut String) {
    let characters: Vec<char> = sql
        .chars()
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    let Some(place) = position.checked_sub(1).filter(|at| *at <= characters.len()) else {
        return;
    };
    let before = &characters[..place];
    let number = 1 + before.iter().filter(|c| **c == '\n').count();
    let mut begin = before
        .iter()
        .rposition(|c| *c == '\n')
        .map_or(0, |at| at + 1);
    let line_end = characters[place..].iter().position(|c| *c == '\n');
    let mut end = line_end.map_or(characters.len(), |at| place + at);
    let columns = |range: &[char]| -> usize { range.iter().map(|c| c.width().unwrap_or(0)).sum() };
    let (mut cut_left, mut cut_right) = (false, false);
    if columns(&characters[begin..end]) > SHOWN_WIDTH_MAX {
        if SHOWN_WIDTH_MAX >= columns(&characters[begin..place]) + RIGHT_KEPT {
            while columns(&characters[begin..end]) > SHOWN_WIDTH_MAX {
                end -= 1;
            }
            cut_right = true;
        } else {
            while end > place && columns(&characters[place..end]) > RIGHT_KEPT {
                end -= 1;
                cut_right = true;
            }
            while columns(&characters[begin..end]) > SHOWN_WIDTH_MAX {
                begin += 1;
                cut_left = true;
            }
        }
    }
    let mut head = format!("LINE {number}: ");
    if cut_left {
        head.push_str("...");
    }
    let mark = head.len() + columns(&characters[begin..place.max(begin)]);
    out.push_str(&head);
    out.extend(&characters[begin..end]);
    out.push_str(if cut_right { "...\n" } else { "\n" });
    out.extend(std::iter::repeat_n(' ', mark));
    out.push_str("^\n");
}

#[cfg(test)]
mod tests {
    use super::{Verbosity, write_failure};
    use crate::engine::{Failure, FailureKind};

    fn text(sql: &str, position: u32) -> String {
        let mut failure = Failure::new(FailureKind::Error, "no");
        failure.position = Some(position);
        failure.hint = Some("try".to_owned());
        let mut out = String::new();
        write_failure(&failure, sql, Verbosity::Default, &mut out);
        out
    }

    #[test]
    fn the_mark_is_below_the_place() {
        let wanted = "ERROR:  no\nLINE 2: b cd\n          ^\nHINT:  try\n";
        assert_eq!(text("a\nb cd", 5), wanted);
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
