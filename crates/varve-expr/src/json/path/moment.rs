//! Dates and times within a path: what `.datetime()` makes of strings.

use core::cmp::Ordering;
use core::fmt::Write;

use varve_types::{Error, Result, SqlState};

use crate::datetime::{
    Civil, DAY_US, HOUR_US, SECOND_US, check_date, check_timestamp, write_date, write_time,
    write_timestamp,
};
use crate::tree::DEFAULT_LOCALE;

/// A date, a time or both, with a time zone or without.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moment {
    kind: Kind,
    /// Microseconds as they are written: since 1970, or since midnight where there is no date.
    us: i128,
    /// Seconds that the zone is ahead of UTC.
    zone: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Date,
    Timestamp,
    TimestampTz,
    Time,
    TimeTz,
}

const NAMES: [(&str, &str); 5] = [
    ("date", "date"),
    ("timestamp", "timestamp without time zone"),
    ("timestamptz", "timestamp with time zone"),
    ("time", "time without time zone"),
    ("timetz", "time with time zone"),
];

impl Kind {
    fn has_date(self) -> bool {
        self <= Kind::TimestampTz
    }

    fn has_zone(self) -> bool {
        matches!(self, Kind::TimestampTz | Kind::TimeTz)
    }

    fn names(self) -> (&'static str, &'static str) {
        NAMES.get(self as usize).copied().unwrap_or_default()
    }
}

impl Moment {
    pub(super) fn type_name(&self) -> &'static str {
        self.kind.names().1
    }

    /// As ISO 8601 and XML Schema have it.
    pub(super) fn to_text(self) -> String {
        let mut text = String::new();
        match self.kind {
            Kind::Date => {
                let days = self.us.div_euclid(i128::from(DAY_US));
                write_date(
                    i32::try_from(days).unwrap_or_default(),
                    &DEFAULT_LOCALE,
                    &mut text,
                );
            }
            Kind::Time | Kind::TimeTz => write_time(self.integer(), &mut text),
            Kind::Timestamp | Kind::TimestampTz => {
                write_timestamp(self.integer(), false, &DEFAULT_LOCALE, &mut text);
                text = text.replacen(' ', "T", 1);
            }
        }
        if self.kind.has_zone() {
            let sign = if self.zone < 0 { '-' } else { '+' };
            let minutes = self.zone.unsigned_abs() / 60;
            let _ = write!(text, "{sign}{:02}:{:02}", minutes / 60, minutes % 60);
        }
        text
    }

    /// The microseconds of all but dates.
    fn integer(self) -> i64 {
        i64::try_from(self.us).unwrap_or_default()
    }

    /// The moment in UTC.
    fn utc(&self) -> i128 {
        self.us - i128::from(self.zone) * i128::from(SECOND_US)
    }

    /// The order of two; `None` for a date and a time. Without `uses_zone`, `0A000` where one has a
    /// zone and the other has not.
    pub(super) fn compare(&self, other: &Moment, uses_zone: bool) -> Result<Option<Ordering>> {
        if self.kind.has_date() != other.kind.has_date() {
            return Ok(None);
        }
        let (plain, zoned) = match (self.kind.has_zone(), other.kind.has_zone()) {
            (false, true) => (self.kind, other.kind),
            (true, false) => (other.kind, self.kind),
            (has_zone, _) => {
                let order = self.utc().cmp(&other.utc());
                let by_zone = other.zone.cmp(&self.zone);
                let is_time = has_zone && !self.kind.has_date();
                return Ok(Some(if is_time { order.then(by_zone) } else { order }));
            }
        };
        if !uses_zone {
            let (from, to) = (plain.names().0, zoned.names().0);
            return Err(Error::new(
                SqlState::FEATURE_NOT_SUPPORTED,
                format!("cannot convert value from {from} to {to} without time zone usage"),
            )
            .with_hint("Use *_tz() function for time zone support."));
        }
        let order = self.utc().cmp(&other.utc());
        let by_zone = other.zone.cmp(&self.zone);
        Ok(Some(if self.kind.has_date() {
            order
        } else {
            order.then(by_zone)
        }))
    }

    /// A text in any of the forms of ISO 8601 that PostgreSQL knows.
    pub(super) fn parse_any(text: &str) -> Option<Moment> {
        if let Ok(date) = Moment::parse(text, "yyyy-mm-dd") {
            return Some(date);
        }
        let dates = ["", "yyyy-mm-dd ", "yyyy-mm-dd\"T\""];
        let fractions = [".US", ""];
        let zones = ["TZH:TZM", "TZH", ""];
        for date in dates {
            for fraction in fractions {
                for zone in zones {
                    let template = format!("{date}HH24:MI:SS{fraction}{zone}");
                    if let Ok(moment) = Moment::parse(text, &template) {
                        return Some(moment);
                    }
                }
            }
        }
        None
    }

    /// A text by a template, which the whole text must match: `22007`, `22008`.
    pub(super) fn parse(text: &str, template: &str) -> Result<Moment> {
        let nodes = template_nodes(template)?;
        let mut fields = [None; FIELDS];
        let mut is_negative = false;
        let mut rest = text;
        let mut nodes = nodes.into_iter().peekable();
        while !rest.is_empty() {
            let Some(node) = nodes.next() else { break };
            match node {
                Node::Character(wanted, is_separator) => {
                    let mut characters = rest.chars();
                    if characters.next() != Some(wanted) {
                        let what = if is_separator {
                            "separator"
                        } else {
                            "character"
                        };
                        return Err(bad_format(format!("unmatched format {what} \"{wanted}\"")));
                    }
                    rest = characters.as_str();
                }
                Node::Field(field) => {
                    if field.place == ZONE_HOUR {
                        rest = rest.strip_prefix(' ').unwrap_or(rest);
                        is_negative = rest.starts_with('-');
                        rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
                    }
                    let before_digit =
                        matches!(nodes.peek(), Some(Node::Field(next)) if next.place != ZONE_HOUR);
                    let (number, used) = field.read(rest, before_digit)?;
                    if let Some(slot) = fields.get_mut(field.place) {
                        *slot = Some(number);
                    }
                    rest = rest.get(used..).unwrap_or_default();
                }
            }
        }
        if nodes.next().is_some() {
            return Err(bad_format("input string is too short for datetime format"));
        }
        if !rest.trim_start().is_empty() {
            return Err(bad_format(
                "trailing characters remain in input string after datetime format",
            ));
        }
        assemble(&fields, is_negative, text)
    }
}

