//! Chunks of hypertables: those of rows that are there already, and those that are dropped.

use varve_catalog::{Catalog, Dropped, TableDef};
use varve_dml::{StatementTxn, Writer};
use varve_types::{Batch, Error, Result, ScanSpec};

use crate::definer::Definer;

impl Definer<'_> {
    /// Makes the chunks of the rows that a new hypertable has.
    pub(crate) async fn chunks_of_rows(
        &self,
        txn: &mut StatementTxn,
        table: &TableDef,
    ) -> Result<()> {
        let Some((at, _)) = table.time_column() else {
            return Ok(());
        };
        let shape = TableDef {
            columns: table.columns.get(at..=at).unwrap_or_default().to_vec(),
            ..table.clone()
        };
        let mut found: Vec<Batch> = Vec::new();
        let mut scan = txn.store.scan(ScanSpec::of(table.tree, vec![at])).await?;
        while let Some(batch) = scan.next_batch().await? {
            self.cancel.check()?;
            found.push(batch.compact());
        }
        drop(scan);
        let StatementTxn { store, chunks, .. } = txn;
        let now_us = self.context.locale.now_us;
        for batch in &found {
            chunks.make(store, &self.catalog.chunks, &shape, batch, now_us)?;
        }
        Ok(())
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
pub(crate) fn forget_chunks(
    transaction: &mut varve_store::Transaction,
    catalog: &Catalog,
    table: &TableDef,
) {
    for chunk in catalog.chunks_of(table.object) {
        transaction.delete_object(chunk.object);
    }
}
