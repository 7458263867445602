//! `numeric`: an integer of up to 38 digits and a number of digits after the point, with
//! PostgreSQL's rules for the scale of results.
//!
//! Where an exact result has more than 38 digits, digits after the point are rounded away; where
//! those before the point are more, the answer is `22003`.

mod arithmetic;
mod big;
mod bytes;
mod data;
mod functions;
mod moments;
mod round;
mod text;

use core::cmp::Ordering;

use crate::{Error, SqlState};

pub use data::DecimalData;
pub use moments::{DecimalMoments, Variation};

/// A `numeric` value.
///
/// Equality of the struct is that of what is shown: `1.0` and `1.00` differ, [`Decimal::compare`]
/// finds them equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    mantissa: i128,
    scale: u8,
}

/// The most significant digits of a value.
pub const DECIMAL_DIGITS_MAX: u32 = 38;
/// The most digits after the point.
pub const DECIMAL_SCALE_MAX: u8 = 200;
/// Mantissas of numbers are below.
const LIMIT: i128 = 10_i128.pow(DECIMAL_DIGITS_MAX);
const NAN: i128 = i128::MAX;
const INFINITY: i128 = i128::MAX - 1;
const NEG_INFINITY: i128 = i128::MIN;

impl Decimal {
    /// 0
    pub const ZERO: Decimal = Decimal {
        mantissa: 0,
        scale: 0,
    };
    /// 1
    pub const ONE: Decimal = Decimal {
        mantissa: 1,
        scale: 0,
    };
    /// `NaN`
    pub const NAN: Decimal = Decimal {
        mantissa: NAN,
        scale: 0,
    };
    /// `Infinity`
    pub const INFINITY: Decimal = Decimal {
        mantissa: INFINITY,
        scale: 0,
    };
    /// `-Infinity`
    pub const NEG_INFINITY: Decimal = Decimal {
        mantissa: NEG_INFINITY,
        scale: 0,
    };

    /// `mantissa / 10^scale`; `None` where either is out of range.
    pub fn new(mantissa: i128, scale: u8) -> Option<Decimal> {
        let fits = -LIMIT < mantissa && mantissa < LIMIT && scale <= DECIMAL_SCALE_MAX;
        fits.then_some(Decimal { mantissa, scale })
    }

    /// What [`Decimal::mantissa`] and [`Decimal::scale`] gave, special values among them; other
    /// mantissas out of range are NaN.
    pub fn from_parts(mantissa: i128, scale: u8) -> Decimal {
        match mantissa {
            INFINITY => Decimal::INFINITY,
            NEG_INFINITY => Decimal::NEG_INFINITY,
            _ => Decimal::new(mantissa, scale).unwrap_or(Decimal::NAN),
        }
    }

    /// The value times ten to the scale. Those of NaN and the infinities lie outside of what
    /// numbers have, and sort among them as the values do.
    pub fn mantissa(self) -> i128 {
        self.mantissa
    }

    /// The digits after the point; 0 of NaN and the infinities.
    pub fn scale(self) -> u8 {
        self.scale
    }

    /// Whether it is a number: neither NaN nor infinite.
    pub fn is_finite(self) -> bool {
        -LIMIT < self.mantissa && self.mantissa < LIMIT
    }

    /// Whether it is NaN.
    pub fn is_nan(self) -> bool {
        self.mantissa == NAN
    }

    /// -1, 0 or 1; 1 of NaN.
    pub fn signum(self) -> i32 {
        match self.mantissa.cmp(&0) {
            Ordering::Less => -1,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        }
    }

    /// The order of values, whatever their scales. NaN equals itself and is above all others.
    pub fn compare(self, other: Decimal) -> Ordering {
        if self.scale == other.scale || !self.is_finite() || !other.is_finite() {
            return self.mantissa.cmp(&other.mantissa);
        }
        if self.scale > other.scale {
            return other.compare(self).reverse();
        }
        let up = u32::from(other.scale - self.scale);
        let scaled = 10_i128
            .checked_pow(up)
            .and_then(|factor| self.mantissa.checked_mul(factor));
        match scaled {
            Some(scaled) => scaled.cmp(&other.mantissa),
            None => self.signum().cmp(&0),
        }
    }

    /// The same value with the least scale that shows it.
    #[must_use]
    pub fn normalized(self) -> Decimal {
        let Decimal {
            mut mantissa,
            mut scale,
        } = self;
        while scale > 0 && mantissa % 10 == 0 {
            mantissa /= 10;
            scale -= 1;
        }
        Decimal { mantissa, scale }
    }

    /// `22003`: more digits before the point than there may be.
    pub fn overflow() -> Error {
        Error::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            "value overflows numeric format",
        )
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Decimal {
        Decimal {
            mantissa: i128::from(number),
            scale: 0,
        }
    }
}

impl From<i32> for Decimal {
    fn from(number: i32) -> Decimal {
        Decimal::from(i64::from(number))
    }
}

#[cfg(test)]
mod tests;
