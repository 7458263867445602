//! Moments as SQLite counts and reads them: milliseconds of the Julian day, and modifiers.

use super::civil::Civil;
use super::zone::Zone;

/// Milliseconds of a day.
pub(crate) const DAY_MS: i64 = 86_400_000;
/// 1970-01-01 00:00, from noon of Julian day 0 on.
const EPOCH_MS: i64 = 210_866_760_000_000;
/// The end of the year 9999.
const LAST_MS: i64 = 464_269_060_799_999;
/// Julian days begin at noon.
const NOON_MS: i64 = DAY_MS / 2;

/// A moment, or a number that the first modifier makes one of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Julian {
    ms: i64,
    /// What was written, if that is a number.
    number: Option<f64>,
    /// Whether seconds are written with their fractions.
    pub(crate) has_fraction: bool,
}

/// A day and the time of day, whose parts may run over.
struct Parts {
    civil: Civil,
    of_day_ms: i64,
}

impl Parts {
    fn joined(self) -> i64 {
        let Civil { year, month, day } = self.civil;
        let carry = (month - 1).div_euclid(12);
        let civil = Civil {
            year: year.saturating_add(carry).clamp(-10_000, 20_000),
            month: month - carry * 12,
            day,
        };
        civil.days() * DAY_MS + self.of_day_ms + EPOCH_MS
    }
}

impl Julian {
    fn at(ms: i64) -> Julian {
        Julian {
            ms,
            number: None,
            has_fraction: false,
        }
    }

    /// Of microseconds since 1970.
    pub(crate) fn of_us(us: i64) -> Julian {
        Julian::at(us.div_euclid(1000) + EPOCH_MS)
    }

    /// Of a number: a Julian day, or what `unixepoch` makes of it.
    pub(crate) fn of_number(number: f64) -> Julian {
        Julian {
            number: Some(number),
            ..Julian::at(rounded(number * 86_400_000.0))
        }
    }

    /// A text: a date, a time of 2000-01-01, both, a number or `now`.
    pub(crate) fn read(text: &str, now_us: i64) -> Option<Julian> {
        if text.eq_ignore_ascii_case("now") {
            return Some(Julian::of_us(now_us));
        }
        if let Some(moment) = date_and_time(text).or_else(|| time_of_2000(text)) {
            return Some(Julian::at(moment));
        }
        let number = text.trim().parse::<f64>().ok();
        number
            .filter(|number| number.is_finite())
            .map(Julian::of_number)
    }

    /// Milliseconds from noon of Julian day 0; `None` outside of the years that SQLite knows.
    pub(crate) fn checked(self) -> Option<i64> {
        let is_day = |number: f64| (0.0..5_373_484.5).contains(&number);
        let is_known = self.number.is_none_or(is_day);
        (is_known && (0..=LAST_MS).contains(&self.ms)).then_some(self.ms)
    }

    fn parts(self) -> Parts {
        let (days, of_day_ms) = split(self.ms);
        Parts {
            civil: Civil::from_days(days),
            of_day_ms,
        }
    }

    /// The moment with a modifier; `None` for what is none. The first may say what a number means.
    pub(crate) fn modified(self, modifier: &str, is_first: bool, zone: &Zone) -> Option<Julian> {
        let word = modifier.trim_end().to_ascii_lowercase();
        if let Some(number) = self.number.filter(|_| is_first)
            && let Some(moment) = number_as(number, &word)
        {
            return Some(moment);
        }
        if matches!(word.as_str(), "unixepoch" | "julianday" | "auto") {
            // Beside a date or time `auto` changes nothing.
            return (word == "auto" && is_first && self.number.is_none()).then_some(self);
        }
        let ms = self.checked()?;
        let changed = |ms| Julian {
            has_fraction: self.has_fraction,
            ..Julian::at(ms)
        };
        let of_zone = |us: i64| changed(us.div_euclid(1000) + EPOCH_MS);
        let us = (ms - EPOCH_MS) * 1000;
        Some(match word.as_str() {
            "localtime" => of_zone(zone.local_us(us)),
            "utc" => of_zone(zone.utc_us(us)),
            "subsec" | "subsecond" => Julian {
                has_fraction: true,
                ..self
            },
            "start of day" => changed(ms - split(ms).1),
            "start of month" | "start of year" => {
                let civil = self.parts().civil;
                let month = if word.ends_with("month") {
                    civil.month
                } else {
                    1
                };
                let civil = Civil {
                    month,
                    day: 1,
                    ..civil
                };
                changed(
                    Parts {
                        civil,
                        of_day_ms: 0,
                    }
                    .joined(),
                )
            }
            _ => match word.strip_prefix("weekday ") {
                Some(number) => changed(ms + days_to_weekday(ms, number)? * DAY_MS),
                None => changed(self.shifted(&word)?),
            },
        })
    }

