//! Doubles as integers in the same order, so that one set of codecs serves both.

use varve_kernels::fold;

/// The integer of a double: a bijection on all bit patterns, NaN payloads and -0 included,
/// ascending as the doubles do.
#[inline]
pub fn integer_from_f64(number: f64) -> i64 {
    fold(number.to_bits().cast_signed())
}

/// The double of an integer.
#[inline]
pub fn f64_from_integer(integer: i64) -> f64 {
    f64::from_bits(fold(integer).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::{f64_from_integer, integer_from_f64};

    #[test]
    fn integers_keep_bits_and_order() {
        let ascending = [
            f64::NEG_INFINITY,
            -1.5,
            -f64::MIN_POSITIVE,
            -0.0,
            0.0,
            5e-324,
            1.0,
            f64::INFINITY,
            f64::NAN,
        ];
        let integers = ascending.map(integer_from_f64);
        assert!(integers.is_sorted_by(|a, b| a < b));
        for (integer, number) in integers.into_iter().zip(ascending) {
            assert_eq!(f64_from_integer(integer).to_bits(), number.to_bits());
        }
    }
}
