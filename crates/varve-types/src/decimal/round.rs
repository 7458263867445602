//! Rounding, and conversion to and from the other numbers.

use super::arithmetic::fit;
use super::big::Big;
use super::{DECIMAL_SCALE_MAX, Decimal};
use crate::{Error, Result, SqlState, TypeMod, parse_f64};

/// Which way what is cut off counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Toward {
    /// To the nearest; halves away from 0.
    Nearest,
    Zero,
    Above,
    Below,
}

impl Decimal {
    /// Rounded to so many digits after the point, or before it where negative; halves away from 0.
    pub fn rounded(self, digits: i32) -> Result<Decimal> {
        self.cut(digits, Toward::Nearest)
    }

    /// Cut off after so many digits after the point.
    pub fn truncated(self, digits: i32) -> Result<Decimal> {
        self.cut(digits, Toward::Zero)
    }

    /// The least integer not below.
    pub fn ceiling(self) -> Result<Decimal> {
        self.cut(0, Toward::Above)
    }

    /// The greatest integer not above.
    pub fn floor(self) -> Result<Decimal> {
        self.cut(0, Toward::Below)
    }

    fn cut(self, digits: i32, toward: Toward) -> Result<Decimal> {
        if !self.is_finite() {
            return Ok(self);
        }
        let digits = digits.clamp(-1000, i32::from(DECIMAL_SCALE_MAX));
        let drop = i32::from(self.scale) - digits;
        let Ok(drop) = u32::try_from(drop) else {
            let up = drop.unsigned_abs();
            let scale = u32::from(self.scale) + up;
            return fit(self.mantissa < 0, self.magnitude().times_pow10(up), scale);
        };
        let scale = u8::try_from(digits.max(0)).unwrap_or(0);
        let mut kept = 0;
        if let Some(unit) = 10_u128.checked_pow(drop) {
            let magnitude = self.mantissa.unsigned_abs();
            let left = magnitude % unit;
            let up = match toward {
                Toward::Nearest => left >= unit - left,
                Toward::Zero => false,
                Toward::Above => left > 0 && self.mantissa > 0,
                Toward::Below => left > 0 && self.mantissa < 0,
            };
            kept = magnitude / unit + u128::from(up);
        } else if (toward == Toward::Above && self.mantissa > 0)
            || (toward == Toward::Below && self.mantissa < 0)
        {
            kept = 1;
        }
        let up = digits.min(0).unsigned_abs();
        let kept = Big::new(kept).times_pow10(up);
        fit(self.mantissa < 0, kept, u32::from(scale))
    }

    /// As a column of this modifier stores it: `22003` where it has too many digits before the
    /// point.
    pub fn with_mod(self, modifier: TypeMod) -> Result<Decimal> {
        let Some((precision, scale)) = modifier.numeric() else {
            return Ok(self);
        };
        if self.is_nan() {
            return Ok(self);
        }
        let bound = i32::from(precision) - i32::from(scale);
        let overflow = |what: String| {
            Error::new(
                SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
                "numeric field overflow",
            )
            .with_detail(format!(
                "A field with precision {precision}, scale {scale} {what}"
            ))
        };
        if !self.is_finite() {
            return Err(overflow("cannot hold an infinite value.".to_owned()));
        }
        let too_large = || {
            let power = if bound == 0 {
                "1".to_owned()
            } else {
                format!("10^{bound}")
            };
            overflow(format!(
                "must round to an absolute value less than {power}."
            ))
        };
        // Whether it fits is asked before digits are added that may not be there.
        let rounded = self.rounded(i32::from(scale).min(i32::from(self.scale)))?;
        if rounded
            .leading_exponent()
            .is_some_and(|exponent| exponent >= bound)
        {
            return Err(too_large());
        }
        rounded.rounded(i32::from(scale))
    }

    /// The nearest integer, halves away from 0; `None` where there is none of 64 bits.
    pub fn to_i64(self) -> Option<i64> {
        let rounded = self.rounded(0).ok().filter(|rounded| rounded.is_finite())?;
        i64::try_from(rounded.mantissa).ok()
    }

    /// The nearest double.
    pub fn to_f64(self) -> f64 {
        match self {
            Decimal::NAN => f64::NAN,
            Decimal::INFINITY => f64::INFINITY,
            Decimal::NEG_INFINITY => f64::NEG_INFINITY,
            _ => parse_f64(&self.to_string()).unwrap_or(f64::NAN),
        }
    }

    /// The fifteen digits that a double is sure to hold.
    pub fn from_f64(number: f64) -> Result<Decimal> {
        Decimal::from_float(number, format_args!("{number:.14e}"))
    }

    /// The six digits that a `real` is sure to hold.
    pub fn from_f32(number: f32) -> Result<Decimal> {
        Decimal::from_float(f64::from(number), format_args!("{number:.5e}"))
    }

    fn from_float(number: f64, digits: core::fmt::Arguments<'_>) -> Result<Decimal> {
        if number.is_nan() {
            return Ok(Decimal::NAN);
        }
        if number.is_infinite() {
            return Ok(if number > 0.0 {
                Decimal::INFINITY
            } else {
                Decimal::NEG_INFINITY
            });
        }
        // As `%.15g` writes it, without zeros at the end.
        let text = digits.to_string();
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        Decimal::parse(&format!("{mantissa}e{exponent}"))
    }
}
