//! Roots, logarithms and powers with the scales that PostgreSQL chooses, computed with more digits
//! than are kept.

use super::Decimal;
use super::arithmetic::{RESULT_SCALE_MAX, SIGNIFICANT_DIGITS_MIN, fit};
use super::big::Big;
use crate::{Error, Result, SqlState};

/// Digits computed beyond those wanted.
const GUARD_DIGITS: u32 = 30;
/// PostgreSQL's, which is a little less than the nearest double.
#[expect(
    clippy::approx_constant,
    reason = "the digits that PostgreSQL computes with"
)]
const LOG10_E: f64 = 0.434_294_481_903_252;

/// A number with a fixed number of digits after the point, kept beside it.
#[derive(Clone, Debug)]
struct Fixed {
    negative: bool,
    magnitude: Big,
}

impl Fixed {
    fn plus(&self, other: &Fixed) -> Fixed {
        let (negative, magnitude) = if self.negative == other.negative {
            (self.negative, self.magnitude.plus(&other.magnitude))
        } else if self.magnitude >= other.magnitude {
            (self.negative, self.magnitude.minus(&other.magnitude))
        } else {
            (other.negative, other.magnitude.minus(&self.magnitude))
        };
        Fixed {
            negative,
            magnitude,
        }
    }
}

/// Twice the area tangent of `numerator / denominator`, with so many digits after the point.
fn log_series(numerator: &Big, denominator: &Big, digits: u32) -> Big {
    let one = Big::pow10(digits);
    let ratio = numerator.times(&one).divided(denominator).0;
    let square = ratio.times(&ratio).divided(&one).0;
    let (mut power, mut sum) = (ratio, Big::default());
    let mut odd = 1;
    while !power.is_zero() {
        sum = sum.plus(&power.divided_small(odd).0);
        power = power.times(&square).divided(&one).0;
        odd += 2;
    }
    sum.times_small(2)
}

fn ln_2(digits: u32) -> Big {
    log_series(&Big::new(1), &Big::new(3), digits)
}

fn ln_10(digits: u32) -> Big {
    let ln_5_4 = log_series(&Big::new(1), &Big::new(9), digits);
    ln_2(digits).times_small(3).plus(&ln_5_4)
}

/// The natural logarithm of a number above 0, with so many digits after the point.
fn ln_fixed(number: Decimal, digits: u32) -> Fixed {
    let exponent = number.leading_exponent().unwrap_or(0);
    let below = i32::from(number.scale()) + exponent;
    let below = u32::try_from(below).unwrap_or(0);
    // From 1 to 10, then from 2/3 to 4/3.
    let one = Big::pow10(digits);
    let mut leading = number
        .magnitude()
        .times_pow10(digits)
        .divided(&Big::pow10(below))
        .0;
    let mut halved = 0_u32;
    while leading.times_small(3) > one.times_small(4) {
        leading = leading.divided_small(2).0;
        halved += 1;
    }
    let sum = leading.plus(&one);
    let near = if leading >= one {
        Fixed {
            negative: false,
            magnitude: log_series(&leading.minus(&one), &sum, digits),
        }
    } else {
        Fixed {
            negative: true,
            magnitude: log_series(&one.minus(&leading), &sum, digits),
        }
    };
    let twos = Fixed {
        negative: false,
        magnitude: ln_2(digits).times_small(halved),
    };
    let tens = Fixed {
        negative: exponent < 0,
        magnitude: ln_10(digits).times_small(exponent.unsigned_abs()),
    };
    near.plus(&twos).plus(&tens)
}

/// e to a power with so many digits after the point, both of them.
fn exp_fixed(power: &Fixed, digits: u32) -> Big {
    let one = Big::pow10(digits);
    let (tens, rest) = power.magnitude.divided(&ln_10(digits));
    let (mut sum, mut term) = (one.clone(), one.clone());
    let mut n = 1;
    while !term.is_zero() {
        term = term.times(&rest).divided(&one).0.divided_small(n).0;
        sum = sum.plus(&term);
        n += 1;
    }
    let tens = tens.to_u128().and_then(|tens| u32::try_from(tens).ok());
    let tens = tens.unwrap_or(u32::MAX).min(10_000);
    if power.negative {
        let divisor = sum.times_pow10(tens);
        one.times(&one).divided(&divisor).0
    } else {
        sum.times_pow10(tens)
    }
}

/// `number` with `digits` after the point, rounded to `scale` of them: twice, as PostgreSQL has
/// but some digits beyond those.
fn finish(number: &Fixed, digits: u32, scale: i32) -> Result<Decimal> {
    const DIGITS_BEYOND: u32 = 8;
    let scale = scale.max(0).unsigned_abs();
    let beyond = digits.saturating_sub(scale).min(DIGITS_BEYOND);
    let drop = Big::pow10(digits.saturating_sub(scale + beyond));
    let had = number.magnitude.divided_rounded(&drop);
    fit(
        number.negative,
        had.divided_rounded(&Big::pow10(beyond)),
        scale,
    )
}

