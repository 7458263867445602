//! Ranges of keys, and those that follow from tests of key columns.

use varve_types::{CompareOp, PredicateTest, Value, encode_ordered_key_value, key_prefix_end};

use crate::tree::Tree;

/// Keys from `from` up to, but without, `to`, as memcomparable bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyRange {
    /// The lowest key; `None`: no bound.
    pub from: Option<Vec<u8>>,
    /// The lowest key above; `None`: no bound.
    pub to: Option<Vec<u8>>,
}

impl KeyRange {
    /// The keys that begin with these bytes.
    pub fn prefix(bytes: Vec<u8>) -> KeyRange {
        KeyRange {
            to: key_prefix_end(&bytes),
            from: Some(bytes),
        }
    }

    /// Whether the range has no bounds.
    pub fn is_all(&self) -> bool {
        self.from.is_none() && self.to.is_none()
    }

    /// Whether the range holds any of the keys from `first` to `last`.
    pub(crate) fn meets(&self, first: &[u8], last: &[u8]) -> bool {
        self.from.as_deref().is_none_or(|from| from <= last)
            && self.to.as_deref().is_none_or(|to| first < to)
    }

    /// Whether it holds all of them.
    pub(crate) fn covers(&self, first: &[u8], last: &[u8]) -> bool {
        self.from.as_deref().is_none_or(|from| from <= first)
            && self.to.as_deref().is_none_or(|to| last < to)
    }

    /// The keys of both ranges.
    pub(crate) fn intersect(self, other: &KeyRange) -> KeyRange {
        KeyRange {
            // No bound is the lowest `from`, but the highest `to`.
            from: self.from.max(other.from.clone()),
            to: match (self.to, other.to.clone()) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            },
        }
    }
}

/// A range that holds every key of rows that pass: equalities of leading key columns, then bounds
/// of the next one.
pub(crate) fn range_of_tests(tree: &Tree, tests: &[(usize, PredicateTest)]) -> KeyRange {
    let mut prefix = Vec::new();
    for (at, stored) in tree.key().iter().enumerate() {
        let tests = || tests.iter().filter(|(column, _)| column == stored);
        let order = tree.order(at);
        let equal = tests().find_map(|(_, test)| match test {
            PredicateTest::Compare(CompareOp::Eq, value) => Some(value),
            PredicateTest::IsNull => Some(&Value::Null),
            _ => None,
        });
        let ty = tree.types().get(*stored).copied();
        let fits = |value: &Value| ty.is_some_and(|ty| value.is_of(ty));
        if let Some(value) = equal.filter(|value| fits(value)) {
            encode_ordered_key_value(value, order, &mut prefix);
            continue;
        }
        let mut range = KeyRange::prefix(prefix.clone());
        // No comparison accepts NULL, so it is left out on the open side too.
        let values = || KeyRange::prefix([prefix.as_slice(), &[1]].concat());
        for (_, test) in tests() {
            if *test == PredicateTest::IsNotNull {
                range = range.intersect(&values());
            }
            for (op, value) in bounds_of(test) {
                if value.is_null() || !fits(value) {
                    continue;
                }
                let op = if order.descending { op.flipped() } else { op };
                let mut start = prefix.clone();
                encode_ordered_key_value(value, order, &mut start);
                let end = key_prefix_end(&start);
                let bound = match op {
                    CompareOp::Gt => KeyRange {
                        from: end,
                        to: None,
                    },
                    CompareOp::GtEq => KeyRange {
                        from: Some(start),
                        to: None,
                    },
                    CompareOp::Lt => KeyRange {
                        from: None,
                        to: Some(start),
                    },
                    CompareOp::LtEq => KeyRange {
                        from: None,
                        to: end,
                    },
                    CompareOp::Eq | CompareOp::NotEq => KeyRange::default(),
                };
                range = range.intersect(&bound).intersect(&values());
            }
        }
        return if prefix.is_empty() && range.from.as_deref() == Some(&[]) {
            KeyRange {
                from: None,
                ..range
            }
        } else {
            range
        };
    }
    KeyRange::prefix(prefix)
}

/// Comparisons that hold for every value that passes.
fn bounds_of(test: &PredicateTest) -> Vec<(CompareOp, &Value)> {
    match test {
        PredicateTest::Compare(op, value) => vec![(*op, value)],
        PredicateTest::In(values) => {
            let by = |a: &&Value, b: &&Value| a.compare(b).unwrap_or(core::cmp::Ordering::Equal);
            let (lowest, highest) = (values.iter().min_by(by), values.iter().max_by(by));
            let bounds = [(CompareOp::GtEq, lowest), (CompareOp::LtEq, highest)];
            let known = bounds.into_iter();
            known.filter_map(|(op, value)| Some((op, value?))).collect()
        }
        PredicateTest::IsNull | PredicateTest::IsNotNull => Vec::new(),
    }
}
