//! Indexes of a table: what is known of them, the shape of their trees, and which of them a scan
//! uses.

use varve_types::{
    ColumnId, ColumnPredicate, CompareOp, IndexKey, IndexState, KeyColumn, KeyOrder, PredicateTest,
    SortKey, TreeColumn, TreeId, TreeSchema, Uniqueness, Value,
};

use crate::catalog::TableDef;
use crate::plan::{PushedPredicate, ScanNode};

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    /// The tree that holds its entries.
    pub tree: TreeId,
    /// Its name, as it was folded.
    pub name: String,
    /// Whether it belongs to a UNIQUE constraint.
    pub is_constraint: bool,
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
            PredicateTest::In(_) => Asked::Bounds,
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

/// The index that leaves out the most rows, by how many of its leading columns predicates fix.
/// `known` are the predicates that are ready to be compared with those of partial indexes.
pub fn choose_index<'a>(
    table: &'a TableDef,
    asked: &[(usize, Asked)],
    known: &[&ColumnPredicate],
    columns: &[usize],
    with_position: bool,
) -> Option<IndexChoice<'a>> {
    // Two for each leading column that is fixed, one for a range behind them.
    let score = |keys: &mut dyn Iterator<Item = usize>| {
        let mut score = 0;
        for key in keys {
            let asks = |wanted| {
                asked
                    .iter()
                    .any(|(column, asks)| *column == key && *asks == wanted)
            };
            if !asks(Asked::Equal) {
                return score + u32::from(asks(Asked::Bounds));
            }
            score += 2;
        }
        score
    };
    let by_table = score(&mut table.primary_key.iter().copied());
    let mut best: Option<(u32, IndexChoice<'a>)> = None;
    for index in &table.indexes {
        if index.is_building {
            continue;
        }
        if !index.predicate.iter().all(|test| known.contains(&test)) {
            continue;
        }
        let score = score(&mut index.keys.iter().map(|(column, _)| *column));
        let held = index.columns(table);
        let mut read = columns.iter().chain(asked.iter().map(|(column, _)| column));
        let covers = !with_position && read.all(|column| held.contains(column));
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
        let asked: Vec<(usize, Asked)> = self
            .predicates
            .iter()
            .map(|predicate| match predicate {
                PushedPredicate::Fixed(fixed) => (fixed.column, Asked::of(&fixed.test)),
                PushedPredicate::Compare { column, op, .. } => (*column, Asked::of_comparison(*op)),
            })
            .collect();
        let known: Vec<&ColumnPredicate> = self
            .predicates
            .iter()
            .filter_map(|predicate| match predicate {
                PushedPredicate::Fixed(fixed) => Some(fixed),
                PushedPredicate::Compare { .. } => None,
            })
            .collect();
        choose_index(table, &asked, &known, &self.columns, self.with_position)
    }
}
