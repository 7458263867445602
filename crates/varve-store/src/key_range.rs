//! The range of keys that follows from tests of key columns.

use varve_run::RunHead;
use varve_types::{
    CompareOp, KeyRange, PredicateTest, Value, encode_ordered_key_value, key_prefix_end,
};

use crate::partition::RunValues;
use crate::tree::Tree;

/// A range that holds every key of rows that pass: equalities of leading key columns, then bounds
/// of the next one.
pub(crate) fn range_of_tests(tree: &Tree, tests: &[(usize, PredicateTest)]) -> KeyRange {
    let (prefix, fixed) = fixed_prefix(tree, tests);
    let Some(stored) = tree.key().get(fixed) else {
        return KeyRange::prefix(prefix);
    };
    let tests = || tests.iter().filter(|(column, _)| column == stored);
    let order = tree.order(fixed);
    let ty = tree.types().get(*stored).copied();
    let fits = |value: &Value| ty.is_some_and(|ty| value.is_of(ty));
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
    if prefix.is_empty() && range.from.as_deref() == Some(&[]) {
        range.from = None;
    }
    range
}

/// The bytes of the leading key columns that tests fix, and how many columns those are.
pub(crate) fn fixed_prefix(tree: &Tree, tests: &[(usize, PredicateTest)]) -> (Vec<u8>, usize) {
    let mut prefix = Vec::new();
    for (at, stored) in tree.key().iter().enumerate() {
        let mut tests = tests.iter().filter(|(column, _)| column == stored);
        let equal = tests.find_map(|(_, test)| match test {
            PredicateTest::Compare(CompareOp::Eq, value) => Some(value),
            PredicateTest::IsNull => Some(&Value::Null),
            _ => None,
        });
        let ty = tree.types().get(*stored).copied();
        let fits = |value: &&Value| ty.is_some_and(|ty| value.is_of(ty));
        let Some(value) = equal.filter(fits) else {
            return (prefix, at);
        };
        encode_ordered_key_value(value, tree.order(at), &mut prefix);
    }
    (prefix, tree.key().len())
}

/// Keys between which all rows of a run lie that begin with a prefix of so many columns, where the
/// next column is the one by which rows are kept apart: so that the runs of partitions that are
/// read in its order need no merge.
pub(crate) fn range_in_run(
    tree: &Tree,
    (prefix, columns): (&[u8], usize),
    run: &RunHead,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let stored = tree.kept_apart()?.stored;
    if tree.key().get(columns) != Some(&stored) {
        return None;
    }
    let RunValues::Between {
        least,
        greatest,
        has_nulls: false,
    } = tree.values_of(run)
    else {
        return None;
    };
    let (ty, order) = (*tree.types().get(stored)?, tree.order(columns));
    let key = |integer| {
        let mut key = prefix.to_vec();
        encode_ordered_key_value(&Value::of_integer(ty, integer)?, order, &mut key);
        Some(key)
    };
    let (first, last) = match order.descending {
        true => (greatest, least),
        false => (least, greatest),
    };
    let mut last = key(last)?;
    // Whatever follows in a key is less than this.
    last.push(u8::MAX);
    Some((key(first)?, last))
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
