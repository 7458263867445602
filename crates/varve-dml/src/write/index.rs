//! Entries of indexes: what rows have, how changes of rows change them, and how a new index gets
//! them.
//!
//! Maintaining an index reads nothing. The entries of written rows are computed here; of rows that
//! are changed or deleted the old values are at hand. The store adds and deletes entries by key:
//! see the head of `varve-store/src/transaction/index.rs`.
//!
//! An index on an expression holds its value. Its conditions are pushed into the scan like those on
//! columns, and what an entry tells is not computed again. Where no index is read, `row_filter.rs`
//! evaluates the expression.

use std::sync::Arc;

use varve_catalog::{IndexDef, TableDef, encode_table, renumbered};
use varve_expr::{Enums, Expr, evaluate};
use varve_store::{BulkLoad, InsertError, Transaction};
use varve_types::meter::Cancel;
use varve_types::{
    Batch, Column, Error, KeyRange, LogicalType, PredicateTest, Result, RowPosition, ScanSpec,
    Value,
};

use crate::read::row_filter::IMMUTABLE;
use crate::read::rows::chosen;
use crate::write::statement_txn::StatementTxn;
use crate::write::writer::cannot_build;

/// Rows that a build reads before it writes their entries.
const BUILD_ROWS: usize = 1 << 16;

/// How entries of an index are made of rows.
struct Entries<'a> {
    /// The columns of the table that are read.
    read: Vec<usize>,
    /// The columns of an entry, over those that are read.
    columns: Vec<Expr>,
    /// Tests of columns that are read: only rows that pass all of them have an entry.
    tests: Vec<(Expr, &'a PredicateTest)>,
}