fn digits_for(scale: i32) -> u32 {
    scale
        .max(0)
        .unsigned_abs()
        .saturating_add(60 + GUARD_DIGITS)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "PostgreSQL's estimates cut doubles off, which saturates"
)]
fn cut(number: f64) -> i32 {
    number as i32
}

/// A rough logarithm to base 10 of a number above 0, without the platform's library: only how many
/// digits are shown hangs on it.
fn log10(number: Decimal) -> f64 {
    const DIGITS: u32 = 40;
    let ln = ln_fixed(number, DIGITS);
    let log = ln.magnitude.times_pow10(DIGITS).divided(&ln_10(DIGITS)).0;
    let log = Fixed {
        negative: ln.negative,
        magnitude: log,
    };
    to_double(&log, DIGITS)
}

fn to_double(number: &Fixed, digits: u32) -> f64 {
    let down = digits.saturating_sub(15);
    let kept = number.magnitude.divided(&Big::pow10(down)).0;
    fit(number.negative, kept, digits - down).map_or(f64::MAX, Decimal::to_f64)
}

/// PostgreSQL's estimate of the exponent of ten of a logarithm.
fn ln_exponent(number: Decimal) -> i32 {
    if number.signum() <= 0 {
        return 0;
    }
    let tenths = |tenths| Decimal::new(tenths, 1).unwrap_or(Decimal::ONE);
    if number.compare(tenths(9)).is_ge() && number.compare(tenths(11)).is_le() {
        let distance = number.minus(Decimal::ONE).ok();
        return distance.and_then(Decimal::leading_exponent).unwrap_or(0);
    }
    let ln = to_double(&ln_fixed(number, 30), 30).abs();
    Decimal::from_f64(ln).map_or(0, |ln| cut(log10(ln)))
}

fn significant(exponent: i32, least: [Decimal; 2]) -> i32 {
    let scales = least.map(|number| i32::from(number.scale()));
    (SIGNIFICANT_DIGITS_MIN - exponent)
        .max(scales.into_iter().max().unwrap_or(0))
        .clamp(0, RESULT_SCALE_MAX)
}

fn bad_logarithm(number: Decimal) -> Option<Error> {
    let what = match number.signum() {
        0 => "zero",
        -1 => "a negative number",
        _ => return None,
    };
    Some(Error::new(
        SqlState::INVALID_ARGUMENT_FOR_LOGARITHM,
        format!("cannot take logarithm of {what}"),
    ))
}

fn bad_power(message: &str) -> Error {
    Error::new(SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message)
}

impl Decimal {
    /// The square root; `2201F` of a negative number.
    pub fn square_root(self) -> Result<Decimal> {
        if self.is_nan() || self == Decimal::INFINITY {
            return Ok(self);
        }
        if self.signum() < 0 {
            return Err(bad_power("cannot take square root of a negative number"));
        }
        let (weight, _) = self.leading_group();
        let scale = significant((weight + 1) * 4 / 2 - 1, [self, self]);
        // One more digit is exact enough to round by: the root is cut off after it.
        let up = 2 * (scale + 1) - i32::from(self.scale());
        let (up, down) = (up.max(0).unsigned_abs(), up.min(0).unsigned_abs());
        let radicand = self.magnitude().times_pow10(up);
        let root = radicand.divided(&Big::pow10(down)).0.square_root();
        let rounded = root.divided_rounded(&Big::new(10));
        fit(false, rounded, scale.unsigned_abs())
    }

    /// e to this power.
    pub fn exponential(self) -> Result<Decimal> {
        match self {
            Decimal::NAN | Decimal::INFINITY => return Ok(self),
            Decimal::NEG_INFINITY => return Ok(Decimal::ZERO),
            _ => {}
        }
        let power = self.to_f64() * LOG10_E;
        let scale = significant(cut(power.clamp(-2000.0, 2000.0)), [self, self]);
        if power > 50.0 {
            return Err(Decimal::overflow());
        }
        let digits = digits_for(scale).max(u32::from(self.scale()));
        if power < -2.0 - f64::from(scale.max(0)) {
            let zero = Fixed {
                negative: false,
                magnitude: Big::new(0),
            };
            return finish(&zero, digits, scale);
        }
        let power = Fixed {
            negative: self.signum() < 0,
            magnitude: self
                .magnitude()
                .times_pow10(digits - u32::from(self.scale())),
        };
        let magnitude = exp_fixed(&power, digits);
        let result = Fixed {
            negative: false,
            magnitude,
        };
        finish(&result, digits, scale)
    }

    /// The natural logarithm; `2201E` of 0 and below.
    pub fn logarithm(self) -> Result<Decimal> {
        if let Some(error) = bad_logarithm(self) {
            return Err(error);
        }
        if !self.is_finite() {
            return Ok(self);
        }
        let scale = significant(ln_exponent(self), [self, self]);
        let digits = digits_for(scale);
        finish(&ln_fixed(self, digits), digits, scale)
    }

