//! Which index of a table a scan uses.

use varve_catalog::model::index::IndexDef;
use varve_catalog::model::table::TableDef;
use varve_types::{CompareOp, KeyPart, PartPredicate, PredicateTest};

use crate::plan::{Plan, PushedPredicate, ScanNode};

/// What a predicate asks of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// One value.
    Equal,
    /// Several values.
    Points,
    /// A range of values.
    Bounds,
    /// Anything else.
    Other,
}

impl Asked {
    /// What a test asks.
    pub fn of(test: &PredicateTest) -> Asked {
        match test {
            PredicateTest::Compare(op, _) => Asked::of_comparison(*op),
            PredicateTest::IsNull => Asked::Equal,
            PredicateTest::In(_) => Asked::Points,
            PredicateTest::IsNotNull => Asked::Other,
        }
    }

    fn of_comparison(op: CompareOp) -> Asked {
        match op {
            CompareOp::Eq => Asked::Equal,
            CompareOp::NotEq => Asked::Other,
            _ => Asked::Bounds,
        }
    }
}

/// An index that a scan uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IndexChoice<'a> {
    /// The index.
    pub index: &'a IndexDef,
    /// Whether its entries hold all that is read.
    pub covers: bool,
}

/// How well predicates fix the leading columns of a key: two for each column that is fixed to one
/// or several values, one for a range behind them.
pub(crate) fn fixed_score(
    asked: &[(KeyPart, Asked)],
    keys: &mut dyn Iterator<Item = KeyPart>,
) -> u32 {
    let mut score = 0;
    for key in keys {
        let asks = |wanted| asked.contains(&(key, wanted));
        if !asks(Asked::Equal) && !asks(Asked::Points) {
            return score + u32::from(asks(Asked::Bounds));
        }
        score += 2;
    }
    score
}

/// The best score of the primary key and all indexes of a table.
pub(crate) fn best_score(
    table: &TableDef,
    asked: &[(KeyPart, Asked)],
    known: &[&PartPredicate],
) -> u32 {
    let usable = table.indexes.iter().filter(|index| is_usable(index, known));
    let best = usable.map(|index| score(index, asked)).max();
    let by_table = fixed_score(asked, &mut table.sort_parts());
    best.unwrap_or(0).max(by_table)
}

/// Whether it is built, and has an entry for every row that passes the known predicates.
pub(crate) fn is_usable(index: &IndexDef, known: &[&PartPredicate]) -> bool {
    !index.is_building && index.predicate.iter().all(|test| known.contains(&test))
}

/// How well predicates fix its leading columns.
pub(crate) fn score(index: &IndexDef, asked: &[(KeyPart, Asked)]) -> u32 {
    fixed_score(asked, &mut index.key_parts())
}

/// Whether its entries hold all that is read.
pub(crate) fn covers(
    table: &TableDef,
    index: &IndexDef,
    asked: &[(KeyPart, Asked)],
    columns: &[usize],
    with_position: bool,
) -> bool {
    let held = index.columns(table);
    let columns = columns.iter().copied().map(KeyPart::Column);
    let mut read = columns.chain(asked.iter().map(|(part, _)| *part));
    !with_position && read.all(|part| held.contains(&part))
}

/// Whether predicates name the primary keys of rows, which are then looked up.
pub fn is_named_by_key(table: &TableDef, asked: &[(KeyPart, Asked)]) -> bool {
    let mut key = table.key_parts();
    let named = |asks| matches!(asks, Asked::Equal | Asked::Points);
    let is_named = |key| {
        asked
            .iter()
            .any(|(part, asks)| *part == key && named(*asks))
    };
    !table.primary_key.is_empty() && key.all(is_named)
}

/// The index that leaves out the most rows, by how many of its leading columns predicates fix.
/// `known` are the predicates that are ready to be compared with those of partial indexes.
pub fn choose_index<'a>(
    table: &'a TableDef,
    asked: &[(KeyPart, Asked)],
    known: &[&PartPredicate],
    columns: &[usize],
    with_position: bool,
) -> Option<IndexChoice<'a>> {
    if is_named_by_key(table, asked) {
        return None;
    }
    let by_table = fixed_score(asked, &mut table.sort_parts());
    let mut best: Option<(u32, IndexChoice<'a>)> = None;
    for index in table.indexes.iter().filter(|index| is_usable(index, known)) {
        let score = score(index, asked);
        let covers = covers(table, index, asked, columns, with_position);
        let better = best.as_ref().is_none_or(|(known, choice)| {
            score > *known || score == *known && covers && !choice.covers
        });
        if score > by_table && better {
            best = Some((score, IndexChoice { index, covers }));
        }
    }
    best.map(|(_, choice)| choice)
}

impl Plan {
    /// Whether a partial index might be used if the constants were known that come as parameters.
    pub fn may_miss_partial_index(&self) -> bool {
        let mut may_miss = matches!(self, Plan::Scan(scan) if scan.may_miss_partial_index());
        self.for_each_input(&mut |input| may_miss = may_miss || input.may_miss_partial_index());
        may_miss
    }
}

impl ScanNode {
    fn may_miss_partial_index(&self) -> bool {
        let tables = self.table.iter();
        let mut tests =
            tables.flat_map(|table| table.indexes.iter().flat_map(|index| &index.predicate));
        tests.any(|test| {
            let mut predicates = self.predicates.iter();
            predicates.any(|predicate| match predicate {
                PushedPredicate::Fixed(_) => false,
                PushedPredicate::Compare { column, .. }
                | PushedPredicate::In { column, .. }
                | PushedPredicate::Prefix { column, .. } => *column == test.column,
            })
        })
    }

    /// The index that the scan uses.
    pub fn index(&self) -> Option<IndexChoice<'_>> {
        let table = self.table.as_ref()?;
        let (asked, known) = (self.asked(), self.known());
        choose_index(table, &asked, &known, &self.columns, self.with_position)
    }

    /// What its predicates ask of columns.
    pub(crate) fn asked(&self) -> Vec<(KeyPart, Asked)> {
        let asked = self.predicates.iter().map(|predicate| match predicate {
            PushedPredicate::Fixed(fixed) => (fixed.column, Asked::of(&fixed.test)),
            PushedPredicate::Compare { column, op, .. } => (*column, Asked::of_comparison(*op)),
            PushedPredicate::In { column, .. } => (*column, Asked::Points),
            // It may turn out to say nothing of the beginning: the reader asks again.
            PushedPredicate::Prefix { column, .. } => (*column, Asked::Bounds),
        });
        asked.collect()
    }

    /// Its predicates whose constants are known.
    pub(crate) fn known(&self) -> Vec<&PartPredicate> {
        let known = self
            .predicates
            .iter()
            .filter_map(|predicate| match predicate {
                PushedPredicate::Fixed(fixed) => Some(fixed),
                PushedPredicate::Compare { .. }
                | PushedPredicate::In { .. }
                | PushedPredicate::Prefix { .. } => None,
            });
        known.collect()
    }
}
