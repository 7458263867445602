//! Puts references in the place of large values, and writes the values that are new to content.

use std::sync::Arc;

use futures_util::future::ready;
use varve_run::{ROW_BYTES_MAX, VECTOR_BYTES_MAX};
use varve_types::{
    Batch, Column, ColumnBuilder, ColumnRef, Json, LocalFuture, LogicalType, Pacer, Value,
};

use crate::content_tree::{TREE, bytes_at};
use crate::error::Result;
use crate::ids::Ids;
use crate::paced_run;
use crate::read::{no_references, number_at};
use crate::run::Run;
use crate::store::{OpenContent, PageSink, Store, hash_paced};
use crate::tree::Tree;

/// What a run keeps of a value that lies elsewhere: more than a zone map does.
const BEGINNING_BYTES: usize = 20;
/// What a row of content takes beside the value.
const ROW_BYTES_BESIDE: usize = 64;

/// No rows of content yet.
fn no_rows() -> [ColumnBuilder; 3] {
    [LogicalType::Int8, LogicalType::Bytea, LogicalType::Bytea].map(ColumnBuilder::new)
}

impl PageSink {
    /// Puts references in the place of the large values of some rows: `columns`, the stored columns
    /// of a tree, are followed by the references of its content-addressed ones. `given` are
    /// references that the rows have already; none, where it is empty. Boxed, so that it is
    /// compiled once for all who call it.
    pub(crate) fn refer<'a>(
        &'a mut self,
        tree: &'a Tree,
        columns: &'a mut Vec<ColumnRef>,
        given: &'a [ColumnRef],
        pacer: &'a mut Pacer,
    ) -> LocalFuture<'a, Result<()>> {
        if tree.content().is_empty() {
            return Box::pin(ready(Ok(())));
        }
        Box::pin(async move {
            for (at, stored) in tree.content().iter().enumerate() {
                let Some(column) = columns.get(*stored).cloned() else {
                    continue;
                };
                let bytes_min = tree.schema().options.content_bytes_min as usize;
                let (kept, references) = self
                    .refer_column(&column, given.get(at), bytes_min, pacer)
                    .await?;
                if let Some(slot) = columns.get_mut(*stored) {
                    *slot = kept;
                }
                columns.push(references);
            }
            Ok(())
        })
    }

    /// What a run keeps of a column, and its references.
    async fn refer_column(
        &mut self,
        column: &ColumnRef,
        given: Option<&ColumnRef>,
        bytes_min: usize,
        pacer: &mut Pacer,
    ) -> Result<(ColumnRef, ColumnRef)> {
        let rows = column.len();
        let given_at = |row| given.and_then(|given| number_at(given, row));
        let sizes = bytes_min..=ROW_BYTES_MAX - ROW_BYTES_BESIDE;
        let large_at = |row| bytes_at(column, row).filter(|value| sizes.contains(&value.len()));
        if !(0..rows).any(|row| large_at(row).is_some() && given_at(row).is_none()) {
            let none = || Arc::new(no_references(rows));
            let references = given.map_or_else(none, Arc::clone);
            return Ok((Arc::clone(column), references));
        }
        let ty = column.logical_type();
        let mut kept = ColumnBuilder::with_capacity(ty, rows);
        let mut references = ColumnBuilder::with_capacity(LogicalType::Int8, rows);
        for row in 0..rows {
            if let Some(number) = given_at(row) {
                kept.push_row(column, row);
                references.push(&Value::Int8(number));
                continue;
            }
            match large_at(row) {
                Some(value) => {
                    let number = self.number_of(value, pacer).await?;
                    push_beginning(&mut kept, column, row);
                    references.push(&Value::Int8(number));
                }
                None => {
                    kept.push_row(column, row);
                    references.push_null();
                }
            }
        }
        Ok((Arc::new(kept.finish()), Arc::new(references.finish())))
    }

    /// The number of a value, which is written where it is new.
    async fn number_of(&mut self, value: &[u8], pacer: &mut Pacer) -> Result<i64> {
        let hash = hash_paced(value, pacer).await;
        if let Some(number) = self.content.known(&hash) {
            return Ok(number);
        }
        let store = Arc::clone(&self.content.store);
        if self.content.asks_for_addresses() {
            store.read_addresses().await?;
        }
        if let Some(number) = self.content.take_published(&hash) {
            return Ok(number);
        }
        let number = Ids::next(&store.ids.row).cast_signed();
        let mut open = match self.content.open.take() {
            Some(open) => open,
            None => self.open_content(&store).await?,
        };
        let [numbers, hashes, values] = &mut open.pending;
        numbers.push(&Value::Int8(number));
        hashes.push_binary(&hash);
        values.push_binary(value);
        open.pending_bytes += value.len();
        if open.pending_bytes >= VECTOR_BYTES_MAX {
            self.write_content(&mut open, pacer).await?;
        }
        self.content.open = Some(open);
        self.content.add_own(hash, number);
        Ok(number)
    }

    async fn open_content(&mut self, store: &Arc<Store>) -> Result<OpenContent> {
        let tree = Arc::clone(&store.state().catalog.content);
        let run = self.new_run();
        Ok(OpenContent {
            run,
            writer: store.lasting_run(&tree, run).await?,
            pending: no_rows(),
            pending_bytes: 0,
        })
    }

    async fn write_content(&mut self, open: &mut OpenContent, pacer: &mut Pacer) -> Result<()> {
        let rows = core::mem::replace(&mut open.pending, no_rows());
        open.pending_bytes = 0;
        let columns = rows.map(|column| Arc::new(column.finish()));
        let count = columns.first().map_or(0, |column| column.len());
        open.writer.append(&Batch::new(columns.to_vec(), count))?;
        paced_run::encode(&mut open.writer, pacer).await?;
        self.put_values(open.run, open.writer.take_values()).await
    }

    /// Ends the run of content that is being written, if one is. What refers to it must be
    /// published with it, or after it.
    pub(crate) fn end_content(&mut self) -> LocalFuture<'_, Result<Option<Arc<Run>>>> {
        match self.content.open.take() {
            Some(open) => Box::pin(self.end_open_content(open)),
            None => Box::pin(ready(Ok(None))),
        }
    }

    async fn end_open_content(&mut self, mut open: OpenContent) -> Result<Option<Arc<Run>>> {
        let mut pacer = Pacer::new(&self.content.store.env);
        self.write_content(&mut open, &mut pacer).await?;
        let mut finished = paced_run::finish(open.writer, &mut pacer).await?;
        self.put_finished(&mut finished).await?;
        let run = Run::new(TREE, Arc::new(finished.head), finished.bytes);
        Ok(Some(Arc::new(run)))
    }
}

/// Adds what a run keeps of a value: so much that its zone map is that of the value.
fn push_beginning(kept: &mut ColumnBuilder, column: &Column, row: usize) {
    match (column.str_at(row), column.binary_at(row)) {
        (Some(text), _) => {
            let mut ends = (0..=BEGINNING_BYTES.min(text.len())).rev();
            let end = ends.find(|end| text.is_char_boundary(*end));
            kept.push_str(text.get(..end.unwrap_or(0)).unwrap_or_default());
        }
        // These have no bounds, and what they begin with is no value.
        (None, Some(_)) if column.logical_type() == LogicalType::Jsonb => {
            kept.push(&Value::json(&Json::Null));
        }
        (None, Some(bytes)) => {
            kept.push_binary(bytes.get(..BEGINNING_BYTES).unwrap_or(bytes));
        }
        (None, None) => kept.push_null(),
    }
}
