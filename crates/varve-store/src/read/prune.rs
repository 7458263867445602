//! Decides from statistics which runs, groups and vectors can hold rows that pass.

use varve_run::{GroupIndex, GroupInfo, RunHead, ZoneMap};
use varve_types::{PredicateTest, decode_ordered_key_value};

/// Tests of stored columns; a row passes if all hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tests(pub(crate) Vec<(usize, PredicateTest)>);

/// The same tests, by the positions of columns in one run. A column that the run lacks has none.
pub(crate) struct RunTests<'a> {
    tests: Vec<(usize, &'a PredicateTest)>,
    /// Whether all tests are among them.
    are_all: bool,
}

impl Tests {
    /// The tests that a run's statistics can answer; `position` tells where it keeps a stored
    /// column.
    pub(crate) fn of_run(&self, position: impl Fn(usize) -> Option<usize>) -> RunTests<'_> {
        let known = self.0.iter();
        let known = known.filter_map(|(column, test)| Some((position(*column)?, test)));
        let tests: Vec<_> = known.collect();
        RunTests {
            are_all: tests.len() == self.0.len(),
            tests,
        }
    }
}

impl RunTests<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.tests.is_empty()
    }

    /// Whether any row of the run may pass.
    pub(crate) fn may_match_run(&self, head: &RunHead) -> bool {
        let may_match = |(column, test): &(usize, &PredicateTest)| {
            let stats = head.stats().get(*column);
            stats.is_none_or(|stats| stats.zone.may_match(test))
        };
        self.tests.iter().all(may_match)
    }

    /// Whether any row of a group may pass, by its key range alone.
    pub(crate) fn may_match_group(&self, head: &RunHead, info: &GroupInfo) -> bool {
        let Some(leading) = head.key_columns().first() else {
            return true;
        };
        let Some(ty) = head.columns().get(*leading).map(|column| column.ty) else {
            return true;
        };
        let order = head.key_order(0);
        let value = |key: &[u8]| decode_ordered_key_value(ty, order, &mut &*key);
        let bounds = (value(&info.first_key), value(&info.last_key));
        let (Some(first), Some(last)) = bounds else {
            return true;
        };
        if first.is_null() || last.is_null() {
            // How many are NULL cannot be told.
            return true;
        }
        let (min, max) = if order.descending {
            (last, first)
        } else {
            (first, last)
        };
        let zone = ZoneMap {
            rows: u64::from(info.rows),
            null_count: 0,
            min: Some(min),
            max: Some(max),
            bounds_exact: true,
            sum: None,
        };
        self.tests
            .iter()
            .filter(|(column, _)| column == leading)
            .all(|(_, test)| zone.may_match(test))
    }

    /// Whether any row of a vector may pass.
    pub(crate) fn may_match_vector(&self, index: &GroupIndex, vector: usize) -> bool {
        let may_match = |(column, test): &(usize, &PredicateTest)| {
            let zone = index.zone(vector, *column);
            zone.is_none_or(|zone| zone.may_match(test))
        };
        self.tests.iter().all(may_match)
    }

    /// Whether every row of a vector passes all tests; true is certain.
    pub(crate) fn must_match_vector(&self, index: &GroupIndex, vector: usize) -> bool {
        let must_match = |(column, test): &(usize, &PredicateTest)| {
            let zone = index.zone(vector, *column);
            zone.is_some_and(|zone| zone.must_match(test))
        };
        self.are_all && self.tests.iter().all(must_match)
    }
}