fn bad_format(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_DATETIME_FORMAT, message)
}

const YEAR: usize = 0;
const MONTH: usize = 1;
const DAY: usize = 2;
const HOUR: usize = 3;
const HOUR_12: usize = 4;
const MINUTE: usize = 5;
const SECOND: usize = 6;
const FRACTION: usize = 7;
const ZONE_HOUR: usize = 8;
const ZONE_MINUTE: usize = 9;
const MERIDIAN: usize = 10;
const FIELDS: usize = 11;

/// A field of a template: its name, where its number goes, and its digits.
#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    place: usize,
    digits: usize,
}

const fn field(name: &'static str, place: usize, digits: usize) -> Field {
    Field {
        name,
        place,
        digits,
    }
}

/// A longer name comes before those that it begins with.
static KNOWN: [Field; 22] = [
    field("YYYY", YEAR, 4),
    field("MM", MONTH, 2),
    field("DD", DAY, 2),
    field("HH24", HOUR, 2),
    field("HH12", HOUR_12, 2),
    field("HH", HOUR_12, 2),
    field("MI", MINUTE, 2),
    field("SS", SECOND, 2),
    field("MS", FRACTION, 3),
    field("US", FRACTION, 6),
    field("FF1", FRACTION, 1),
    field("FF2", FRACTION, 2),
    field("FF3", FRACTION, 3),
    field("FF4", FRACTION, 4),
    field("FF5", FRACTION, 5),
    field("FF6", FRACTION, 6),
    field("TZH", ZONE_HOUR, 2),
    field("TZM", ZONE_MINUTE, 2),
    field("AM", MERIDIAN, 0),
    field("PM", MERIDIAN, 0),
    field("A.M.", MERIDIAN, 0),
    field("P.M.", MERIDIAN, 0),
];

enum Node {
    Field(Field),
    /// A character that must stand there, and whether it is a separator.
    Character(char, bool),
}

fn template_nodes(template: &str) -> Result<Vec<Node>> {
    let mut nodes = Vec::new();
    let mut rest = template;
    while let Some(first) = rest.chars().next() {
        let starts = |field: &&Field| {
            let start = rest.get(..field.name.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(field.name))
        };
        if let Some(field) = KNOWN.iter().find(starts) {
            nodes.push(Node::Field(*field));
            rest = rest.get(field.name.len()..).unwrap_or_default();
            continue;
        }
        rest = rest.get(first.len_utf8()..).unwrap_or_default();
        if first == '"' {
            let (quoted, after) = rest.split_once('"').unwrap_or((rest, ""));
            nodes.extend(quoted.chars().map(|c| Node::Character(c, false)));
            rest = after;
        } else if "-./,':; ".contains(first) {
            nodes.push(Node::Character(first, true));
        } else {
            return Err(bad_format(format!(
                "invalid datetime format separator: \"{first}\""
            )));
        }
    }
    Ok(nodes)
}

