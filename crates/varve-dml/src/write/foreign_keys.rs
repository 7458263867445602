//! Foreign keys: rows find the rows that they refer to, and what happens where those go away.
//!
//! A statement first writes, then looks: rows that refer to others look for them and lock them,
//! so that nobody deletes them meanwhile; rows that others refer to take those along, or are
//! missed by them. What that changes is looked at in the same way, from a list, not by recursion.
//!
//! Here writes note what is to be looked at.

use varve_catalog::{ForeignKeyDef, TableDef};
use varve_types::{Batch, ObjectId, Result, RowPosition, Value, put_details};

use crate::read::find::key_bytes;
use crate::write::writer::Writer;

use crate::write::foreign_key_look::violation;
use crate::write::waiting_keys::{Keys, key_of};

/// What is left to be looked at.
pub enum Work {
    /// Rows of a table have these keys now.
    Refers {
        child: ObjectId,
        key: usize,
        keys: Keys,
    },
    /// Rows that others refer to had these keys, and have the others now.
    Gone {
        child: ObjectId,
        key: usize,
        changes: Vec<Change>,
    },
}

/// The key that a row had, and the one that it got; none where it was deleted.
pub type Change = (Vec<Value>, Option<Vec<Value>>);

impl Writer<'_> {
    /// Rows were added to a table: looks for those that they refer to, or notes them.
    pub async fn refers(&mut self, table: &TableDef, rows: &[Batch]) -> Result<()> {
        for (at, key) in table.foreign_keys.iter().enumerate() {
            let mut keys = Keys::default();
            for batch in rows {
                for row in 0..batch.rows() {
                    let values = key_of(batch, &key.columns, row);
                    if self.has_reference(table, key, &values)? {
                        keys.add(values);
                    }
                }
            }
            self.look_or_note(table, at, keys).await?;
        }
        Ok(())
    }

    /// Whether the key of a row refers to another; an error where `MATCH FULL` forbids it.
    pub(super) fn has_reference(
        &self,
        table: &TableDef,
        key: &ForeignKeyDef,
        values: &[Value],
    ) -> Result<bool> {
        let nulls = values.iter().filter(|value| value.is_null()).count();
        if key.is_full && nulls > 0 && nulls < values.len() {
            let detail = "MATCH FULL does not allow mixing of null and nonnull key values.";
            return Err(violation(table, key).with_detail(detail));
        }
        Ok(nulls == 0)
    }

    async fn look_or_note(&mut self, table: &TableDef, at: usize, keys: Keys) -> Result<()> {
        let Some(key) = table.foreign_keys.get(at).filter(|_| !keys.is_empty()) else {
            return Ok(());
        };
        let child = table.object;
        if self.txn.deferred.defers_key(child, key) {
            self.txn.deferred.keys(child, &key.name).refers.extend(keys);
            return Ok(());
        }
        if key.parent != child {
            return self.find_parents(table, key, &keys).await;
        }
        // Rows of the same statement may still come.
        for work in &mut self.left.work {
            if let Work::Refers {
                child: known,
                key: place,
                keys: waiting,
            } = work
                && (*known, *place) == (child, at)
            {
                waiting.extend(keys);
                return Ok(());
            }
        }
        self.left.work.push_back(Work::Refers {
            child,
            key: at,
            keys,
        });
        Ok(())
    }

    /// What rows at some positions stand for, before they are deleted.
    pub async fn before_delete(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
    ) -> Result<Vec<Work>> {
        let mut work = Vec::new();
        for (child, at, key) in self.catalog.references_to(table.object) {
            let columns = key.parent_positions(table);
            let mut changes = Vec::new();
            for batch in self.read(table, positions, &columns).await? {
                let places: Vec<usize> = (0..columns.len()).collect();
                for row in 0..batch.rows() {
                    let old = key_of(&batch, &places, row);
                    if !old.iter().any(Value::is_null) {
                        changes.push((old, None));
                    }
                }
            }
            if !changes.is_empty() {
                work.push(Work::Gone {
                    child: child.object,
                    key: at,
                    changes,
                });
            }
        }
        Ok(work)
    }

    /// What an update of rows changes: the keys that they refer to by the place of the foreign
    /// key, and those that others refer to.
    pub async fn before_update(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
        rows: &[Batch],
        assigned: &[usize],
    ) -> Result<(Vec<(usize, Keys)>, Vec<Work>)> {
        let mut refers = Vec::new();
        for (at, key) in table.foreign_keys.iter().enumerate() {
            if !table.may_change(&key.columns, assigned) {
                continue;
            }
            let mut keys = Keys::default();
            let changes = self.changes(table, positions, rows, &key.columns, key_bytes);
            let changes = changes.await?;
            for new in changes.into_iter().filter_map(|(_, new)| new) {
                if self.has_reference(table, key, &new)? {
                    keys.add(new);
                }
            }
            refers.push((at, keys));
        }
        let mut gone = Vec::new();
        for (child, at, key) in self.catalog.references_to(table.object) {
            let columns = key.parent_positions(table);
            if !table.may_change(&columns, assigned) {
                continue;
            }
            let changes = self.changes(table, positions, rows, &columns, image);
            let mut changes = changes.await?;
            changes.retain(|(old, _)| !old.iter().any(Value::is_null));
            if !changes.is_empty() {
                gone.push(Work::Gone {
                    child: child.object,
                    key: at,
                    changes,
                });
            }
        }
        Ok((refers, gone))
    }

    pub(super) async fn after_update(
        &mut self,
        table: &TableDef,
        (refers, gone): (Vec<(usize, Keys)>, Vec<Work>),
    ) -> Result<()> {
        self.left.work.extend(gone);
        for (at, keys) in refers {
            self.look_or_note(table, at, keys).await?;
        }
        Ok(())
    }

    /// The old and new values of some columns of rows where the bytes of them differ.
    async fn changes(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
        rows: &[Batch],
        columns: &[usize],
        bytes: fn(&[Value]) -> Vec<u8>,
    ) -> Result<Vec<Change>> {
        let places: Vec<usize> = (0..columns.len()).collect();
        let old = self.read(table, positions, columns).await?;
        let old = old.iter().flat_map(|batch| {
            let places = &places;
            (0..batch.rows()).map(move |row| key_of(batch, places, row))
        });
        let new = rows
            .iter()
            .flat_map(|batch| (0..batch.rows()).map(move |row| key_of(batch, columns, row)));
        let changed = old.zip(new).filter(|(old, new)| bytes(old) != bytes(new));
        Ok(changed.map(|(old, new)| (old, Some(new))).collect())
    }

    async fn read(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
        columns: &[usize],
    ) -> Result<Vec<Batch>> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        Ok(self.txn.store.fetch(table.tree, positions, columns).await?)
    }
}

/// A key as bytes that are equal for keys that look the same: who refers to 1.0 follows it to 1.00.
fn image(key: &[Value]) -> Vec<u8> {
    let mut bytes = key_bytes(key);
    key.iter().for_each(|value| put_details(value, &mut bytes));
    bytes
}
