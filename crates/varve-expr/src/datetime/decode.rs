//! Dates and times from tokens: what each may mean beside those before it, by PostgreSQL's rules.

use super::civil::{Civil, DAY_US, SECOND_US, split_day};
use super::fault::Fault;
use super::number::leading_integer;
use super::tokens::{Kind, Token, tokens};
use super::words::{Word, word};
use super::zone::{Abbreviation, Zone, abbreviation};
use crate::tree::Locale;

/// The longest text, without spaces, with a byte after each token.
const TEXT_BYTES_MAX: usize = 129;

/// Fields that are known.
pub(super) type Fields = u16;
pub(super) const YEAR: Fields = 1;
pub(super) const MONTH: Fields = 2;
pub(super) const DAY: Fields = 4;
pub(super) const DATE: Fields = YEAR | MONTH | DAY;
pub(super) const TIME: Fields = 8;
const ZONE: Fields = 16;
pub(super) const DAY_OF_YEAR: Fields = 32;
const SUMMER: Fields = 64;
const HALF: Fields = 128;
const ERA: Fields = 256;
const DAY_OF_WEEK: Fields = 512;

/// What a text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decoded {
    Moment(Moment),
    /// 1970-01-01 00:00 UTC.
    Epoch,
    /// Whether it is the positive one.
    Infinity(bool),
}

/// A day, the time in it, and the offset from UTC that was given or is the session's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Moment {
    pub days: i64,
    pub of_day_us: i64,
    pub offset_s: i32,
}

/// What was said of the time zone.
enum Offset {
    East(i32),
    Zone(Zone),
    /// An abbreviation and the zone in which it has its meaning.
    Abbreviation(String, Zone),
}

/// A label that waits for what it belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Julian,
    Time,
    Unit,
}

pub(super) struct Decoder<'a> {
    pub(super) locale: &'a Locale,
    pub(super) known: Fields,
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) day_of_year: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) us: i64,
    offset: Option<Offset>,
    prefix: Option<Prefix>,
    /// The year was written with one or two digits.
    pub(super) is_short_year: bool,
    pub(super) has_named_month: bool,
    pub(super) is_julian: bool,
    pub(super) is_before_christ: bool,
    pub(super) is_afternoon: Option<bool>,
    special: Option<Decoded>,
}

/// Reads a date with or without a time.
pub(super) fn decode(text: &str, locale: &Locale) -> Result<Decoded, Fault> {
    let tokens = tokens(text, TEXT_BYTES_MAX).ok_or(Fault::Form)?;
    let mut decoder = Decoder::new(locale);
    for (at, token) in tokens.iter().enumerate() {
        decoder.take(token, tokens.get(at + 1), false)?;
    }
    if decoder.prefix.is_some() {
        return Err(Fault::Form);
    }
    if let Some(special) = decoder.special {
        return Ok(special);
    }
    decoder.validate_date()?;
    decoder.apply_half()?;
    if decoder.known & DATE != DATE {
        return Err(Fault::Form);
    }
    decoder.finish().map(Decoded::Moment)
}

/// Reads a time of day; a date is read and only tells what a time zone means.
pub(super) fn decode_time(text: &str, locale: &Locale) -> Result<Moment, Fault> {
    let tokens = tokens(text, TEXT_BYTES_MAX).ok_or(Fault::Form)?;
    let mut decoder = Decoder::new(locale);
    for (at, token) in tokens.iter().enumerate() {
        let takes_date = at == 0 && takes_date(&tokens);
        if takes_date {
            match token.kind {
                Kind::Date => {
                    decoder.date(&token.text)?;
                    continue;
                }
                Kind::Number if token.text.contains('.') => {
                    decoder.date(&token.text)?;
                    continue;
                }
                _ => {}
            }
        }
        decoder.take(token, tokens.get(at + 1), true)?;
    }
    if decoder.prefix.is_some() {
        return Err(Fault::Form);
    }
    decoder.validate_date()?;
    decoder.apply_half()?;
    if decoder.known & TIME == 0 {
        return Err(Fault::Form);
    }
    if decoder.known & DATE != DATE {
        if matches!(decoder.offset, Some(Offset::Zone(_))) {
            return Err(Fault::Form);
        }
        let today = decoder.today();
        (decoder.year, decoder.month, decoder.day) = (today.year, today.month, today.day);
    }
    decoder.finish()
}

