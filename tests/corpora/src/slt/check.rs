//! Compares what a record expects with what the engine answered.

use std::collections::BTreeMap;

use super::Dialect;
use super::cells::{canonical, cell_text};
use super::error::{is_wanted, matches, wanted_text};
use super::hash::{hash_line, is_hash};
use crate::causes::Causes;
use crate::classify::{FOLLOWS, normalised};
use crate::engine::{Outcome, Table, failure};
use crate::record::{ErrorWanted, Expect, Record, RowsWanted, Sort, Verdict, outcome_text};

/// The results that labels of a file stand for.
pub type Labels = BTreeMap<String, String>;

pub fn check(
    dialect: Dialect,
    record: &Record,
    outcome: &Outcome,
    labels: &mut Labels,
    causes: &mut Causes,
) -> Verdict {
    let class = causes.note(&record.sql, failure(outcome));
    let verdict = verdict(dialect, record, outcome, labels, class);
    causes.explain(&record.sql, outcome.is_ok(), verdict)
}

/// The verdict by itself; `class` is that of the error.
fn verdict(
    dialect: Dialect,
    record: &Record,
    outcome: &Outcome,
    labels: &mut Labels,
    class: Option<String>,
) -> Verdict {
    let fail =
        |class: String, expected: String| Verdict::failed(class, expected, outcome_text(outcome));
    match (&record.expect, outcome) {
        (Expect::Any, _) => Verdict::Passed,
        (Expect::Error(wanted), Err(failure)) => {
            if is_wanted(wanted, failure) {
                Verdict::Passed
            } else {
                let class = class.unwrap_or_default();
                let class = match class.starts_with(FOLLOWS) {
                    true => class,
                    false => format!("another error: {class}"),
                };
                fail(class, wanted_text(wanted))
            }
        }
        (Expect::Error(wanted), Ok(_)) => {
            let class = match wanted {
                ErrorWanted::Any => "no error: any".to_owned(),
                wanted => format!("no error: {}", normalised(&wanted_text(wanted))),
            };
            fail(class, wanted_text(wanted))
        }
        (expect, Err(_)) => fail(class.unwrap_or_default(), expect_text(expect)),
        (Expect::Ok, Ok(_)) => Verdict::Passed,
        (Expect::Affected(wanted), Ok(answer)) => {
            let rows = answer.table.as_ref().map(|table| table.rows.len() as u64);
            if answer.affected.or(rows) == Some(*wanted) {
                Verdict::Passed
            } else {
                fail("wrong count of changed rows".to_owned(), wanted.to_string())
            }
        }
        (Expect::RowCount(wanted), Ok(answer)) => {
            let rows = answer.table.as_ref().map_or(0, |table| table.rows.len());
            if rows == *wanted {
                Verdict::Passed
            } else {
                fail("wrong count of rows".to_owned(), wanted.to_string())
            }
        }
        (Expect::Rows(wanted), Ok(answer)) => {
            let empty = Table::default();
            let table = answer.table.as_ref().unwrap_or(&empty);
            let class = compare(dialect, wanted, table, labels);
            // Rows without ORDER BY come in any order.
            let is_free = dialect != Dialect::Sqlite
                && class == Some(WRONG_ORDER)
                && !record.sql.to_lowercase().contains("order by");
            match class.filter(|_| !is_free) {
                None => Verdict::Passed,
                Some(class) => fail(class.to_owned(), expect_text(&record.expect)),
            }
        }
    }
}

fn expect_text(expect: &Expect) -> String {
    match expect {
        Expect::Rows(rows) => rows.lines.join("\n"),
        Expect::Error(wanted) => wanted_text(wanted),
        _ => "ok".to_owned(),
    }
}

/// Nothing where a table is what was wanted, else the class of the difference.
fn compare(
    dialect: Dialect,
    wanted: &RowsWanted,
    table: &Table,
    labels: &mut Labels,
) -> Option<&'static str> {
    if let Some(names) = &wanted.names {
        let shown: Vec<String> = table.columns.iter().map(|c| c.name.clone()).collect();
        if shown
            .join(" ")
            .split_whitespace()
            .ne(names.iter().map(String::as_str))
        {
            return Some("wrong names of columns");
        }
    }
    let rows = text_rows(dialect, &wanted.types, table);
    match dialect {
        Dialect::Sqlite => compare_values(wanted, rows, labels, true),
        _ if is_hash(&wanted.lines) => compare_values(wanted, rows, labels, false),
        Dialect::DuckDb => compare_cells(wanted, &rows, labels),
        _ => compare_words(wanted, &rows),
    }
}

fn text_rows(dialect: Dialect, types: &str, table: &Table) -> Vec<Vec<String>> {
    let letters: Vec<char> = types.chars().collect();
    let text = |(at, cell): (usize, &Option<String>)| {
        let letter = letters.get(at).copied().unwrap_or('T');
        cell_text(dialect, letter, table.columns[at].kind, cell.as_deref())
    };
    let row = |row: &Vec<Option<String>>| row.iter().enumerate().map(text).collect();
    table.rows.iter().map(row).collect()
}

