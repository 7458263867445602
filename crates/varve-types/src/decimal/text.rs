//! Decimals from text and as text.

use core::fmt;

use super::Decimal;
use super::arithmetic::fit;
use super::big::Big;
use crate::{Error, Result, SqlState, TypeMod};

/// Digits that are read before further ones only count for the exponent: enough that the last of
/// them rounds what is kept as all would.
const DIGITS_READ_MAX: usize = 300;
const EXPONENT_MAX: i32 = 100_000;

impl Decimal {
    /// A number in decimal with an exponent, `NaN` or an infinity, as PostgreSQL's input function
    /// reads it: `22P02`, `22003`.
    pub fn parse(text: &str) -> Result<Decimal> {
        Decimal::parse_with_mod(text, TypeMod::NONE)
    }

    /// As [`Decimal::parse`], for a type with this modifier.
    pub fn parse_with_mod(text: &str, modifier: TypeMod) -> Result<Decimal> {
        let invalid = || {
            Error::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("invalid input syntax for type numeric: \"{text}\""),
            )
        };
        let trimmed = text.trim_ascii();
        let (negative, unsigned) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let is = |word: &str| unsigned.eq_ignore_ascii_case(word);
        let number = if is("infinity") || is("inf") {
            if negative {
                Decimal::NEG_INFINITY
            } else {
                Decimal::INFINITY
            }
        } else if trimmed.eq_ignore_ascii_case("nan") {
            Decimal::NAN
        } else if let Some(found) = parse_radix(unsigned) {
            fit(negative, found.ok_or_else(invalid)?, 0)?
        } else {
            let (magnitude, exponent) = parse_digits(unsigned).ok_or_else(invalid)?;
            from_scientific(negative, magnitude, exponent)?
        };
        number.with_mod(modifier)
    }
}

fn from_scientific(negative: bool, magnitude: Big, exponent: i32) -> Result<Decimal> {
    match u32::try_from(exponent) {
        Ok(0) => fit(negative, magnitude, 0),
        Ok(_) if magnitude.is_zero() => Ok(Decimal::ZERO),
        Ok(up) if up > 100 => Err(Decimal::overflow()),
        Ok(up) => fit(negative, magnitude.times_pow10(up), 0),
        Err(_) => {
            let digits = i32::try_from(magnitude.digits()).unwrap_or(i32::MAX);
            // All of it lies beyond the last digit that there may be.
            if digits + exponent < -1000 {
                return fit(false, Big::default(), exponent.unsigned_abs().min(1000));
            }
            fit(negative, magnitude, exponent.unsigned_abs())
        }
    }
}

/// A hexadecimal, octal or binary integer; `None` where it does not begin like one.
fn parse_radix(unsigned: &str) -> Option<Option<Big>> {
    let (zero, rest) = unsigned.split_at_checked(1)?;
    let (letter, digits) = rest.split_at_checked(1)?;
    let radix = match letter {
        "x" | "X" => 16,
        "o" | "O" => 8,
        "b" | "B" => 2,
        _ => return None,
    };
    if zero != "0" {
        return None;
    }
    let mut number = Big::default();
    let mut after_digit = true;
    for character in digits.chars().take(DIGITS_READ_MAX) {
        match character.to_digit(radix) {
            Some(digit) => {
                number = number.times_small(radix).plus(&Big::new(u128::from(digit)));
            }
            None if character == '_' && after_digit => {}
            None => return Some(None),
        }
        after_digit = character != '_';
    }
    Some((after_digit && !digits.is_empty()).then_some(number))
}

/// The digits as one integer, and the exponent of ten of its last digit.
fn parse_digits(unsigned: &str) -> Option<(Big, i32)> {
    let (number, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, parse_exponent(exponent)?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let underscores_are_sound =
        |digits: &str| !digits.starts_with('_') && !digits.ends_with('_') && !digits.contains("__");
    if !underscores_are_sound(whole) || !underscores_are_sound(fraction) {
        return None;
    }
    let digits = || whole.chars().chain(fraction.chars()).filter(|c| *c != '_');
    if !digits().all(|c| c.is_ascii_digit()) || digits().next().is_none() {
        return None;
    }
    let count = digits().count();
    let zeros = digits().take_while(|c| *c == '0').count();
    let read = (count - zeros).min(DIGITS_READ_MAX);
    let mut magnitude = Big::default();
    let (mut chunk, mut chunk_digits) = (0, 0);
    for character in digits().skip(zeros).take(read) {
        chunk = chunk * 10 + character.to_digit(10)?;
        chunk_digits += 1;
        if chunk_digits == 9 {
            magnitude = magnitude.times_pow10(9).plus(&Big::new(u128::from(chunk)));
            (chunk, chunk_digits) = (0, 0);
        }
    }
    magnitude = magnitude
        .times_pow10(chunk_digits)
        .plus(&Big::new(u128::from(chunk)));
    let unread = i32::try_from(count - zeros - read).ok()?;
    let fraction = fraction.chars().filter(|c| *c != '_').count();
    let fraction = i32::try_from(fraction).ok()?;
    Some((
        magnitude,
        exponent.checked_add(unread)?.checked_sub(fraction)?,
    ))
}

fn parse_exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Digits may be grouped: `1_0`.
    let is_digits = |group: &str| !group.is_empty() && group.bytes().all(|c| c.is_ascii_digit());
    if !digits.split('_').all(is_digits) {
        return None;
    }
    let digits = digits.replace('_', "");
    let size = digits.parse().unwrap_or(EXPONENT_MAX).min(EXPONENT_MAX);
    Some(if text.starts_with('-') { -size } else { size })
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Decimal::NAN => return f.write_str("NaN"),
            Decimal::INFINITY => return f.write_str("Infinity"),
            Decimal::NEG_INFINITY => return f.write_str("-Infinity"),
            _ => {}
        }
        if self.mantissa < 0 {
            f.write_str("-")?;
        }
        let scale = usize::from(self.scale);
        let digits = format!("{:0>1$}", self.mantissa.unsigned_abs(), scale + 1);
        let (whole, fraction) = digits
            .split_at_checked(digits.len() - scale)
            .unwrap_or((&digits, ""));
        f.write_str(whole)?;
        if fraction.is_empty() {
            Ok(())
        } else {
            write!(f, ".{fraction}")
        }
    }
}
