//! The range of keys that follows from tests of key columns.

use varve_types::{
    CompareOp, KeyRange, PredicateTest, Value, encode_ordered_key_value, key_prefix_end,
};

use crate::tree::Tree;

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