    /// The logarithm to a base.
    pub fn logarithm_to_base(self, base: Decimal) -> Result<Decimal> {
        if self.is_nan() || base.is_nan() {
            return Ok(Decimal::NAN);
        }
        if let Some(error) = bad_logarithm(base).or_else(|| bad_logarithm(self)) {
            return Err(error);
        }
        if !self.is_finite() || !base.is_finite() {
            return Ok(match (self.is_finite(), base.is_finite()) {
                (false, false) => Decimal::NAN,
                (true, false) => Decimal::ZERO,
                _ => Decimal::INFINITY,
            });
        }
        let exponent = ln_exponent(self) - ln_exponent(base);
        let scale = significant(exponent, [self, base]);
        let digits = digits_for(scale);
        let (above, below) = (ln_fixed(self, digits), ln_fixed(base, digits));
        if below.magnitude.is_zero() {
            let zero = Decimal::ZERO;
            return Decimal::ONE.divided_by(zero);
        }
        let quotient = above
            .magnitude
            .times_pow10(digits)
            .divided(&below.magnitude);
        let result = Fixed {
            negative: above.negative != below.negative,
            magnitude: quotient.0,
        };
        finish(&result, digits, scale)
    }

    /// This to a power; `2201F` where there is no such real number.
    pub fn power(self, exponent: Decimal) -> Result<Decimal> {
        let is_integer = exponent.is_finite() && exponent.normalized().scale() == 0;
        let is_odd = is_integer && exponent.normalized().mantissa() % 2 != 0;
        if self.signum() == 0 && exponent.signum() < 0 && !exponent.is_nan() {
            return Err(bad_power("zero raised to a negative power is undefined"));
        }
        if self.signum() < 0 && exponent.is_finite() && !is_integer {
            return Err(bad_power(
                "a negative number raised to a non-integer power yields a complex result",
            ));
        }
        if !self.is_finite() || !exponent.is_finite() {
            return Ok(self.special_power(exponent, is_odd));
        }
        let is_small = |exponent| i32::try_from(exponent).is_ok();
        let is_counted = is_integer && exponent.to_i64().is_some_and(is_small);
        if self.signum() == 0 && exponent.signum() > 0 && !is_counted {
            return Ok(Decimal::new(0, 16).unwrap_or(Decimal::ZERO));
        }
        let log = match self.signum() {
            0 => 0.0,
            _ => log10(self.absolute()) * exponent.to_f64(),
        };
        let scale = significant(cut(log.clamp(-2000.0, 2000.0)), [self, exponent]);
        let small = exponent.to_i64().filter(|_| is_integer);
        match small {
            Some(0) => {
                return fit(
                    false,
                    Big::pow10(scale.unsigned_abs()),
                    scale.unsigned_abs(),
                );
            }
            Some(1) => return self.rounded(scale),
            Some(-1) => return Decimal::ONE.quotient(self, scale),
            _ if self.signum() == 0 => {
                return fit(false, Big::default(), scale.unsigned_abs());
            }
            _ if log > 60.0 => return Err(Decimal::overflow()),
            _ if log < -1001.0 => return fit(false, Big::default(), 1000),
            _ => {}
        }
        // The digits before the point of the exponent multiply the error of the logarithm.
        let digits = digits_for(scale) + 40;
        let ln = ln_fixed(self.absolute(), digits);
        let product = ln.magnitude.times(&exponent.magnitude());
        let power = Fixed {
            negative: ln.negative != (exponent.signum() < 0),
            magnitude: product.divided(&Big::pow10(u32::from(exponent.scale()))).0,
        };
        let result = Fixed {
            negative: self.signum() < 0 && is_odd,
            magnitude: exp_fixed(&power, digits),
        };
        finish(&result, digits, scale)
    }

    /// Powers with NaN or an infinity, as in POSIX.
    fn special_power(self, exponent: Decimal, is_odd: bool) -> Decimal {
        let is_one = self.compare(Decimal::ONE).is_eq();
        if is_one || (exponent.is_finite() && exponent.signum() == 0) {
            return Decimal::ONE;
        }
        if self.is_nan() || exponent.is_nan() {
            return Decimal::NAN;
        }
        if exponent.is_finite() {
            return match (self.signum(), exponent.signum()) {
                (_, -1) => Decimal::ZERO,
                (-1, _) if is_odd => Decimal::NEG_INFINITY,
                _ => Decimal::INFINITY,
            };
        }
        match self.absolute().compare(Decimal::ONE) {
            core::cmp::Ordering::Equal => Decimal::ONE,
            above if above.is_gt() == (exponent.signum() > 0) => Decimal::INFINITY,
            _ => Decimal::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, log10};

    #[test]
    fn rough_logarithms() {
        let ten = Decimal::from(10);
        assert_eq!(log10(ten), 1.0);
        assert!((log10(ten.logarithm().unwrap()) - 0.362_215_688_699).abs() < 1e-9);
        assert_eq!(
            Decimal::ONE.logarithm().unwrap().to_string(),
            "0.0000000000000000"
        );
    }
}
