//! `+ - * / %` with the scales of PostgreSQL's results.

use core::cmp::Ordering;

use super::big::Big;
use super::{DECIMAL_DIGITS_MAX, DECIMAL_SCALE_MAX, Decimal};
use crate::{Error, Result, SqlState};

/// Quotients have at least so many significant digits.
pub(super) const SIGNIFICANT_DIGITS_MIN: i32 = 16;
/// PostgreSQL shows no more digits after the point of a computed result.
pub(super) const RESULT_SCALE_MAX: i32 = 1000;

/// The number `magnitude / 10^scale`, its fraction rounded to what fits.
pub(super) fn fit(negative: bool, magnitude: Big, scale: u32) -> Result<Decimal> {
    let (mut magnitude, mut scale) = (magnitude, scale);
    loop {
        let digits_over = magnitude.digits().saturating_sub(DECIMAL_DIGITS_MAX);
        let drop = digits_over.max(scale.saturating_sub(u32::from(DECIMAL_SCALE_MAX)));
        if drop == 0 {
            break;
        }
        scale = scale.checked_sub(drop).ok_or_else(Decimal::overflow)?;
        magnitude = magnitude.divided_rounded(&Big::pow10(drop));
    }
    let found = magnitude.to_u128().and_then(|number| {
        let number = i128::try_from(number).ok()?;
        let mantissa = if negative { -number } else { number };
        Decimal::new(mantissa, u8::try_from(scale).ok()?)
    });
    found.ok_or_else(Decimal::overflow)
}

fn scaled(mantissa: i128, up: u32) -> Option<i128> {
    mantissa.checked_mul(10_i128.checked_pow(up)?)
}

impl Decimal {
    pub(super) fn magnitude(self) -> Big {
        Big::new(self.mantissa.unsigned_abs())
    }

    fn magnitude_at(self, scale: u8) -> Big {
        self.magnitude()
            .times_pow10(u32::from(scale.saturating_sub(self.scale)))
    }

    /// The sum.
    pub fn plus(self, other: Decimal) -> Result<Decimal> {
        if !self.is_finite() || !other.is_finite() {
            return Ok(match (self, other) {
                (Decimal::INFINITY, Decimal::NEG_INFINITY)
                | (Decimal::NEG_INFINITY, Decimal::INFINITY) => Decimal::NAN,
                (Decimal::NAN, _) | (_, Decimal::NAN) => Decimal::NAN,
                _ if self.is_finite() => other,
                _ => self,
            });
        }
        let scale = self.scale.max(other.scale);
        let sum = scaled(self.mantissa, u32::from(scale - self.scale))
            .zip(scaled(other.mantissa, u32::from(scale - other.scale)))
            .and_then(|(a, b)| a.checked_add(b))
            .and_then(|sum| Decimal::new(sum, scale));
        if let Some(sum) = sum {
            return Ok(sum);
        }
        let (a, b) = (self.magnitude_at(scale), other.magnitude_at(scale));
        let (a_negative, b_negative) = (self.mantissa < 0, other.mantissa < 0);
        let scale = u32::from(scale);
        if a_negative == b_negative {
            fit(a_negative, a.plus(&b), scale)
        } else if a >= b {
            fit(a_negative, a.minus(&b), scale)
        } else {
            fit(b_negative, b.minus(&a), scale)
        }
    }

    /// The difference.
    pub fn minus(self, other: Decimal) -> Result<Decimal> {
        self.plus(other.negated())
    }

    /// The value with the other sign.
    #[must_use]
    pub fn negated(self) -> Decimal {
        match self {
            Decimal::INFINITY => Decimal::NEG_INFINITY,
            Decimal::NEG_INFINITY => Decimal::INFINITY,
            Decimal::NAN => Decimal::NAN,
            _ => Decimal {
                mantissa: -self.mantissa,
                scale: self.scale,
            },
        }
    }

    /// The value without its sign.
    #[must_use]
    pub fn absolute(self) -> Decimal {
        if self.mantissa < 0 {
            self.negated()
        } else {
            self
        }
    }

    /// The product.
    pub fn times(self, other: Decimal) -> Result<Decimal> {
        if self.is_nan() || other.is_nan() {
            return Ok(Decimal::NAN);
        }
        if !self.is_finite() || !other.is_finite() {
            return Ok(match self.signum() * other.signum() {
                0 => Decimal::NAN,
                1 => Decimal::INFINITY,
                _ => Decimal::NEG_INFINITY,
            });
        }
        let product = self
            .mantissa
            .checked_mul(other.mantissa)
            .zip(self.scale.checked_add(other.scale))
            .and_then(|(mantissa, scale)| Decimal::new(mantissa, scale));
        if let Some(product) = product {
            return Ok(product);
        }
        let negative = (self.mantissa < 0) != (other.mantissa < 0);
        let scale = u32::from(self.scale) + u32::from(other.scale);
        fit(negative, self.magnitude().times(&other.magnitude()), scale)
    }