impl<'a> Entries<'a> {
    fn new(table: &TableDef, index: &'a IndexDef) -> Result<Entries<'a>> {
        let mut read = Vec::new();
        let mut over_read = |part| Ok(renumbered(table.part_expr(part)?, &mut read));
        let columns = index.columns(table).into_iter().map(&mut over_read);
        let columns = columns.collect::<Result<_>>()?;
        let tests = index.predicate.iter();
        let tests = tests.map(|test| Ok((over_read(test.column)?, &test.test)));
        let tests = tests.collect::<Result<_>>()?;
        Ok(Entries {
            read,
            columns,
            tests,
        })
    }

    /// The entries of rows that consist of the columns that are read. Expressions are evaluated
    /// for rows that have an entry only.
    fn of(&self, rows: &Batch) -> Result<Batch> {
        let mut rows = rows.clone();
        for (tested, test) in &self.tests {
            let tested = evaluate(tested, &rows, &IMMUTABLE)?;
            rows = rows.select(&test.select(&tested));
        }
        let rows = rows.compact();
        let columns = self.columns.iter();
        let columns = columns.map(|expr| evaluate(expr, &rows, &IMMUTABLE));
        Ok(Batch::new(columns.collect::<Result<_>>()?, rows.rows()))
    }

    /// The entries of rows that consist of the columns of the table and, where there is one, the
    /// row id.
    fn of_complete(&self, rows: &Batch) -> Result<Batch> {
        self.of(&project(rows, &self.read))
    }
}

/// Some columns of rows that consist of the columns of the table and, where there is one, the row
/// id.
fn project(rows: &Batch, columns: &[usize]) -> Batch {
    let rows = rows.compact();
    let all = rows.physical_columns();
    let columns = columns.iter().filter_map(|at| all.get(*at).cloned());
    Batch::new(columns.collect(), rows.rows())
}

/// Rows to be inserted, with row ids where entries of indexes need them.
pub fn with_row_ids(transaction: &Transaction, table: &TableDef, rows: &Batch) -> Batch {
    if table.indexes.is_empty() || !table.primary_key.is_empty() {
        return rows.clone();
    }
    let first = transaction.new_row_ids(rows.rows());
    let ids: Vec<Value> = (first..).take(rows.rows()).map(Value::Int8).collect();
    with_column(rows, Column::from_values(LogicalType::Int8, &ids))
}

/// Loads rows and their entries.
pub async fn load(load: &mut BulkLoad, table: &TableDef, rows: &Batch) -> Result<(), InsertError> {
    if table.indexes.is_empty() {
        return load.append(rows).await;
    }
    let rows = load.with_ids(rows)?;
    load.append(&rows).await?;
    for index in &table.indexes {
        let added = Entries::new(table, index)?.of_complete(&rows)?;
        load.append_entries(index.tree, &added).await?;
    }
    Ok(())
}

fn with_column(rows: &Batch, column: Column) -> Batch {
    let rows = rows.compact();
    let mut columns = rows.physical_columns().to_vec();
    columns.push(Arc::new(column));
    Batch::new(columns, rows.rows())
}

/// Adds the entries of rows that were inserted.
pub async fn add(txn: &mut StatementTxn, table: &TableDef, rows: &[Batch]) -> Result<()> {
    for index in &table.indexes {
        let entries = Entries::new(table, index)?;
        let added = rows.iter().map(|rows| entries.of_complete(rows));
        let added: Vec<Batch> = added.collect::<Result<_>>()?;
        write(txn, table, index, &[], &added).await?;
    }
    Ok(())
}

/// What the indexes have of some rows: for each index the columns that it reads.
pub async fn read(
    transaction: &Transaction,
    table: &TableDef,
    positions: &[RowPosition],
) -> Result<Vec<Vec<Batch>>> {
    let mut found = Vec::with_capacity(table.indexes.len());
    for index in &table.indexes {
        let columns = Entries::new(table, index)?.read;
        found.push(transaction.fetch(table.tree, positions, &columns).await?);
    }
    Ok(found)
}

/// Deletes the entries of rows that were read before they were deleted.
pub async fn remove(
    transaction: &mut Transaction,
    table: &TableDef,
    old: &[Vec<Batch>],
) -> Result<()> {
    for (index, old) in table.indexes.iter().zip(old) {
        let entries = Entries::new(table, index)?;
        let gone = old.iter().map(|rows| entries.of(rows));
        let gone: Vec<Batch> = gone.collect::<Result<_>>()?;
        remove_entries(transaction, index, &gone).await?;
    }
    Ok(())
}

/// Replaces the entries of rows that were read before they were changed, where they differ. The
/// new rows come in the order of the old ones, cut into other batches.
pub async fn replace(
    txn: &mut StatementTxn,
    table: &TableDef,
    old: &[Vec<Batch>],
    new: &[Batch],
) -> Result<()> {
    for (index, old) in table.indexes.iter().zip(old) {
        let entries = Entries::new(table, index)?;
        let (mut gone, mut added) = (Vec::new(), Vec::new());
        let mut old_rows = old
            .iter()
            .flat_map(|rows| (0..rows.rows()).map(move |row| (rows, row)));
        let mut kept: Vec<(&Batch, Vec<u32>)> = Vec::new();
        for new in new {
            let new = project(new, &entries.read);
            let mut changed = Vec::new();
            for row in 0..new.rows() {
                let Some((before, at)) = old_rows.next() else {
                    return Err(Error::internal("an update lost rows"));
                };
                let same = before.physical_columns().iter().zip(new.physical_columns());
                if same
                    .into_iter()
                    .all(|(old, new)| old.value(at) == new.value(row))
                {
                    continue;
                }
                changed.extend(u32::try_from(row));
                match kept.last_mut() {
                    Some((last, rows)) if core::ptr::eq(*last, before) => {
                        rows.extend(u32::try_from(at));
                    }
                    _ => kept.push((before, u32::try_from(at).into_iter().collect())),
                }
            }
            added.push(entries.of(&chosen(&new, &changed))?);
        }
        for (rows, changed) in kept {
            gone.push(entries.of(&chosen(rows, &changed))?);
        }
        write(txn, table, index, &gone, &added).await?;
    }
    Ok(())
}

/// Row ids of rows that are replaced go on with their successors.
pub async fn keep_row_ids(
    transaction: &Transaction,
    table: &TableDef,
    positions: &[RowPosition],
    rows: Vec<Batch>,
) -> Result<Vec<Batch>> {
    if table.indexes.is_empty() || !table.primary_key.is_empty() {
        return Ok(rows);
    }
    let fetched = transaction
        .fetch(table.tree, positions, &[table.columns.len()])
        .await?;
    let mut ids = Vec::with_capacity(positions.len());
    for batch in &fetched {
        if let Some(column) = batch.column(0) {
            ids.extend((0..batch.rows()).map(|row| column.value(row)));
        }
    }
    let mut ids = ids.into_iter();
    let rows = rows.into_iter().map(|rows| {
        let ids: Vec<Value> = ids.by_ref().take(rows.rows()).collect();
        with_column(&rows, Column::from_values(LogicalType::Int8, &ids))
    });
    Ok(rows.collect())
}

async fn remove_entries(
    transaction: &mut Transaction,
    index: &IndexDef,
    gone: &[Batch],
) -> Result<()> {
    for entries in gone {
        transaction.index_delete(index.tree, entries).await?;
    }
    Ok(())
}

async fn write(
    txn: &mut StatementTxn,
    table: &TableDef,
    index: &IndexDef,
    gone: &[Batch],
    added: &[Batch],
) -> Result<()> {
    remove_entries(&mut txn.store, index, gone).await?;
    for entries in added {
        txn.store.index_insert(index.tree, entries).await?;
    }
    let checked = txn.deferred.check_added(&txn.store, table, index, added);
    checked.await
}

/// Makes the indexes of a table anew, from its rows.
pub async fn rebuild(
    transaction: &mut Transaction,
    table: &TableDef,
    cancel: &dyn Cancel,
) -> Result<()> {
    let mut table = table.clone();
    for index in &table.indexes {
        transaction.drop_tree(index.tree)?;
    }
    for index in core::mem::take(&mut table.indexes) {
        let index = IndexDef {
            tree: transaction.new_tree_id(),
            ..index
        };
        transaction.create_tree(index.tree_schema(&table))?;
        if !index.is_building {
            fill(transaction, &table, None, &index, cancel).await?;
        }
        table.indexes.push(index);
    }
    transaction.put_object(table.object, table.version, encode_table(&table)?);
    Ok(())
}

/// Adds the entries of all rows to a new index that nobody else sees yet.
pub async fn fill(
    transaction: &mut Transaction,
    table: &TableDef,
    enums: Option<&Arc<Enums>>,
    index: &IndexDef,
    cancel: &dyn Cancel,
) -> Result<()> {
    build(transaction, table, index, cancel, false).await?;
    let unique = transaction.index_check_all_unique(index.tree).await;
    unique.map_err(|error| cannot_build(table, enums, index, error))
}

/// Adds the entries of all rows to a new index, which other transactions may maintain already.
pub async fn build(
    transaction: &mut Transaction,
    table: &TableDef,
    index: &IndexDef,
    cancel: &dyn Cancel,
    others_maintain_it: bool,
) -> Result<()> {
    let entries = Entries::new(table, index)?;
    let place = |column: &usize| entries.read.iter().position(|read| read == column);
    let key: Vec<usize> = table.row_key().iter().filter_map(place).collect();
    let mut range = KeyRange::default();
    loop {
        let mut scan = transaction
            .scan(ScanSpec {
                range: range.clone(),
                ordered: true,
                ..ScanSpec::of(table.tree, entries.read.clone())
            })
            .await?;
        let mut batches = Vec::new();
        let mut rows = 0;
        while rows < BUILD_ROWS
            && let Some(batch) = scan.next_batch().await?
        {
            cancel.check()?;
            rows += batch.rows();
            batches.push(batch.compact());
        }
        // Nothing is written while a scan runs: the next one goes on after the last row.
        drop(scan);
        if let Some(last) = batches.last() {
            let columns = last.physical_columns();
            let columns = key.iter().filter_map(|at| columns.get(*at));
            let values = columns.map(|column| column.value(last.rows().saturating_sub(1)));
            range.from = Some(table.behind_key(values));
        }
        for batch in &batches {
            let added = entries.of(batch)?;
            if others_maintain_it {
                transaction.index_backfill(index.tree, &added).await?;
            } else {
                transaction.index_insert(index.tree, &added).await?;
            }
        }
        if rows < BUILD_ROWS {
            return Ok(());
        }
    }
}
