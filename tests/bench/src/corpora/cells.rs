//! Cells of text as a typed column: integers, doubles, dates and times, or text.

use crate::set::{Column, Texts, Values};

const NULLS: [&[u8]; 5] = [b"", b"null", b"NULL", b"NA", b"\\N"];
const DAY_US: i64 = 86_400_000_000;

/// A column of the narrowest type that every cell has.
pub(super) fn column(name: &str, cells: &[Vec<u8>]) -> Column {
    let validity: Vec<bool> = cells
        .iter()
        .map(|cell| !NULLS.contains(&cell.as_slice()))
        .collect();
    let values = ints(cells, &validity)
        .map(Values::Int64)
        .or_else(|| all(cells, &validity, number).map(Values::Float64))
        .or_else(|| all(cells, &validity, date).map(Values::Int32))
        .or_else(|| all(cells, &validity, time).map(Values::Int64))
        .unwrap_or_else(|| {
            let cell =
                |(cell, valid): (&Vec<u8>, &bool)| if *valid { cell.clone() } else { vec![] };
            Values::Text(cells.iter().zip(&validity).map(cell).collect::<Texts>())
        });
    Column::new(name, values).with_validity(validity)
}

/// Integers as PostgreSQL writes them: what has a zero in front is text.
fn ints(cells: &[Vec<u8>], validity: &[bool]) -> Option<Vec<i64>> {
    let int = |cell: &[u8]| {
        let text = std::str::from_utf8(cell).ok()?;
        let int: i64 = text.parse().ok()?;
        (int.to_string() == text).then_some(int)
    };
    all(cells, validity, int)
}

fn all<T: Default>(
    cells: &[Vec<u8>],
    validity: &[bool],
    parse: impl Fn(&[u8]) -> Option<T>,
) -> Option<Vec<T>> {
    if !validity.contains(&true) {
        return None;
    }
    let cells = cells.iter().zip(validity);
    cells
        .map(|(cell, valid)| {
            if *valid {
                parse(cell)
            } else {
                Some(T::default())
            }
        })
        .collect()
}

/// A finite number; digits with a zero in front are none.
pub(super) fn number(cell: &[u8]) -> Option<f64> {
    let digits = cell.strip_prefix(b"-").unwrap_or(cell);
    if digits.len() > 1 && digits[0] == b'0' && digits[1] != b'.' {
        return None;
    }
    let first = digits.first()?;
    if !first.is_ascii_digit() && *first != b'.' {
        return None;
    }
    let number: f64 = std::str::from_utf8(cell).ok()?.parse().ok()?;
    number.is_finite().then_some(number)
}

/// Days since 1970 of `2016-01-31`.
pub(super) fn date(cell: &[u8]) -> Option<i64> {
    if cell.len() != 10 || cell[4] != b'-' || cell[7] != b'-' {
        return None;
    }
    let (year, month, day) = (
        digits(&cell[..4])?,
        digits(&cell[5..7])?,
        digits(&cell[8..])?,
    );
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then(|| days(year, month, day))
}

/// Microseconds since 1970 of `2016-01-31 23:59:59.123456`, with `T` and `Z` as well.
pub(super) fn time(cell: &[u8]) -> Option<i64> {
    let cell = cell.strip_suffix(b"Z").unwrap_or(cell);
    if cell.len() < 19 || !b" T".contains(&cell[10]) || cell[13] != b':' || cell[16] != b':' {
        return None;
    }
    let day = date(&cell[..10])?;
    let (hour, minute) = (digits(&cell[11..13])?, digits(&cell[14..16])?);
    let second = digits(&cell[17..19])?;
    let micros = match &cell[19..] {
        [] => 0,
        [b'.', fraction @ ..] if (1..=6).contains(&fraction.len()) => {
            digits(fraction)? * 10_i64.pow(6 - fraction.len() as u32)
        }
        _ => return None,
    };
    Some(day * DAY_US + ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros)
}

fn digits(text: &[u8]) -> Option<i64> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| i64::from(byte - b'0'));
    text.iter()
        .try_fold(0, |number, byte| Some(number * 10 + digit(byte)?))
}

/// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}
