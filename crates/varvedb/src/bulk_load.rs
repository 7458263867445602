//! Columns loaded into a table directly, without SQL.

use std::sync::Arc;

use varve_catalog::{Catalog, ColumnDef, TableDef, decode_object};
use varve_dml::chunks::MadeChunks;
use varve_dml::notes::{is_aggregated, note_rows};
use varve_dml::table_rows::{checked, with_defaults};
use varve_dml::{index, name_constraint};
use varve_expr::{Locale, Parameters};
use varve_store::{BulkLoadOptions, BulkLoadReport, Transaction};
use varve_types::{Batch, Column, ColumnRef, Error, LogicalType, Result, SqlState, Value};

use crate::database::Database;
use crate::host::SessionHost;

/// Columns on their way into a table, which nobody sees before [`BulkLoad::finish`]. Dropped
/// without it, the load has not happened.
pub struct BulkLoad {
    load: varve_store::BulkLoad,
    /// What there was of tables, chunks and aggregates when it began.
    known: Catalog,
    /// The chunks that the load has made.
    made: MadeChunks,
    table: TableDef,
    /// The columns of the table, without one that the store fills, and where each is among those
    /// that are given.
    places: Vec<(ColumnDef, Option<usize>)>,
    rows: u64,
    host: SessionHost,
    locale: Locale,
}

impl Database {
    /// Begins to load into `table` the columns with these names, in this order, or all of them
    /// where there are no names. Columns that are left out become NULL.
    pub fn bulk_load(
        &self,
        table: &str,
        columns: &[&str],
        options: BulkLoadOptions,
    ) -> Result<BulkLoad> {
        self.begin_load(table, columns, options, |_| None)
    }

    /// Begins a load without the primary key, one integer column: it counts on from the greatest
    /// key of the table. Rows of a table without a primary key are numbered anyway.
    pub async fn bulk_load_auto_id(
        &self,
        table: &str,
        columns: &[&str],
        options: BulkLoadOptions,
    ) -> Result<BulkLoad> {
        let first_of_key = |table: &TableDef| table.primary_key.first().copied();
        let begun = self.begin_load(table, columns, options, first_of_key)?;
        Ok(BulkLoad {
            load: begun.load.with_auto_id().await?,
            ..begun
        })
    }

    /// Begins a load of all columns but the one, if any, that the store fills.
    fn begin_load(
        &self,
        table: &str,
        columns: &[&str],
        options: BulkLoadOptions,
        filled: impl Fn(&TableDef) -> Option<usize>,
    ) -> Result<BulkLoad> {
        let transaction = self.shared.store.begin();
        let known = catalog_of(&transaction)?;
        let table = find_table(&known, table)?;
        let places = places(&table, columns, filled(&table))?;
        if places.len() < table.columns.len() && (table.has_generated() || !table.checks.is_empty())
        {
            let what = "a load with automatic keys into a table with checks or generated columns";
            return Err(Error::unsupported(what));
        }
        if places.len() < table.columns.len() && table.hypertable.is_some() {
            let what = "a load with automatic keys into a hypertable";
            return Err(Error::unsupported(what).with_hint("Give all columns."));
        }
        if table.partitioning().is_some() || table.bound().is_some() {
            let what = "a load into a partitioned table or a partition";
            return Err(Error::unsupported(what).with_hint("Use COPY or INSERT."));
        }
        let has_keys = !table.foreign_keys.is_empty();
        if has_keys || !known.triggers_of(table.object).is_empty() {
            let what = if has_keys { "foreign keys" } else { "triggers" };
            let what = format!("a load into a table with {what}");
            return Err(Error::unsupported(what).with_hint("Use COPY or INSERT."));
        }
        let host = SessionHost::new(Arc::clone(&self.shared));
        Ok(BulkLoad {
            known,
            made: MadeChunks::default(),
            load: transaction.into_bulk_load(table.tree, options)?,
            table,
            places,
            rows: 0,
            locale: host.locale(),
            host,
        })
    }

    /// Loads all rows of these columns, batch by batch, or none.
    pub async fn direct_bulk_load(
        &self,
        table: &str,
        batches: impl IntoIterator<Item = Vec<ColumnRef>>,
        options: BulkLoadOptions,
    ) -> Result<BulkLoadReport> {
        self.bulk_load(table, &[], options)?.run(batches).await
    }

    /// Loads all rows of these columns, which lack the primary key, or none.
    pub async fn direct_bulk_load_auto_id(
        &self,
        table: &str,
        batches: impl IntoIterator<Item = Vec<ColumnRef>>,
        options: BulkLoadOptions,
    ) -> Result<BulkLoadReport> {
        let load = self.bulk_load_auto_id(table, &[], options).await?;
        load.run(batches).await
    }
}

impl BulkLoad {
    /// The names and types of the columns that are to be given.
    pub fn columns(&self) -> Vec<(&str, LogicalType)> {
        let given = self.places.iter();
        let given = given.filter_map(|(column, at)| Some(((*at)?, column)));
        let mut given: Vec<(usize, &ColumnDef)> = given.collect();
        varve_sort::sort_by_key(&mut given, |(at, _)| *at);
        let named = given.into_iter();
        named
            .map(|(_, column)| (column.name.as_str(), column.ty))
            .collect()
    }

