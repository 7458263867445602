//! Triggers: BEFORE a row is written it may be changed or left out; AFTER the statement its rows
//! are looked at again.
//!
//! A table without triggers is asked for them once a statement, and that is all.

use std::sync::Arc;

use varve_catalog::{Event, TableDef};
use varve_types::{Batch, ColumnBuilder, Result, RowPosition, Selection, Value};

use super::runner::{RowPair, Timing, Trigger};
use super::statement_txn::StatementTxn;
use super::writer::Writer;

/// Rows that were changed, for the triggers that come after.
pub struct Written {
    table: Arc<TableDef>,
    event: Event,
    assigned: Vec<usize>,
    old: Vec<Batch>,
    new: Vec<Batch>,
}

fn row_of(table: &TableDef, rows: &Batch, row: usize) -> Vec<Value> {
    let columns = rows.physical_columns().iter().take(table.columns.len());
    columns.map(|column| column.value(row)).collect()
}

pub(super) fn batch_of(table: &TableDef, rows: &[Vec<Value>]) -> Batch {
    let columns = table.columns.iter().enumerate().map(|(at, column)| {
        let mut builder = ColumnBuilder::with_capacity(column.ty, rows.len());
        for row in rows {
            builder.push(row.get(at).unwrap_or(&Value::Null));
        }
        Arc::new(builder.finish())
    });
    Batch::new(columns.collect(), rows.len())
}

