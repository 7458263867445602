//! Chunks of hypertables: those that new rows need are made with them, and one that is dropped
//! takes its rows along.

use std::sync::Arc;

use varve_catalog::{ChunkDef, Chunks, TableDef, chunk_range, encode_chunk};
use varve_store::Transaction;
use varve_types::{
    Batch, ColumnData, ColumnPredicate, ColumnRef, CompareOp, Error, ObjectId, PredicateTest,
    Result, RowPosition, ScanSpec, Value,
};

use crate::read::rows::positions_of;
use crate::write::writer::Writer;

/// The chunks that a transaction has made, which the catalog of a running statement may lack.
#[derive(Default)]
pub struct MadeChunks(Vec<Arc<ChunkDef>>);

impl MadeChunks {
    /// Makes the chunks that rows of a table need and that there are not yet: none where it is no
    /// hypertable. The rows have a value in the time column.
    pub fn make(
        &mut self,
        store: &mut Transaction,
        chunks: &Chunks,
        table: &TableDef,
        rows: &Batch,
        now_us: i64,
    ) -> Result<()> {
        let Some((at, _)) = table.time_column() else {
            return Ok(());
        };
        let Some(column) = rows.physical_columns().get(at) else {
            return Err(Error::internal("rows without their time column"));
        };
        self.cover(store, chunks, table, &time_values(column)?, now_us)
    }

    /// As [`MadeChunks::make`], of rows that have these values in the time column.
    pub fn cover(
        &mut self,
        store: &mut Transaction,
        chunks: &Chunks,
        table: &TableDef,
        values: &[i64],
        now_us: i64,
    ) -> Result<()> {
        let Some(hypertable) = &table.hypertable else {
            return Ok(());
        };
        // A rollback to a savepoint may have undone some, or a statement dropped them.
        self.0.retain(|chunk| store.object(chunk.object).is_some());
        let own = self.0.iter().filter(|chunk| chunk.table == table.object);
        let mut known = Known {
            of_catalog: chunks.get(&table.object).map_or(&[], Vec::as_slice),
            made: own.map(Arc::clone).collect(),
            last: None,
        };
        for value in values.iter().copied() {
            match known.takes(value) {
                Took::Last => continue,
                Took::Another(chunk) => {
                    store.rely_on_object(chunk);
                    continue;
                }
                Took::None => {}
            }
            let (start, end) = chunk_range(value, hypertable.width, known.all());
            let chunk = Arc::new(ChunkDef {
                object: store.new_object_id(),
                table: table.object,
                hypertable: hypertable.number,
                number: self.next_number(chunks),
                start,
                end,
                made_us: now_us,
                is_compressed: false,
            });
            store.put_object(chunk.object, 1, encode_chunk(&chunk));
            self.0.push(Arc::clone(&chunk));
            known.made.push(chunk);
        }
        Ok(())
    }

    /// One more than the greatest number of a chunk.
    fn next_number(&self, chunks: &Chunks) -> u32 {
        let known = chunks.values().flatten().chain(&self.0);
        let greatest = known.map(|chunk| chunk.number).max();
        greatest.unwrap_or(0).saturating_add(1)
    }
}

/// The chunks of a table.
struct Known<'c> {
    of_catalog: &'c [Arc<ChunkDef>],
    /// Those that the transaction has made since.
    made: Vec<Arc<ChunkDef>>,
    /// The range that took the last value: rows come side by side.
    last: Option<(i64, i64)>,
}

/// Which chunk takes a value.
enum Took {
    /// That of the value before.
    Last,
    Another(ObjectId),
    None,
}

impl Known<'_> {
    fn all(&self) -> impl Iterator<Item = &ChunkDef> {
        self.of_catalog.iter().chain(&self.made).map(AsRef::as_ref)
    }

    fn takes(&mut self, value: i64) -> Took {
        if self
            .last
            .is_some_and(|(start, end)| value >= start && value < end)
        {
            return Took::Last;
        }
        let after = self
            .of_catalog
            .partition_point(|chunk| chunk.start <= value);
        let before = after.checked_sub(1).and_then(|at| self.of_catalog.get(at));
        let mut near = before.into_iter().chain(&self.made);
        let found = near.find(|chunk| chunk.covers(value));
        self.last = found.map(|chunk| (chunk.start, chunk.end));
        found.map_or(Took::None, |chunk| Took::Another(chunk.object))
    }
}

/// The values of a time column as chunks measure them.
pub fn time_values(column: &ColumnRef) -> Result<Vec<i64>> {
    match column.flatten().data() {
        ColumnData::Int64(values) => Ok(values.clone()),
        ColumnData::Int32(values) => Ok(values.iter().map(|value| i64::from(*value)).collect()),
        _ => Err(Error::internal("a time column of another type")),
    }
}

impl Writer<'_> {
    /// Deletes the rows of a chunk; no triggers are fired, but foreign keys hold.
    pub async fn empty_chunk(&mut self, table: &TableDef, chunk: &ChunkDef) -> Result<()> {
        let Some((at, _)) = table.time_column() else {
            return Err(Error::internal("a chunk of a table that is no hypertable"));
        };
        let is_referred_to = self.catalog.references_to(table.object).next().is_some();
        // The last value that there is belongs to the last range.
        if table.indexes.is_empty() && !is_referred_to && chunk.end < i64::MAX {
            let range = chunk.start..chunk.end;
            self.txn.store.delete_range(table.tree, range).await?;
            return Ok(());
        }
        let rows = self.rows_between(table, at, table.chunk_tests(chunk));
        let rows = rows.await?;
        self.delete_from_source(table, &rows).await?;
        self.settle().await
    }

    /// Deletes the rows whose values in a column pass tests; no triggers are fired.
    pub async fn delete_between(
        &mut self,
        table: &TableDef,
        at: usize,
        tests: Vec<(CompareOp, Value)>,
    ) -> Result<()> {
        let rows = self.rows_between(table, at, tests).await?;
        self.delete(table, &rows).await
    }

    async fn rows_between(
        &self,
        table: &TableDef,
        at: usize,
        tests: Vec<(CompareOp, Value)>,
    ) -> Result<Vec<RowPosition>> {
        let predicates = tests.into_iter().map(|(op, value)| ColumnPredicate {
            column: at,
            test: PredicateTest::Compare(op, value),
        });
        let spec = ScanSpec {
            predicates: predicates.collect(),
            with_position: true,
            ..ScanSpec::of(table.tree, Vec::new())
        };
        let mut positions = Vec::new();
        let mut scan = self.txn.store.scan(spec).await?;
        while let Some(batch) = scan.next_batch().await? {
            self.cancel.check()?;
            positions.append(&mut positions_of(&[batch.compact()], 0)?);
        }
        Ok(positions)
    }
}
