//! Intervals from text in all of PostgreSQL's input styles.

use varve_types::{Interval, IntervalFields, Result, TypeMod};

use super::civil::{DAY_US, HOUR_US, SECOND_US};
use super::fault::Fault;
use super::interval::{bounded_interval, interval_out_of_range};
use super::number::{fraction_us, leading_integer};
use super::tokens::{Kind, Token, tokens};
use super::words::{Word, word};
use crate::tree::IntervalStyle;

/// The longest text, without spaces, with a byte after each token.
const TEXT_BYTES_MAX: usize = 256;
/// Digits of a fraction that are read.
const FRACTION_DIGITS: usize = 18;
const FRACTION: i128 = 10_i128.pow(18);
const MINUTE_US: i64 = 60 * SECOND_US;
const MONTH_DAYS: i128 = 30;

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
    Month,
    Year,
    Decade,
    Century,
    Millennium,
}

const UNITS: [(&str, Unit); 54] = [
    ("c", Unit::Century),
    ("cent", Unit::Century),
    ("centuries", Unit::Century),
    ("century", Unit::Century),
    ("d", Unit::Day),
    ("day", Unit::Day),
    ("days", Unit::Day),
    ("dec", Unit::Decade),
    ("decade", Unit::Decade),
    ("decades", Unit::Decade),
    ("decs", Unit::Decade),
    ("h", Unit::Hour),
    ("hour", Unit::Hour),
    ("hours", Unit::Hour),
    ("hr", Unit::Hour),
    ("hrs", Unit::Hour),
    ("m", Unit::Minute),
    ("microsecon", Unit::Microsecond),
    ("mil", Unit::Millennium),
    ("millennia", Unit::Millennium),
    ("millennium", Unit::Millennium),
    ("millisecon", Unit::Millisecond),
    ("mils", Unit::Millennium),
    ("min", Unit::Minute),
    ("mins", Unit::Minute),
    ("minute", Unit::Minute),
    ("minutes", Unit::Minute),
    ("mon", Unit::Month),
    ("mons", Unit::Month),
    ("month", Unit::Month),
    ("months", Unit::Month),
    ("ms", Unit::Millisecond),
    ("msec", Unit::Millisecond),
    ("msecond", Unit::Millisecond),
    ("mseconds", Unit::Millisecond),
    ("msecs", Unit::Millisecond),
    ("s", Unit::Second),
    ("sec", Unit::Second),
    ("second", Unit::Second),
    ("seconds", Unit::Second),
    ("secs", Unit::Second),
    ("us", Unit::Microsecond),
    ("usec", Unit::Microsecond),
    ("usecond", Unit::Microsecond),
    ("useconds", Unit::Microsecond),
    ("usecs", Unit::Microsecond),
    ("w", Unit::Week),
    ("week", Unit::Week),
    ("weeks", Unit::Week),
    ("y", Unit::Year),
    ("year", Unit::Year),
    ("years", Unit::Year),
    ("yr", Unit::Year),
    ("yrs", Unit::Year),
];

/// PostgreSQL compares so many letters of a word.
const WORD_LETTERS: usize = 10;

pub(super) fn unit(word: &str) -> Option<Unit> {
    let word = word.get(..WORD_LETTERS).unwrap_or(word);
    let at = UNITS.binary_search_by_key(&word, |(known, _)| known).ok()?;
    UNITS.get(at).map(|(_, unit)| *unit)
}

impl Unit {
    /// The unit in months, in days, or in microseconds.
    pub(super) fn size(self) -> Size {
        match self {
            Unit::Microsecond => Size::Us(1),
            Unit::Millisecond => Size::Us(1000),
            Unit::Second => Size::Us(SECOND_US),
            Unit::Minute => Size::Us(MINUTE_US),
            Unit::Hour => Size::Us(HOUR_US),
            Unit::Day => Size::Days(1),
            Unit::Week => Size::Days(7),
            Unit::Month => Size::Months(1),
            Unit::Year => Size::Months(12),
            Unit::Decade => Size::Months(120),
            Unit::Century => Size::Months(1200),
            Unit::Millennium => Size::Months(12_000),
        }
    }