/// Whether a date in front of a time is one, and not a time zone or digits of the time.
fn takes_date(tokens: &[Token]) -> bool {
    match tokens {
        [_, second, ..] => {
            let last = tokens.last();
            second.kind == Kind::Time || last.is_some_and(|last| last.kind == Kind::Date)
        }
        _ => false,
    }
}

impl Decoder<'_> {
    fn new(locale: &Locale) -> Decoder<'_> {
        Decoder {
            locale,
            known: 0,
            year: 0,
            month: 0,
            day: 0,
            day_of_year: 0,
            hour: 0,
            minute: 0,
            second: 0,
            us: 0,
            offset: None,
            prefix: None,
            is_short_year: false,
            has_named_month: false,
            is_julian: false,
            is_before_christ: false,
            is_afternoon: None,
            special: None,
        }
    }

    /// Notes that fields became known, which they must not have been.
    pub(super) fn know(&mut self, fields: Fields) -> Result<(), Fault> {
        if self.known & fields != 0 {
            return Err(Fault::Form);
        }
        self.known |= fields;
        Ok(())
    }

    fn today(&self) -> Civil {
        Civil::from_days(split_day(self.locale.local_now_us()).0)
    }

    pub(super) fn set_day(&mut self, days: i64) {
        let day = Civil::from_days(days);
        (self.year, self.month, self.day) = (day.year, day.month, day.day);
    }

    fn set_time(&mut self, of_day_us: i64) {
        self.us = of_day_us % SECOND_US;
        self.set_seconds(of_day_us / SECOND_US);
    }

    fn set_seconds(&mut self, seconds: i64) {
        self.hour = seconds / 3600;
        self.minute = seconds / 60 % 60;
        self.second = seconds % 60;
    }

    pub(super) fn of_day_us(&self) -> i64 {
        ((self.hour * 60 + self.minute) * 60 + self.second) * SECOND_US + self.us
    }

    fn take(&mut self, token: &Token, next: Option<&Token>, of_time: bool) -> Result<(), Fault> {
        let text = token.text.as_str();
        match token.kind {
            Kind::Date => self.date_token(text, of_time),
            Kind::Time => {
                if self.prefix.take().is_some_and(|it| it != Prefix::Time) {
                    return Err(Fault::Form);
                }
                self.know(TIME)?;
                self.clock(text)
            }
            Kind::Signed => {
                self.know(ZONE)?;
                self.offset = Some(Offset::East(offset_s(text)?));
                Ok(())
            }
            Kind::Number => self.number_token(text, of_time),
            Kind::Word | Kind::SignedWord => self.word_token(text, next, of_time),
        }
    }

    /// `1999-01-08`, `8-jan-99`; after a date a time zone or `040506-08`.
    fn date_token(&mut self, text: &str, of_time: bool) -> Result<(), Fault> {
        if self.prefix == Some(Prefix::Julian) {
            // A Julian day with an offset.
            let (days, rest) = leading_integer(text).ok_or(Fault::Form)?;
            self.prefix = None;
            self.know(DATE | ZONE)?;
            self.is_julian = true;
            self.set_day(days - JULIAN_OF_1970);
            self.offset = Some(Offset::East(offset_s(rest)?));
            return Ok(());
        }
        let has_date = self.prefix.is_some() || self.known & (MONTH | DAY) == MONTH | DAY;
        if !of_time && !has_date {
            return self.date(text);
        }
        if !text.starts_with(|c: char| c.is_ascii_digit()) && self.prefix.is_none() {
            self.know(ZONE)?;
            let zone = Zone::named(text);
            let zone = zone.ok_or_else(|| Fault::UnknownZone(text.to_owned()))?;
            self.offset = Some(Offset::Zone(zone));
            return Ok(());
        }
        if self.prefix.take().is_some_and(|it| it != Prefix::Time) || self.known & TIME != 0 {
            return Err(Fault::Form);
        }
        let (time, zone) = text.split_at(text.find('-').ok_or(Fault::Form)?);
        self.know(ZONE)?;
        self.offset = Some(Offset::East(offset_s(zone)?));
        self.run_together(time, self.known | if of_time { DATE } else { 0 })
    }

    fn number_token(&mut self, text: &str, of_time: bool) -> Result<(), Fault> {
        match self.prefix.take() {
            Some(Prefix::Julian) => {
                let (days, rest) = leading_integer(text).ok_or(Fault::Form)?;
                self.know(DATE)?;
                self.is_julian = true;
                self.set_day(days - JULIAN_OF_1970);
                if !rest.is_empty() {
                    self.know(TIME)?;
                    // A fraction of the day, rounded to microseconds.
                    let fraction = digits_after_point(rest)?;
                    let us = (fraction * i128::from(DAY_US) + FRACTION / 2) / FRACTION;
                    self.set_time(i64::try_from(us).unwrap_or(0));
                }
                Ok(())
            }
            Some(Prefix::Time) => {
                let before = self.known;
                self.run_together(text, self.known | DATE)?;
                match self.known & !before {
                    TIME => Ok(()),
                    _ => Err(Fault::Form),
                }
            }
            Some(Prefix::Unit) => Err(Fault::Form),
            None => {
                let whole = text.split('.').next().unwrap_or(text).len();
                let has_point = whole != text.len();
                if of_time {
                    return match (has_point, whole) {
                        (true, 3..) => self.run_together(text, self.known | DATE),
                        (true, _) => Err(Fault::Form),
                        (false, 5..) => self.run_together(text, self.known | DATE),
                        (false, _) => self.lone_number(text, self.known | DATE),
                    };
                }
                if has_point && self.known & DATE == 0 {
                    self.date(text)
                } else if (has_point && whole > 2)
                    || (text.len() >= 6 && (self.known & DATE == 0 || self.known & TIME == 0))
                {
                    self.run_together(text, self.known)
                } else {
                    self.lone_number(text, self.known)
                }
            }
        }
    }

    fn word_token(&mut self, text: &str, next: Option<&Token>, of_time: bool) -> Result<(), Fault> {
        if let Some(found) = abbreviation(text) {
            return self.abbreviation(text, found);
        }
        let Some(word) = word(text) else {
            self.know(ZONE)?;
            self.offset = Some(Offset::Zone(Zone::named(text).ok_or(Fault::Form)?));
            return Ok(());
        };
        match word {
            Word::Filler => {}
            Word::Now => self.now(of_time)?,
            Word::Midnight => {
                self.know(TIME | ZONE)?;
                self.set_time(0);
                self.offset = Some(Offset::East(0));
            }
            Word::Day(_) | Word::Epoch | Word::Infinity(_) | Word::Month(_) | Word::DayOfWeek
                if of_time =>
            {
                return Err(Fault::Form);
            }
            Word::Day(distance) => {
                self.know(DATE)?;
                self.set_day(self.today().days() + distance);
            }
            Word::Epoch => self.special(Decoded::Epoch)?,
            Word::Infinity(positive) => self.special(Decoded::Infinity(positive))?,
            Word::Month(month) => self.named_month(month)?,
            Word::Summer => {
                self.know(SUMMER)?;
                if let Some(Offset::East(offset_s)) = &mut self.offset {
                    *offset_s += 3600;
                }
            }
            Word::Half(is_afternoon) => {
                self.know(HALF)?;
                self.is_afternoon = Some(is_afternoon);
            }
            Word::Era(is_before) => {
                self.know(ERA)?;
                self.is_before_christ = is_before;
            }
            Word::DayOfWeek => self.know(DAY_OF_WEEK)?,
            Word::Julian => self.begin(Prefix::Julian)?,
            Word::Unit => self.begin(Prefix::Unit)?,
            Word::Time => {
                let has_date = of_time || self.known & DATE == DATE;
                let has_time = next.is_some_and(|next| {
                    matches!(next.kind, Kind::Number | Kind::Time | Kind::Date)
                });
                if !has_date || !has_time {
                    return Err(Fault::Form);
                }
                self.begin(Prefix::Time)?;
            }
        }
        Ok(())
    }

    /// `MSK`: an offset, or what is one in a time zone.
    fn abbreviation(&mut self, text: &str, found: Abbreviation) -> Result<(), Fault> {
        self.know(ZONE)?;
        self.offset = Some(match found {
            Abbreviation::Fixed { offset_s, .. } => Offset::East(offset_s),
            Abbreviation::Of(zone) => {
                let zone = Zone::named(zone).unwrap_or_default();
                Offset::Abbreviation(text.to_owned(), zone)
            }
        });
        Ok(())
    }

    fn now(&mut self, of_time: bool) -> Result<(), Fault> {
        let now = self.locale.local_now_us();
        self.know(if of_time { TIME } else { DATE | TIME | ZONE })?;
        let (days, of_day) = split_day(now);
        self.set_day(days);
        self.set_time(of_day);
        let offset = self.locale.zone.offset_s(self.locale.now_us);
        self.offset = Some(Offset::East(offset));
        Ok(())
    }

    /// What is all of a moment.
    fn special(&mut self, what: Decoded) -> Result<(), Fault> {
        self.know(DATE | TIME | ZONE)?;
        self.special = Some(what);
        Ok(())
    }

    fn named_month(&mut self, month: i64) -> Result<(), Fault> {
        let has_number = self.known & MONTH != 0 && !self.has_named_month;
        if has_number && self.known & DAY == 0 && (1..=31).contains(&self.month) {
            // The number before it was the day.
            self.day = self.month;
            self.know(DAY)?;
        } else {
            self.know(MONTH)?;
        }
        self.has_named_month = true;
        self.month = month;
        Ok(())
    }

    /// Keeps a label for what follows it; none may wait already.
    fn begin(&mut self, prefix: Prefix) -> Result<(), Fault> {
        match self.prefix.replace(prefix) {
            None => Ok(()),
            Some(_) => Err(Fault::Form),
        }
    }

    fn finish(self) -> Result<Moment, Fault> {
        let (days, of_day_us) = (self.civil().days(), self.of_day_us());
        let local_us = days.saturating_mul(DAY_US).saturating_add(of_day_us);
        if self.known & SUMMER != 0 && self.known & ZONE == 0 {
            return Err(Fault::Form);
        }
        let offset_s = match &self.offset {
            Some(Offset::East(offset_s)) if self.known & ZONE != 0 => *offset_s,
            Some(Offset::Zone(zone)) => zone.offset_of_local_s(local_us),
            Some(Offset::Abbreviation(text, zone)) => {
                let local_s = zone.offset_of_local_s(local_us);
                let us = local_us.saturating_sub(i64::from(local_s) * SECOND_US);
                zone.offset_of_abbreviation_s(text, us).unwrap_or(local_s)
            }
            _ => self.locale.zone.offset_of_local_s(local_us),
        };
        Ok(Moment {
            days,
            of_day_us,
            offset_s,
        })
    }
}