/// SQLite's way: one value a line, or their hash.
fn compare_values(
    wanted: &RowsWanted,
    mut rows: Vec<Vec<String>>,
    labels: &mut Labels,
    with_labels: bool,
) -> Option<&'static str> {
    if wanted.sort == Sort::Rows {
        rows.sort();
    }
    let count = rows.len();
    let mut values: Vec<String> = rows.into_iter().flatten().collect();
    if wanted.sort == Sort::Values {
        values.sort();
    }
    let hash = hash_line(&values);
    if is_hash(&wanted.lines) {
        if wanted.lines[0] != hash {
            let columns = wanted.types.len().max(1);
            let same_count = wanted.lines[0].starts_with(&format!("{} ", count * columns));
            return Some(if same_count {
                WRONG_VALUES
            } else {
                WRONG_COUNT
            });
        }
    } else if values != wanted.lines {
        let same_count = values.len() == wanted.lines.len();
        return Some(if same_count {
            WRONG_VALUES
        } else {
            WRONG_COUNT
        });
    }
    if let (true, Some(label)) = (with_labels, &wanted.label) {
        let known = labels.entry(label.clone()).or_insert_with(|| hash.clone());
        if *known != hash {
            return Some("not the result of its label");
        }
    }
    None
}

const WRONG_COUNT: &str = "wrong count of rows";
const WRONG_VALUES: &str = "wrong values";
const WRONG_ORDER: &str = "wrong order";

/// sqllogictest-rs's and CockroachDB's way: words of a row, however they are spaced.
fn compare_words(wanted: &RowsWanted, rows: &[Vec<String>]) -> Option<&'static str> {
    let words = |line: &str| {
        let words: Vec<String> = line.split_whitespace().map(canonical).collect();
        words.join(" ")
    };
    let mut got: Vec<String> = rows.iter().map(|row| words(&row.join(" "))).collect();
    let mut lines: Vec<String> = wanted.lines.iter().map(|line| words(line)).collect();
    if wanted.sort == Sort::Values {
        let split = |lines: &[String]| -> Vec<String> {
            lines
                .iter()
                .flat_map(|line| line.split(' '))
                .map(str::to_owned)
                .collect()
        };
        (got, lines) = (split(&got), split(&lines));
    }
    if wanted.sort != Sort::No {
        got.sort();
        lines.sort();
    }
    // A value of several lines takes several of them, so rows are compared as one text.
    if got == lines || got.join(" ") == lines.join(" ") {
        return None;
    }
    if got.len() != lines.len() {
        return Some(WRONG_COUNT);
    }
    Some(order_or_values(got, lines))
}

fn order_or_values(mut got: Vec<String>, mut lines: Vec<String>) -> &'static str {
    got.sort();
    lines.sort();
    if got == lines {
        WRONG_ORDER
    } else {
        WRONG_VALUES
    }
}

/// DuckDB's way: cells between tabs, or one a line.
fn compare_cells(
    wanted: &RowsWanted,
    rows: &[Vec<String>],
    labels: &mut Labels,
) -> Option<&'static str> {
    let columns = rows.first().map_or(wanted.types.len(), Vec::len).max(1);
    let line_is_row = wanted
        .lines
        .iter()
        .all(|line| line.split('\t').count() == columns);
    let cells = |line: &String| -> Vec<String> { line.split('\t').map(str::to_owned).collect() };
    let lines: Vec<Vec<String>> = if line_is_row || columns == 1 {
        wanted.lines.iter().map(cells).collect()
    } else {
        wanted
            .lines
            .chunks(columns)
            .map(<[String]>::to_vec)
            .collect()
    };
    let mut got: Vec<Vec<String>> = rows.to_vec();
    let mut lines = lines;
    if wanted.sort != Sort::No {
        got.sort();
        lines.sort();
    }
    if let Some(label) = &wanted.label {
        let result = format!("{got:?}");
        let known = labels
            .entry(label.clone())
            .or_insert_with(|| result.clone());
        if *known != result {
            return Some("not the result of its label");
        }
        if lines.is_empty() {
            return None;
        }
    }
    if got.len() != lines.len() {
        return Some(WRONG_COUNT);
    }
    let equal = |(got, wanted): (&Vec<String>, &Vec<String>)| {
        got.len() == wanted.len() && got.iter().zip(wanted).all(|(a, b)| same_cell(a, b))
    };
    if got.iter().zip(&lines).all(equal) {
        return None;
    }
    let join = |rows: Vec<Vec<String>>| rows.iter().map(|row| row.join("\t")).collect();
    Some(order_or_values(join(got), join(lines)))
}

fn same_cell(got: &str, wanted: &str) -> bool {
    let wanted = wanted.trim();
    if let Some(pattern) = wanted.strip_prefix("<REGEX>:") {
        return matches(pattern, got);
    }
    if let Some(pattern) = wanted.strip_prefix("<!REGEX>:") {
        return !matches(pattern, got);
    }
    let truth = |text: &str| match text.to_lowercase().as_str() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    };
    let same_truth = truth(got).is_some() && truth(got) == truth(wanted);
    same_truth || canonical(got.trim()) == canonical(wanted)
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
