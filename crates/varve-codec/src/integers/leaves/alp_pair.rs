//! The exponent and factor of ALP, and their choice: by block up to five pairs that suit its
//! vectors best, by vector the best of those, each on 32 values.
//!
//! A pair is weighed by the bits that a frame of reference would take over the sample, and 80 bits
//! for each value that does not come back. Of pairs that weigh the same the one with the greater
//! exponent is taken, then the one with the greater factor.

use crate::CodecError;
use crate::float::{f64_from_integer, integer_from_f64};

/// The most pairs that a block keeps.
const PAIRS_MAX: usize = 5;
/// Values of a vector that are looked at.
const SAMPLE: usize = 32;
/// Vectors of a block that are looked at.
const SAMPLE_VECTORS: usize = 8;
/// Bits of an exception.
const EXCEPTION_BITS: u64 = 64 + 16;
/// Pairs that weigh no less than the best are tried so often before the rest is left out.
const WORSE_MAX: u32 = 2;

const POWERS: [f64; 19] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18,
];
const INVERSES: [f64; 19] = [
    1e-0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14,
    1e-15, 1e-16, 1e-17, 1e-18,
];
const EXPONENT_MAX: u8 = 18;
/// Added to and taken from a double below 2^51 it leaves the nearest integer.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// A double stands as the integer nearest to `double * 10^exponent * 10^-factor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pair {
    pub(crate) exponent: u8,
    /// At most the exponent.
    pub(crate) factor: u8,
}

impl Pair {
    /// The number of the pair among all, as stored.
    pub(crate) fn code(self) -> u8 {
        let lesser: u8 = (1..=self.exponent).sum();
        lesser + self.factor
    }

    pub(crate) fn from_code(code: u8) -> Result<Pair, CodecError> {
        let mut factor = code;
        for exponent in 0..=EXPONENT_MAX {
            if factor <= exponent {
                return Ok(Pair { exponent, factor });
            }
            factor -= exponent + 1;
        }
        Err(CodecError::Malformed("exponent"))
    }

    /// The numbers to scale by.
    pub(crate) fn scaler(self) -> Scaler {
        let at = |table: &[f64; 19], i: u8| table.get(usize::from(i)).copied().unwrap_or(1.0);
        Scaler {
            power: at(&POWERS, self.exponent),
            inverse_factor: at(&INVERSES, self.factor),
            factor: 10_i64.wrapping_pow(u32::from(self.factor)),
            inverse: at(&INVERSES, self.exponent),
        }
    }
}

/// The four numbers of a pair. Multiplications are never fused, so that every machine gets the same
/// bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaler {
    power: f64,
    inverse_factor: f64,
    factor: i64,
    inverse: f64,
}

impl Scaler {
    /// The integer that may stand for a double.
    pub(crate) fn scaled_integer(self, double: f64) -> i64 {
        let scaled = double * self.power * self.inverse_factor;
        #[expect(
            clippy::cast_possible_truncation,
            reason = "what does not come back is an exception"
        )]
        let scaled_integer = (scaled + ROUNDING - ROUNDING) as i64;
        scaled_integer
    }

    /// The double that an integer stands for.
    pub(crate) fn double(self, scaled_integer: i64) -> f64 {
        scaled_integer.wrapping_mul(self.factor) as f64 * self.inverse
    }

    /// As [`Scaler::integer`] for every integer that is stored for a double; it rises as the
    /// integer does.
    pub(crate) fn rising_integer(self, scaled_integer: i64) -> i64 {
        integer_from_f64(scaled_integer.saturating_mul(self.factor) as f64 * self.inverse)
    }

    /// Replaces scaled integers by the integers of the doubles that they stand for.
    pub(crate) fn integers(self, scaled_integers: &mut [i64]) {
        varve_kernels::scale_to_integers(scaled_integers, self.factor, self.inverse);
    }

    /// The integer of that double.
    pub(crate) fn integer(self, scaled_integer: i64) -> i64 {
        integer_from_f64(self.double(scaled_integer))
    }

    /// The integer that stands for a double to the bit.
    fn exact(self, double: f64) -> Option<i64> {
        let scaled_integer = self.scaled_integer(double);
        (self.double(scaled_integer).to_bits() == double.to_bits()).then_some(scaled_integer)
    }
}

/// Up to five pairs for the vectors of a block, those that suit most vectors first. None when no
/// vector is smaller by any pair.
pub(crate) fn choose_for_block(vectors: &[&[i64]]) -> Vec<Pair> {
    let jump = vectors.len().div_ceil(SAMPLE_VECTORS).max(1);
    let mut counts: Vec<(usize, Pair)> = Vec::new();
    for vector in vectors.iter().step_by(jump) {
        let Some(pair) = choose_from_all(vector) else {
            continue;
        };
        match counts.iter_mut().find(|(_, counted)| *counted == pair) {
            Some((count, _)) => *count += 1,
            None => counts.push((1, pair)),
        }
    }
    varve_sort::sort_by(&mut counts, |a, b| b.cmp(a));
    counts.truncate(PAIRS_MAX);
    counts.into_iter().map(|(_, pair)| pair).collect()
}