/// The Julian day of 1970-01-01.
pub(crate) const JULIAN_OF_1970: i64 = 2_440_588;
const FRACTION: i128 = 10_i128.pow(18);

/// The digits after a point in units of 10^-18.
fn digits_after_point(text: &str) -> Result<i128, Fault> {
    let digits = text.strip_prefix('.').ok_or(Fault::Form)?;
    let mut number = 0;
    let mut unit = FRACTION;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return Err(Fault::Form);
        }
        unit /= 10;
        number += i128::from(digit - b'0') * unit;
    }
    Ok(number)
}

/// An offset from UTC; the error says whether it is too large.
pub(crate) fn offset_of_text(text: &str) -> Result<i32, bool> {
    offset_s(text).map_err(|fault| fault == Fault::ZoneRange)
}

/// `+5`, `-0530`, `+05:30:10` as seconds east of UTC.
fn offset_s(text: &str) -> Result<i32, Fault> {
    let is_negative = text.starts_with('-');
    let unsigned = text.strip_prefix(['+', '-']).ok_or(Fault::Form)?;
    let (mut hours, mut rest) = leading_integer(unsigned).ok_or(Fault::Form)?;
    let (mut minutes, mut seconds) = (0, 0);
    if let Some(after) = rest.strip_prefix(':') {
        (minutes, rest) = leading_integer(after).ok_or(Fault::Form)?;
        if let Some(after) = rest.strip_prefix(':') {
            (seconds, rest) = leading_integer(after).ok_or(Fault::Form)?;
        }
    } else if rest.is_empty() && text.len() > 3 {
        (hours, minutes) = (hours / 100, hours % 100);
    }
    if hours > 15 || minutes > 59 || seconds > 59 {
        return Err(Fault::ZoneRange);
    }
    if !rest.is_empty() {
        return Err(Fault::Form);
    }
    let total = i32::try_from((hours * 60 + minutes) * 60 + seconds).unwrap_or(0);
    Ok(if is_negative { -total } else { total })
}