impl Field {
    /// The number at the front of a text and its length; of fixed length where a digit may follow.
    fn read(self, text: &str, before_digit: bool) -> Result<(i64, usize)> {
        if self.place == MERIDIAN {
            let length = self.name.len();
            let word = text.get(..length).unwrap_or_default().to_ascii_uppercase();
            let is_pm = match word.as_str() {
                "AM" | "A.M." => 0,
                "PM" | "P.M." => 1,
                _ => return Err(self.invalid(text)),
            };
            return Ok((is_pm, length));
        }
        let most = if before_digit || self.place == FRACTION {
            self.digits
        } else {
            18
        };
        let digits = text.bytes().take_while(u8::is_ascii_digit).take(most);
        let length = digits.count();
        let digits = text.get(..length).unwrap_or_default();
        let Ok(number) = digits.parse::<i64>() else {
            return Err(self.invalid(text));
        };
        if self.place != FRACTION {
            return Ok((number, length));
        }
        let missing = u32::try_from(6_usize.saturating_sub(length)).unwrap_or(0);
        Ok((number * 10_i64.pow(missing), length))
    }

    fn invalid(self, text: &str) -> Error {
        let shown: String = text.chars().take(self.digits).collect();
        let name = self.name;
        bad_format(format!("invalid value \"{shown}\" for \"{name}\""))
            .with_detail("Value must be an integer.")
    }
}

fn assemble(fields: &[Option<i64>; FIELDS], is_negative: bool, text: &str) -> Result<Moment> {
    let get = |place: usize| fields.get(place).copied().flatten();
    let out_of_range = || {
        Error::new(
            SqlState::DATETIME_FIELD_OVERFLOW,
            format!("date/time field value out of range: \"{text}\""),
        )
    };
    let has_date = (YEAR..=DAY).any(|place| get(place).is_some());
    let has_time = (HOUR..=FRACTION).any(|place| get(place).is_some());
    let has_zone = get(ZONE_HOUR).or(get(ZONE_MINUTE)).is_some();
    let kind = match (has_date, has_time, has_zone) {
        (true, false, false) => Kind::Date,
        (true, true, false) => Kind::Timestamp,
        (true, true, true) => Kind::TimestampTz,
        (false, true, false) => Kind::Time,
        (false, true, true) => Kind::TimeTz,
        (_, false, true) => return Err(bad_format("datetime format is zoned but not timed")),
        (false, false, false) => {
            return Err(bad_format("datetime format is not dated and not timed"));
        }
    };
    let day = Civil {
        year: get(YEAR).unwrap_or(0),
        month: get(MONTH).unwrap_or(1),
        day: get(DAY).unwrap_or(1),
    };
    let hour = match (get(HOUR), get(HOUR_12)) {
        (_, Some(hour)) if !(1..=12).contains(&hour) => {
            return Err(
                bad_format(format!("hour \"{hour}\" is invalid for the 12-hour clock"))
                    .with_hint("Use the 24-hour clock, or give an hour between 1 and 12."),
            );
        }
        (_, Some(hour)) => hour % 12 + 12 * get(MERIDIAN).unwrap_or(0),
        (hour, None) => hour.unwrap_or(0),
    };
    let (minute, second) = (get(MINUTE).unwrap_or(0), get(SECOND).unwrap_or(0));
    let zone_hour = get(ZONE_HOUR).unwrap_or(0);
    let zone_minute = get(ZONE_MINUTE).unwrap_or(0);
    let is_sound = day.year < 10_000_000
        && (!has_date || day.is_sound())
        && hour < 24
        && minute < 60
        && second < 60
        && zone_hour < 16
        && zone_minute < 60;
    if !is_sound {
        return Err(out_of_range());
    }
    let of_day = hour * HOUR_US + (minute * 60 + second) * SECOND_US + get(FRACTION).unwrap_or(0);
    let us = if has_date {
        let days = check_date(day.days())?;
        let us = i128::from(days) * i128::from(DAY_US) + i128::from(of_day);
        if has_time {
            i128::from(check_timestamp(us)?)
        } else {
            us
        }
    } else {
        i128::from(of_day)
    };
    let zone = i32::try_from(zone_hour * 3600 + zone_minute * 60).unwrap_or(0);
    Ok(Moment {
        kind,
        us,
        zone: if is_negative { -zone } else { zone },
    })
}
