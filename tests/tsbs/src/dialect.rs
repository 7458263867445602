//! How engines spell what they do not spell alike.

use crate::window::{DAY, HOUR, MINUTE, SECOND};

/// Whose SQL it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Ours, which is that of TimescaleDB.
    Varve,
    /// PostgreSQL's own.
    Postgres,
    /// SQLite's, with times as microseconds since 1970.
    Sqlite,
}

impl Dialect {
    /// The begin of the bucket of so many seconds that the time in `column` lies in.
    pub fn bucket(self, seconds: i64, column: &str) -> String {
        match self {
            Dialect::Varve => format!("time_bucket('{seconds} seconds', {column})"),
            Dialect::Postgres => {
                format!("date_bin('{seconds} seconds', {column}, '2000-01-01 00:00:00+00')")
            }
            Dialect::Sqlite => {
                let width = seconds * SECOND;
                format!("({column} / {width} * {width})")
            }
        }
    }

    /// A time that is given in microseconds since 1970.
    pub fn time(self, time: i64) -> String {
        match self {
            Dialect::Sqlite => time.to_string(),
            _ => format!("'{}'", time_text(time)),
        }
    }

    /// Seconds from the time in one column to that in another one, on average.
    pub fn mean_seconds(self, from: &str, to: &str) -> String {
        match self {
            Dialect::Sqlite => format!("avg({to} - {from}) / {SECOND}"),
            _ => format!("extract(epoch FROM avg(age({to}, {from})))"),
        }
    }

    /// Joins the newest row of `table` for the tags `t`, as `r`.
    pub fn join_newest(self, table: &str, columns: &str) -> String {
        let newest = |what: &str| {
            format!(
                "(SELECT {what} FROM {table} l WHERE l.tags_id = t.id ORDER BY l.time DESC LIMIT 1)"
            )
        };
        match self {
            Dialect::Sqlite => format!("JOIN {table} r ON r.rowid = {}", newest("l.rowid")),
            _ => format!("JOIN LATERAL {} r ON true", newest(columns)),
        }
    }

    /// The names of types for times, doubles and texts.
    pub fn types(self) -> [&'static str; 3] {
        match self {
            Dialect::Sqlite => ["INTEGER", "REAL", "TEXT"],
            _ => ["TIMESTAMPTZ", "DOUBLE PRECISION", "TEXT"],
        }
    }
}

/// A time in UTC as SQL reads it.
pub fn time_text(time: i64) -> String {
    let (year, month, day) = date(time.div_euclid(DAY));
    let rest = time.rem_euclid(DAY);
    let (hour, minute) = (rest / HOUR, rest % HOUR / MINUTE);
    let second = rest % MINUTE / SECOND;
    let fraction = match rest % SECOND {
        0 => String::new(),
        micros => format!(".{micros:06}"),
    };
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction}+00")
}

/// The date that is so many days after 1970 began.
fn date(days: i64) -> (i64, usize, i64) {
    let is_leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    let (mut year, mut left) = (1970, days);
    while left >= 365 + i64::from(is_leap(year)) {
        left -= 365 + i64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + i64::from(is_leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while left >= months[month] {
        left -= months[month];
        month += 1;
    }
    (year, month + 1, left + 1)
}

#[cfg(test)]
mod tests {
    use super::time_text;

    #[test]
    fn times_are_written_in_utc() {
        assert_eq!(time_text(0), "1970-01-01 00:00:00+00");
        let last_of_february = 1_456_790_399_500_000;
        assert_eq!(time_text(last_of_february), "2016-02-29 23:59:59.500000+00");
        assert_eq!(time_text(1_456_790_400_000_000), "2016-03-01 00:00:00+00");
    }
}
