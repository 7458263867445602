//! Writes complete rows into a table, after what the table promises of them was checked.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_catalog::{Catalog, CheckDef, Event, IndexDef, TableDef};
use varve_expr::{DEFAULT_LOCALE, Enums, EvalContext, Locale, evaluate, format_value};
use varve_plan::{ModifyPlan, Returning};
use varve_store::InsertError;
use varve_types::meter::Cancel;
use varve_types::{
    Batch, Error, KeyPart, Result, RowPosition, Selection, SqlState, SqlText, Value,
};

use super::runner::StatementRunner;
use super::triggers::Written;
use crate::read::rows::positions_of;
use crate::read::source::TransactionSource;
use crate::write::foreign_keys::Work;
use crate::write::index;
use crate::write::notes::{is_aggregated, note_rows};
use crate::write::route::checked_inside;
use crate::write::statement_txn::StatementTxn;
use crate::write::table_rows::{failing_row, first_not_true};

/// What a statement writes with.
pub struct Writer<'a> {
    pub(super) catalog: &'a Arc<Catalog>,
    pub(super) txn: &'a mut StatementTxn,
    pub(super) context: EvalContext<'a>,
    pub(super) cancel: &'a dyn Cancel,
    /// `None` where no triggers are fired.
    pub(super) runner: Option<&'a dyn StatementRunner>,
    pub(super) left: Left,
}

/// What foreign keys and triggers have to look at still.
#[derive(Default)]
pub struct Left {
    pub(super) work: VecDeque<Work>,
    pub(super) written: Vec<Written>,
}

impl<'a> Writer<'a> {
    /// A writer in a transaction. Without a `runner` no triggers are fired.
    pub fn new(
        catalog: &'a Arc<Catalog>,
        txn: &'a mut StatementTxn,
        context: EvalContext<'a>,
        cancel: &'a dyn Cancel,
        runner: Option<&'a dyn StatementRunner>,
    ) -> Writer<'a> {
        Writer {
            catalog,
            txn,
            context,
            cancel,
            runner,
            left: Left::default(),
        }
    }

    /// Goes on with what another writer has left.
    #[must_use]
    pub fn with_left(mut self, left: Left) -> Writer<'a> {
        self.left = left;
        self
    }

    /// Hands on what is to be looked at still.
    pub fn take_left(&mut self) -> Left {
        core::mem::take(&mut self.left)
    }
}

