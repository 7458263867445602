//! `to_date` and `to_timestamp`: reads a text by a template.
//!
//! Outside of `FX` a blank or separator of the template stands for one in the text or for none,
//! more blanks in the text are passed over, and other literal characters each stand for any
//! character that was not passed over already. A number ends with its digits where what follows in
//! the template is no digit, else after as many characters as its pattern has.

use varve_types::{Error, Result, SqlState};

use super::format::{DAYS, MONTHS};
use super::from_char_date::Parts;
use super::template::{Case, Name, Pattern, Piece, pieces};
use super::to_char::ROMAN;

fn invalid(message: String, detail: &str) -> Error {
    Error::new(SqlState::INVALID_DATETIME_FORMAT, message).with_detail(detail)
}

fn is_separator(c: char) -> bool {
    c.is_ascii_graphic() && !c.is_ascii_alphanumeric()
}

/// A template cut into characters and fields.
enum Node {
    Blank,
    Other(char),
    Field(Field),
}

struct Field {
    pattern: Pattern,
    name: String,
    bare: bool,
    exact: bool,
    ordinal: bool,
}

impl Field {
    /// The characters of a number of this pattern; `None` where it is no plain number.
    fn width(&self) -> Option<usize> {
        use Pattern as P;
        Some(match self.pattern {
            P::DayOfWeek | P::IsoDayOfWeek | P::WeekOfMonth | P::Julian | P::Quarter => 1,
            P::Hour12 | P::Hour24 | P::Minute | P::Second | P::DayOfMonth | P::MonthNumber => 2,
            P::WeekOfYear | P::IsoWeek | P::Century | P::ZoneHour | P::ZoneMinute => 2,
            P::Millisecond | P::DayOfYear | P::IsoDayOfYear => 3,
            P::Microsecond => 6,
            P::SecondsOfDay => self.name.len(),
            P::Fraction(digits) | P::Year { digits, .. } => digits as usize,
            P::Meridiem { .. } | P::Era { .. } | P::Month(_) | P::Day(_) | P::Roman => return None,
            P::YearWithComma | P::Zone | P::Offset => return None,
        })
    }
}

fn nodes(template: &str) -> Vec<Node> {
    let mut nodes = Vec::new();
    let mut is_exact = false;
    for piece in pieces(template) {
        match piece {
            Piece::Text { text, quoted } => nodes.extend(text.chars().map(|c| {
                let is_blank = !quoted && (c.is_ascii_whitespace() || is_separator(c));
                if is_blank {
                    Node::Blank
                } else {
                    Node::Other(c)
                }
            })),
            Piece::Field {
                pattern,
                name,
                case,
                bare,
                exact,
                ordinal,
            } => {
                is_exact |= exact;
                let name = match case {
                    Case::Lower => name.to_ascii_lowercase(),
                    Case::Capital => {
                        let (first, rest) = name.split_at(1.min(name.len()));
                        format!("{first}{}", rest.to_ascii_lowercase())
                    }
                    Case::Upper => name.to_owned(),
                };
                nodes.push(Node::Field(Field {
                    pattern,
                    name,
                    bare,
                    exact: is_exact,
                    ordinal: ordinal.is_some(),
                }));
            }
        }
    }
    nodes
}

/// The parts of a moment that a text has by a template.
pub(super) fn read(text: &str, template: &str) -> Result<Parts> {
    let nodes = nodes(template);
    let mut reader = Reader {
        rest: text,
        passed: 0,
        last_passed: ' ',
        parts: Parts::default(),
    };
    let mut is_exact = matches!(nodes.first(), Some(Node::Field(field)) if field.exact);
    for (at, node) in nodes.iter().enumerate() {
        if reader.rest.is_empty() {
            break;
        }
        if !is_exact && (at == 0 || matches!(node, Node::Field(_))) {
            reader.pass_blanks();
        }
        match node {
            Node::Blank if is_exact => reader.pass_one(),
            Node::Blank => {
                reader.passed -= 1;
                let next = reader.rest.chars().next();
                if let Some(c) = next.filter(|c| c.is_ascii_whitespace() || is_separator(*c)) {
                    reader.pass_one();
                    reader.last_passed = c;
                    reader.passed += 1;
                }
            }
            Node::Other(_) if !is_exact && reader.passed > 0 => reader.passed -= 1,
            Node::Other(_) => reader.pass_one(),
            Node::Field(field) => {
                is_exact = field.exact;
                let behind = nodes.get(at + 1);
                // A number that ends where its digits end.
                let is_open = field.bare
                    || field.ordinal
                    || match behind {
                        None => true,
                        Some(Node::Blank) => true,
                        Some(Node::Other(c)) => !c.is_ascii_digit(),
                        Some(Node::Field(next)) => !next.pattern.is_digits(),
                    };
                reader.field(field, is_open)?;
                if !is_exact {
                    reader.passed = 0;
                    reader.pass_blanks();
                }
            }
        }
    }
    Ok(reader.parts)
}

