//! Whether an output is the expected one: compared as pg_regress does (`diff -w`: white space does
//! not count). Rows of a query without ORDER BY may come in any order.

use crate::causes::Causes;
use crate::classify::{FOLLOWS, normalised};
use crate::engine::{Outcome, failure};
use crate::record::Verdict;

/// The parts of an output that failures are told apart by.
struct Parts<'a> {
    error: Option<&'a str>,
    /// LINE, DETAIL, HINT, CONTEXT and the mark.
    about: Vec<&'a str>,
    /// NOTICE, WARNING, INFO.
    notices: Vec<&'a str>,
    rows: Vec<&'a str>,
}

pub fn judge(
    sql: &str,
    expected: Option<&[String]>,
    got: &str,
    outcome: &Outcome,
    causes: &mut Causes,
) -> Verdict {
    let class = causes.note(sql, failure(outcome));
    let Some(expected) = expected else {
        let class = "runner: the expected output was not found";
        return Verdict::failed(class, String::new(), got.to_owned());
    };
    let verdict = verdict(sql, expected, got, outcome.is_ok(), class);
    causes.explain(sql, outcome.is_ok(), verdict)
}

fn verdict(
    sql: &str,
    expected: &[String],
    got: &str,
    is_ok: bool,
    class: Option<String>,
) -> Verdict {
    let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
    let got_lines: Vec<&str> = got.lines().collect();
    if is_same(sql, &expected, &got_lines, is_ok) {
        return Verdict::Passed;
    }
    let class = difference(&parts(&expected), &parts(&got_lines), class);
    Verdict::failed(class, expected.join("\n"), got.to_owned())
}

fn is_same(sql: &str, expected: &[&str], got: &[&str], is_ok: bool) -> bool {
    let mut expected = squeezed(expected);
    let mut got = squeezed(got);
    if expected == got {
        return true;
    }
    if !is_ok || sql.to_lowercase().contains("order by") {
        return false;
    }
    expected.sort();
    got.sort();
    expected == got
}

/// Lines without white space, and without those that have nothing else.
fn squeezed(lines: &[&str]) -> Vec<String> {
    let squeeze = |line: &&str| line.chars().filter(|c| !c.is_whitespace()).collect();
    let lines = lines.iter().map(squeeze);
    lines.filter(|line: &String| !line.is_empty()).collect()
}

fn parts<'a>(lines: &[&'a str]) -> Parts<'a> {
    let mut parts = Parts {
        error: None,
        about: Vec::new(),
        notices: Vec::new(),
        rows: Vec::new(),
    };
    for line in lines {
        let starts = |names: &[&str]| names.iter().any(|name| line.starts_with(name));
        if let Some(message) = line.strip_prefix("ERROR:  ") {
            parts.error.get_or_insert(message);
        } else if starts(&["LINE ", "DETAIL:", "HINT:", "CONTEXT:", "QUERY:"]) || line.trim() == "^"
        {
            parts.about.push(line);
        } else if starts(&["NOTICE:", "WARNING:", "INFO:", "DEBUG:"]) {
            parts.notices.push(line);
        } else {
            parts.rows.push(line);
        }
    }
    parts
}

fn difference(expected: &Parts, got: &Parts, class: Option<String>) -> String {
    match (expected.error, got.error, class) {
        (None, _, Some(class)) => class,
        (_, _, Some(class)) if class.starts_with(FOLLOWS) => class,
        (Some(wanted), _, Some(class)) if got.error != Some(wanted) => {
            format!("another error: {class}, not: {}", normalised(wanted))
        }
        (Some(_), Some(_), _) => about_difference(expected, got),
        (Some(wanted), None, _) => format!("no error: {}", normalised(wanted)),
        (None, ..) => rows_difference(expected, got),
    }
}

fn about_difference(expected: &Parts, got: &Parts) -> String {
    let names = |parts: &Parts| -> String {
        let names = parts
            .about
            .iter()
            .filter_map(|line| line.split([' ', ':']).next());
        names
            .filter(|name| !name.is_empty())
            .collect::<Vec<_>>()
            .join("+")
    };
    format!(
        "right error, but about it: wanted [{}], got [{}]",
        names(expected),
        names(got)
    )
}

fn rows_difference(expected: &Parts, got: &Parts) -> String {
    let (mut wanted, mut shown) = (squeezed(&expected.rows), squeezed(&got.rows));
    if wanted == shown {
        let first = |parts: &Parts| {
            parts
                .notices
                .first()
                .map_or(String::new(), |n| normalised(n))
        };
        return format!(
            "notices: wanted [{}], got [{}]",
            first(expected),
            first(got)
        );
    }
    if wanted.is_empty() || shown.is_empty() {
        return "rows where there are none, or none where there are".to_owned();
    }
    if wanted[0] != shown[0] {
        return "wrong names of columns".to_owned();
    }
    if wanted.len() != shown.len() {
        return "wrong count of rows".to_owned();
    }
    wanted.sort();
    shown.sort();
    if wanted == shown {
        "wrong order"
    } else {
        "wrong values"
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::causes::Causes;
    use crate::engine::{Answer, Failure, FailureKind};
    use crate::record::Verdict;

    fn class(sql: &str, expected: &str, got: &str) -> String {
        let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
        let outcome = match got.strip_prefix("ERROR:  ") {
            None => Ok(Answer::default()),
            Some(message) => Err(Failure::new(FailureKind::Error, message)),
        };
        let causes = &mut Causes::default();
        match judge(sql, Some(&expected), got, &outcome, causes) {
            Verdict::Failed(failed) => failed.class,
            _ => "passed".to_owned(),
        }
    }

    #[test]
    fn outputs_are_compared_without_white_space() {
        let expected = " a \n---\n 1\n 2\n(2 rows)\n\n";
        assert_eq!(
            class("SELECT", expected, "a\n---\n1\n2\n(2 rows)\n"),
            "passed"
        );
        let swapped = " a\n---\n 2\n 1\n(2 rows)\n";
        assert_eq!(class("SELECT", expected, swapped), "passed");
        assert_eq!(class("SELECT ORDER BY", expected, swapped), "wrong order");
        let planted = " a\n---\n 1\n 3\n(2 rows)\n";
        assert_eq!(class("SELECT", expected, planted), "wrong values");
        let error = "ERROR:  no\nHINT:  x\n";
        assert!(class("SELECT", error, expected).starts_with("no error"));
        assert!(class("SELECT", expected, "ERROR:  no").starts_with("XX000 no"));
        assert!(class("SELECT", error, "ERROR:  no").starts_with("right error"));
        assert!(class("SELECT", error, "ERROR:  yes").starts_with("another error"));
    }
}
