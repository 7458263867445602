//! Sums of numbers and of their squares, exact, for variances.

use super::arithmetic::{RESULT_SCALE_MAX, SIGNIFICANT_DIGITS_MIN, fit};
use super::big::Big;
use super::{DECIMAL_SCALE_MAX, Decimal};
use crate::Result;

/// The count, the sum and the sum of squares of numerics.
#[derive(Clone, Debug, Default)]
pub struct DecimalMoments {
    count: u64,
    /// A NaN or an infinity was among them.
    is_special: bool,
    scale: u8,
    above: Big,
    below: Big,
    squares: Big,
}

/// Which of the measures of variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variation {
    /// Of a sample: divided by one less than the count.
    pub sample: bool,
    /// The root of the variance.
    pub root: bool,
}

impl DecimalMoments {
    /// Adds a number.
    pub fn add(&mut self, number: Decimal) {
        self.count += 1;
        if !number.is_finite() {
            self.is_special = true;
            return;
        }
        if number.scale() > self.scale {
            let up = u32::from(number.scale() - self.scale);
            self.above = self.above.times_pow10(up);
            self.below = self.below.times_pow10(up);
            self.squares = self.squares.times_pow10(2 * up);
            self.scale = number.scale();
        }
        let up = u32::from(self.scale - number.scale());
        let magnitude = number.magnitude().times_pow10(up);
        self.squares = self.squares.plus(&magnitude.times(&magnitude));
        let side = if number.mantissa() < 0 {
            &mut self.below
        } else {
            &mut self.above
        };
        *side = side.plus(&magnitude);
    }

    /// The variation with the digits that PostgreSQL gives; `None` of too few numbers.
    pub fn variation(&self, variation: Variation) -> Result<Option<Decimal>> {
        let least = u64::from(variation.sample);
        if self.count <= least {
            return Ok(None);
        }
        if self.is_special {
            return Ok(Some(Decimal::NAN));
        }
        let count = Big::new(u128::from(self.count));
        let sum = if self.above >= self.below {
            self.above.minus(&self.below)
        } else {
            self.below.minus(&self.above)
        };
        let (all, square) = (count.times(&self.squares), sum.times(&sum));
        if all <= square {
            return Ok(Some(Decimal::ZERO));
        }
        let numerator = all.minus(&square);
        let divisor = count.times(&Big::new(u128::from(self.count - least)));
        let own_scale = 2 * u32::from(self.scale);
        let scale = quotient_scale(&numerator, own_scale, &divisor);
        let dividend = numerator.times_pow10(scale.saturating_sub(own_scale));
        let variance = dividend.divided_rounded(&divisor);
        if !variation.root {
            return fit(false, variance, scale).map(Some);
        }
        // One digit more than is shown, to round by.
        let root = variance.times_pow10(scale + 2).square_root();
        fit(false, root.divided_rounded(&Big::new(10)), scale).map(Some)
    }

    /// Bytes that the sums take.
    pub fn memory_bytes(&self) -> usize {
        size_of::<DecimalMoments>()
            + self.above.memory_bytes()
            + self.below.memory_bytes()
            + self.squares.memory_bytes()
    }
}

/// As for quotients of numerics: the significant digits are counted in groups of four from the
/// point.
fn quotient_scale(numerator: &Big, scale: u32, divisor: &Big) -> u32 {
    let ((weight, first), (other_weight, other_first)) =
        (numerator.leading_group(scale), divisor.leading_group(0));
    let weight = weight - other_weight - i32::from(first <= other_first);
    let least = i32::try_from(scale).unwrap_or(RESULT_SCALE_MAX);
    let scale = (SIGNIFICANT_DIGITS_MIN - weight * 4).max(least);
    scale
        .clamp(0, 2 * i32::from(DECIMAL_SCALE_MAX))
        .unsigned_abs()
}
