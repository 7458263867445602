//! Carries ranges of integers back through a rising function from scaled integers, exactly.

use super::IntegerPredicate;

/// The scaled integers whose integer passes. `integer_of` never falls as its argument rises;
/// `guess` gives a scaled integer near those of an integer, and is only asked about integers that
/// lie between two of `integer_of`.
pub(super) fn scaled_integers_passing(
    predicate: &IntegerPredicate,
    integer_of: impl Fn(i64) -> i64,
    guess: impl Fn(i64) -> i64,
) -> IntegerPredicate {
    let (least, greatest) = (integer_of(i64::MIN), integer_of(i64::MAX));
    let ranges = predicate.ranges().iter().filter_map(|(min, max)| {
        if *max < least || *min > greatest {
            return None;
        }
        let first = match *min {
            min if min <= least => i64::MIN,
            min => first_at_least(min, &integer_of, guess(min)),
        };
        let last = match *max {
            max if max >= greatest => i64::MAX,
            max => first_at_least(max + 1, &integer_of, guess(max)).checked_sub(1)?,
        };
        Some((first, last))
    });
    IntegerPredicate::of_ranges(ranges.collect())
}

/// The least scaled integer whose integer is at least `integer`, which the greatest one's is.
fn first_at_least(integer: i64, integer_of: impl Fn(i64) -> i64, guess: i64) -> i64 {
    // One scaled integer below the answer and one at or above it, in strides that double.
    let (mut below, mut at_least) = (guess, guess);
    let mut stride = 1_i64;
    if integer_of(guess) >= integer {
        loop {
            below = at_least.saturating_sub(stride);
            if integer_of(below) < integer {
                break;
            }
            at_least = below;
            if below == i64::MIN {
                return i64::MIN;
            }
            stride = stride.saturating_mul(2);
        }
    } else {
        loop {
            at_least = below.saturating_add(stride);
            if at_least == i64::MAX || integer_of(at_least) >= integer {
                break;
            }
            below = at_least;
            stride = stride.saturating_mul(2);
        }
    }
    loop {
        let apart = at_least.wrapping_sub(below).cast_unsigned();
        if apart <= 1 {
            return at_least;
        }
        let middle = below.wrapping_add((apart / 2).cast_signed());
        if integer_of(middle) >= integer {
            at_least = middle;
        } else {
            below = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::scaled_integers_passing;
    use crate::compute::{Comparison, IntegerPredicate};
    use crate::{f64_from_integer, integer_from_f64};
    use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

    fn double() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            any::<i32>().prop_map(|cents| f64::from(cents) / 100.0),
            any::<i64>().prop_map(|scaled_integer| scaled_integer as f64 / 100.0),
        ]
    }

    proptest! {
        #[test]
        fn a_test_of_quotients_is_one_of_integers(
            constants in proptest::collection::vec(double(), 1..4),
            scaled_integers in proptest::collection::vec(any::<i64>(), 0..50),
            power in 0..16_i32,
        ) {
            let power = 10_f64.powi(power);
            let integer_of = |scaled_integer: i64| integer_from_f64(scaled_integer as f64 / power);
            let guess = |integer| (f64_from_integer(integer) * power) as i64;
            let mut near = scaled_integers;
            for constant in &constants {
                let at = (constant * power) as i64;
                near.extend((-3..4).map(|step| at.saturating_add(step)));
            }
            near.extend([i64::MIN, i64::MAX, 0, 1, -1]);
            for predicate in [
                IntegerPredicate::double(Comparison::Eq, constants[0]),
                IntegerPredicate::double(Comparison::Lt, constants[0]),
                IntegerPredicate::double(Comparison::GtEq, constants[0]),
                IntegerPredicate::double(Comparison::NotEq, constants[0]),
                IntegerPredicate::double_in(constants.iter().copied()),
            ] {
                let passing = scaled_integers_passing(&predicate, integer_of, guess);
                for scaled_integer in &near {
                    let integer = integer_of(*scaled_integer);
                    prop_assert_eq!(passing.contains(*scaled_integer), predicate.contains(integer));
                }
            }
        }
    }
}
