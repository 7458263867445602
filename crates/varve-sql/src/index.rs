//! Indexes of a table: what is known of them, the shape of their trees, and which of them a scan
//! uses.

use varve_types::{
    ColumnId, ColumnPredicate, CompareOp, IndexKey, IndexState, KeyColumn, KeyOrder, PredicateTest,
    SortKey, TreeColumn, TreeId, TreeSchema, Uniqueness, Value,
};

use crate::catalog::TableDef;
use crate::plan::{PushedPredicate, ScanNode};

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferral {
    /// After each statement.
    #[default]
    Never,
    /// After each statement, unless the transaction puts it off to its end.
    Deferrable,
    /// At the end of the transaction, unless that asks for it earlier.
    Deferred,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    /// The tree that holds its entries.
    pub tree: TreeId,
    /// Its name, as it was folded.
    pub name: String,
    /// Whether it belongs to a UNIQUE constraint, or to a PRIMARY KEY that can be deferred.
    pub is_constraint: bool,
    /// When its constraint is checked.
    pub deferral: Deferral,
    /// Whether it is being built: writes maintain it, nothing reads it.
    pub is_building: bool,
    /// What its keys must be.
    pub uniqueness: Uniqueness,
    /// Its key: positions in the table's columns and expressions, and their orders.
    pub keys: Vec<(usize, KeyOrder)>,
    /// Further columns that it holds, by position.
    pub include: Vec<usize>,
    /// Only rows that pass all of these have an entry.
    pub predicate: Vec<ColumnPredicate>,
}

impl IndexDef {
    /// The positions in the table's columns of the columns of an entry: the index's key, the key of
    /// the table, what is included. The number of columns stands for the hidden row id.
    pub fn columns(&self, table: &TableDef) -> Vec<usize> {
        let own = self.keys.iter().map(|(column, _)| *column);
        own.chain(table.row_key())
            .chain(self.include.iter().copied())
            .collect()
    }

    /// What the store needs to know of the index.
    pub fn tree_schema(&self, table: &TableDef) -> TreeSchema {
        let row_key = table.row_key();
        let orders = self.keys.iter().map(|(_, order)| *order);
        let orders = orders.chain(row_key.iter().map(|_| KeyOrder::default()));
        let column = |(id, position): (u32, usize)| TreeColumn {
            id: ColumnId(id),
            ty: table.type_at(position),
            nullable: true,
            missing: Value::Null,
        };
        TreeSchema {
            tree: self.tree,
            version: 1,
            columns: (1..).zip(self.columns(table)).map(column).collect(),
            key: SortKey::Index(IndexKey {
                of: table.tree,
                columns: orders
                    .enumerate()
                    .map(|(position, order)| KeyColumn { position, order })
                    .collect(),
                own_columns: self.keys.len(),
                uniqueness: self.uniqueness,
                state: if self.is_building {
                    IndexState::Building
                } else {
                    IndexState::Valid
                },
            }),
        }
    }
}

impl TableDef {
    /// Whether predicates name the primary keys of rows, which are then looked up.
    pub fn is_named_by_key(&self, asked: &[(usize, Asked)]) -> bool {
        let mut key = self.primary_key.iter();
        let named = |asks| matches!(asks, Asked::Equal | Asked::Points);
        let is_named = |at: &usize| {
            asked
                .iter()
                .any(|(column, asks)| column == at && named(*asks))
        };
        !self.primary_key.is_empty() && key.all(is_named)
    }

    /// The positions of what names a row: its primary key or, past all columns, the hidden row id.
    pub fn row_key(&self) -> Vec<usize> {
        if self.primary_key.is_empty() {
            vec![self.columns.len()]
        } else {
            self.primary_key.clone()
        }
    }
}

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
pub(crate) fn fixed_score(asked: &[(usize, Asked)], keys: &mut dyn Iterator<Item = usize>) -> u32 {
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
    asked: &[(usize, Asked)],
    known: &[&ColumnPredicate],
) -> u32 {
    let usable = table.indexes.iter().filter(|index| index.is_usable(known));
    let best = usable.map(|index| index.score(asked)).max();
    let by_table = fixed_score(asked, &mut table.primary_key.iter().copied());
    best.unwrap_or(0).max(by_table)
}

impl IndexDef {
    /// Whether it is built, and has an entry for every row that passes the known predicates.
    pub(crate) fn is_usable(&self, known: &[&ColumnPredicate]) -> bool {
        !self.is_building && self.predicate.iter().all(|test| known.contains(&test))
    }

    /// How well predicates fix its leading columns.
    pub(crate) fn score(&self, asked: &[(usize, Asked)]) -> u32 {
        fixed_score(asked, &mut self.keys.iter().map(|(column, _)| *column))
    }

    /// Whether its entries hold all that is read.
    pub(crate) fn covers(
        &self,
        table: &TableDef,
        asked: &[(usize, Asked)],
        columns: &[usize],
        with_position: bool,
    ) -> bool {
        let held = self.columns(table);
        let mut read = columns.iter().chain(asked.iter().map(|(column, _)| column));
        !with_position && read.all(|column| held.contains(column))
    }
}

/// The index that leaves out the most rows, by how many of its leading columns predicates fix.
/// `known` are the predicates that are ready to be compared with those of partial indexes.
pub fn choose_index<'a>(
    table: &'a TableDef,
    asked: &[(usize, Asked)],
    known: &[&ColumnPredicate],
    columns: &[usize],
    with_position: bool,
) -> Option<IndexChoice<'a>> {
    if table.is_named_by_key(asked) {
        return None;
    }
    let by_table = fixed_score(asked, &mut table.primary_key.iter().copied());
    let mut best: Option<(u32, IndexChoice<'a>)> = None;
    for index in table.indexes.iter().filter(|index| index.is_usable(known)) {
        let score = index.score(asked);
        let covers = index.covers(table, asked, columns, with_position);
        let better = best.as_ref().is_none_or(|(known, choice)| {
            score > *known || score == *known && covers && !choice.covers
        });
        if score > by_table && better {
            best = Some((score, IndexChoice { index, covers }));
        }
    }
    best.map(|(_, choice)| choice)
}

impl ScanNode {
    /// The index that the scan uses.
    pub fn index(&self) -> Option<IndexChoice<'_>> {
        let table = self.table.as_ref()?;
        let (asked, known) = (self.asked(), self.known());
        choose_index(table, &asked, &known, &self.columns, self.with_position)
    }

    /// What its predicates ask of columns.
    pub(crate) fn asked(&self) -> Vec<(usize, Asked)> {
        let asked = self.predicates.iter().map(|predicate| match predicate {
            PushedPredicate::Fixed(fixed) => (fixed.column, Asked::of(&fixed.test)),
            PushedPredicate::Compare { column, op, .. } => (*column, Asked::of_comparison(*op)),
            PushedPredicate::In { column, .. } => (*column, Asked::Points),
        });
        asked.collect()
    }

    /// Its predicates whose constants are known.
    pub(crate) fn known(&self) -> Vec<&ColumnPredicate> {
        let known = self
            .predicates
            .iter()
            .filter_map(|predicate| match predicate {
                PushedPredicate::Fixed(fixed) => Some(fixed),
                PushedPredicate::Compare { .. } | PushedPredicate::In { .. } => None,
            });
        known.collect()
    }
}
