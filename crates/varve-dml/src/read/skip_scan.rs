//! Reads the first row of each value of leading columns of an order, and skips the others: what
//! DISTINCT ON wants of a table that is sorted so, or has such an index.
//!
//! Each step seeks the first row behind the last value. A step takes as long as reading thousands
//! of rows, so that a table with many values is sorted after all.

use std::collections::VecDeque;

use varve_catalog::TableDef;
use varve_plan::{IndexChoice, OrderChoice};
use varve_store::Transaction;
use varve_types::{
    Batch, KeyOrder, KeyPart, KeyRange, Result, ScanSpec, Selection, TableScan, TreeId,
    encode_ordered_key_value, key_prefix_end,
};

use crate::read::index_scan::{IndexRead, IndexStream};
use crate::read::rows::positions_of;

/// So many steps are taken in any case.
const STEPS_MIN: u64 = 256;
/// A step is worth reading so many rows.
const STEP_ROWS: u64 = 4096;

/// What is skipped through: a table or an index.
struct Sorted {
    tree: TreeId,
    /// The columns of its key, positions in those of the tree.
    key: Vec<(usize, KeyOrder)>,
    /// What is read: positions in the columns of the tree.
    columns: Vec<usize>,
    /// Whether the positions of the rows are read in place of columns: of a table, whose other
    /// columns would be decoded in vain.
    by_position: bool,
}

/// The rows that are wanted; `None` where they are better sorted.
pub async fn read(
    transaction: &Transaction,
    table: &TableDef,
    spec: TableScan,
    choice: OrderChoice<'_>,
) -> Result<Option<IndexRead>> {
    if spec.with_position {
        return Ok(None);
    }
    let OrderChoice { index, reverse } = choice;
    let (sorted, covers) = match index {
        None => (of_table(table), true),
        Some(IndexChoice { index, covers }) => {
            let held = index.columns(table);
            let place = |column: usize| {
                let part = KeyPart::Column(column);
                held.iter().position(|held| *held == part)
            };
            let columns = match covers {
                true => spec.columns.iter().filter_map(|at| place(*at)).collect(),
                false => (index.keys.len()..).take(table.row_key().len()).collect(),
            };
            let orders = index.keys.iter().map(|(_, order)| *order);
            let sorted = Sorted {
                tree: index.tree,
                key: orders.enumerate().collect(),
                columns,
                by_position: false,
            };
            (sorted, covers)
        }
    };
    let rows = transaction.row_count(table.tree).unwrap_or(0);
    let steps_max = STEPS_MIN.max(rows / STEP_ROWS);
    let read = sorted.firsts(transaction, (spec.first_of, reverse), steps_max);
    Ok(match read.await? {
        None => None,
        Some(mut read) if sorted.by_position => {
            let positions = positions_of(read.make_contiguous(), 0)?;
            let rows = transaction.fetch(table.tree, &positions, &spec.columns);
            Some(IndexRead::Ready(rows.await?.into()))
        }
        Some(read) if covers => Some(IndexRead::Ready(read)),
        Some(read) => {
            let stream = IndexStream::of_entries(table, &spec, read)?;
            Some(IndexRead::Lookup(stream))
        }
    })
}

fn of_table(table: &TableDef) -> Sorted {
    Sorted {
        tree: table.tree,
        key: table.sort_columns(),
        columns: Vec::new(),
        by_position: true,
    }
}

impl Sorted {
    /// A row for each value of the first `count` columns of the key; `None` where they are too
    /// many.
    async fn firsts(
        &self,
        transaction: &Transaction,
        (count, reverse): (usize, bool),
        steps_max: u64,
    ) -> Result<Option<VecDeque<Batch>>> {
        let key: Vec<(usize, KeyOrder)> = self.key.iter().take(count).copied().collect();
        let width = self.columns.len();
        let columns = self.columns.iter().chain(key.iter().map(|(at, _)| at));
        let columns: Vec<usize> = columns.copied().collect();
        let mut range = KeyRange::default();
        let mut found = VecDeque::new();
        for _ in 0..steps_max {
            let spec = ScanSpec {
                ordered: true,
                reverse,
                limit_rows: Some(1),
                with_position: self.by_position,
                range: range.clone(),
                ..ScanSpec::of(self.tree, columns.clone())
            };
            let Some(row) = transaction.scan(spec).await?.next_batch().await? else {
                return Ok(Some(found));
            };
            let row = row.compact().select(&Selection::new(vec![0])).compact();
            let mut prefix = Vec::new();
            for (column, (_, order)) in row.physical_columns().iter().skip(width).zip(&key) {
                encode_ordered_key_value(&column.value(0), *order, &mut prefix);
            }
            if reverse {
                range.to = Some(prefix);
            } else {
                range.from = key_prefix_end(&prefix);
            }
            let values = row.physical_columns().iter();
            let values = match self.by_position {
                true => values.skip(key.len()).take(1).cloned().collect(),
                false => values.take(width).cloned().collect(),
            };
            found.push_back(Batch::new(values, 1));
            if !reverse && range.from.is_none() {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
