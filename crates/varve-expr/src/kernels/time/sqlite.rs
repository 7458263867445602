//! SQLite's functions of dates and times, whose arguments are a time value and modifiers.

use core::fmt::Write as _;

use varve_types::{Result, Value};

use crate::datetime::julian::{DAY_MS, Julian, split, unix_ms, weekday};
use crate::datetime::{Civil, DAY_US, is_infinite, timestamp_of_date};
use crate::tree::Row;

/// A moment within the years of SQLite.
struct Moment {
    ms: i64,
    has_fraction: bool,
}

/// The moment that the arguments from `first` on tell: now where there are none; `None` for what
/// is no time value or no modifier.
fn moment(row: &Row<'_>, first: usize) -> Result<Option<Moment>> {
    let now_us = row.context.locale.statement_us;
    let read = match row.args.len() > first {
        true => time_value(row, first, now_us)?,
        false => Some(Julian::of_us(now_us)),
    };
    let Some(mut julian) = read else {
        return Ok(None);
    };
    for i in first + 1..row.args.len() {
        let modified = julian.modified(row.text(i), i == first + 1, row.zone());
        match modified {
            Some(modified) => julian = modified,
            None => return Ok(None),
        }
    }
    let has_fraction = julian.has_fraction;
    Ok(julian.checked().map(|ms| Moment { ms, has_fraction }))
}

/// A text, a number, or a date or time of SQL.
fn time_value(row: &Row<'_>, i: usize, now_us: i64) -> Result<Option<Julian>> {
    let of_us = |us: i64| (!is_infinite(us)).then(|| Julian::of_us(us));
    Ok(match row.value(i) {
        Value::Text(text) => Julian::read(&text, now_us),
        Value::Timestamp(us) | Value::TimestampTz(us) => of_us(us),
        Value::Date(day) => of_us(timestamp_of_date(day)?),
        // SQLite has a time without a date on 2000-01-01.
        Value::Time(us) => of_us(DAY_US * 10_957 + us),
        Value::Int2(number) => Some(Julian::of_number(f64::from(number))),
        Value::Int4(number) => Some(Julian::of_number(f64::from(number))),
        Value::Int8(number) => Julian::read(&number.to_string(), now_us),
        Value::Numeric(number) => Julian::read(&number.to_string(), now_us),
        other => other.double().map(Julian::of_number),
    })
}

fn text_of(row: &Row<'_>, first: usize, format: &str) -> Result<Value> {
    let Some(moment) = moment(row, first)? else {
        return Ok(Value::Null);
    };
    let mut text = String::new();
    Ok(match moment.write(format, &mut text) {
        Some(()) => Value::text(text),
        None => Value::Null,
    })
}

/// `strftime(format, time, modifier, ...)`, also with the time before the format.
pub(in crate::kernels) fn strftime(row: &Row<'_>) -> Result<Value> {
    let is_format = |i: usize| matches!(row.value(i), Value::Text(text) if text.contains('%'));
    if is_format(0) || !is_format(1) {
        return match row.value(0) {
            Value::Text(format) => text_of(row, 1, &format),
            _ => Ok(Value::Null),
        };
    }
    let mut swapped = row.args.to_vec();
    swapped.swap(0, 1);
    let format = row.text(1).to_owned();
    let row = Row {
        args: &swapped,
        row: row.row,
        context: row.context,
        result: row.result,
    };
    text_of(&row, 1, &format)
}

/// `date(time, modifier, ...)`
pub(in crate::kernels) fn date(row: &Row<'_>) -> Result<Value> {
    text_of(row, 0, "%F")
}

/// `time(time, modifier, ...)`
pub(in crate::kernels) fn time(row: &Row<'_>) -> Result<Value> {
    text_of(row, 0, "%T")
}

/// `datetime(time, modifier, ...)`
pub(in crate::kernels) fn datetime(row: &Row<'_>) -> Result<Value> {
    text_of(row, 0, "%F %T")
}

/// `julianday(time, modifier, ...)`
pub(in crate::kernels) fn julian_day(row: &Row<'_>) -> Result<Value> {
    Ok(moment(row, 0)?.map_or(Value::Null, |moment| Value::Float8(moment.julian_day())))
}

