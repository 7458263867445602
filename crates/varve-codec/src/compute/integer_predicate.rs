//! Which integers pass a test: ascending ranges.

use crate::float::integer_from_f64;

/// An operator between a value and a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Eq,
    /// `<>`
    NotEq,
    /// `<`
    Lt,
    /// `<=`
    LtEq,
    /// `>`
    Gt,
    /// `>=`
    GtEq,
}

/// The integers that pass a test, for all kinds of integers.
///
/// Doubles compare as in SQL: -0 equals 0, every NaN equals every other and is above all numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerPredicate {
    /// Least and greatest integer of each range; ascending, with at least one integer between two.
    ranges: Vec<(i64, i64)>,
}

/// The integers of negative and positive infinity; NaNs lie outside.
pub(super) const INFINITIES: (i64, i64) = (
    0xfff0_0000_0000_0000_u64.cast_signed() ^ i64::MAX,
    0x7ff0_0000_0000_0000,
);

impl IntegerPredicate {
    /// Integers that compare so with a constant.
    pub fn integer(comparison: Comparison, constant: i64) -> IntegerPredicate {
        let less = constant.checked_sub(1).map(|max| (i64::MIN, max));
        IntegerPredicate::compare(comparison, less, &[(constant, constant)])
    }

    /// Integers that are one of these.
    pub fn integer_in(constants: impl IntoIterator<Item = i64>) -> IntegerPredicate {
        IntegerPredicate::of_ranges(
            constants
                .into_iter()
                .map(|integer| (integer, integer))
                .collect(),
        )
    }

    /// Doubles that compare so with a constant.
    pub fn double(comparison: Comparison, constant: f64) -> IntegerPredicate {
        let equal = equal_doubles(constant);
        let less = match equal.as_slice() {
            [(first, _)] => (INFINITIES.0, first.saturating_sub(1)),
            _ => INFINITIES,
        };
        IntegerPredicate::compare(comparison, Some(less), &equal)
    }

    /// Doubles that equal one of these.
    pub fn double_in(constants: impl IntoIterator<Item = f64>) -> IntegerPredicate {
        let ranges = constants.into_iter().flat_map(equal_doubles);
        IntegerPredicate::of_ranges(ranges.collect())
    }

    /// What passes both tests.
    #[must_use]
    pub fn and(&self, other: &IntegerPredicate) -> IntegerPredicate {
        let mut both = self.complement().ranges;
        both.append(&mut other.complement().ranges);
        IntegerPredicate::of_ranges(both).complement()
    }

    /// Whether an integer passes.
    pub fn contains(&self, integer: i64) -> bool {
        let at = self.ranges.partition_point(|range| range.1 < integer);
        self.ranges.get(at).is_some_and(|range| range.0 <= integer)
    }

    /// Integers in any ranges; those whose ends are swapped are empty.
    pub(crate) fn of_ranges(mut ranges: Vec<(i64, i64)>) -> IntegerPredicate {
        ranges.retain(|range| range.0 <= range.1);
        varve_sort::sort(&mut ranges);
        ranges.dedup_by(|next, range| {
            let joined = next.0 <= range.1.saturating_add(1);
            if joined {
                range.1 = range.1.max(next.1);
            }
            joined
        });
        IntegerPredicate { ranges }
    }

    pub(crate) fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    pub(super) fn complement(&self) -> IntegerPredicate {
        let mut ranges = Vec::with_capacity(self.ranges.len() + 1);
        let mut start = Some(i64::MIN);
        for (min, max) in &self.ranges {
            if let (Some(start), Some(end)) = (start, min.checked_sub(1)) {
                ranges.push((start, end));
            }
            start = max.checked_add(1);
        }
        ranges.extend(start.map(|start| (start, i64::MAX)));
        IntegerPredicate::of_ranges(ranges)
    }

    fn compare(
        comparison: Comparison,
        less: Option<(i64, i64)>,
        equal: &[(i64, i64)],
    ) -> IntegerPredicate {
        let less = || less.into_iter();
        let equal = || equal.iter().copied();
        let of = |ranges: Vec<(i64, i64)>| IntegerPredicate::of_ranges(ranges);
        match comparison {
            Comparison::Eq => of(equal().collect()),
            Comparison::NotEq => of(equal().collect()).complement(),
            Comparison::Lt => of(less().collect()),
            Comparison::LtEq => of(less().chain(equal()).collect()),
            Comparison::Gt => of(less().chain(equal()).collect()).complement(),
            Comparison::GtEq => of(less().collect()).complement(),
        }
    }
}