/// The best pair for a vector by itself, if one does better than plain doubles.
pub(crate) fn choose_from_all(integers: &[i64]) -> Option<Pair> {
    let sample = sample(integers);
    let mut best = None;
    // What plain doubles take.
    let mut best_bits = sample.len() as u64 * 64;
    for exponent in (0..=EXPONENT_MAX).rev() {
        for factor in (0..=exponent).rev() {
            let pair = Pair { exponent, factor };
            match weigh(pair, &sample, best_bits) {
                Some((bits, held)) if bits < best_bits && held >= 2 => {
                    best = Some(pair);
                    best_bits = bits;
                }
                _ => {}
            }
        }
    }
    best
}

/// The best of the pairs of a block for one of its vectors.
pub(crate) fn choose_from(pairs: &[Pair], integers: &[i64]) -> Option<Pair> {
    let (first, others) = pairs.split_first()?;
    if others.is_empty() {
        return Some(*first);
    }
    let sample = sample(integers);
    let mut best = *first;
    let mut best_bits = weigh(*first, &sample, u64::MAX).map_or(u64::MAX, |(bits, _)| bits);
    let mut worse = 0;
    for pair in others {
        match weigh(*pair, &sample, best_bits) {
            Some((bits, _)) if bits < best_bits => {
                best = *pair;
                best_bits = bits;
                worse = 0;
            }
            _ => worse += 1,
        }
        if worse == WORSE_MAX {
            break;
        }
    }
    Some(best)
}

fn sample(integers: &[i64]) -> Vec<f64> {
    let step = (integers.len() / SAMPLE).max(1);
    let sample = integers.iter().step_by(step);
    sample.map(|integer| f64_from_integer(*integer)).collect()
}

/// The bits that the sample takes and how many of its values come back; `None` as soon as the
/// exceptions alone take more than `limit`.
fn weigh(pair: Pair, sample: &[f64], limit: u64) -> Option<(u64, u32)> {
    let scaler = pair.scaler();
    let (mut held, mut exceptions_bits) = (0, 0);
    let (mut min, mut max) = (i64::MAX, i64::MIN);
    for double in sample {
        match scaler.exact(*double) {
            Some(scaled_integer) => {
                held += 1;
                min = min.min(scaled_integer);
                max = max.max(scaled_integer);
            }
            None => {
                exceptions_bits += EXCEPTION_BITS;
                if exceptions_bits > limit {
                    return None;
                }
            }
        }
    }
    let span = if held == 0 {
        0
    } else {
        max.wrapping_sub(min).cast_unsigned()
    };
    let width = u64::from(64 - span.leading_zeros());
    Some((sample.len() as u64 * width + exceptions_bits, held))
}

#[cfg(test)]
mod tests {
    use super::{Pair, choose_for_block, choose_from, choose_from_all};
    use crate::integer_from_f64;

    #[test]
    fn codes_number_the_pairs() {
        let mut code = 0;
        for exponent in 0..=18 {
            for factor in 0..=exponent {
                let pair = Pair { exponent, factor };
                assert_eq!(pair.code(), code);
                assert_eq!(Pair::from_code(code), Ok(pair));
                code += 1;
            }
        }
        assert_eq!(code, 190);
        assert!((190..=255).all(|code| Pair::from_code(code).is_err()));
    }

    #[test]
    fn a_block_keeps_the_pairs_of_its_vectors() {
        let vector = |power: f64| -> Vec<i64> {
            let number = |i: u32| f64::from(i * 37 % 9973) / power;
            (0..1024).map(number).map(integer_from_f64).collect()
        };
        let (cents, tenths) = (vector(100.0), vector(10.0));
        let block: Vec<&[i64]> = (0..64)
            .map(|i| if i % 16 == 0 { &tenths } else { &cents })
            .map(Vec::as_slice)
            .collect();
        let pairs = choose_for_block(&block);
        assert_eq!(pairs.len(), 2);
        assert_eq!(
            choose_from_all(&cents),
            Some(Pair {
                exponent: 14,
                factor: 12
            })
        );
        for integers in [&cents, &tenths] {
            assert_eq!(choose_from(&pairs, integers), choose_from_all(integers));
        }
        assert_eq!(choose_for_block(&[&[integer_from_f64(f64::NAN); 9]]), []);
        assert_eq!(choose_from(&[], &cents), None);
    }
}