    /// `+N days` and the like, `+HH:MM:SS`, `+YYYY-MM-DD`.
    fn shifted(self, by: &str) -> Option<i64> {
        let end = by.find([':', ' ', '\t']).unwrap_or(by.len());
        let (amount, unit) = by.split_at_checked(end)?;
        if !amount.starts_with(['+', '-']) && !amount.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let sign = if amount.starts_with('-') { -1 } else { 1 };
        let unsigned = amount.trim_start_matches(['+', '-']);
        if unit.starts_with(':') {
            let time = by.trim_start_matches(['+', '-']);
            return Some(self.ms + sign * time_of_day(time)?);
        }
        if unsigned.contains('-') && unsigned.len() < amount.len() {
            let (civil, _) = civil_of(unsigned, 11).filter(|(_, rest)| rest.is_empty())?;
            let time_ms = match unit.trim() {
                "" => 0,
                time => time_of_day(time)?,
            };
            let mut parts = self.parts();
            parts.civil.year += sign * civil.year;
            parts.civil.month += sign * civil.month;
            return Some(parts.joined() + sign * (civil.day * DAY_MS + time_ms));
        }
        self.shifted_by(amount.parse().ok()?, unit.trim())
    }

    fn shifted_by(self, amount: f64, unit: &str) -> Option<i64> {
        let unit = unit.strip_suffix('s').unwrap_or(unit);
        /// Seconds of a unit, and the most of it that is taken.
        const UNITS: [(&str, f64, f64); 6] = [
            ("second", 1.0, 4.6427e+14),
            ("minute", 60.0, 7.7379e+12),
            ("hour", 3600.0, 1.2897e+11),
            ("day", 86_400.0, 5_373_485.0),
            ("month", 2_592_000.0, 176_546.0),
            ("year", 31_536_000.0, 14_713.0),
        ];
        let (name, seconds, most) = UNITS.into_iter().find(|(name, ..)| *name == unit)?;
        if amount.abs() >= most {
            return None;
        }
        let (ms, rest) = match name {
            "month" | "year" => {
                let mut parts = self.parts();
                let whole = whole(amount);
                match name {
                    "month" => parts.civil.month += whole,
                    _ => parts.civil.year += whole,
                }
                (parts.joined(), amount - amount.trunc())
            }
            _ => (self.ms, amount),
        };
        let half = if rest < 0.0 { -0.5 } else { 0.5 };
        Some(ms + whole(rest * 1000.0 * seconds + half))
    }
}

/// Days since 1970, and milliseconds of the day.
pub(crate) fn split(ms: i64) -> (i64, i64) {
    let of_epoch = ms - EPOCH_MS;
    (of_epoch.div_euclid(DAY_MS), of_epoch.rem_euclid(DAY_MS))
}

/// Milliseconds since 1970.
pub(crate) fn unix_ms(ms: i64) -> i64 {
    ms - EPOCH_MS
}

/// The day of the week, from Sunday as 0.
pub(crate) fn weekday(ms: i64) -> i64 {
    ((ms + NOON_MS).div_euclid(DAY_MS) + 1).rem_euclid(7)
}

/// What a number is by `unixepoch`, `julianday` or `auto`.
fn number_as(number: f64, word: &str) -> Option<Julian> {
    let is_day = (0.0..5_373_484.5).contains(&number);
    match word {
        "julianday" => is_day.then(|| Julian::at(rounded(number * 86_400_000.0))),
        "auto" if is_day => Some(Julian::at(rounded(number * 86_400_000.0))),
        "unixepoch" | "auto" => {
            let ms = number * 1000.0 + 210_866_760_000_000.0;
            (0.0..464_269_060_800_000.0)
                .contains(&ms)
                .then(|| Julian::at(rounded(ms)))
        }
        _ => None,
    }
}

