//! Carries ranges of words back through a rising function from integers, exactly.

use super::WordPredicate;

/// The integers whose word passes. `word_of` never falls as its argument rises; `guess` gives an
/// integer near those of a word, and is only asked about words that lie between two of `word_of`.
pub(super) fn integers_passing(
    predicate: &WordPredicate,
    word_of: impl Fn(i64) -> i64,
    guess: impl Fn(i64) -> i64,
) -> WordPredicate {
    let (least, greatest) = (word_of(i64::MIN), word_of(i64::MAX));
    let ranges = predicate.ranges().iter().filter_map(|(min, max)| {
        if *max < least || *min > greatest {
            return None;
        }
        let first = match *min {
            min if min <= least => i64::MIN,
            min => first_at_least(min, &word_of, guess(min)),
        };
        let last = match *max {
            max if max >= greatest => i64::MAX,
            max => first_at_least(max + 1, &word_of, guess(max)).checked_sub(1)?,
        };
        Some((first, last))
    });
    WordPredicate::of_ranges(ranges.collect())
}

/// The least integer whose word is at least `word`, which the greatest integer's is.
fn first_at_least(word: i64, word_of: impl Fn(i64) -> i64, guess: i64) -> i64 {
    // One integer below the answer and one at or above it, in strides that double.
    let (mut below, mut at_least) = (guess, guess);
    let mut stride = 1_i64;
    if word_of(guess) >= word {
        loop {
            below = at_least.saturating_sub(stride);
            if word_of(below) < word {
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
            if at_least == i64::MAX || word_of(at_least) >= word {
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
        if word_of(middle) >= word {
            at_least = middle;
        } else {
            below = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::integers_passing;
    use crate::compute::{Comparison, WordPredicate};
    use crate::{f64_from_word, word_from_f64};
    use proptest::prelude::{Strategy, any, prop_assert_eq, prop_oneof, proptest};

    fn double() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            any::<i32>().prop_map(|cents| f64::from(cents) / 100.0),
            any::<i64>().prop_map(|integer| integer as f64 / 100.0),
        ]
    }

    proptest! {
        #[test]
        fn a_test_of_quotients_is_one_of_integers(
            constants in proptest::collection::vec(double(), 1..4),
            integers in proptest::collection::vec(any::<i64>(), 0..50),
            power in 0..16_i32,
        ) {
            let power = 10_f64.powi(power);
            let word_of = |integer: i64| word_from_f64(integer as f64 / power);
            let guess = |word| (f64_from_word(word) * power) as i64;
            let mut near = integers;
            for constant in &constants {
                let at = (constant * power) as i64;
                near.extend((-3..4).map(|step| at.saturating_add(step)));
            }
            near.extend([i64::MIN, i64::MAX, 0, 1, -1]);
            for predicate in [
                WordPredicate::double(Comparison::Eq, constants[0]),
                WordPredicate::double(Comparison::Lt, constants[0]),
                WordPredicate::double(Comparison::GtEq, constants[0]),
                WordPredicate::double(Comparison::NotEq, constants[0]),
                WordPredicate::double_in(constants.iter().copied()),
            ] {
                let passing = integers_passing(&predicate, word_of, guess);
                for integer in &near {
                    let word = word_of(*integer);
                    prop_assert_eq!(passing.contains(*integer), predicate.contains(word));
                }
            }
        }
    }
}