impl Writer<'_> {
    /// What the transaction sees.
    pub fn source(&self) -> TransactionSource<'_> {
        TransactionSource {
            transaction: &self.txn.store,
            catalog: self.catalog,
            before: None,
            views: None,
        }
    }

    /// Rows with their generated columns, checked one by one.
    pub fn checked(&self, table: &TableDef, rows: &[Batch]) -> Result<Vec<Batch>> {
        let checked = |batch| checked_inside(self.catalog, table, batch, &self.context);
        rows.iter().map(checked).collect()
    }

    /// Makes the chunks that rows need, where the table is a hypertable.
    fn make_chunks(&mut self, table: &TableDef, rows: &Batch) -> Result<()> {
        let StatementTxn { store, chunks, .. } = &mut *self.txn;
        let now_us = self.context.locale.now_us;
        chunks.make(store, &self.catalog.chunks, table, rows, now_us)
    }

    /// Inserts rows that were checked.
    pub async fn insert(&mut self, table: &TableDef, rows: &[Batch]) -> Result<()> {
        let rows = rows
            .iter()
            .map(|batch| index::with_row_ids(&self.txn.store, table, batch));
        let rows: Vec<Batch> = rows.collect();
        let is_noted = is_aggregated(self.catalog, table);
        for batch in &rows {
            self.make_chunks(table, batch)?;
            if is_noted {
                note_rows(&mut self.txn.store, self.catalog, table, batch).await?;
            }
            let inserted = self.txn.store.insert(table.tree, batch).await;
            inserted.map_err(|error| name_constraint(table, self.catalog.enums(), error))?;
        }
        self.txn.deferred.enums = self.catalog.enums().cloned();
        index::add(self.txn, table, &rows).await?;
        self.note_written(table, Event::Insert, &[], &rows, &[])
            .await?;
        self.refers(table, &rows).await
    }

    /// Replaces the rows at some positions by rows that were checked, in the same order, and
    /// differ in the columns that were assigned.
    pub async fn update(
        &mut self,
        table: &TableDef,
        positions: &[RowPosition],
        rows: &[Batch],
        assigned: &[usize],
    ) -> Result<()> {
        let noted = self.before_update(table, positions, rows, assigned).await?;
        self.note_written(table, Event::Update, positions, rows, assigned)
            .await?;
        let time = table.time_column().map(|(at, _)| at);
        if time.is_some_and(|at| table.may_change(&[at], assigned)) {
            for batch in rows {
                self.make_chunks(table, batch)?;
            }
        }
        if is_aggregated(self.catalog, table) {
            self.note_old(table, positions).await?;
            for batch in rows {
                note_rows(&mut self.txn.store, self.catalog, table, batch).await?;
            }
        }
        let transaction = &mut self.txn.store;
        let changed = index::keep_row_ids(transaction, table, positions, rows.to_vec()).await?;
        let old = index::read(transaction, table, positions).await?;
        // Rows that keep their keys need not be looked up.
        let updated = if table.keeps_key(assigned) {
            let same_keys = transaction.update_same_keys(table.tree, positions, &changed);
            same_keys.await
        } else {
            transaction.update(table.tree, positions, &changed).await
        };
        updated.map_err(|error| name_constraint(table, self.catalog.enums(), error))?;
        self.txn.deferred.enums = self.catalog.enums().cloned();
        index::replace(self.txn, table, &old, &changed).await?;
        self.after_update(table, noted).await
    }

    /// Deletes the rows at some positions.
    pub async fn delete(&mut self, table: &TableDef, positions: &[RowPosition]) -> Result<()> {
        if is_aggregated(self.catalog, table) {
            self.note_old(table, positions).await?;
        }
        self.delete_from_source(table, positions).await
    }

    /// The same, but continuous aggregates keep what they have of the rows.
    pub(super) async fn delete_from_source(
        &mut self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<()> {
        let noted = self.before_delete(table, positions).await?;
        self.note_written(table, Event::Delete, positions, &[], &[])
            .await?;
        let old = index::read(&self.txn.store, table, positions).await?;
        self.txn.store.delete(table.tree, positions).await?;
        index::remove(&mut self.txn.store, table, &old).await?;
        self.left.work.extend(noted);
        Ok(())
    }

    /// An UPDATE of these rows: the new values of all columns, the position of each, and what
    /// RETURNING reads of other relations. A row that is there more than once is changed once.
    /// Answers the rows as they are then.
    pub async fn update_rows(&mut self, plan: &ModifyPlan, rows: Vec<Batch>) -> Result<Vec<Batch>> {
        if !plan.children.is_empty() {
            return self.update_children(plan, &rows).await;
        }
        let table = &plan.table;
        let width = table.columns.len();
        let rows = once_each(rows, width)?;
        let positions = positions_of(&rows, width)?;
        let (rows, positions, assigned) = self
            .before_update_rows(table, rows, positions, &plan.assigned)
            .await?;
        let mut changed = Vec::with_capacity(rows.len());
        for batch in &rows {
            let columns = batch.physical_columns();
            let own = columns.get(..width).unwrap_or(columns).to_vec();
            changed.push(Batch::new(own, batch.rows()));
        }
        let changed = self.checked(table, &changed)?;
        self.update(table, &positions, &changed, &assigned).await?;
        let answered = changed.iter().zip(&rows).map(|(changed, batch)| {
            let others = batch.physical_columns().iter().skip(width);
            let columns = changed.physical_columns().iter().chain(others);
            Batch::new(columns.map(Arc::clone).collect(), batch.rows())
        });
        Ok(answered.collect())
    }

    /// A DELETE of these rows, at the positions in a column.
    pub async fn delete_rows(&mut self, plan: &ModifyPlan, rows: Vec<Batch>) -> Result<Vec<Batch>> {
        let at = match plan.returning {
            Some(_) => plan.table.columns.len(),
            None => 0,
        };
        if !plan.children.is_empty() {
            return self.delete_children(plan, &rows, at).await;
        }
        let rows = once_each(rows, at)?;
        let mut positions = positions_of(&rows, at)?;
        let mut rows = rows;
        if let Some(kept) = self.before_delete_rows(&plan.table, &positions).await? {
            rows = kept_rows(rows, &kept);
            positions = positions_of(&rows, at)?;
        }
        self.delete(&plan.table, &positions).await?;
        Ok(rows)
    }

    /// `44000` where a row that was written does not belong to a view that it was written through.
    pub fn passed(&self, checks: &[CheckDef], table: &TableDef, rows: &[Batch]) -> Result<()> {
        for (check, batch) in checks
            .iter()
            .flat_map(|check| rows.iter().map(move |r| (check, r)))
        {
            let Some(row) = first_not_true(check, batch, &self.context)? else {
                continue;
            };
            let message = format!("new row violates check option for view \"{}\"", check.name);
            let error = Error::new(SqlState::WITH_CHECK_OPTION_VIOLATION, message);
            return Err(error.with_detail(failing_row(table, batch, row, &self.context)));
        }
        Ok(())
    }

    /// What RETURNING says of rows.
    pub fn returned(&self, returning: &Returning, rows: &[Batch]) -> Result<Vec<Batch>> {
        let project = |batch: &Batch| {
            let columns = returning.exprs.iter();
            let columns = columns.map(|expr| evaluate(expr, batch, &self.context));
            Ok(Batch::new(columns.collect::<Result<_>>()?, batch.rows()))
        };
        rows.iter().map(project).collect()
    }
}

