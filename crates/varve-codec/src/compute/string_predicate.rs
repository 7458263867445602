//! Which strings pass a test: ascending ranges, by bytes.

use core::cmp::Ordering;

use super::Comparison;

/// The strings that pass a test. They compare by bytes, as in the collation `C`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringPredicate {
    ranges: Vec<StringRange>,
}

/// The strings from `start` up to `end`, which is past the last one; no end means all above.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StringRange {
    pub(super) start: Vec<u8>,
    pub(super) end: Option<Vec<u8>>,
}

impl StringPredicate {
    /// Strings that compare so with a constant.
    pub fn compare(comparison: Comparison, constant: &[u8]) -> StringPredicate {
        let before = || (Vec::new(), Some(constant.to_vec()));
        let after = || (constant.to_vec(), None);
        let through = || (Vec::new(), Some(next(constant)));
        let behind = || (next(constant), None);
        let ranges = match comparison {
            Comparison::Eq => vec![(constant.to_vec(), Some(next(constant)))],
            Comparison::NotEq => vec![before(), behind()],
            Comparison::Lt => vec![before()],
            Comparison::LtEq => vec![through()],
            Comparison::Gt => vec![behind()],
            Comparison::GtEq => vec![after()],
        };
        StringPredicate::of_ranges(ranges)
    }

    /// Strings that equal one of these.
    pub fn any_of<'a>(constants: impl IntoIterator<Item = &'a [u8]>) -> StringPredicate {
        let constants = constants.into_iter();
        let ranges = constants.map(|constant| (constant.to_vec(), Some(next(constant))));
        StringPredicate::of_ranges(ranges.collect())
    }

    /// Strings that begin with this.
    pub fn prefix(prefix: &[u8]) -> StringPredicate {
        // The next string that does not begin so has the last byte that can rise, raised.
        let rises = prefix.iter().rposition(|byte| *byte < u8::MAX);
        let end = rises.and_then(|at| {
            let mut end = prefix.get(..=at)?.to_vec();
            let last = end.last_mut()?;
            *last += 1;
            Some(end)
        });
        StringPredicate::of_ranges(vec![(prefix.to_vec(), end)])
    }

    /// What passes both tests.
    #[must_use]
    pub fn and(&self, other: &StringPredicate) -> StringPredicate {
        let mut both = Vec::new();
        for a in &self.ranges {
            for b in &other.ranges {
                let end = match (&a.end, &b.end) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (end, None) | (None, end) => end.as_ref(),
                };
                both.push(((&a.start).max(&b.start).clone(), end.cloned()));
            }
        }
        StringPredicate::of_ranges(both)
    }

    /// Whether a string passes.
    pub fn contains(&self, string: &[u8]) -> bool {
        self.contains_by(|bound| string.cmp(bound))
    }

    /// Whether a string passes that `compare` tells the order of to another.
    pub(super) fn contains_by(&self, compare: impl Fn(&[u8]) -> Ordering) -> bool {
        let not_below = |range: &StringRange| compare(&range.start).is_ge();
        let below_end = |range: &StringRange| {
            let end = range.end.as_deref();
            end.is_none_or(|end| compare(end).is_lt())
        };
        let range = match self.ranges.as_slice() {
            [range] => Some(range),
            ranges => ranges.get(ranges.partition_point(|range| !below_end(range))),
        };
        range.is_some_and(|range| not_below(range) && below_end(range))
    }

    /// The only string that passes, if there is just one.
    pub(super) fn only(&self) -> Option<&[u8]> {
        match self.ranges.as_slice() {
            [
                StringRange {
                    start,
                    end: Some(end),
                },
            ] => {
                let (last, front) = end.split_last()?;
                (*last == 0 && front == start).then_some(start)
            }
            _ => None,
        }
    }

    pub(super) fn ranges(&self) -> &[StringRange] {
        &self.ranges
    }

    fn of_ranges(mut ranges: Vec<(Vec<u8>, Option<Vec<u8>>)>) -> StringPredicate {
        ranges.retain(|(start, end)| end.as_ref().is_none_or(|end| start < end));
        varve_sort::sort_by(&mut ranges, |a, b| a.0.cmp(&b.0));
        let mut joined: Vec<StringRange> = Vec::with_capacity(ranges.len());
        for (start, end) in ranges {
            match joined.last_mut() {
                Some(last) if last.end.as_ref().is_none_or(|end| start <= *end) => {
                    if let (Some(reached), Some(end)) = (&last.end, &end)
                        && end <= reached
                    {
                        continue;
                    }
                    if last.end.is_some() {
                        last.end = end;
                    }
                }
                _ => joined.push(StringRange { start, end }),
            }
        }
        StringPredicate { ranges: joined }
    }
}

/// The next string in the order of bytes.
fn next(string: &[u8]) -> Vec<u8> {
    let mut next = string.to_vec();
    next.push(0);
    next
}

#[cfg(test)]
mod tests {
    use super::StringPredicate;
    use crate::compute::Comparison;
    use proptest::prelude::{Strategy, prop_assert_eq, proptest};

    fn short() -> impl Strategy<Value = Vec<u8>> {
        let byte = proptest::sample::select(vec![0, 1, b'a', b'b', 254, 255]);
        proptest::collection::vec(byte, 0..4)
    }

    proptest! {
        #[test]
        fn strings_are_tested_by_bytes(
            constants in proptest::collection::vec(short(), 1..5),
            strings in proptest::collection::vec(short(), 0..40),
        ) {
            let constant = &constants[0];
            let compare = |comparison| StringPredicate::compare(comparison, constant);
            let any = StringPredicate::any_of(constants.iter().map(Vec::as_slice));
            for string in strings.iter().chain(&constants) {
                let cases = [
                    (compare(Comparison::Eq), string == constant),
                    (compare(Comparison::NotEq), string != constant),
                    (compare(Comparison::Lt), string < constant),
                    (compare(Comparison::LtEq), string <= constant),
                    (compare(Comparison::Gt), string > constant),
                    (compare(Comparison::GtEq), string >= constant),
                    (StringPredicate::prefix(constant), string.starts_with(constant)),
                    (any.clone(), constants.contains(string)),
                ];
                for (predicate, passes) in &cases {
                    prop_assert_eq!(predicate.contains(string), *passes, "{:?}", predicate);
                    for (other, also) in &cases {
                        prop_assert_eq!(predicate.and(other).contains(string), *passes && *also);
                    }
                }
            }
            let (equal, other) = (compare(Comparison::Eq), compare(Comparison::NotEq));
            prop_assert_eq!(equal.only(), Some(constant.as_slice()));
            prop_assert_eq!(other.only(), None);
        }
    }
}