/// The integers of all doubles that SQL calls equal to this one.
fn equal_doubles(number: f64) -> Vec<(i64, i64)> {
    if number.is_nan() {
        return vec![(i64::MIN, INFINITIES.0 - 1), (INFINITIES.1 + 1, i64::MAX)];
    }
    if number == 0.0 {
        return vec![(integer_from_f64(-0.0), integer_from_f64(0.0))];
    }
    vec![(integer_from_f64(number), integer_from_f64(number))]
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering;

    use super::{Comparison, IntegerPredicate};
    use crate::integer_from_f64;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const ALL: [Comparison; 6] = [
        Comparison::Eq,
        Comparison::NotEq,
        Comparison::Lt,
        Comparison::LtEq,
        Comparison::Gt,
        Comparison::GtEq,
    ];

    fn holds(comparison: Comparison, ordering: Ordering) -> bool {
        match comparison {
            Comparison::Eq => ordering.is_eq(),
            Comparison::NotEq => ordering.is_ne(),
            Comparison::Lt => ordering.is_lt(),
            Comparison::LtEq => ordering.is_le(),
            Comparison::Gt => ordering.is_gt(),
            Comparison::GtEq => ordering.is_ge(),
        }
    }

    #[test]
    fn doubles_compare_as_sql_does() {
        let negative_nan = f64::from_bits(f64::NAN.to_bits() | 1 << 63);
        let odd_nan = f64::from_bits(0x7ff0_0000_0000_0001);
        let doubles = [
            f64::NEG_INFINITY,
            f64::MIN,
            -1.5,
            -5e-324,
            -0.0,
            0.0,
            5e-324,
            2.25,
            f64::MAX,
            f64::INFINITY,
            f64::NAN,
            negative_nan,
            odd_nan,
        ];
        let order = |a: f64, b: f64| match (a.is_nan(), b.is_nan()) {
            (false, false) => a.partial_cmp(&b).unwrap(),
            (a, b) => a.cmp(&b),
        };
        for constant in doubles {
            for comparison in ALL {
                let predicate = IntegerPredicate::double(comparison, constant);
                for double in doubles {
                    assert_eq!(
                        predicate.contains(integer_from_f64(double)),
                        holds(comparison, order(double, constant)),
                        "{double} {comparison:?} {constant}"
                    );
                }
            }
            let either = IntegerPredicate::double_in([constant, 7.0]);
            for double in doubles {
                let passes = either.contains(integer_from_f64(double));
                assert_eq!(
                    passes,
                    order(double, constant).is_eq(),
                    "{double} {constant}"
                );
            }
        }
    }

    #[test]
    fn integers_compare_at_their_limits() {
        let scaled_integers = [i64::MIN, i64::MIN + 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        for constant in scaled_integers {
            for comparison in ALL {
                let predicate = IntegerPredicate::integer(comparison, constant);
                for scaled_integer in scaled_integers {
                    assert_eq!(
                        predicate.contains(scaled_integer),
                        holds(comparison, scaled_integer.cmp(&constant)),
                        "{scaled_integer} {comparison:?} {constant}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn ranges_join_cross_and_complement(
            a in proptest::collection::vec((-20..20_i64, -20..20_i64), 0..5),
            b in proptest::collection::vec(any::<(i8, i8)>(), 0..5),
        ) {
            let b: Vec<(i64, i64)> =
                b.into_iter().map(|(min, max)| (i64::from(min), i64::from(max))).collect();
            let within = |ranges: &[(i64, i64)], integer: i64| {
                ranges.iter().any(|(min, max)| (*min..=*max).contains(&integer))
            };
            let of = |ranges: &[(i64, i64)]| IntegerPredicate::of_ranges(ranges.to_vec());
            let both = of(&a).and(&of(&b));
            let either = IntegerPredicate::of_ranges([a.clone(), b.clone()].concat());
            for integer in -130..130 {
                prop_assert_eq!(both.contains(integer), within(&a, integer) && within(&b, integer));
                prop_assert_eq!(
                    either.contains(integer),
                    within(&a, integer) || within(&b, integer),
                );
            }
        }
    }
}