    /// The bit that says that it was there.
    fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

pub(super) enum Size {
    Us(i64),
    Days(i64),
    Months(i64),
}

/// A number and its fraction in units of 10^-18, both of one sign.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    whole: i64,
    fraction: i128,
}

impl Amount {
    fn negated(self) -> Result<Amount, Fault> {
        Ok(Amount {
            whole: self.whole.checked_neg().ok_or(Fault::Range)?,
            fraction: -self.fraction,
        })
    }

    fn signed(self, is_negative: bool) -> Result<Amount, Fault> {
        if is_negative {
            self.negated()
        } else {
            Ok(self)
        }
    }
}

/// The parts while they are summed.
#[derive(Default)]
struct Sum {
    months: i64,
    days: i64,
    us: i64,
}

impl Sum {
    /// Fractions go down: of months as 30 days, of days as 24 hours; of years they are rounded to
    /// months.
    fn add(&mut self, amount: Amount, unit: Unit) -> Result<(), Fault> {
        let times = |size: i64| amount.whole.checked_mul(size).ok_or(Fault::Range);
        match unit.size() {
            Size::Us(size) => {
                self.add_us(times(size)?)?;
                self.add_us(rounded(amount.fraction * i128::from(size)))
            }
            Size::Days(size) => {
                self.add_days(times(size)?)?;
                self.add_day_fraction(amount.fraction * i128::from(size))
            }
            Size::Months(1) => {
                self.add_months(amount.whole)?;
                self.add_day_fraction(amount.fraction * MONTH_DAYS)
            }
            Size::Months(size) => {
                self.add_months(times(size)?)?;
                self.add_months(rounded(amount.fraction * i128::from(size)))
            }
        }
    }

    fn add_us(&mut self, us: i64) -> Result<(), Fault> {
        self.us = self.us.checked_add(us).ok_or(Fault::Range)?;
        Ok(())
    }

    fn add_days(&mut self, days: i64) -> Result<(), Fault> {
        self.days = narrow(self.days.checked_add(days))?;
        Ok(())
    }

    fn add_months(&mut self, months: i64) -> Result<(), Fault> {
        self.months = narrow(self.months.checked_add(months))?;
        Ok(())
    }

    /// Adds 10^-18 days: whole ones as days, the rest as time.
    fn add_day_fraction(&mut self, fraction: i128) -> Result<(), Fault> {
        self.add_days(i64::try_from(fraction / FRACTION).unwrap_or(0))?;
        self.add_us(rounded(fraction % FRACTION * i128::from(DAY_US)))
    }

    fn negated(&self) -> Result<Sum, Fault> {
        Ok(Sum {
            months: narrow(self.months.checked_neg())?,
            days: narrow(self.days.checked_neg())?,
            us: self.us.checked_neg().ok_or(Fault::Range)?,
        })
    }
}

/// What fits 32 bits.
fn narrow(number: Option<i64>) -> Result<i64, Fault> {
    let fits = number.filter(|number| i32::try_from(*number).is_ok());
    fits.ok_or(Fault::Range)
}

/// 10^-18 of a unit as whole units, halves to the even one.
fn rounded(fraction: i128) -> i64 {
    let (whole, rest) = (fraction.div_euclid(FRACTION), fraction.rem_euclid(FRACTION));
    let up = rest * 2 > FRACTION || (rest * 2 == FRACTION && whole % 2 != 0);
    i64::try_from(whole + i128::from(up)).unwrap_or(0)
}

/// The input function of `interval`.
pub(crate) fn parse_interval(
    text: &str,
    modifier: TypeMod,
    style: IntervalStyle,
) -> Result<Interval> {
    let fields = modifier.interval_fields();
    let sum = match words(text, fields, style) {
        Err(Fault::Form) => iso(text),
        other => other,
    };
    let sum = sum.map_err(|fault| {
        let fault = match fault {
            Fault::Range => Fault::IntervalRange,
            other => other,
        };
        fault.of(text, "interval")
    })?;
    let narrow = |number| i32::try_from(number).map_err(|_| interval_out_of_range());
    let interval = Interval {
        months: narrow(sum.months)?,
        days: narrow(sum.days)?,
        us: sum.us,
    };
    bounded_interval(interval, modifier)
}

