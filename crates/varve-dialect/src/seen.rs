//! What the values of a column are, over all of the script.

use crate::expression::literal::Literal;
use crate::expression::number;

/// What was seen of a column's values, NULL apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub ints: bool,
    pub reals: bool,
    pub texts: bool,
    pub blobs: bool,
    /// An integer but 0 and 1.
    pub beyond_bits: bool,
    /// An integer that 64 bits do not hold.
    pub beyond_int8: bool,
    pub numbers: Vec<String>,
    pub not_date: bool,
    pub not_time: bool,
    pub not_moment: bool,
    pub not_uuid: bool,
    pub not_json: bool,
    /// Moments with a time zone, and such without.
    pub zoned: bool,
    pub unzoned: bool,
    /// A moment of which MySQL has many, and nobody else any.
    pub zero_dates: bool,
}

/// So many different numbers are kept to tell whether they fit a numeric.
const NUMBERS_MAX: usize = 64;

impl Seen {
    pub(crate) fn note(&mut self, value: &Literal) {
        match value {
            Literal::Null | Literal::Default => {}
            Literal::Bool(_) => self.ints = true,
            Literal::Number(number) => self.note_number(number),
            Literal::Text(text) => self.note_text(text),
            Literal::Bytes(_) => self.blobs = true,
            Literal::Bits(_) => self.ints = true,
        }
    }

    fn note_number(&mut self, number: &str) {
        if number.contains(['.', 'e', 'E']) {
            self.reals = true;
        } else {
            self.ints = true;
            self.beyond_bits |= !matches!(number, "0" | "1");
            self.beyond_int8 |= number.parse::<i64>().is_err();
        }
        self.note_digits(number);
    }

    /// Keeps the longest numbers: of whole digits and of digits behind the point.
    fn note_digits(&mut self, number: &str) {
        let Some(number) = number::settled(number) else {
            return;
        };
        let shape = |number: &str| {
            let whole = number.find('.').unwrap_or(number.len());
            (whole, number.len() - whole, number.contains('e'))
        };
        let is_new = !self
            .numbers
            .iter()
            .any(|kept| shape(kept) == shape(&number));
        if is_new && self.numbers.len() < NUMBERS_MAX {
            self.numbers.push(number);
        }
    }

    fn note_text(&mut self, text: &str) {
        self.texts = true;
        self.zero_dates |= is_zero_date(text);
        self.not_date |= !is_date(text);
        self.not_time |= time_zone(text).is_none();
        self.not_uuid |= !is_uuid(text);
        self.not_json |= !looks_like_json(text);
        match moment_zone(text) {
            None => self.not_moment = true,
            Some("") => self.unzoned = true,
            Some(_) => self.zoned = true,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        !(self.ints || self.reals || self.texts || self.blobs)
    }

    pub(crate) fn only_texts(&self) -> bool {
        !(self.ints || self.reals || self.blobs)
    }

    pub(crate) fn only_numbers(&self) -> bool {
        !(self.texts || self.blobs)
    }
}

/// `0000-00-00`, with a time or without.
pub(crate) fn is_zero_date(text: &str) -> bool {
    text.starts_with("0000-00-00")
}

/// What is left behind digits and signs in the order of `pattern`, where `d` is a digit.
fn behind<'t>(text: &'t str, pattern: &str) -> Option<&'t str> {
    let mut bytes = text.bytes();
    for expected in pattern.bytes() {
        let byte = bytes.next()?;
        let fits = match expected {
            b'd' => byte.is_ascii_digit(),
            b'T' => matches!(byte, b'T' | b' '),
            expected => byte == expected,
        };
        if !fits {
            return None;
        }
    }
    text.get(pattern.len()..)
}

fn is_date(text: &str) -> bool {
    behind(text, "dddd-dd-dd") == Some("")
}

/// The time zone of a time of day, empty where there is none; nothing where it is no time.
fn time_zone(text: &str) -> Option<&str> {
    let rest = behind(text, "dd:dd")?;
    let rest = behind(rest, ":dd").unwrap_or(rest);
    let rest = match rest.strip_prefix('.') {
        Some(digits) => digits.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    };
    let zone = rest.trim_start();
    let signed = zone.strip_prefix(['+', '-']);
    let is_offset = |digits| {
        [
            behind(digits, "dd:dd"),
            behind(digits, "dddd"),
            behind(digits, "dd"),
        ]
        .contains(&Some(""))
    };
    let is_zone = zone.is_empty() || zone == "Z" || signed.is_some_and(is_offset);
    is_zone.then_some(zone)
}

/// The same of a date with or without a time of day.
pub(crate) fn moment_zone(text: &str) -> Option<&str> {
    let rest = behind(text, "dddd-dd-dd")?;
    if rest.is_empty() {
        return Some("");
    }
    time_zone(behind(rest, "T")?)
}

fn is_uuid(text: &str) -> bool {
    let digits = text.split('-').collect::<Vec<_>>();
    let lengths = digits.iter().map(|part| part.len());
    lengths.eq([8, 4, 4, 4, 12])
        && digits
            .iter()
            .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// By its ends; the engine reads it whole.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim();
    let is_scalar = matches!(text, "null" | "true" | "false") || text.parse::<f64>().is_ok();
    let ends = (text.chars().next(), text.chars().next_back());
    let is_closed = matches!(
        ends,
        (Some('{'), Some('}')) | (Some('['), Some(']')) | (Some('"'), Some('"'))
    );
    is_scalar || (is_closed && text.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_told_with_their_zones() {
        for (text, zone) in [
            ("2020-01-01", Some("")),
            ("2020-01-01 10:00", Some("")),
            ("2020-01-01T10:00:00.123Z", Some("Z")),
            ("2020-01-01 10:00:00+02:00", Some("+02:00")),
            ("2020-01-01x", None),
            ("now", None),
            ("1577836800", None),
        ] {
            assert_eq!(moment_zone(text), zone, "{text}");
        }
        assert!(is_uuid("123e4567-e89b-12d3-a456-426614174000"));
        assert!(!is_uuid("123e4567-e89b-12d3-a456-42661417400"));
    }
}
