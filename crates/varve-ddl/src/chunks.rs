//! Chunks of hypertables: those of rows that are there already, and those that are dropped.

use varve_catalog::{Catalog, Dropped, TableDef};
use varve_dml::chunks::time_values;
use varve_dml::{StatementTxn, Writer};
use varve_sort::VecMap;
use varve_store::Transaction;
use varve_types::{Error, Result, ScanSpec};

use crate::definer::Definer;

impl Definer<'_> {
    /// Makes the chunks of the rows that a new hypertable has.
    pub(crate) async fn chunks_of_rows(
        &self,
        txn: &mut StatementTxn,
        table: &TableDef,
    ) -> Result<()> {
        let (Some(hypertable), Some((at, _))) = (&table.hypertable, table.time_column()) else {
            return Ok(());
        };
        // Of each range that a chunk may have, one value.
        let mut found: VecMap<i64, i64> = VecMap::new();
        let mut scan = txn.store.scan(ScanSpec::of(table.tree, vec![at])).await?;
        while let Some(batch) = scan.next_batch().await? {
            self.cancel.check()?;
            for column in batch.compact().physical_columns() {
                for value in time_values(column)? {
                    found.insert(hypertable.partition().of(value), value);
                }
            }
        }
        drop(scan);
        let values: Vec<i64> = found.into_values().collect();
        let StatementTxn { store, chunks, .. } = txn;
        let now_us = self.context.locale.now_us;
        chunks.cover(store, &self.catalog.chunks, table, &values, now_us)
    }

    /// Deletes the rows of the chunks that are dropped, unless their tables go too.
    pub(crate) async fn empty_chunks(
        &self,
        txn: &mut StatementTxn,
        objects: &[Dropped],
    ) -> Result<()> {
        for object in objects {
            let Dropped::Chunk(chunk) = object else {
                continue;
            };
            let chunk = self.catalog.chunk(*chunk);
            let chunk = chunk.ok_or_else(|| Error::internal("a chunk is lost"))?;
            if objects.contains(&Dropped::Table(chunk.table)) {
                continue;
            }
            let table = self.catalog.tables.get(&chunk.table);
            let table = table.ok_or_else(|| Error::internal("a chunk without its hypertable"))?;
            let mut writer = Writer::new(self.catalog, txn, self.context, self.cancel, None);
            writer.empty_chunk(table, chunk).await?;
        }
        Ok(())
    }
}

/// Takes the chunks of a table out of the catalog.
pub(crate) fn forget_chunks(transaction: &mut Transaction, catalog: &Catalog, table: &TableDef) {
    for chunk in catalog.chunks_of(table.object) {
        transaction.delete_object(chunk.object);
    }
}