/// `1 year 2 mons -3 days 04:05:06.7 ago`, `1-2 3 4:05:06`, `@ 1 hour`, `90`: read from its end,
/// so that units come before their numbers. A unit without a number says nothing.
fn words(text: &str, fields: IntervalFields, style: IntervalStyle) -> Result<Sum, Fault> {
    let tokens = tokens(text, TEXT_BYTES_MAX).ok_or(Fault::Form)?;
    let has_sign = |text: &str| text.starts_with(['+', '-']);
    // In the style of the standard a sign in front holds for all that follows without one.
    let all_negative = style == IntervalStyle::SqlStandard
        && tokens
            .first()
            .is_some_and(|first| first.text.starts_with('-'))
        && !tokens.iter().skip(1).any(|token| has_sign(&token.text));
    let mut words = Words {
        fields,
        all_negative,
        sum: Sum::default(),
        next: Next::Last,
        is_before: false,
    };
    let mut known = 0_u16;
    for token in tokens.iter().rev() {
        let seen = words.take(token)?;
        if known & seen != 0 {
            return Err(Fault::Form);
        }
        known |= seen;
    }
    if known == 0 {
        return Err(Fault::Form);
    }
    if words.is_before {
        words.sum.negated()
    } else {
        Ok(words.sum)
    }
}

/// What the words of an interval say, read from the end on.
struct Words {
    fields: IntervalFields,
    /// Whether what has no sign is negative.
    all_negative: bool,
    sum: Sum,
    next: Next,
    /// Whether `ago` stands behind them.
    is_before: bool,
}

impl Words {
    /// Takes a token in; gives the bits of the units that it says.
    fn take(&mut self, token: &Token) -> Result<u16, Fault> {
        let text = token.text.as_str();
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let has_minus = text.starts_with('-');
        match token.kind {
            Kind::Time => self.time(text, self.all_negative),
            Kind::Signed if unsigned.contains(':') => self.time(unsigned, has_minus),
            Kind::Signed | Kind::Date | Kind::Number => {
                self.number(unsigned, has_minus || self.all_negative)
            }
            Kind::Word | Kind::SignedWord => self.label(text).map(|()| 0),
        }
    }

    fn time(&mut self, text: &str, is_negative: bool) -> Result<u16, Fault> {
        let us = clock(text, self.fields)?;
        self.sum.add_us(if is_negative { -us } else { us })?;
        self.next = Next::Of(Unit::Day);
        Ok(TIME_BITS)
    }

    /// A number of the unit behind it, or years and months as `1-2`.
    fn number(&mut self, unsigned: &str, is_negative: bool) -> Result<u16, Fault> {
        let (whole, rest) = match unsigned.starts_with('.') {
            true => (0, unsigned),
            false => leading_integer(unsigned).ok_or(Fault::Form)?,
        };
        if whole == i64::MAX {
            return Err(Fault::Range);
        }
        let mut amount = Amount { whole, fraction: 0 };
        let unit = if let Some(months) = rest.strip_prefix('-') {
            amount.whole = with_months(whole, months)?;
            Unit::Month
        } else {
            if !rest.is_empty() {
                amount.fraction = fraction(rest)?;
            }
            match self.next {
                Next::Of(unit) => unit,
                Next::Last => last_unit(self.fields),
                Next::None => return Err(Fault::Form),
            }
        };
        self.sum.add(amount.signed(is_negative)?, unit)?;
        self.next = Next::Of(if unit == Unit::Hour { Unit::Day } else { unit });
        Ok(match unit {
            Unit::Second if amount.fraction != 0 => SECOND_BITS,
            unit => unit.bit(),
        })
    }

