//! What tables held before a statement whose WITH changes them: all of its parts read that.

use varve_catalog::TableDef;
use varve_exec::ScanSource;
use varve_types::{Batch, Error, PartPredicate, Result, ScanSpec, Selection, TreeId, Value};

use crate::read::find::key_bytes;
use crate::read::row_filter::RowFilter;
use crate::read::rows::positions_of;
use crate::read::source::TransactionSource;

/// The rows of tables: all columns of a row, then its position.
#[derive(Default)]
pub struct Before(Vec<(TreeId, Vec<Batch>)>);

impl Before {
    /// Reads tables as they are now.
    pub async fn read(source: &TransactionSource<'_>, trees: &[TreeId]) -> Result<Before> {
        let mut tables = Vec::with_capacity(trees.len());
        for tree in trees {
            let mut known = source.catalog.tables.values();
            let table = known.find(|table| table.tree == *tree);
            let width = table.map_or(0, |table| table.columns.len());
            let spec = ScanSpec {
                with_position: true,
                ..ScanSpec::of(*tree, (0..width).collect())
            };
            let mut batches = Vec::new();
            let mut stream = source.scan(spec).await?;
            while let Some(batch) = stream.next().await? {
                batches.push(batch.compact());
            }
            tables.push((*tree, batches));
        }
        Ok(Before(tables))
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rows of a table; `None` for one that is read as it is.
    pub fn rows(&self, tree: TreeId) -> Option<&[Batch]> {
        let mut tables = self.0.iter();
        let (_, rows) = tables.find(|(known, _)| *known == tree)?;
        Some(rows)
    }
}

/// Some columns of the rows that pass tests. With their positions only those are given that are
/// still there: what the statement changed already is changed once.
pub async fn filtered(
    source: &TransactionSource<'_>,
    (table, rows): (&TableDef, &[Batch]),
    (columns, with_position): (&[usize], bool),
    predicates: &[PartPredicate],
) -> Result<Vec<Batch>> {
    let there = match with_position {
        true => Some(positions_now(source, table).await?),
        false => None,
    };
    let filter = RowFilter::new(table, columns, predicates.iter())?;
    let mut found = Vec::with_capacity(rows.len());
    for batch in rows {
        let mut batch = batch.clone();
        if let Some(there) = &there {
            let positions = positions_of(core::slice::from_ref(&batch), table.columns.len())?;
            let kept = (0_u32..).zip(positions);
            let kept = kept.filter(|(_, position)| there.binary_search(&position.0).is_ok());
            batch = batch
                .select(&Selection::new(kept.map(|(row, _)| row).collect()))
                .compact();
        }
        let all = batch.physical_columns();
        let position = with_position.then_some(table.columns.len());
        let wanted = filter.read.iter().copied().chain(position);
        let wanted = wanted.map(|at| all.get(at).cloned());
        let wanted: Option<Vec<_>> = wanted.collect();
        let wanted = wanted.ok_or_else(|| Error::internal("a column that was not kept"))?;
        let batch = filter.apply(Batch::new(wanted, batch.rows()))?.compact();
        if !batch.is_empty() {
            found.push(batch);
        }
    }
    Ok(found)
}

/// The rows with one of some primary keys.
pub async fn with_keys(
    source: &TransactionSource<'_>,
    (table, rows): (&TableDef, &[Batch]),
    read: (&[usize], bool),
    keys: &[Vec<Value>],
) -> Result<Vec<Batch>> {
    let keys = varve_sort::set_of(keys.iter().map(|key| key_bytes(key)));
    let mut chosen = Vec::new();
    for batch in rows {
        let columns = table.primary_key.iter();
        let columns: Vec<_> = columns
            .filter_map(|at| batch.physical_columns().get(*at))
            .collect();
        let is_wanted = |row: &u32| {
            let values = columns.iter().map(|column| column.value(*row as usize));
            keys.contains(&key_bytes(&values.collect::<Vec<Value>>()))
        };
        let selection = Selection::new(batch.row_numbers().filter(is_wanted).collect());
        chosen.push(batch.select(&selection).compact());
    }
    filtered(source, (table, &chosen), read, &[]).await
}

/// The positions of all rows that a table has now, ascending.
async fn positions_now(source: &TransactionSource<'_>, table: &TableDef) -> Result<Vec<u64>> {
    let scan = ScanSpec {
        with_position: true,
        ..ScanSpec::of(table.tree, Vec::new())
    };
    let mut scan = source.transaction.scan(scan).await?;
    let mut positions = Vec::new();
    while let Some(batch) = scan.next_batch().await? {
        let batch = batch.compact();
        let own = positions_of(core::slice::from_ref(&batch), 0)?;
        positions.extend(own.into_iter().map(|position| position.0));
    }
    positions.sort_unstable();
    Ok(positions)
}
