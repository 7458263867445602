//! What continuous aggregates have to know of changed rows: the range of their times, noted in the
//! commit of the change.
//!
//! Notes are only added, so writers never conflict with each other. From the line of an aggregate
//! on nothing is noted: whoever writes there relies on the line, and conflicts with what raises it.
//! A change of a table that an aggregate is joined with concerns all of its times.

use std::sync::Arc;

use varve_catalog::{Catalog, TableDef, TimeUnit, ViewDef};
use varve_store::Transaction;
use varve_types::{Batch, Column, Error, LogicalType, Result, RowPosition, Value};

use crate::write::chunks::time_values;
use crate::write::writer::{Writer, name_constraint};

/// Whether continuous aggregates read a table, so that changes of it are noted.
pub fn is_aggregated(catalog: &Catalog, table: &TableDef) -> bool {
    catalog.aggregates_of(table.object).next().is_some()
}

/// Notes rows that were or are about to be written to a table that aggregates read.
pub async fn note_rows(
    store: &mut Transaction,
    catalog: &Catalog,
    table: &TableDef,
    rows: &Batch,
) -> Result<()> {
    if rows.rows() == 0 {
        return Ok(());
    }
    let times = match table.time_column() {
        None => Vec::new(),
        Some((at, _)) => {
            let column = rows.physical_columns().get(at);
            let column = column.ok_or_else(|| Error::internal("rows without their time column"))?;
            time_values(column)?
        }
    };
    note_column(store, catalog, table, &times).await
}

/// Notes rows of a table that have these times.
async fn note_column(
    store: &mut Transaction,
    catalog: &Catalog,
    table: &TableDef,
    times: &[i64],
) -> Result<()> {
    for view in catalog.aggregates_of(table.object) {
        let Some(last) = times.iter().max().filter(|_| is_source(view, table)) else {
            note_all(store, catalog, view).await?;
            continue;
        };
        let Some(end) = end_of_notes(store, view, *last) else {
            continue;
        };
        let below = || times.iter().filter(|time| **time < end);
        if let (Some(first), Some(last)) = (below().min(), below().max()) {
            put_note(store, notes_of(catalog, view)?, (*first, *last)).await?;
        }
    }
    Ok(())
}

/// Notes that all rows of a table go.
pub async fn note_emptied(
    store: &mut Transaction,
    catalog: &Catalog,
    table: &TableDef,
) -> Result<()> {
    for view in catalog.aggregates_of(table.object) {
        note_all(store, catalog, view).await?;
    }
    Ok(())
}

/// Whether an aggregate is kept by the times of a table, which else is joined with its source.
fn is_source(view: &ViewDef, table: &TableDef) -> bool {
    let def = view.continuous.as_deref();
    def.is_some_and(|def| def.source == table.object)
}

/// Notes all times that the source of an aggregate has.
async fn note_all(store: &mut Transaction, catalog: &Catalog, view: &ViewDef) -> Result<()> {
    let source = view.continuous.as_deref().map(|def| def.source);
    let chunks = source.map_or(&[][..], |source| catalog.chunks_of(source));
    let first = chunks.first().map_or(i64::MAX, |chunk| chunk.start);
    let last = chunks
        .last()
        .map_or(i64::MAX, |chunk| chunk.end.saturating_sub(1));
    note_range(store, catalog, view, (first, last)).await
}

async fn note_range(
    store: &mut Transaction,
    catalog: &Catalog,
    view: &ViewDef,
    (first, last): (i64, i64),
) -> Result<()> {
    if let Some(end) = end_of_notes(store, view, last)
        && first < end
    {
        let range = (first, last.min(end.saturating_sub(1)));
        put_note(store, notes_of(catalog, view)?, range).await?;
    }
    Ok(())
}

/// The time from which on an aggregate needs no notes; `None` where it needs none at all. Rows up
/// to `last` rely on the line where it is not behind all of them.
fn end_of_notes(store: &Transaction, view: &ViewDef, last: i64) -> Option<i64> {
    let def = view.continuous.as_deref()?;
    let slack = def.bucket.slack();
    let is_below = |line: i64| last < line.saturating_sub(slack);
    if !def.line.is_some_and(is_below) {
        store.rely_on_object(view.object);
    }
    def.line.map(|line| line.saturating_add(slack))
}

fn notes_of<'c>(catalog: &'c Catalog, view: &ViewDef) -> Result<&'c TableDef> {
    let def = view.continuous.as_deref();
    let notes = def.and_then(|def| catalog.tables.get(&def.notes));
    notes
        .map(AsRef::as_ref)
        .ok_or_else(|| Error::internal("an aggregate without its notes"))
}

/// Adds a note to those of an aggregate.
pub async fn put_note(
    store: &mut Transaction,
    notes: &TableDef,
    (first, last): (i64, i64),
) -> Result<()> {
    let ty = notes.columns.first().map(|column| column.ty);
    let ty = ty.ok_or_else(|| Error::internal("notes without columns"))?;
    let column = |time| -> Result<Arc<Column>> {
        Ok(Arc::new(Column::constant(ty, &time_of(ty, time)?, 1)))
    };
    let columns = vec![column(first)?, column(last)?];
    let inserted = store.insert(notes.tree, &Batch::new(columns, 1)).await;
    inserted.map_err(|error| name_constraint(notes, None, error))
}

/// A time as a value, the nearest one that the type has.
fn time_of(ty: LogicalType, time: i64) -> Result<Value> {
    let time = match TimeUnit::of(ty) {
        Some(TimeUnit::Number(least, most)) => time.clamp(least, most),
        Some(TimeUnit::Day) => time.clamp(i64::from(i32::MIN), i64::from(i32::MAX)),
        _ => time,
    };
    Value::of_integer(ty, time).ok_or_else(|| Error::internal("a note without a time"))
}

impl Writer<'_> {
    /// Notes rows as they were, before they are changed or deleted.
    pub(super) async fn note_old(
        &mut self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<()> {
        if positions.is_empty() {
            return Ok(());
        }
        let store = &mut self.txn.store;
        let mut times = Vec::new();
        if let Some((at, _)) = table.time_column() {
            for batch in store.fetch(table.tree, positions, &[at]).await? {
                for column in batch.physical_columns() {
                    times.append(&mut time_values(column)?);
                }
            }
        }
        note_column(store, self.catalog, table, &times).await
    }
}
