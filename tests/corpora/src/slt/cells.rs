//! Values as the dialects write them, and numbers in one spelling for comparison.

use super::Dialect;
use crate::engine::Kind;

/// A value as the corpus would print it, by the letter of its column.
pub(super) fn cell_text(dialect: Dialect, letter: char, kind: Kind, cell: Option<&str>) -> String {
    let Some(text) = cell else {
        return "NULL".to_owned();
    };
    match dialect {
        Dialect::Sqlite => sqlite_text(letter, kind, text),
        Dialect::RisingWave | Dialect::RisingLight if text.is_empty() => "(empty)".to_owned(),
        Dialect::DataFusion | Dialect::DuckDb if text.is_empty() => "(empty)".to_owned(),
        Dialect::Cockroach if text.is_empty() => "\u{b7}".to_owned(),
        Dialect::DataFusion
        | Dialect::Cockroach
        | Dialect::DuckDb
        | Dialect::GlueSql
        | Dialect::RisingLight
            if kind == Kind::Boolean =>
        {
            if text == "t" { "true" } else { "false" }.to_owned()
        }
        Dialect::RisingWave => with_minutes(text),
        _ => text.to_owned(),
    }
}

/// A timestamp with the minutes of its offset, and its seconds with three digits or six, as
/// RisingWave's client prints it.
fn with_minutes(text: &str) -> String {
    let (moment, era) = match text.strip_suffix(" BC") {
        Some(moment) => (moment, " BC"),
        None => (text, ""),
    };
    let is_time = |clock: &str| clock.len() >= 8 && clock.matches(':').count() == 2;
    let found = moment.split_once(' ').and_then(|(day, time)| {
        let at = time.rfind(['+', '-'])?;
        let (clock, offset) = time.split_at_checked(at)?;
        is_time(clock).then_some((day, clock, offset))
    });
    let Some((day, clock, offset)) = found else {
        return text.to_owned();
    };
    let (seconds, fraction) = clock.split_once('.').unwrap_or((clock, ""));
    let fraction = match fraction.len() {
        0 => String::new(),
        1..=3 => format!(".{fraction:0<3}"),
        _ => format!(".{fraction:0<6}"),
    };
    let minutes = if offset.contains(':') { "" } else { ":00" };
    format!("{day} {seconds}{fraction}{offset}{minutes}{era}")
}

/// As C's printf writes it: I `%d`, R `%.3f`, T text whose unprintable bytes are `@`.
fn sqlite_text(letter: char, kind: Kind, text: &str) -> String {
    let truth = |text: &str| if text == "t" { "1" } else { "0" }.to_owned();
    match letter {
        'I' if kind == Kind::Boolean => truth(text),
        'I' => match text.parse::<i64>() {
            Ok(number) => number.to_string(),
            Err(_) => (text.parse::<f64>().unwrap_or(0.0) as i64).to_string(),
        },
        'R' => format!("{:.3}", text.parse::<f64>().unwrap_or(0.0)),
        _ if text.is_empty() => "(empty)".to_owned(),
        _ if kind == Kind::Boolean => truth(text),
        _ => text
            .bytes()
            .map(|byte| match byte {
                b' '..=b'~' => char::from(byte),
                _ => '@',
            })
            .collect(),
    }
}

/// One spelling for numbers that are equal to eleven digits: databases agree on no other.
pub fn canonical(text: &str) -> String {
    let looks = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let special = ["inf", "nan", "infinity", "-inf", "-infinity"];
    if !looks && !special.contains(&text.to_lowercase().as_str()) {
        return text.to_owned();
    }
    if let Ok(whole) = text.parse::<i128>() {
        return whole.to_string();
    }
    match text.parse::<f64>() {
        Err(_) => text.to_owned(),
        Ok(number) if number == number.trunc() && number.abs() < 1e15 => {
            format!("{}", number as i64)
        }
        Ok(number) => format!("{number:.10e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::{canonical, cell_text};
    use crate::engine::Kind;

    #[test]
    fn numbers_have_one_spelling() {
        for (one, other) in [
            ("1", "1.0"),
            ("0.30000000000000004", "0.3"),
            ("1e3", "1000.000"),
            ("-0", "0"),
            ("2.5000000000000000", "2.5"),
            ("nan", "NaN"),
        ] {
            assert_eq!(canonical(one), canonical(other));
        }
        assert_ne!(canonical("1.001"), canonical("1.002"));
        assert_eq!(canonical("1a"), "1a");
    }

    #[test]
    fn risingwave_prints_whole_offsets() {
        let text = |text| cell_text(Dialect::RisingWave, 'T', Kind::Other, Some(text));
        for (ours, theirs) in [
            ("2023-11-05 09:40:00+00", "2023-11-05 09:40:00+00:00"),
            (
                "0005-02-29 08:15:55.3-04 BC",
                "0005-02-29 08:15:55.300-04:00 BC",
            ),
            (
                "2023-04-02 01:45:00.12345+10:30",
                "2023-04-02 01:45:00.123450+10:30",
            ),
            ("2023-11-05 09:40:00", "2023-11-05 09:40:00"),
            ("1 day 09:40:00", "1 day 09:40:00"),
        ] {
            assert_eq!(text(ours), theirs);
        }
    }

    #[test]
    fn sqlite_prints_by_the_letter() {
        let text = |letter, kind, text| cell_text(Dialect::Sqlite, letter, kind, text);
        assert_eq!(text('R', Kind::Integer, Some("2")), "2.000");
        assert_eq!(text('I', Kind::Real, Some("2.7")), "2");
        assert_eq!(text('I', Kind::Boolean, Some("t")), "1");
        assert_eq!(text('T', Kind::Other, Some("")), "(empty)");
        assert_eq!(text('T', Kind::Other, Some("a\nb")), "a@b");
        assert_eq!(text('T', Kind::Other, None), "NULL");
    }
}
