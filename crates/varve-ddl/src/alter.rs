//! Carries out ALTER TABLE.

use std::sync::Arc;

use varve_catalog::{Catalog, IndexDef, PartitionBound, TableDef};
use varve_dml::route::astray;
use varve_dml::table_rows::{first_failing, with_generated};
use varve_dml::{StatementTxn, Writer, cannot_build_key, index};
use varve_expr::{Expr, evaluate};
use varve_plan::AlterTable;
use varve_store::Transaction;
use varve_types::meter::Cancel;
use varve_types::{Batch, Column, Error, KeyRange, ObjectId, Result, ScanSpec, SqlState, Value};

use crate::catalog_cache::catalog_now;
use crate::define::{column_sequence, put_table, zstd_notice};
use crate::definer::{Defined, Definer};
use crate::drop::drop_objects;
use crate::utility::put_definitions;

/// Rows that are read before any is written.
const ROWS_AT_ONCE: usize = 1 << 14;

impl Definer<'_> {
    pub(crate) async fn alter_table(
        &self,
        txn: &mut StatementTxn,
        alter: &AlterTable,
    ) -> Result<Defined> {
        let mut migrated = self.alter_one(txn, alter).await?;
        for also in &alter.also {
            migrated += self.alter_one(txn, also).await?;
        }
        let zstd = alter.after.wants_zstd();
        let notice = match alter.is_about_storage {
            true => zstd_notice(&txn.store, zstd, &alter.after.name).await,
            false => None,
        };
        Ok(Defined {
            rows: alter.is_about_storage.then_some(migrated),
            notices: notice.into_iter().collect(),
            ..Defined::command("ALTER")
        })
    }

    /// Changes one table. How many of its rows are to be stored otherwise: they are rewritten run
    /// by run in the background, or by the statement where it rewrites them anyway.
    async fn alter_one(&self, txn: &mut StatementTxn, alter: &AlterTable) -> Result<u64> {
        let before = &alter.before;
        let mut migrated = match alter.after.is_written_again(before) {
            true => txn.store.row_count(before.tree).unwrap_or(0),
            false => 0,
        };
        let mut after = alter.after.clone();
        txn.store.guard_tree(before.tree, after.version)?;
        for (at, sequence) in &alter.sequences {
            column_sequence(&mut txn.store, &mut after, *at, sequence).await?;
        }
        put_definitions(&mut txn.store, &alter.changed).await?;
        match &alter.rewrite {
            Some(sources) => {
                self.rewrite(&mut txn.store, alter, sources, &mut after)
                    .await?
            }
            None => {
                if after.is_stored_otherwise(before) {
                    txn.store.store_otherwise(&after.tree_schema())?;
                }
                let indexes = after.indexes.iter();
                for index in indexes.filter(|index| index.is_stored_otherwise(before)) {
                    let schema = index.tree_schema(&after);
                    txn.store.guard_tree(index.tree, schema.version)?;
                    txn.store.store_otherwise(&schema)?;
                    migrated += txn.store.row_count(index.tree).unwrap_or(0);
                }
                if alter.verify {
                    self.verify(&mut txn.store, &after).await?;
                }
                for tree in &alter.dropped_indexes {
                    txn.store.drop_tree(*tree)?;
                }
                for new in &alter.indexes {
                    let index = new.with_tree(txn.store.new_tree_id());
                    self.make_index(&mut txn.store, &mut after, index).await?;
                }
            }
        }
        put_table(&mut txn.store, &after)?;
        if before.hypertable.is_none() && after.hypertable.is_some() {
            self.chunks_of_rows(txn, &after).await?;
        }
        drop_objects(&mut txn.store, self.catalog, &alter.dropped)?;
        if !alter.references.is_empty() {
            let mut catalog = Catalog::clone(self.catalog);
            catalog.add_table(Arc::new(after.clone()));
            let catalog = Arc::new(catalog);
            let mut writer = Writer::new(&catalog, txn, self.context, self.cancel, None);
            let keys = after.foreign_keys.iter();
            for key in keys.filter(|key| alter.references.contains(&key.name)) {
                writer.validate(&after, key).await?;
            }
        }
        if alter.after.bound().is_some() && before.bound().is_none() {
            self.check_attached(&txn.store, &after).await?;
        }
        Ok(migrated)
    }

    /// Refuses a new partition with rows that do not belong to it, or of which the default one has
    /// rows.
    async fn check_attached(&self, transaction: &Transaction, table: &TableDef) -> Result<()> {
        let mut catalog = Catalog::clone(self.catalog);
        let table = Arc::new(table.clone());
        catalog.add_table(Arc::clone(&table));
        for child in catalog.inheritance_with_rows(&table) {
            if self.has_astray(transaction, &catalog, &child).await? {
                let message = format!(
                    "partition constraint of relation \"{}\" is violated by some row",
                    child.name
                );
                return Err(Error::new(SqlState::CHECK_VIOLATION, message).with_table(&child.name));
            }
        }
        for parent in table.parents() {
            self.check_default(transaction, *parent, &table).await?;
        }
        Ok(())
    }

    /// Refuses a new partition of which the default one has rows.
    pub(crate) async fn check_default(
        &self,
        transaction: &Transaction,
        parent: ObjectId,
        new: &TableDef,
    ) -> Result<()> {
        let Some(parent) = self.catalog.tables.get(&parent) else {
            return Ok(());
        };
        let mut known = self.catalog.children_of(parent).into_iter();
        let default = known.find(|child| child.bound() == Some(&PartitionBound::Default));
        let Some(default) = default.filter(|default| default.object != new.object) else {
            return Ok(());
        };
        let mut catalog = Catalog::clone(self.catalog);
        let mut inheritance = TableDef::clone(parent);
        inheritance.change_inheritance(|inheritance| inheritance.children.push(new.object));
        catalog.add_table(Arc::new(inheritance));
        catalog.add_table(Arc::new(new.clone()));
        for child in catalog.inheritance_with_rows(default) {
            if self.has_astray(transaction, &catalog, &child).await? {
                let message = format!(
                    "updated partition constraint for default partition \"{}\" would be violated \
                     by some row",
                    default.name
                );
                return Err(
                    Error::new(SqlState::CHECK_VIOLATION, message).with_table(&default.name)
                );
            }
        }
        Ok(())
    }

    /// Whether a table has rows that do not belong to the partition that it is.
    pub(crate) async fn has_astray(
        &self,
        transaction: &Transaction,
        catalog: &Catalog,
        table: &TableDef,
    ) -> Result<bool> {
        let mut rows = Rows::of(table);
        while let Some(batches) = rows.next(transaction, self.cancel).await? {
            for batch in &batches {
                if !astray(catalog, table, batch, &self.context)?.is_empty() {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    async fn make_index(
        &self,
        transaction: &mut Transaction,
        table: &mut TableDef,
        index: IndexDef,
    ) -> Result<()> {
        transaction.create_tree(index.tree_schema(table))?;
        index::fill(
            transaction,
            table,
            self.catalog.enums(),
            &index,
            self.cancel,
        )
        .await?;
        table.indexes.push(index);
        Ok(())
    }

    /// Writes all rows anew, into trees of the new definition.
    async fn rewrite(
        &self,
        transaction: &mut Transaction,
        alter: &AlterTable,
        sources: &[Option<Expr>],
        after: &mut TableDef,
    ) -> Result<()> {
        if !alter.sequences.is_empty() {
            // Their values are taken while rows are written.
            let catalog = catalog_now(transaction, self.catalog)?;
            self.session.enter(transaction, &catalog).await?;
        }
        let before = &*alter.before;
        after.tree = transaction.new_tree_id();
        let known = core::mem::take(&mut after.indexes);
        transaction.create_tree(after.tree_schema())?;
        let keeps_frames = transaction
            .keep_value_frames(before.tree, after.tree)
            .await?;
        let mut rows = Rows::of(before);
        while let Some(batches) = rows.next(transaction, self.cancel).await? {
            for batch in batches {
                let batch = self.converted(&batch, sources, after)?;
                self.check(after, &batch)?;
                let batch = index::with_row_ids(transaction, after, &batch);
                let inserted = transaction.insert(after.tree, &batch).await;
                inserted.map_err(|error| cannot_build_key(after, self.catalog.enums(), error))?;
            }
            if keeps_frames {
                transaction.write_out().await?;
            }
        }
        for index in &before.indexes {
            transaction.drop_tree(index.tree)?;
        }
        transaction.drop_tree(before.tree)?;
        for index in known {
            let index = IndexDef {
                tree: transaction.new_tree_id(),
                is_building: false,
                ..index
            };
            self.make_index(transaction, after, index).await?;
        }
        for new in &alter.indexes {
            let index = new.with_tree(transaction.new_tree_id());
            self.make_index(transaction, after, index).await?;
        }
        Ok(())
    }

    /// Rows as the new definition has them.
    fn converted(&self, rows: &Batch, sources: &[Option<Expr>], after: &TableDef) -> Result<Batch> {
        let mut columns = Vec::with_capacity(after.columns.len());
        for (at, column) in after.columns.iter().enumerate() {
            let generated = column.filled == varve_catalog::Filled::Generated;
            let default = column.default.as_ref().filter(|_| !generated);
            let source = sources.get(at).and_then(Option::as_ref).or(default);
            columns.push(match source {
                Some(source) => evaluate(source, rows, &self.context)?,
                None => Arc::new(Column::constant(column.ty, &Value::Null, rows.rows())),
            });
        }
        let converted = Batch::new(columns, rows.rows());
        with_generated(after, &converted, &self.context)
    }

    /// What the table promises must hold of rows that are there.
    fn check(&self, table: &TableDef, rows: &Batch) -> Result<()> {
        for (column, values) in table.columns.iter().zip(rows.physical_columns()) {
            if !column.nullable && values.null_count() > 0 {
                let message = format!(
                    "column \"{}\" of relation \"{}\" contains null values",
                    column.name, table.name
                );
                return Err(Error::new(SqlState::NOT_NULL_VIOLATION, message)
                    .with_table(&table.name)
                    .with_column(&column.name));
            }
        }
        for check in &table.checks {
            if first_failing(check, rows, &self.context)?.is_some() {
                let message = format!(
                    "check constraint \"{}\" of relation \"{}\" is violated by some row",
                    check.name, table.name
                );
                return Err(Error::new(SqlState::CHECK_VIOLATION, message)
                    .with_table(&table.name)
                    .with_constraint(&check.name));
            }
        }
        Ok(())
    }

    /// Sees that the values of some columns belong to their domains, which have changed.
    pub(crate) async fn verify_domains(
        &self,
        transaction: &mut Transaction,
        table: &TableDef,
        columns: &[usize],
    ) -> Result<()> {
        for at in columns {
            let mut only = table.clone();
            only.checks
                .retain(|check| check.domain().is_some_and(|(column, _)| column == *at));
            let verified = self.verify(transaction, &only).await;
            verified.map_err(|error| {
                let what = match error.state() {
                    SqlState::NOT_NULL_VIOLATION => "contains null values",
                    SqlState::CHECK_VIOLATION => "contains values that violate the new constraint",
                    _ => return error,
                };
                let column = table.columns.get(*at).map_or("", |column| &column.name);
                let message = format!("column \"{column}\" of table \"{}\" {what}", table.name);
                Error::new(error.state(), message)
                    .with_table(&table.name)
                    .with_column(column)
            })?;
        }
        Ok(())
    }

    async fn verify(&self, transaction: &mut Transaction, after: &TableDef) -> Result<()> {
        let mut rows = Rows::of(after);
        while let Some(batches) = rows.next(transaction, self.cancel).await? {
            for batch in &batches {
                let columns = batch.physical_columns().iter().take(after.columns.len());
                let columns = columns.map(Arc::clone).collect();
                self.check(after, &Batch::new(columns, batch.rows()))?;
            }
        }
        Ok(())
    }
}

/// The rows of a table in the order of their keys, piece by piece, so that others can be written in
/// between. Each has all columns, then what names it.
struct Rows<'t> {
    table: &'t TableDef,
    columns: Vec<usize>,
    range: KeyRange,
    is_done: bool,
}

impl Rows<'_> {
    fn of(table: &TableDef) -> Rows<'_> {
        let row_id = usize::from(table.primary_key.is_empty());
        Rows {
            table,
            columns: (0..table.columns.len() + row_id).collect(),
            range: KeyRange::default(),
            is_done: false,
        }
    }

    async fn next(
        &mut self,
        transaction: &Transaction,
        cancel: &dyn Cancel,
    ) -> Result<Option<Vec<Batch>>> {
        if self.is_done {
            return Ok(None);
        }
        let mut scan = transaction
            .scan(ScanSpec {
                range: self.range.clone(),
                ordered: true,
                ..ScanSpec::of(self.table.tree, self.columns.clone())
            })
            .await?;
        let (mut batches, mut rows) = (Vec::new(), 0);
        while rows < ROWS_AT_ONCE {
            cancel.check()?;
            let Some(batch) = scan.next_batch().await? else {
                self.is_done = true;
                break;
            };
            rows += batch.rows();
            batches.push(batch.compact());
        }
        if let Some(last) = batches.iter().rev().find(|batch| batch.rows() > 0) {
            let (key, columns) = (self.table.row_key(), last.physical_columns());
            let columns = key.iter().filter_map(|at| columns.get(*at));
            let values = columns.map(|column| column.value(last.rows() - 1));
            self.range.from = Some(self.table.behind_key(values));
        }
        Ok(Some(batches))
    }
}