    /// Rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Adds rows: one column of any length for each that [`BulkLoad::columns`] names. After an
    /// error only [`BulkLoad::abort`] makes sense.
    pub async fn append(&mut self, columns: Vec<ColumnRef>) -> Result<()> {
        let rows = columns.first().map_or(0, |column| column.len());
        let wanted = self.columns();
        if columns.len() != wanted.len() {
            let message = format!(
                "{} columns are expected, not {}",
                wanted.len(),
                columns.len()
            );
            return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message));
        }
        for ((name, ty), column) in wanted.iter().zip(&columns) {
            if column.len() != rows {
                let message = format!("column \"{name}\" differs in length from the first one");
                return Err(Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
                    .with_table(&self.table.name)
                    .with_column(*name));
            }
            if column.logical_type() != *ty {
                let message = format!(
                    "column \"{name}\" is of type {ty} but the column given is of type {}",
                    column.logical_type()
                );
                return Err(Error::new(SqlState::DATATYPE_MISMATCH, message)
                    .with_table(&self.table.name)
                    .with_column(*name));
            }
        }
        let mut all = Vec::with_capacity(self.places.len());
        for (column, at) in &self.places {
            let given = at.and_then(|at| columns.get(at));
            let missing = || Arc::new(Column::constant(column.ty, &Value::Null, rows));
            let given = given.map_or_else(missing, Arc::clone);
            all.push(given);
        }
        let batch = self.completed(Batch::new(all, rows))?;
        let now_us = self.host.shared().env.now_us();
        let (store, chunks) = (self.load.transaction(), &self.known.chunks);
        self.made.make(store, chunks, &self.table, &batch, now_us)?;
        if is_aggregated(&self.known, &self.table) {
            note_rows(store, &self.known, &self.table, &batch).await?;
        }
        let added = index::load(&mut self.load, &self.table, &batch).await;
        added.map_err(|error| name_constraint(&self.table, self.locale.enums.as_ref(), error))?;
        self.rows += rows as u64;
        Ok(())
    }

    /// Rows with the values that are not given, and checked one by one.
    fn completed(&self, rows: Batch) -> Result<Batch> {
        let context = self.host.context(Parameters::NONE, &self.locale);
        // Without the automatic key the columns that are loaded are a table of their own.
        let shape = match self.places.len() == self.table.columns.len() {
            true => None,
            false => Some(TableDef {
                columns: self
                    .places
                    .iter()
                    .map(|(column, _)| column.clone())
                    .collect(),
                ..self.table.clone()
            }),
        };
        let table = shape.as_ref().unwrap_or(&self.table);
        let given = |at| matches!(self.places.get(at), Some((_, Some(_))));
        let rows = with_defaults(table, rows, &given, &context)?;
        checked(table, &rows, &context)
    }

    /// Publishes the rows. `40001` where a commit since the begin of the load inserted keys among
    /// those that were loaded.
    pub async fn finish(self) -> Result<BulkLoadReport> {
        let finished = self.load.finish().await;
        finished.map_err(|error| name_constraint(&self.table, self.locale.enums.as_ref(), error))
    }

    /// Forgets the rows.
    pub async fn abort(self) -> Result<()> {
        Ok(self.load.abort().await?)
    }

    async fn run(
        mut self,
        batches: impl IntoIterator<Item = Vec<ColumnRef>>,
    ) -> Result<BulkLoadReport> {
        for columns in batches {
            if let Err(error) = self.append(columns).await {
                // What failed is told; pages that could not be deleted now are deleted later.
                let _ = self.abort().await;
                return Err(error);
            }
        }
        self.finish().await
    }
}

impl core::fmt::Debug for BulkLoad {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BulkLoad")
            .field("table", &self.table.name)
            .field("rows", &self.rows)
            .finish_non_exhaustive()
    }
}

fn find_table(catalog: &Catalog, name: &str) -> Result<TableDef> {
    let mut tables = catalog.tables.values();
    let found = tables.find(|table| {
        // What jobs and continuous aggregates keep is not loaded.
        table.name == name
            && !catalog
                .schema_name(table.schema)
                .starts_with("_timescaledb_")
    });
    found.map(|table| TableDef::clone(table)).ok_or_else(|| {
        let message = format!("relation \"{name}\" does not exist");
        Error::new(SqlState::UNDEFINED_TABLE, message)
    })
}

/// All objects that a transaction sees.
fn catalog_of(transaction: &Transaction) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    for (_, _, definition) in transaction.objects() {
        catalog.add(decode_object(&definition)?);
    }
    Ok(catalog)
}

/// The columns of the table but for the automatic one, each with its place among the named ones.
fn places(
    table: &TableDef,
    names: &[&str],
    automatic: Option<usize>,
) -> Result<Vec<(ColumnDef, Option<usize>)>> {
    let columns = table.columns.iter().enumerate();
    let columns = columns.filter(|(position, _)| Some(*position) != automatic);
    let mut places: Vec<(ColumnDef, Option<usize>)> =
        columns.map(|(_, column)| (column.clone(), None)).collect();
    if names.is_empty() {
        for (at, (_, place)) in places.iter_mut().enumerate() {
            *place = Some(at);
        }
    }
    for (at, name) in names.iter().enumerate() {
        let place = places.iter_mut().find(|(column, _)| column.name == *name);
        let (_, place) = place.ok_or_else(|| {
            let message = format!(
                "column \"{name}\" of relation \"{}\" does not exist",
                table.name
            );
            Error::new(SqlState::UNDEFINED_COLUMN, message)
        })?;
        if place.replace(at).is_some() {
            let message = format!("column \"{name}\" specified more than once");
            return Err(Error::new(SqlState::DUPLICATE_COLUMN, message));
        }
    }
    Ok(places)
}
