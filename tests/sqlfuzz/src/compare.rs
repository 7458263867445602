//! Whether two answers are the same, with the differences that are no faults.

use std::cmp::Ordering;

use crate::answer::{Answer, Row};
use crate::generate::Tolerance;

/// A difference between engines that is no fault of either.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The order of a sum of floats, or the last digit of a library's function.
    Digits,
    /// Which of several equal values DISTINCT, GROUP BY, UNION, `min` or `greatest` shows: `1.0` or
    /// `1.00`, an hour or sixty minutes, `0` or `-0`.
    Looks,
    /// Whether an expression that fails for some row is computed for that row depends on the plan:
    /// conditions may be tried in any order.
    Failing,
    /// PostgreSQL's `numeric` has more digits than 38.
    LongNumeric,
    /// A time or memory limit.
    Limit,
    /// PostgreSQL cannot do it, or a later version does it otherwise.
    Theirs,
}

/// How two answers are the same, or what differs.
pub fn compare(
    left: &Answer,
    right: &Answer,
    ordered: bool,
    tolerance: Tolerance,
) -> Result<Option<Difference>, String> {
    if left.rows.len() != right.rows.len() {
        let (left, right) = (left.rows.len(), right.rows.len());
        return Err(format!("{left} rows against {right}"));
    }
    let types = &right.types;
    if ordered && left.rows == right.rows {
        return Ok(None);
    }
    let (mut a, mut b) = (left.rows.clone(), right.rows.clone());
    if !ordered {
        a.sort();
        b.sort();
        if a == b {
            return Ok(None);
        }
    }
    let exact = first_difference(&a, &b);
    if is_long_numeric(&a, &b, types, ordered) {
        return Ok(Some(Difference::LongNumeric));
    }
    if tolerance.looks {
        let looks = |rows: &[Row]| -> Vec<Row> {
            let rows = rows.iter().map(|row| canonical_row(row, types));
            let mut rows: Vec<Row> = rows.collect();
            if !ordered {
                rows.sort();
            }
            rows
        };
        (a, b) = (looks(&a), looks(&b));
        if a == b {
            return Ok(Some(Difference::Looks));
        }
    }
    if tolerance.digits {
        if !ordered {
            a.sort_by(coarse_order);
            b.sort_by(coarse_order);
        }
        let near = a.iter().zip(&b).all(|(a, b)| {
            let mut cells = a.iter().zip(b).enumerate();
            let is_single = |at| tolerance.singles || types.get(at) == Some(&700);
            cells.all(|(at, (a, b))| is_near(a, b, is_single(at)))
        });
        if near {
            return Ok(Some(Difference::Digits));
        }
    }
    Err(exact)
}

/// Whether the rows differ in nothing but the last digits of numbers of more than ours have.
fn is_long_numeric(a: &[Row], b: &[Row], types: &[u32], ordered: bool) -> bool {
    const KEPT: usize = NUMERIC_DIGITS_MAX - 2;
    let is_longer =
        |at: usize, text: &str, max| types.get(at) == Some(&NUMERIC) && text.len() > max;
    let cut = |rows: &[Row]| {
        let rows = rows.iter().map(|row| {
            let cells = row.iter().enumerate().map(|(at, cell)| {
                let text = cell.as_deref()?;
                let kept = text.get(..KEPT).filter(|_| is_longer(at, text, KEPT));
                let kept = kept.unwrap_or(text);
                let is_number = types.get(at) == Some(&NUMERIC);
                Some(
                    if is_number {
                        trimmed_number(kept)
                    } else {
                        kept
                    }
                    .to_owned(),
                )
            });
            cells.collect()
        });
        let mut rows: Vec<Row> = rows.collect();
        if !ordered {
            rows.sort();
        }
        rows
    };
    let has_long = b.iter().any(|row| {
        let mut cells = row.iter().enumerate();
        let is_long = |at, text: &str| is_longer(at, text, NUMERIC_DIGITS_MAX);
        cells.any(|(at, cell)| cell.as_deref().is_some_and(|text| is_long(at, text)))
    });
    has_long && cut(a) == cut(b)
}