    /// The quotient with PostgreSQL's scale; `22012` by 0.
    pub fn divided_by(self, other: Decimal) -> Result<Decimal> {
        if let Some(special) = self.special_quotient(other)? {
            return Ok(special);
        }
        self.quotient(other, self.quotient_scale(other))
    }

    /// The quotient truncated to an integer (`div`).
    pub fn quotient_truncated(self, other: Decimal) -> Result<Decimal> {
        if let Some(special) = self.special_quotient(other)? {
            return Ok(special);
        }
        let scale = self.scale.max(other.scale);
        let (quotient, _) = self.magnitude_at(scale).divided(&other.magnitude_at(scale));
        fit((self.mantissa < 0) != (other.mantissa < 0), quotient, 0)
    }

    /// What is left after division by `other`, with the sign of `self`.
    pub fn remainder(self, other: Decimal) -> Result<Decimal> {
        if self.is_nan() || other.is_nan() || (!self.is_finite() && other.mantissa != 0) {
            return Ok(Decimal::NAN);
        }
        if other.mantissa == 0 {
            return Err(division_by_zero());
        }
        if !other.is_finite() {
            return Ok(self);
        }
        let scale = self.scale.max(other.scale);
        let left = scaled(self.mantissa, u32::from(scale - self.scale))
            .zip(scaled(other.mantissa, u32::from(scale - other.scale)))
            .and_then(|(a, b)| a.checked_rem(b));
        if let Some(left) = left.and_then(|left| Decimal::new(left, scale)) {
            return Ok(left);
        }
        let (_, left) = self.magnitude_at(scale).divided(&other.magnitude_at(scale));
        fit(self.mantissa < 0, left, u32::from(scale))
    }

    /// The quotient where one of the two is NaN or infinite.
    fn special_quotient(self, other: Decimal) -> Result<Option<Decimal>> {
        if self.is_nan() || other.is_nan() || (!self.is_finite() && !other.is_finite()) {
            return Ok(Some(Decimal::NAN));
        }
        match other.mantissa.cmp(&0) {
            Ordering::Equal => Err(division_by_zero()),
            _ if !other.is_finite() => Ok(Some(Decimal::ZERO)),
            _ if self.is_finite() => Ok(None),
            Ordering::Less => Ok(Some(self.negated())),
            Ordering::Greater => Ok(Some(self)),
        }
    }

    /// The quotient of numbers at this scale or, where that is too long, a smaller one.
    pub(super) fn quotient(self, other: Decimal, scale: i32) -> Result<Decimal> {
        let negative = (self.mantissa < 0) != (other.mantissa < 0);
        let up = scale + i32::from(other.scale) - i32::from(self.scale);
        let (up, down) = (up.max(0).unsigned_abs(), up.min(0).unsigned_abs());
        let small = 10_u128
            .checked_pow(up)
            .and_then(|factor| self.mantissa.unsigned_abs().checked_mul(factor));
        let divisor = other.mantissa.unsigned_abs();
        let rounded = match small.filter(|_| down == 0 && divisor > 0) {
            Some(dividend) => {
                let quotient = dividend / divisor;
                let over = (dividend % divisor).saturating_mul(2) >= divisor;
                Big::new(quotient + u128::from(over))
            }
            None => {
                let dividend = self.magnitude().times_pow10(up);
                dividend.divided_rounded(&other.magnitude().times_pow10(down))
            }
        };
        fit(negative, rounded, scale.max(0).unsigned_abs())
    }

    /// PostgreSQL's scale of a quotient: 16 significant digits at least, counted in groups of four,
    /// and no fewer digits after the point than either side has.
    fn quotient_scale(self, other: Decimal) -> i32 {
        let ((weight, first), (other_weight, other_first)) =
            (self.leading_group(), other.leading_group());
        let weight = weight - other_weight - i32::from(first <= other_first);
        (SIGNIFICANT_DIGITS_MIN - weight * 4)
            .max(i32::from(self.scale))
            .max(i32::from(other.scale))
            .clamp(0, RESULT_SCALE_MAX)
    }

    /// The exponent of ten of the first digit; `None` of 0.
    pub(super) fn leading_exponent(self) -> Option<i32> {
        let digits = self.mantissa.unsigned_abs().checked_ilog10()?;
        Some(i32::try_from(digits).unwrap_or(0) - i32::from(self.scale))
    }

    /// The first group of four digits, counted from the point, that is not 0, and its exponent of
    /// 10000; as PostgreSQL holds numbers.
    pub(super) fn leading_group(self) -> (i32, u32) {
        let Some(exponent) = self.leading_exponent() else {
            return (0, 0);
        };
        let weight = exponent.div_euclid(4);
        let digits = exponent.rem_euclid(4).unsigned_abs() + 1;
        let magnitude = self.mantissa.unsigned_abs();
        let have = magnitude.checked_ilog10().unwrap_or(0) + 1;
        let first = if have >= digits {
            magnitude / 10_u128.pow(have - digits)
        } else {
            magnitude * 10_u128.pow(digits - have)
        };
        (weight, u32::try_from(first).unwrap_or(0))
    }
}

fn division_by_zero() -> Error {
    Error::new(SqlState::DIVISION_BY_ZERO, "division by zero")
}