/// Days from a moment to the next day of the week, 0 where it is that.
fn days_to_weekday(ms: i64, number: &str) -> Option<i64> {
    let number = number.trim().parse::<f64>().ok()?;
    let wanted = whole(number);
    let is_weekday = number == number.trunc() && (0..7).contains(&wanted);
    is_weekday.then(|| (wanted - weekday(ms)).rem_euclid(7))
}

fn rounded(number: f64) -> i64 {
    whole(number + 0.5)
}

/// The whole part of a number.
#[expect(
    clippy::cast_possible_truncation,
    reason = "what no i64 holds is cut to the nearest one, which is out of range here"
)]
fn whole(number: f64) -> i64 {
    number as i64
}

/// So many digits at the start of a text, as a number up to `most`.
fn digits(text: &str, count: usize, most: i64) -> Option<(i64, &str)> {
    let (digits, rest) = text.split_at_checked(count)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = digits.parse().ok().filter(|_| is_number)?;
    (number <= most).then_some((number, rest))
}

/// `YYYY-MM-DD`
fn civil_of(text: &str, month_most: i64) -> Option<(Civil, &str)> {
    let (year, rest) = digits(text, 4, 9999)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2, month_most)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2, 31)?;
    Some((Civil { year, month, day }, rest))
}

/// `[-]YYYY-MM-DD`, and a time behind it.
fn date_and_time(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix('-');
    let (mut civil, rest) = civil_of(unsigned.unwrap_or(text), 12)?;
    if civil.month == 0 || civil.day == 0 {
        return None;
    }
    if unsigned.is_some() {
        civil.year = -civil.year;
    }
    let time = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == 'T');
    let of_day_ms = match time {
        "" => 0,
        time => time_in_zone(time)?,
    };
    Some(Parts { civil, of_day_ms }.joined())
}

fn time_of_2000(text: &str) -> Option<i64> {
    let civil = Civil {
        year: 2000,
        month: 1,
        day: 1,
    };
    let of_day_ms = time_in_zone(text)?;
    Some(Parts { civil, of_day_ms }.joined())
}

/// `HH:MM[:SS[.SSS]]` without a zone.
fn time_of_day(text: &str) -> Option<i64> {
    clock(text).and_then(|(ms, rest)| rest.trim().is_empty().then_some(ms))
}

/// A time with `Z` or `+HH:MM` behind it, or neither.
fn time_in_zone(text: &str) -> Option<i64> {
    let (ms, rest) = clock(text)?;
    let rest = rest.trim_start();
    let offset = |rest: &str| {
        let (hours, rest) = digits(rest, 2, 14)?;
        let (minutes, rest) = digits(rest.strip_prefix(':')?, 2, 59)?;
        rest.trim()
            .is_empty()
            .then_some((hours * 60 + minutes) * 60_000)
    };
    match rest.chars().next() {
        None => Some(ms),
        Some('Z' | 'z') if rest.trim_end().len() == 1 => Some(ms),
        Some('+') => Some(ms - offset(rest.get(1..)?)?),
        Some('-') => Some(ms + offset(rest.get(1..)?)?),
        Some(_) => None,
    }
}

/// Hours, minutes and seconds, and what is behind them.
fn clock(text: &str) -> Option<(i64, &str)> {
    let (hours, rest) = digits(text, 2, 24)?;
    let (minutes, rest) = digits(rest.strip_prefix(':')?, 2, 59)?;
    let of_minutes = (hours * 60 + minutes) * 60_000;
    let Some(rest) = rest.strip_prefix(':') else {
        return Some((of_minutes, rest));
    };
    let (seconds, rest) = digits(rest, 2, 59)?;
    let is_fraction = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit());
    let Some(fraction) = rest.strip_prefix('.').filter(is_fraction) else {
        return Some((of_minutes + seconds * 1000, rest));
    };
    let end = fraction
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(fraction.len());
    let (fraction, rest) = fraction.split_at_checked(end)?;
    // What is finer is left out, so that no second becomes another one.
    let ms: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some((of_minutes + seconds * 1000 + ms, rest))
}