    fn label(&mut self, text: &str) -> Result<(), Fault> {
        match unit(text) {
            Some(unit) => self.next = Next::Of(unit),
            None if text == "ago" => (self.next, self.is_before) = (Next::None, true),
            None if word(text) == Some(Word::Filler) => {}
            None => return Err(Fault::Form),
        }
        Ok(())
    }
}

/// Years, and the months of another one, in months.
fn with_months(years: i64, months: &str) -> Result<i64, Fault> {
    let (months, rest) = leading_integer(months).ok_or(Fault::Form)?;
    if months >= 12 {
        return Err(Fault::Range);
    }
    if !rest.is_empty() {
        return Err(Fault::Form);
    }
    let years = years.checked_mul(12).ok_or(Fault::Range)?;
    years.checked_add(months).ok_or(Fault::Range)
}

/// What the next number counts, from the end on.
#[derive(Clone, Copy)]
enum Next {
    /// Nothing followed it: the last of the fields that the type has.
    Last,
    Of(Unit),
    /// No number can stand there.
    None,
}

/// What a number at the end counts.
fn last_unit(fields: IntervalFields) -> Unit {
    match fields.last() {
        IntervalFields::YEAR => Unit::Year,
        IntervalFields::MONTH => Unit::Month,
        IntervalFields::DAY => Unit::Day,
        IntervalFields::HOUR => Unit::Hour,
        IntervalFields::MINUTE => Unit::Minute,
        _ => Unit::Second,
    }
}

/// Bits of units of [`Unit::bit`] that a time of day takes, and seconds with a fraction.
const TIME_BITS: u16 = 0b1_1100;
const SECOND_BITS: u16 = 0b111;

/// `.789` in units of 10^-18.
fn fraction(text: &str) -> Result<i128, Fault> {
    let digits = text.strip_prefix('.').ok_or(Fault::Form)?;
    let kept = digits.get(..FRACTION_DIGITS).unwrap_or(digits);
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(Fault::Form);
    }
    let missing = u32::try_from(FRACTION_DIGITS - kept.len()).unwrap_or(0);
    let number: i128 = match kept {
        "" => 0,
        kept => kept.parse().map_err(|_| Fault::Form)?,
    };
    Ok(number * 10_i128.pow(missing))
}

/// `H:MM`, `H:MM:SS.fff`, `MM:SS.fff`; of two numbers in `MINUTE TO SECOND` the second are seconds.
fn clock(text: &str, fields: IntervalFields) -> Result<i64, Fault> {
    let (first, rest) = leading_integer(text).ok_or(Fault::Form)?;
    let rest = rest.strip_prefix(':').ok_or(Fault::Form)?;
    let (second, rest) = leading_integer(rest).ok_or(Fault::Form)?;
    let (hours, minutes, seconds, rest) = match rest.strip_prefix(':') {
        Some(after) => {
            let (third, rest) = leading_integer(after).ok_or(Fault::Form)?;
            (first, second, third, rest)
        }
        None if rest.starts_with('.') || fields == IntervalFields::MINUTE_TO_SECOND => {
            (0, first, second, rest)
        }
        None => (first, second, 0, rest),
    };
    let us = match rest {
        "" => 0,
        rest => fraction_us(rest).ok_or(Fault::Form)?,
    };
    if minutes > 59 || seconds > 60 {
        return Err(Fault::Range);
    }
    let hours = hours.checked_mul(HOUR_US).ok_or(Fault::Range)?;
    let rest = (minutes * 60 + seconds) * SECOND_US + us;
    hours.checked_add(rest).ok_or(Fault::Range)
}

