//! Looks for the rows that keys refer to, and for those that refer to keys.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varve_catalog::{ForeignKeyDef, TableDef};
use varve_exec::ScanSource;
use varve_expr::format_value;
use varve_store::RowLockKind;
use varve_types::{Error, KeyPart, Result, RowPosition, ScanSpec, SqlState, Value};

use crate::read::find::{Wanted, key_bytes, rows_with};
use crate::read::rows::positions_of;
use crate::write::waiting_keys::{KEYS_MAX, KeyTypes, Keys, key_of};
use crate::write::writer::Writer;

/// Keys that are looked up at a time.
pub const CHUNK_KEYS: usize = 1024;

impl Writer<'_> {
    /// Looks for the rows that keys refer to, and locks them.
    pub async fn find_parents(
        &mut self,
        table: &TableDef,
        key: &ForeignKeyDef,
        keys: &Keys,
    ) -> Result<()> {
        if keys.all {
            return self.validate(table, key).await;
        }
        match self.missing_parent(table, key, &keys.list).await? {
            None => Ok(()),
            Some(missing) => Err(self.not_present(table, key, missing)),
        }
    }

    pub(super) fn not_present(
        &self,
        table: &TableDef,
        key: &ForeignKeyDef,
        values: &[Value],
    ) -> Error {
        let parent = self.catalog.tables.get(&key.parent);
        let name = parent.map_or("", |parent| parent.name.as_str());
        let shown = self.shown_key(table, &key.columns, values);
        violation(table, key)
            .with_detail(format!("Key {shown} is not present in table \"{name}\"."))
    }

    pub(super) fn shown_key(
        &self,
        table: &TableDef,
        columns: &[usize],
        values: &[Value],
    ) -> String {
        let names: Vec<String> = columns.iter().map(|at| table.given_name(*at)).collect();
        let values = values
            .iter()
            .map(|value| format_value(value, self.context.locale));
        let values: Vec<String> = values.collect();
        format!("({})=({})", names.join(", "), values.join(", "))
    }

    /// The first of some keys that refers to no row; the rows that others refer to are locked.
    pub async fn missing_parent<'k>(
        &mut self,
        table: &TableDef,
        key: &ForeignKeyDef,
        keys: &'k [Vec<Value>],
    ) -> Result<Option<&'k [Value]>> {
        for chunk in keys.chunks(CHUNK_KEYS) {
            let (missing, positions) = self.look(table, key, chunk).await?;
            if let Some(at) = missing {
                return Ok(chunk.get(at).map(Vec::as_slice));
            }
            self.lock_parents(key, &positions).await?;
        }
        Ok(None)
    }

    async fn lock_parents(&mut self, key: &ForeignKeyDef, positions: &[RowPosition]) -> Result<()> {
        match self.catalog.tables.get(&key.parent) {
            Some(parent) => {
                let row_locks =
                    self.txn
                        .store
                        .lock_rows(parent.tree, positions, RowLockKind::Share);
                Ok(row_locks.await?)
            }
            None => Ok(()),
        }
    }

    /// The place of the first of some keys that refers to no row, and the rows that they refer to.
    async fn look(
        &self,
        table: &TableDef,
        key: &ForeignKeyDef,
        keys: &[Vec<Value>],
    ) -> Result<(Option<usize>, Vec<RowPosition>)> {
        self.cancel.check()?;
        let Some(parent) = self.catalog.tables.get(&key.parent) else {
            return Ok((None, Vec::new()));
        };
        let types = self.types_of(table, key)?;
        let wanted = keys
            .iter()
            .map(|key| types.to_parent(key, self.context.locale));
        let wanted: Vec<Option<Vec<Value>>> = wanted.collect();
        let given: Vec<Vec<Value>> = wanted.iter().flatten().cloned().collect();
        let (found, positions) = self.parents(parent, key, &given).await?;
        let is_missing = |wanted: &Option<Vec<Value>>| {
            let known = wanted.as_ref().map(|key| found.contains(&key_bytes(key)));
            known != Some(true)
        };
        Ok((wanted.iter().position(is_missing), positions))
    }

    /// Which of some keys are there in the table that a foreign key refers to, and where.
    async fn parents(
        &self,
        parent: &TableDef,
        key: &ForeignKeyDef,
        keys: &[Vec<Value>],
    ) -> Result<(BTreeSet<Vec<u8>>, Vec<RowPosition>)> {
        let columns = key.parent_positions(parent);
        let in_order = |at: &usize| columns.iter().position(|column| column == at);
        let order: Vec<usize> = parent.primary_key.iter().filter_map(in_order).collect();
        let is_whole = order.len() == columns.len() && order.len() == parent.primary_key.len();
        let rows = if keys.is_empty() {
            Vec::new()
        } else if is_whole {
            let reordered = keys.iter().map(|key| {
                let values = order.iter().filter_map(|at| key.get(*at).cloned());
                values.collect::<Vec<Value>>()
            });
            let reordered: Vec<Vec<Value>> = reordered.collect();
            let found = self
                .txn
                .store
                .lookup(parent.tree, &reordered, &columns, true);
            found.await?
        } else {
            let wanted = Wanted {
                columns: &KeyPart::columns(&columns),
                keys,
                tests: &[],
            };
            rows_with(&self.source(), parent, &wanted, &columns).await?
        };
        let places: Vec<usize> = (0..columns.len()).collect();
        let mut found = BTreeSet::new();
        for batch in &rows {
            found.extend((0..batch.rows()).map(|row| key_bytes(&key_of(batch, &places, row))));
        }
        Ok((found, positions_of(&rows, columns.len())?))
    }

    /// An error where rows still refer to rows that are gone; those that came again count where
    /// `again` says so.
    pub async fn find_children(
        &mut self,
        table: &TableDef,
        key: &ForeignKeyDef,
        keys: Keys,
        again: bool,
    ) -> Result<()> {
        let Some(parent) = self.catalog.tables.get(&key.parent).map(Arc::clone) else {
            return Ok(());
        };
        if keys.all {
            return self.validate(table, key).await;
        }
        let types = self.types_of(table, key)?;
        for chunk in keys.list.chunks(CHUNK_KEYS) {
            self.cancel.check()?;
            let mut gone: Vec<&Vec<Value>> = chunk.iter().collect();
            if again {
                let (found, _) = self.parents(&parent, key, chunk).await?;
                gone.retain(|key| !found.contains(&key_bytes(key)));
            }
            let mut wanted = Vec::with_capacity(gone.len());
            let mut shown = BTreeMap::new();
            for old in gone {
                if let Some(child) = types.to_child(old, self.context.locale) {
                    shown.insert(key_bytes(&child), old);
                    wanted.push(child);
                }
            }
            let wanted = Wanted {
                columns: &KeyPart::columns(&key.columns),
                keys: &wanted,
                tests: &[],
            };
            let rows = rows_with(&self.source(), table, &wanted, &key.columns).await?;
            let places: Vec<usize> = (0..key.columns.len()).collect();
            if let Some(batch) = rows.iter().find(|batch| !batch.is_empty())
                && let Some(old) = shown.get(&key_bytes(&key_of(batch, &places, 0)))
            {
                let message = format!(
                    "update or delete on table \"{}\" violates foreign key constraint \"{}\" on \
                     table \"{}\"",
                    parent.name, key.name, table.name
                );
                let shown = self.shown_key(&parent, &key.parent_positions(&parent), old);
                let detail = format!(
                    "Key {shown} is still referenced from table \"{}\".",
                    table.name
                );
                return Err(Error::new(SqlState::FOREIGN_KEY_VIOLATION, message)
                    .with_detail(detail)
                    .with_table(&table.name)
                    .with_constraint(&key.name));
            }
        }
        Ok(())
    }

    /// Looks for the rows that all rows of a table refer to.
    pub async fn validate(&mut self, table: &TableDef, key: &ForeignKeyDef) -> Result<()> {
        let spec = ScanSpec::of(table.tree, key.columns.clone());
        let places: Vec<usize> = (0..key.columns.len()).collect();
        let mut positions = BTreeSet::new();
        {
            let source = self.source();
            let mut stream = source.scan(spec).await?;
            let mut seen = BTreeSet::new();
            while let Some(batch) = stream.next().await? {
                let mut fresh = Vec::new();
                for row in 0..batch.rows() {
                    let values = key_of(&batch, &places, row);
                    if self.has_reference(table, key, &values)? && seen.insert(key_bytes(&values)) {
                        fresh.push(values);
                    }
                }
                let (missing, found) = self.look(table, key, &fresh).await?;
                if let Some(missing) = missing.and_then(|at| fresh.get(at)) {
                    return Err(self.not_present(table, key, missing));
                }
                positions.extend(found);
                if seen.len() > KEYS_MAX {
                    seen.clear();
                }
            }
        }
        let positions: Vec<RowPosition> = positions.into_iter().collect();
        self.lock_parents(key, &positions).await
    }

    pub(super) fn types_of(&self, table: &TableDef, key: &ForeignKeyDef) -> Result<KeyTypes> {
        let parent = self.catalog.tables.get(&key.parent);
        let parent = parent.ok_or_else(|| Error::internal("a foreign key refers to nothing"))?;
        let positions = key.parent_positions(parent);
        Ok(KeyTypes {
            child: key.columns.iter().map(|at| table.type_at(*at)).collect(),
            parent: positions.iter().map(|at| parent.type_at(*at)).collect(),
        })
    }
}

pub fn violation(table: &TableDef, key: &ForeignKeyDef) -> Error {
    let message = format!(
        "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
        table.name, key.name
    );
    Error::new(SqlState::FOREIGN_KEY_VIOLATION, message)
        .with_table(&table.name)
        .with_constraint(&key.name)
}