fn first_difference(a: &[Row], b: &[Row]) -> String {
    // What stands on one side only tells more than what stands at the same place.
    let only = |a: &[Row], b: &[Row]| a.iter().find(|row| !b.contains(row)).map(row_text);
    let few = a.len() <= 3000;
    let (left, right) = if few {
        (only(a, b), only(b, a))
    } else {
        (None, None)
    };
    match (left, right) {
        (None, None) => {
            let at = a.iter().zip(b).position(|(a, b)| a != b).unwrap_or(0);
            let text = |rows: &[Row]| rows.get(at).map(row_text).unwrap_or_default();
            format!("row {at}: {} against {}", text(a), text(b))
        }
        (left, right) => format!(
            "{} against {}",
            left.unwrap_or_default(),
            right.unwrap_or_default()
        ),
    }
}

pub fn row_text(row: &Row) -> String {
    let cells: Vec<&str> = row
        .iter()
        .map(|cell| cell.as_deref().unwrap_or("NULL"))
        .collect();
    format!("({})", cells.join(", "))
}

const NUMERIC: u32 = 1700;
/// Digits that a numeric of ours has.
pub const NUMERIC_DIGITS_MAX: usize = 38;
const BPCHAR: u32 = 1042;
const INTERVAL: u32 = 1186;

fn canonical_row(row: &Row, types: &[u32]) -> Row {
    let cells = row.iter().enumerate();
    cells
        .map(|(at, cell)| {
            let ty = types.get(at).copied().unwrap_or(0);
            cell.as_ref().map(|text| canonical(text, ty))
        })
        .collect()
}

/// One way to write equal values.
fn canonical(text: &str, ty: u32) -> String {
    match ty {
        NUMERIC | 700 | 701 => trimmed_number(text).to_owned(),
        BPCHAR => text.trim_end_matches(' ').to_owned(),
        INTERVAL => interval_us(text).to_string(),
        _ => text
            .split(|c: char| ",[]{} :".contains(c))
            .map(trimmed_number)
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// An interval as its comparison takes it: a month has 30 days, a day 24 hours.
fn interval_us(text: &str) -> i128 {
    let mut total = 0;
    let mut amount = 0;
    for word in text.split(' ') {
        let negative = word.starts_with('-');
        let unsigned = word.trim_start_matches(['-', '+']);
        if let Ok(number) = word.parse::<i128>() {
            amount = number;
        } else if word.starts_with("year") {
            total += amount * 360 * DAY_US;
        } else if word.starts_with("mon") {
            total += amount * 30 * DAY_US;
        } else if word.starts_with("day") {
            total += amount * DAY_US;
        } else if unsigned.contains(':') {
            let seconds = unsigned.split(':').fold(0.0, |sum, part| {
                sum * 60.0 + part.parse::<f64>().unwrap_or(0.0)
            });
            let us = (seconds * 1e6).round() as i128;
            total += if negative { -us } else { us };
        }
    }
    total
}

const DAY_US: i128 = 86_400_000_000;

fn trimmed_number(text: &str) -> &str {
    let is_number = text.parse::<f64>().is_ok() && text.contains(|c: char| c.is_ascii_digit());
    if !is_number {
        return text;
    }
    let text = if text.contains('.') && !text.contains('e') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    };
    if text == "-0" { "0" } else { text }
}

/// An order in which rows with nearly the same numbers stand at the same place.
fn coarse_order(a: &Row, b: &Row) -> Ordering {
    let coarse = |row: &Row| -> Vec<Option<String>> {
        let cells = row.iter().map(|cell| {
            cell.as_ref().map(|text| match text.parse::<f64>() {
                Ok(number) => format!("{number:.4e}"),
                Err(_) => text.clone(),
            })
        });
        cells.collect()
    };
    coarse(a).cmp(&coarse(b))
}

/// Whether two values are the same but for the last digits of floats, in texts of them too.
fn is_near(a: &Option<String>, b: &Option<String>, single: bool) -> bool {
    if a == b {
        return true;
    }
    let (Some(a), Some(b)) = (a, b) else {
        return false;
    };
    let allowed = if single { 1e-5 } else { 1e-9 };
    let (a, b) = (of_bytes(a), of_bytes(b));
    if are_near_numbers(&a, &b, allowed) {
        return true;
    }
    let (a, b) = (pieces(&a), pieces(&b));
    let mut pairs = a.iter().zip(&b);
    a.len() == b.len() && pairs.all(|(a, b)| a == b || are_near_numbers(a, b, allowed))
}

fn are_near_numbers(a: &str, b: &str, allowed: f64) -> bool {
    let (Ok(a), Ok(b)) = (a.parse::<f64>(), b.parse::<f64>()) else {
        return false;
    };
    // What is left of a difference of equal numbers, as of a deviation, has no exact digit.
    let scale = a.abs().max(b.abs()).max(1e-4);
    a == b || (a - b).abs() <= scale * allowed
}

/// The text of which these bytes are.
fn of_bytes(text: &str) -> String {
    let digits = text.strip_prefix("\\x").unwrap_or_default();
    let pairs = digits.as_bytes().chunks(2);
    let bytes = pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok());
    let bytes = bytes
        .collect::<Option<Vec<u8>>>()
        .filter(|bytes| !bytes.is_empty());
    let read = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    read.unwrap_or_else(|| text.to_owned())
}