struct Reader<'t> {
    rest: &'t str,
    /// Characters that were passed over beyond those that the template has.
    passed: i32,
    last_passed: char,
    parts: Parts,
}

impl Reader<'_> {
    fn pass_one(&mut self) {
        let mut chars = self.rest.chars();
        chars.next();
        self.rest = chars.as_str();
    }

    fn pass_blanks(&mut self) {
        while let Some(c) = self.rest.chars().next().filter(char::is_ascii_whitespace) {
            self.pass_one();
            self.last_passed = c;
            self.passed += 1;
        }
    }

    /// A number of at most so many characters, and how many it had.
    fn number(&mut self, field: &Field, width: usize, is_open: bool) -> Result<(i64, usize)> {
        const HINT: &str =
            "If your source string is not fixed-width, try using the \"FM\" modifier.";
        self.rest = self.rest.trim_ascii_start();
        let name = &field.name;
        let kept: usize = self.rest.chars().take(width).map(char::len_utf8).sum();
        let shown = self.rest.get(..kept).unwrap_or_default();
        let source = if is_open { self.rest } else { shown };
        if !is_open && shown.chars().count() < width {
            let message = format!("source string too short for \"{name}\" formatting field");
            let remain = shown.chars().count();
            let detail = format!("Field requires {width} characters, but only {remain} remain.");
            return Err(invalid(message, &detail).with_hint(HINT));
        }
        let unsigned = source.strip_prefix(['+', '-']).unwrap_or(source);
        let signs = source.len() - unsigned.len();
        let end = unsigned.find(|c: char| !c.is_ascii_digit());
        let digits = end.unwrap_or(unsigned.len());
        let used = if digits == 0 { 0 } else { signs + digits };
        let wrong = format!("invalid value \"{shown}\" for \"{name}\"");
        if used == 0 {
            return Err(invalid(wrong, "Value must be an integer."));
        }
        if !is_open && used < width {
            let detail =
                format!("Field requires {width} characters, but only {used} could be parsed.");
            return Err(invalid(wrong, &detail).with_hint(HINT));
        }
        let number = source.get(..used).and_then(|text| text.parse::<i32>().ok());
        let number = number.ok_or_else(|| {
            let message = format!("value for \"{name}\" in source string is out of range");
            Error::new(SqlState::DATETIME_FIELD_OVERFLOW, message)
                .with_detail("Value must be in the range -2147483648 to 2147483647.")
        })?;
        self.rest = self.rest.get(used..).unwrap_or_default();
        Ok((i64::from(number), used))
    }

    /// One of some words, by its place.
    fn word(&mut self, field: &Field, words: &[&str]) -> Result<usize> {
        let found = words.iter().enumerate().find_map(|(at, word)| {
            let start = self.rest.get(..word.len())?;
            start.eq_ignore_ascii_case(word).then_some((at, word.len()))
        });
        let Some((at, length)) = found else {
            let shown = self
                .rest
                .split_ascii_whitespace()
                .next()
                .unwrap_or_default();
            let message = format!("invalid value \"{shown}\" for \"{}\"", field.name);
            let detail = "The given value did not match any of the allowed values for this field.";
            return Err(invalid(message, detail));
        };
        self.rest = self.rest.get(length..).unwrap_or_default();
        Ok(at)
    }

    fn short_word(&mut self, field: &Field, words: &[&'static str]) -> Result<usize> {
        let short: Vec<&str> = words
            .iter()
            .map(|word| word.get(..3).unwrap_or(word))
            .collect();
        self.word(field, &short)
    }

    fn field(&mut self, field: &Field, is_open: bool) -> Result<()> {
        self.parts.convention(field.pattern)?;
        match field.width() {
            Some(width) => self.number_field(field, width, is_open),
            None => self.text_field(field),
        }
    }

    /// A field that is no plain number.
    fn text_field(&mut self, field: &Field) -> Result<()> {
        use Pattern as P;
        let name = &field.name;
        match field.pattern {
            P::Meridiem { dotted } => {
                let words = if dotted {
                    ["a.m.", "p.m."]
                } else {
                    ["am", "pm"]
                };
                let at = self.word(field, &words)?;
                self.parts.is_12_hours = true;
                self.parts.set_flag(Flag::Afternoon, at == 1, name)
            }
            P::Era { dotted } => {
                let words = if dotted {
                    ["a.d.", "b.c."]
                } else {
                    ["ad", "bc"]
                };
                let at = self.word(field, &words)?;
                self.parts.set_flag(Flag::BeforeChrist, at == 1, name)
            }
            P::Month(which) => {
                let at = match which {
                    Name::Full => self.word(field, &MONTHS)?,
                    Name::Short => self.short_word(field, &MONTHS)?,
                };
                self.parts.set(P::MonthNumber, small(at) + 1, name)
            }
            P::Day(which) => {
                let at = match which {
                    Name::Full => self.word(field, &DAYS)?,
                    Name::Short => self.short_word(field, &DAYS)?,
                };
                self.parts.set(P::DayOfWeek, small(at) + 1, name)
            }
            P::Roman => {
                // The longer numerals come first, as some begin with others.
                let mut order: Vec<&str> = ROMAN.to_vec();
                order.reverse();
                let at = self.word(field, &order)?;
                self.parts.set(P::MonthNumber, 12 - small(at), name)
            }
            P::YearWithComma => self.year_with_comma(field),
            _ => {
                let message = format!("formatting field \"{name}\" is only supported in to_char");
                Err(Error::new(SqlState::FEATURE_NOT_SUPPORTED, message))
            }
        }
    }

    fn number_field(&mut self, field: &Field, width: usize, is_open: bool) -> Result<()> {
        use Pattern as P;
        if field.pattern == P::ZoneHour {
            self.zone_sign();
        }
        let (mut number, digits) = self.number(field, width, is_open)?;
        match field.pattern {
            P::Hour12 => self.parts.is_12_hours = true,
            P::ZoneMinute if self.parts.zone_sign == 0 => self.parts.zone_sign = 1,
            // What has fewer digits than the pattern are the first ones of a fraction.
            P::Millisecond => number *= 10_i64.pow(small_width(3, digits)),
            P::Microsecond => number *= 10_i64.pow(small_width(6, digits)),
            P::Fraction(kept) => {
                number *= 10_i64.pow(small_width(6, digits));
                self.parts.second_digits = Some(kept);
            }
            // From Sunday on, as of the other days of the week.
            P::IsoDayOfWeek => number = if number >= 7 { 1 } else { number + 1 },
            P::Year { digits: shown, .. } => {
                if shown < 4 && digits < 4 {
                    number = near_2020(number);
                }
                self.parts.year_digits = shown;
            }
            P::Quarter => {
                // It says nothing of the day.
                self.pass_ordinal(field);
                return Ok(());
            }
            _ => {}
        }
        self.parts.set(field.pattern, number, &field.name)?;
        if field.pattern != P::ZoneMinute {
            self.pass_ordinal(field);
        }
        Ok(())
    }

    /// The sign before the hours of a time zone, which may have been passed over as a separator.
    fn zone_sign(&mut self) {
        let sign = self.rest.chars().next();
        let is_negative = match sign {
            Some('-' | '+' | ' ') => {
                self.pass_one();
                sign == Some('-')
            }
            _ => self.passed > 0 && self.last_passed == '-',
        };
        self.parts.zone_sign = if is_negative { -1 } else { 1 };
    }

    fn pass_ordinal(&mut self, field: &Field) {
        if field.ordinal {
            self.pass_one();
            self.pass_one();
        }
    }

    fn year_with_comma(&mut self, field: &Field) -> Result<()> {
        let wrong = || {
            let message = format!("invalid input string for \"{}\"", field.name);
            Error::new(SqlState::INVALID_DATETIME_FORMAT, message)
        };
        let (thousands, rest) = self.rest.split_once(',').ok_or_else(wrong)?;
        let digits = rest.bytes().take(3).take_while(u8::is_ascii_digit).count();
        let (years, rest) = rest.split_at(digits);
        let thousands: i32 = thousands.trim_ascii().parse().map_err(|_| wrong())?;
        let years: i32 = years.parse().map_err(|_| wrong())?;
        let year = i64::from(thousands) * 1000 + i64::from(years);
        self.rest = rest;
        self.parts.year_digits = 4;
        let pattern = Pattern::Year {
            digits: 4,
            iso: false,
        };
        self.parts.set(pattern, year, &field.name)?;
        self.pass_ordinal(field);
        Ok(())
    }
}

/// What is either one or the other.
pub(super) enum Flag {
    Afternoon,
    BeforeChrist,
}

fn small(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(0)
}

fn small_width(width: usize, digits: usize) -> u32 {
    u32::try_from(width.saturating_sub(digits)).unwrap_or(0)
}

/// A year of fewer than four digits is the one nearest to 2020.
fn near_2020(year: i64) -> i64 {
    match year {
        0..70 => year + 2000,
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}