/// The rows that are kept, in the order of all.
pub fn kept_rows(rows: Vec<Batch>, kept: &[bool]) -> Vec<Batch> {
    let mut kept = kept.iter();
    let some = rows.into_iter().map(|batch| {
        let numbers = batch.row_numbers();
        let numbers = numbers.zip(kept.by_ref()).filter(|(_, kept)| **kept);
        let numbers = numbers.map(|(number, _)| number).collect();
        batch.select(&Selection::new(numbers)).compact()
    });
    some.collect()
}

/// Rows without those whose position was there before.
pub fn once_each(rows: Vec<Batch>, at: usize) -> Result<Vec<Batch>> {
    let positions = positions_of(&rows, at)?;
    if positions.is_sorted_by(|left, right| left < right) {
        return Ok(rows);
    }
    let mut known = std::collections::BTreeSet::new();
    let mut positions = positions.into_iter();
    let mut kept = Vec::with_capacity(rows.len());
    for batch in rows {
        let numbers = batch.row_numbers();
        let new = numbers.zip(positions.by_ref());
        let new = new.filter(|(_, position)| known.insert(*position));
        let new: Vec<u32> = new.map(|(row, _)| row).collect();
        if new.len() == batch.rows() {
            kept.push(batch);
        } else if !new.is_empty() {
            kept.push(batch.select(&Selection::new(new)).compact());
        }
    }
    Ok(kept)
}

/// The values of a key as errors have them; `enums` has the labels of enumerations.
pub fn shown_key(key: &[Value], enums: Option<&Arc<Enums>>) -> String {
    let locale = Locale {
        enums: enums.cloned(),
        ..DEFAULT_LOCALE.clone()
    };
    let shown = |value: &Value| match value.is_null() {
        true => "null".to_owned(),
        false => format_value(value, &locale),
    };
    let values: Vec<String> = key.iter().map(shown).collect();
    values.join(", ")
}

/// The error of an insert, with the constraint, the columns and the values that PostgreSQL names.
/// `enums` has the labels of enumerations.
pub fn name_constraint(table: &TableDef, enums: Option<&Arc<Enums>>, error: InsertError) -> Error {
    let (index, key) = match error {
        InsertError::Duplicate { index, key } => (index, key),
        InsertError::Other(error) => return error.into(),
    };
    let index = table.indexes.iter().find(|known| Some(known.tree) == index);
    let parts: Vec<KeyPart> = match index {
        None => table.key_parts().collect(),
        Some(index) => index.key_parts().collect(),
    };
    let names: Vec<SqlText> = parts.iter().map(|part| table.label_of(*part)).collect();
    let constraint = match index {
        None => table.key_name(),
        Some(index) => index.name.clone(),
    };
    let message = format!("duplicate key value violates unique constraint \"{constraint}\"");
    let detail = format!(
        "Key ({})=({}) already exists.",
        SqlText::joined(&names, ", "),
        shown_key(&key, enums)
    );
    Error::new(SqlState::UNIQUE_VIOLATION, message)
        .with_detail(detail)
        .with_table(&table.name)
        .with_constraint(constraint)
}

/// The error of a primary key that rows do not have.
pub fn cannot_build_key(table: &TableDef, enums: Option<&Arc<Enums>>, error: InsertError) -> Error {
    cannot_build_named(table, enums, table.key_name(), error)
}

/// The error of a unique index that cannot be made.
pub fn cannot_build(
    table: &TableDef,
    enums: Option<&Arc<Enums>>,
    index: &IndexDef,
    error: InsertError,
) -> Error {
    let shape = TableDef {
        indexes: vec![index.clone()],
        ..table.clone()
    };
    cannot_build_named(&shape, enums, index.name.clone(), error)
}

fn cannot_build_named(
    table: &TableDef,
    enums: Option<&Arc<Enums>>,
    name: String,
    error: InsertError,
) -> Error {
    let is_duplicate = matches!(error, InsertError::Duplicate { .. });
    let named = name_constraint(table, enums, error);
    if !is_duplicate {
        return named;
    }
    let message = format!("could not create unique index \"{name}\"");
    let detail = named.fields().detail.clone().unwrap_or_default();
    let detail = detail.replace(" already exists.", " is duplicated.");
    Error::new(SqlState::UNIQUE_VIOLATION, message)
        .with_detail(detail)
        .with_table(&table.name)
        .with_constraint(name)
}
