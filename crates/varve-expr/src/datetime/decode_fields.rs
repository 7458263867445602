//! Single fields of dates and times, and whether they go together.

use super::civil::{Civil, DAY_US};
use super::decode::{DATE, DAY, DAY_OF_YEAR, Decoder, Fields, MONTH, TIME, YEAR};
use super::fault::Fault;
use super::number::{fraction_us, integer, leading_integer};
use super::words::{Word, word};
use crate::tree::DateOrder;

impl Decoder<'_> {
    /// A date whose parts are joined.
    pub(super) fn date(&mut self, text: &str) -> Result<(), Fault> {
        let mut parts: Vec<&str> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            let is_digits = rest.starts_with(|c: char| c.is_ascii_digit());
            let end =
                rest.find(|c: char| !c.is_ascii_alphanumeric() || c.is_ascii_digit() != is_digits);
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if part.is_empty() {
                return Err(Fault::Form);
            }
            parts.push(part);
            // What stands between is skipped, but for letters and digits.
            rest = after
                .strip_prefix(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(after);
        }
        let mut known = 0;
        let is_word = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic());
        for part in parts.iter().copied().filter(is_word) {
            match word(part) {
                Some(Word::Filler) => {}
                Some(Word::Month(month)) if (known | self.known) & MONTH == 0 => {
                    known |= MONTH;
                    self.month = month;
                    self.has_named_month = true;
                }
                _ => return Err(Fault::Form),
            }
        }
        self.known |= known;
        for part in parts.iter().copied().filter(|part| !is_word(part)) {
            self.lone_number(part, self.known)?;
        }
        if self.known & DATE == DATE {
            Ok(())
        } else {
            Err(Fault::Form)
        }
    }

    /// A number that is one field; `known` are the fields that it cannot be.
    pub(super) fn lone_number(&mut self, text: &str, known: Fields) -> Result<(), Fault> {
        let (number, rest) = leading_integer(text).ok_or(Fault::Form)?;
        let number = integer(number)?;
        if !rest.is_empty() {
            if text.len() - rest.len() > 2 {
                return self.run_together(text, known | DATE);
            }
            self.us = fraction_us(rest).ok_or(Fault::Form)?;
        }
        let digits = text.len();
        if digits == 3 && known & DATE == YEAR && (1..=366).contains(&number) {
            self.day_of_year = number;
            return self.know(DAY_OF_YEAR | MONTH | DAY);
        }
        let order = self.locale.date_order;
        let field = match known & DATE {
            0 if digits >= 3 || order == DateOrder::Ymd => YEAR,
            0 if order == DateOrder::Dmy => DAY,
            0 | YEAR | DAY => MONTH,
            MONTH if self.has_named_month && (digits >= 3 || order == DateOrder::Ymd) => YEAR,
            MONTH => DAY,
            at if at == YEAR | MONTH => {
                if self.has_named_month && digits >= 3 && self.is_short_year {
                    // What was taken for the year was the day.
                    self.day = self.year;
                    self.year = number;
                    self.is_short_year = false;
                    return self.know(DAY);
                }
                DAY
            }
            at if at == MONTH | DAY => YEAR,
            DATE => return self.run_together(text, known),
            _ => return Err(Fault::Form),
        };
        self.know(field)?;
        match field {
            YEAR => {
                self.year = number;
                self.is_short_year = digits <= 2;
            }
            MONTH => self.month = number,
            _ => self.day = number,
        }
        Ok(())
    }

    /// Digits without anything between them: a date, or a time.
    pub(super) fn run_together(&mut self, text: &str, known: Fields) -> Result<(), Fault> {
        let (digits, fraction) = match text.find('.') {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let number = |text: &str| integer(text.parse().map_err(|_| Fault::Form)?);
        if fraction.is_empty() && known & DATE != DATE && digits.len() >= 6 {
            let (rest, day) = cut(digits)?;
            let (year, month) = cut(rest)?;
            self.know(DATE)?;
            self.is_short_year = year.len() == 2;
            (self.year, self.month, self.day) = (number(year)?, number(month)?, number(day)?);
            return Ok(());
        }
        if known & TIME != 0 || !matches!(digits.len(), 4 | 6) {
            return Err(Fault::Form);
        }
        self.know(TIME)?;
        let (hour, rest) = digits.split_at(2);
        let (minute, second) = rest.split_at(2);
        (self.hour, self.minute) = (number(hour)?, number(minute)?);
        self.second = if second.is_empty() {
            0
        } else {
            number(second)?
        };
        if !fraction.is_empty() {
            self.us = fraction_us(fraction).ok_or(Fault::Form)?;
        }
        self.check_clock()
    }

    /// `04:05`, `04:05:06.789`, `05:06.789`.
    pub(super) fn clock(&mut self, text: &str) -> Result<(), Fault> {
        let (hour, rest) = leading_integer(text).ok_or(Fault::Form)?;
        let rest = rest.strip_prefix(':').ok_or(Fault::Form)?;
        let (minute, rest) = leading_integer(rest).ok_or(Fault::Form)?;
        (self.hour, self.minute) = (hour, integer(minute)?);
        let mut fraction = rest;
        if rest.starts_with('.') {
            (self.hour, self.minute, self.second) = (0, hour, minute);
        } else if let Some(rest) = rest.strip_prefix(':') {
            let (second, rest) = leading_integer(rest).ok_or(Fault::Form)?;
            self.second = integer(second)?;
            fraction = rest;
        }
        if !fraction.is_empty() {
            self.us = fraction_us(fraction).ok_or(Fault::Form)?;
        }
        self.check_clock()
    }

    pub(super) fn check_clock(&self) -> Result<(), Fault> {
        let sound = self.minute < 60 && self.second <= 60 && self.hour <= 24;
        if !sound || self.of_day_us() > DAY_US {
            return Err(Fault::Range);
        }
        Ok(())
    }

    pub(super) fn validate_date(&mut self) -> Result<(), Fault> {
        if self.known & YEAR != 0 && !self.is_julian {
            if self.is_before_christ {
                if self.year <= 0 {
                    return Err(Fault::Range);
                }
                self.year = 1 - self.year;
            } else if self.is_short_year {
                self.year += if self.year < 70 { 2000 } else { 1900 };
            } else if self.year <= 0 {
                return Err(Fault::Range);
            }
        }
        if self.known & DAY_OF_YEAR != 0 {
            let first = Civil {
                year: self.year,
                month: 1,
                day: 1,
            };
            self.set_day(first.days() + self.day_of_year - 1);
        }
        if self.known & MONTH != 0 && !(1..=12).contains(&self.month) {
            return Err(Fault::DayRange);
        }
        if self.known & DAY != 0 && !(1..=31).contains(&self.day) {
            return Err(Fault::DayRange);
        }
        if self.known & DATE == DATE && !self.civil().is_sound() {
            return Err(Fault::Range);
        }
        Ok(())
    }

    pub(super) fn civil(&self) -> Civil {
        Civil {
            year: self.year,
            month: self.month,
            day: self.day,
        }
    }

    pub(super) fn apply_half(&mut self) -> Result<(), Fault> {
        let Some(is_afternoon) = self.is_afternoon else {
            return Ok(());
        };
        if self.hour > 12 {
            return Err(Fault::Range);
        }
        self.hour = self.hour % 12 + if is_afternoon { 12 } else { 0 };
        Ok(())
    }
}

/// The last two digits apart.
fn cut(text: &str) -> Result<(&str, &str), Fault> {
    let length = text.len().checked_sub(2);
    let parts = length.and_then(|length| text.split_at_checked(length));
    parts.ok_or(Fault::Form)
}