/// `P1Y2M3DT4H5M6S`, `P1W`, `P0001-02-03T04:05:06`, `P00010203T040506`.
fn iso(text: &str) -> Result<Sum, Fault> {
    let mut input = IsoInput(text.strip_prefix('P').ok_or(Fault::Form)?);
    if input.0.is_empty() {
        return Err(Fault::Form);
    }
    let mut sum = Sum::default();
    let (mut in_time, mut has_field) = (false, false);
    while !input.0.is_empty() {
        if input.take('T') {
            (in_time, has_field) = (true, false);
            continue;
        }
        let before = input.0;
        let amount = input.amount()?;
        let letter = input.0.chars().next();
        let unit = match (letter, in_time) {
            (Some('Y'), false) => Unit::Year,
            (Some('M'), false) => Unit::Month,
            (Some('W'), false) => Unit::Week,
            (Some('D'), false) => Unit::Day,
            (Some('H'), true) => Unit::Hour,
            (Some('M'), true) => Unit::Minute,
            (Some('S'), true) => Unit::Second,
            _ if has_field => return Err(Fault::Form),
            (None | Some('T' | '-'), false) => {
                input.alternative(before, amount, &ALTERNATIVE_DATE, &mut sum)?;
                if !input.0.is_empty() && !input.0.starts_with('T') {
                    return Err(Fault::Form);
                }
                continue;
            }
            (None | Some(':'), true) => {
                input.alternative(before, amount, &ALTERNATIVE_TIME, &mut sum)?;
                return if input.0.is_empty() {
                    Ok(sum)
                } else {
                    Err(Fault::Form)
                };
            }
            _ => return Err(Fault::Form),
        };
        input.0 = input.0.get(1..).unwrap_or_default();
        sum.add(amount, unit)?;
        has_field = true;
    }
    Ok(sum)
}

/// Numbers without units: run together in so many digits, or with a separator.
struct Alternative {
    units: [Unit; 3],
    digits: usize,
    separator: char,
}

const ALTERNATIVE_DATE: Alternative = Alternative {
    units: [Unit::Year, Unit::Month, Unit::Day],
    digits: 8,
    separator: '-',
};

const ALTERNATIVE_TIME: Alternative = Alternative {
    units: [Unit::Hour, Unit::Minute, Unit::Second],
    digits: 6,
    separator: ':',
};

/// What is left of the text.
struct IsoInput<'a>(&'a str);

impl IsoInput<'_> {
    fn take(&mut self, what: char) -> bool {
        let rest = self.0.strip_prefix(what);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn amount(&mut self) -> Result<Amount, Fault> {
        let is_negative = self.take('-');
        if !is_negative {
            self.take('+');
        }
        let (whole, rest) = match self.0.starts_with('.') {
            true => (0, self.0),
            false => leading_integer(self.0).ok_or(Fault::Form)?,
        };
        if whole == i64::MAX {
            return Err(Fault::Range);
        }
        let after = rest.strip_prefix('.').unwrap_or_default();
        let end = after
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(after.len());
        let (digits, rest) = match rest.starts_with('.') {
            true => rest.split_at(end + 1),
            false => (".", rest),
        };
        self.0 = rest;
        let fraction = fraction(digits)?;
        Amount { whole, fraction }.signed(is_negative)
    }

    /// Adds numbers without units, of which `amount` is the first and `before` all of them.
    fn alternative(
        &mut self,
        before: &str,
        amount: Amount,
        form: &Alternative,
        sum: &mut Sum,
    ) -> Result<(), Fault> {
        let [first, second, third] = form.units;
        let unsigned = before.strip_prefix(['+', '-']).unwrap_or(before);
        let width = unsigned.find(|c: char| !c.is_ascii_digit());
        if width.unwrap_or(unsigned.len()) == form.digits && !self.0.starts_with(form.separator) {
            let part = |number: i64| Amount {
                whole: number,
                fraction: 0,
            };
            sum.add(part(amount.whole / 10_000), first)?;
            sum.add(part(amount.whole / 100 % 100), second)?;
            let last = Amount {
                whole: amount.whole % 100,
                ..amount
            };
            return sum.add(last, third);
        }
        sum.add(amount, first)?;
        for unit in [second, third] {
            if !self.take(form.separator) {
                break;
            }
            let amount = self.amount()?;
            sum.add(amount, unit)?;
        }
        Ok(())
    }
}