/// Fires the triggers before a row is written; `None` where one of them leaves it out.
pub(super) async fn before_row(
    txn: &mut StatementTxn,
    triggers: &mut [Box<dyn Trigger + '_>],
    mut pair: RowPair,
) -> Result<Option<RowPair>> {
    for trigger in triggers {
        match trigger.before_row(txn, pair).await? {
            Some(changed) => pair = changed,
            None => return Ok(None),
        }
    }
    Ok(Some(pair))
}

impl Writer<'_> {
    fn has_triggers(&self, table: &TableDef) -> bool {
        !self.catalog.triggers_of(table.object).is_empty()
    }

    /// Rows that are to be inserted, after the triggers before them.
    pub async fn before_insert(
        &mut self,
        table: &TableDef,
        rows: Vec<Batch>,
    ) -> Result<Vec<Batch>> {
        let Some(runner) = self.runner.filter(|_| self.has_triggers(table)) else {
            return Ok(rows);
        };
        let mut triggers = runner.triggers(table, Event::Insert, Timing::BEFORE_ROW, &[])?;
        if triggers.is_empty() {
            return Ok(rows);
        }
        let mut changed = Vec::with_capacity(rows.len());
        for batch in rows {
            // What is generated is not yet there.
            let mut kept = Vec::with_capacity(batch.rows());
            for row in 0..batch.rows() {
                let pair = RowPair {
                    old: None,
                    new: Some(row_of(table, &batch, row)),
                };
                let pair = before_row(self.txn, &mut triggers, pair);
                kept.extend(pair.await?.and_then(|pair| pair.new));
            }
            changed.push(batch_of(table, &kept));
        }
        Ok(changed)
    }

    /// Rows that are to be updated, with what stands behind their columns, the columns that they
    /// differ in and their positions, after the triggers before them.
    pub async fn before_update_rows(
        &mut self,
        table: &TableDef,
        rows: Vec<Batch>,
        positions: Vec<RowPosition>,
        assigned: &[usize],
    ) -> Result<(Vec<Batch>, Vec<RowPosition>, Vec<usize>)> {
        let unchanged = assigned.to_vec();
        let Some(runner) = self.runner.filter(|_| self.has_triggers(table)) else {
            return Ok((rows, positions, unchanged));
        };
        let mut triggers = runner.triggers(table, Event::Update, Timing::BEFORE_ROW, assigned)?;
        if triggers.is_empty() {
            return Ok((rows, positions, unchanged));
        }
        let mut old = self.whole_rows(table, &positions).await?.into_iter();
        let mut places = positions.into_iter();
        let mut kept_positions = Vec::new();
        let mut changed = Vec::with_capacity(rows.len());
        for batch in rows {
            let mut numbers = Vec::new();
            let mut kept = Vec::new();
            for row in batch.row_numbers() {
                let (old, position) = (old.next(), places.next());
                let pair = RowPair {
                    old,
                    new: Some(row_of(table, &batch, row as usize)),
                };
                let pair = before_row(self.txn, &mut triggers, pair);
                if let Some(RowPair { new: Some(new), .. }) = pair.await? {
                    numbers.push(row);
                    kept.push(new);
                    kept_positions.extend(position);
                }
            }
            let behind = batch.select(&Selection::new(numbers)).compact();
            let behind = behind.physical_columns().iter().skip(table.columns.len());
            let own = batch_of(table, &kept);
            let columns = own.physical_columns().iter().chain(behind).map(Arc::clone);
            changed.push(Batch::new(columns.collect(), kept.len()));
        }
        // A trigger may have changed any column.
        let all = (0..table.columns.len()).collect();
        Ok((changed, kept_positions, all))
    }

    /// Which of the rows at some positions are to be deleted, after the triggers before them;
    /// `None` for all.
    pub async fn before_delete_rows(
        &mut self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Option<Vec<bool>>> {
        let Some(runner) = self.runner.filter(|_| self.has_triggers(table)) else {
            return Ok(None);
        };
        let mut triggers = runner.triggers(table, Event::Delete, Timing::BEFORE_ROW, &[])?;
        if triggers.is_empty() {
            return Ok(None);
        }
        let mut kept = Vec::with_capacity(positions.len());
        for old in self.whole_rows(table, positions).await? {
            let pair = RowPair {
                old: Some(old),
                new: None,
            };
            let pair = before_row(self.txn, &mut triggers, pair);
            kept.push(pair.await?.is_some());
        }
        Ok(Some(kept))
    }

    async fn whole_rows(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Vec<Vec<Value>>> {
        let batches = self.whole_batches(table, positions).await?;
        let rows = batches.iter().flat_map(|batch| {
            let rows = 0..batch.rows();
            rows.map(move |row| row_of(table, batch, row))
        });
        Ok(rows.collect())
    }

    async fn whole_batches(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Vec<Batch>> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let columns: Vec<usize> = (0..table.columns.len()).collect();
        Ok(self
            .txn
            .store
            .fetch(table.tree, positions, &columns)
            .await?)
    }

    /// Whether triggers come after an event.
    fn has_after(&self, table: &TableDef, event: Event, assigned: &[usize]) -> bool {
        self.runner.is_some()
            && (self.catalog.triggers_of(table.object).iter())
                .any(|def| !def.before && def.for_each_row && def.fires(event, table, assigned))
    }

    /// Keeps rows for the triggers after them: those at some positions as they are still, and new
    /// ones.
    pub async fn note_written(
        &mut self,
        table: &TableDef,
        event: Event,
        positions: &[RowPosition],
        new: &[Batch],
        assigned: &[usize],
    ) -> Result<()> {
        if !self.has_after(table, event, assigned) {
            return Ok(());
        }
        let Some(table) = self.catalog.tables.get(&table.object).cloned() else {
            return Ok(());
        };
        let old = self.whole_batches(&table, positions).await?;
        self.left.written.push(Written {
            table,
            event,
            assigned: assigned.to_vec(),
            old,
            new: new.to_vec(),
        });
        Ok(())
    }

    /// Fires the triggers after the rows that were written.
    pub async fn fire_after(&mut self) -> Result<()> {
        let Some(runner) = self.runner else {
            return Ok(());
        };
        for written in core::mem::take(&mut self.left.written) {
            let Written {
                table,
                event,
                assigned,
                old,
                new,
            } = written;
            let mut triggers = runner.triggers(&table, event, Timing::AFTER_ROW, &assigned)?;
            let rows = |batches: Vec<Batch>| {
                let table = Arc::clone(&table);
                batches.into_iter().flat_map(move |batch| {
                    let rows: Vec<Vec<Value>> = (0..batch.rows())
                        .map(|row| row_of(&table, &batch, row))
                        .collect();
                    rows
                })
            };
            let (mut old, mut new) = (rows(old), rows(new));
            loop {
                let pair = RowPair {
                    old: old.next(),
                    new: new.next(),
                };
                if pair.old.is_none() && pair.new.is_none() {
                    break;
                }
                for trigger in &mut triggers {
                    trigger.fire(self.txn, Some(&pair)).await?;
                }
            }
        }
        Ok(())
    }
}