/// `unixepoch(time, modifier, ...)`
pub(in crate::kernels) fn unix_epoch(row: &Row<'_>) -> Result<Value> {
    let seconds = |moment: Moment| Value::Int8(unix_ms(moment.ms).div_euclid(1000));
    Ok(moment(row, 0)?.map_or(Value::Null, seconds))
}

impl Moment {
    #[expect(clippy::cast_precision_loss, reason = "53 bits hold all moments")]
    fn julian_day(&self) -> f64 {
        self.ms as f64 / DAY_MS as f64
    }

    /// Appends the moment in a format; `None` for one that SQLite does not know.
    fn write(&self, format: &str, out: &mut String) -> Option<()> {
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            match character {
                '%' => self.write_field(characters.next()?, out)?,
                other => out.push(other),
            }
        }
        Some(())
    }

    fn write_field(&self, field: char, out: &mut String) -> Option<()> {
        let (days, of_day_ms) = split(self.ms);
        let Civil { year, month, day } = Civil::from_days(days);
        let january_1 = Civil {
            year,
            month: 1,
            day: 1,
        }
        .days();
        let of_year = days - january_1;
        let (hour, minute) = (of_day_ms / 3_600_000, of_day_ms / 60_000 % 60);
        let (second, ms) = (of_day_ms / 1000 % 60, of_day_ms % 1000);
        let hour_12 = (hour + 11) % 12 + 1;
        let from_sunday = weekday(self.ms);
        let from_monday = (from_sunday + 6) % 7;
        let thursday = days + 3 - from_monday;
        let iso_year = Civil::from_days(thursday).year;
        let first_of_iso = Civil {
            year: iso_year,
            month: 1,
            day: 1,
        }
        .days();
        let written = match field {
            '%' => out.write_char('%'),
            'Y' => write!(out, "{year:04}"),
            'm' => write!(out, "{month:02}"),
            'd' => write!(out, "{day:02}"),
            'e' => write!(out, "{day:2}"),
            'F' if year < 0 => write!(out, "-{:04}-{month:02}-{day:02}", -year),
            'F' => write!(out, "{year:04}-{month:02}-{day:02}"),
            'H' => write!(out, "{hour:02}"),
            'k' => write!(out, "{hour:2}"),
            'I' => write!(out, "{hour_12:02}"),
            'l' => write!(out, "{hour_12:2}"),
            'M' => write!(out, "{minute:02}"),
            'S' => write!(out, "{second:02}"),
            'f' => write!(out, "{second:02}.{ms:03}"),
            'R' => write!(out, "{hour:02}:{minute:02}"),
            'T' if self.has_fraction => {
                write!(out, "{hour:02}:{minute:02}:{second:02}.{ms:03}")
            }
            'T' => write!(out, "{hour:02}:{minute:02}:{second:02}"),
            'p' => out.write_str(if hour < 12 { "AM" } else { "PM" }),
            'P' => out.write_str(if hour < 12 { "am" } else { "pm" }),
            'j' => write!(out, "{:03}", of_year + 1),
            'J' => out.write_str(&sixteen_digits(self.julian_day())),
            's' => write!(out, "{}", unix_ms(self.ms).div_euclid(1000)),
            'u' => write!(out, "{}", from_monday + 1),
            'w' => write!(out, "{from_sunday}"),
            'U' => write!(out, "{:02}", (of_year + 7 - from_sunday) / 7),
            'W' => write!(out, "{:02}", (of_year + 7 - from_monday) / 7),
            'V' => write!(out, "{:02}", (thursday - first_of_iso) / 7 + 1),
            'G' => write!(out, "{iso_year:04}"),
            'g' => write!(out, "{:02}", iso_year.rem_euclid(100)),
            _ => return None,
        };
        written.ok()
    }
}

/// A number from 0 on with as many digits as C's `%.16g` writes.
fn sixteen_digits(number: f64) -> String {
    let whole = format!("{number:.0}").len();
    let digits = format!("{number:.*}", 16_usize.saturating_sub(whole));
    digits
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