/// The numbers of a text and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let of_number = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let parts = text
        .as_bytes()
        .chunk_by(|a, b| of_number(a) == of_number(b));
    parts
        .map(|part| str::from_utf8(part).unwrap_or(text))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Difference, compare};
    use crate::answer::Answer;
    use crate::generate::Tolerance;

    fn answer(types: &[u32], rows: &[&[&str]]) -> Answer {
        let cell = |cell: &&str| (*cell != "NULL").then(|| (*cell).to_owned());
        Answer {
            types: types.to_vec(),
            rows: rows
                .iter()
                .map(|row| row.iter().map(cell).collect())
                .collect(),
        }
    }

    #[test]
    fn rows_are_compared_as_bags_unless_their_order_is_total() {
        let a = answer(&[23], &[&["1"], &["NULL"], &["1"]]);
        let b = answer(&[23], &[&["1"], &["1"], &["NULL"]]);
        let c = answer(&[23], &[&["1"], &["NULL"], &["NULL"]]);
        let strict = Tolerance::default();
        assert_eq!(compare(&a, &b, false, strict), Ok(None));
        assert!(compare(&a, &b, true, strict).is_err());
        assert!(compare(&a, &c, false, strict).is_err());
    }

    #[test]
    fn digits_beyond_those_of_ours_do_not_count() {
        let number = |text| answer(&[1700], &[&[text]]);
        let strict = Tolerance::default();
        let ours = number("37223364877321176390416784036117012823");
        let theirs = number("37223364877321176390416784036117012822.63");
        let long = Ok(Some(Difference::LongNumeric));
        assert_eq!(compare(&ours, &theirs, false, strict), long);
        let other = number("37223364877321176390416784036117112822.63");
        assert!(compare(&ours, &other, false, strict).is_err());
    }

    #[test]
    fn a_difference_must_be_one_that_is_allowed() {
        let a = answer(&[1700, 701], &[&["1.0", "0.1"], &["2", "NULL"]]);
        let b = answer(
            &[1700, 701],
            &[&["2", "NULL"], &["1.00", "0.10000000000000002"]],
        );
        let tolerance = |digits, looks| Tolerance {
            digits,
            looks,
            ..Tolerance::default()
        };
        assert!(compare(&a, &b, false, tolerance(false, true)).is_err());
        assert!(compare(&a, &b, false, tolerance(true, false)).is_ok());
        let both = compare(&a, &b, false, tolerance(true, true));
        assert_eq!(both, Ok(Some(Difference::Digits)));
        let c = answer(&[1700, 701], &[&["2", "NULL"], &["1.00", "0.11"]]);
        assert!(compare(&a, &c, false, tolerance(true, true)).is_err());
        // 0.3 and 0.30000000000000004 as bytes.
        let texts = |text| answer(&[17], &[&[text]]);
        let (a, b) = (
            texts("\\x302e33"),
            texts("\\x302e3330303030303030303030303030303034"),
        );
        assert!(compare(&a, &b, false, tolerance(true, false)).is_ok());
        assert!(compare(&a, &texts("\\x302e34"), false, tolerance(true, false)).is_err());
        let (a, b) = (texts("x 0.3, 7"), texts("x 0.30000000000000004, 7"));
        assert!(compare(&a, &b, false, tolerance(true, false)).is_ok());
        assert!(compare(&a, &texts("x 0.3, 8"), false, tolerance(true, false)).is_err());
    }
}
