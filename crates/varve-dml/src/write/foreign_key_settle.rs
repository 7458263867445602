//! What foreign keys want once rows were written: at the end of a statement, and of what was put
//! off at that of the transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_catalog::{ForeignKeyDef, KeyAction, TableDef};
use varve_expr::{Locale, cast_value, evaluate};
use varve_types::{
    Batch, Column, ColumnBuilder, ColumnRef, KeyPart, LogicalType, ObjectId, Result, Value,
};

use crate::read::find::{Wanted, key_bytes, rows_with};
use crate::read::rows::positions_of;
use crate::write::deferred::Constraint;
use crate::write::foreign_key_look::CHUNK_KEYS;
use crate::write::foreign_keys::{Change, Work};
use crate::write::waiting_keys::{KeyTypes, Keys, WaitingKeys, key_of};
use crate::write::writer::Writer;

/// Keys of rows that are gone or changed, in the types of the child.
struct ChildKeys {
    old: Vec<Vec<Value>>,
    /// By the bytes of the old key; none where rows were deleted.
    new: BTreeMap<Vec<u8>, Vec<Value>>,
}

impl ChildKeys {
    fn of(changes: &[Change], types: &KeyTypes, locale: &Locale) -> ChildKeys {
        let mut keys = ChildKeys {
            old: Vec::with_capacity(changes.len()),
            new: BTreeMap::new(),
        };
        for (old, new) in changes {
            let Some(old) = types.to_child(old, locale) else {
                continue;
            };
            if let Some(new) = new {
                keys.new.insert(key_bytes(&old), new.clone());
            }
            keys.old.push(old);
        }
        keys
    }

    /// One column of the new keys of rows that have these old ones.
    fn cascaded(
        &self,
        place: usize,
        ty: LogicalType,
        old: impl ExactSizeIterator<Item = Vec<Value>>,
        locale: &Locale,
    ) -> Result<ColumnRef> {
        let mut builder = ColumnBuilder::with_capacity(ty, old.len());
        for old in old {
            let new = self.new.get(&key_bytes(&old));
            let new = new.and_then(|new| new.get(place)).cloned();
            let new = new.unwrap_or(Value::Null);
            let new = match new.is_of(ty) {
                true => new,
                false => cast_value(&new, ty, false, locale)?,
            };
            builder.push(&new);
        }
        Ok(Arc::new(builder.finish()))
    }
}

fn old_keys(changes: Vec<Change>) -> Keys {
    let mut keys = Keys::default();
    changes.into_iter().for_each(|(old, _)| keys.add(old));
    keys
}

impl Writer<'_> {
    /// Does what the foreign keys want after a statement has written.
    pub async fn settle(&mut self) -> Result<()> {
        let mut checks = Vec::new();
        while let Some(work) = self.left.work.pop_front() {
            self.cancel.check()?;
            match work {
                Work::Refers { .. } => checks.push(work),
                Work::Gone {
                    child,
                    key,
                    changes,
                } => checks.extend(self.act_on_gone(child, key, changes).await?),
            }
        }
        for work in checks {
            self.cancel.check()?;
            match work {
                Work::Refers { child, key, keys } => {
                    if let Some((table, definition)) = self.key_at(child, key) {
                        self.find_parents(&table, &definition, &keys).await?;
                    }
                }
                Work::Gone {
                    child,
                    key,
                    changes,
                } => self.check_gone(child, key, changes).await?,
            }
        }
        self.fire_after().await
    }

    /// Does what a foreign key says of rows that are gone or changed; answers what is to be checked
    /// once all of that is done.
    async fn act_on_gone(
        &mut self,
        child: ObjectId,
        key: usize,
        changes: Vec<Change>,
    ) -> Result<Option<Work>> {
        let Some((table, definition)) = self.key_at(child, key) else {
            return Ok(None);
        };
        let is_deleted = changes.iter().all(|(_, new)| new.is_none());
        let action = match is_deleted {
            true => definition.on_delete,
            false => definition.on_update,
        };
        match action {
            KeyAction::NoAction => {
                return Ok(Some(Work::Gone {
                    child,
                    key,
                    changes,
                }));
            }
            KeyAction::Cascade if self.is_chain(&table, &definition, is_deleted) => {
                self.delete_below(&table, &definition, &changes).await?;
            }
            KeyAction::Restrict => {
                let keys = old_keys(changes);
                self.find_children(&table, &definition, keys, false).await?;
            }
            _ => {
                // A default may be the key that is gone.
                let again = (action == KeyAction::SetDefault).then(|| changes.clone());
                self.carry_on(&table, &definition, action, changes).await?;
                return Ok(again.map(|changes| Work::Gone {
                    child,
                    key,
                    changes,
                }));
            }
        }
        Ok(None)
    }

    /// No row may refer to keys that are gone, or not at the end of the transaction.
    async fn check_gone(
        &mut self,
        child: ObjectId,
        key: usize,
        changes: Vec<Change>,
    ) -> Result<()> {
        let Some((table, definition)) = self.key_at(child, key) else {
            return Ok(());
        };
        let keys = old_keys(changes);
        if self.txn.deferred.defers_key(child, &definition) {
            let waiting = self.txn.deferred.keys(child, &definition.name);
            waiting.gone.extend(keys);
            return Ok(());
        }
        self.find_children(&table, &definition, keys, true).await
    }

    fn key_at(&self, child: ObjectId, key: usize) -> Option<(Arc<TableDef>, ForeignKeyDef)> {
        let table = self.catalog.tables.get(&child)?;
        Some((Arc::clone(table), table.foreign_keys.get(key)?.clone()))
    }

    /// Deletes or changes the rows that refer to rows which are gone or changed.
    async fn carry_on(
        &mut self,
        table: &TableDef,
        key: &ForeignKeyDef,
        action: KeyAction,
        changes: Vec<Change>,
    ) -> Result<()> {
        let types = self.types_of(table, key)?;
        let every: Vec<usize> = (0..table.columns.len()).collect();
        for chunk in changes.chunks(CHUNK_KEYS) {
            let keys = ChildKeys::of(chunk, &types, self.context.locale);
            let wanted = Wanted {
                columns: &KeyPart::columns(&key.columns),
                keys: &keys.old,
                tests: &[],
            };
            let rows = rows_with(&self.source(), table, &wanted, &every).await?;
            let positions = positions_of(&rows, every.len())?;
            if positions.is_empty() {
                continue;
            }
            if action == KeyAction::Cascade && keys.new.is_empty() {
                self.delete(table, &positions).await?;
                continue;
            }
            let mut changed = Vec::with_capacity(rows.len());
            for batch in &rows {
                changed.push(self.with_new_keys(table, key, action, &keys, batch)?);
            }
            let changed = self.checked(table, &changed)?;
            self.update(table, &positions, &changed, &key.columns)
                .await?;
        }
        Ok(())
    }

    /// Rows of a child with what the action makes of their key.
    fn with_new_keys(
        &self,
        table: &TableDef,
        key: &ForeignKeyDef,
        action: KeyAction,
        keys: &ChildKeys,
        rows: &Batch,
    ) -> Result<Batch> {
        let is_deleted = keys.new.is_empty();
        let set = match (is_deleted, key.set_columns.as_slice()) {
            (true, set @ [_, ..]) => set,
            _ => &key.columns,
        };
        let mut columns = rows.physical_columns().to_vec();
        columns.truncate(table.columns.len());
        for (place, at) in key.columns.iter().enumerate() {
            let (Some(definition), Some(column)) = (table.columns.get(*at), columns.get_mut(*at))
            else {
                continue;
            };
            let ty = definition.ty;
            *column = match (action, &definition.default) {
                (KeyAction::Cascade, _) => {
                    let old = (0..rows.rows()).map(|row| key_of(rows, &key.columns, row));
                    keys.cascaded(place, ty, old, self.context.locale)?
                }
                _ if !set.contains(at) => continue,
                (KeyAction::SetDefault, Some(default)) => evaluate(default, rows, &self.context)?,
                _ => Arc::new(Column::constant(ty, &Value::Null, rows.rows())),
            };
        }
        Ok(Batch::new(columns, rows.rows()))
    }

    /// Checks what was put off of some constraints, or of all.
    pub async fn settle_deferred(&mut self, constraints: Option<&[Constraint]>) -> Result<()> {
        self.txn
            .deferred
            .check(&self.txn.store, constraints)
            .await?;
        let waiting = self.txn.deferred.take_keys(constraints);
        for ((child, name), WaitingKeys { refers, gone }) in waiting {
            // A table or a foreign key that was dropped since promises nothing.
            let Some(table) = self.catalog.tables.get(&child).map(Arc::clone) else {
                continue;
            };
            let Some(key) = table.foreign_keys.iter().find(|key| key.name == name) else {
                continue;
            };
            if refers.all {
                self.validate(&table, key).await?;
                continue;
            }
            for chunk in refers.list.chunks(CHUNK_KEYS) {
                let mut left = chunk;
                while let Some(missing) = self.missing_parent(&table, key, left).await? {
                    // The row may be gone as well.
                    let wanted = Wanted {
                        columns: &KeyPart::columns(&key.columns),
                        keys: &[missing.to_vec()],
                        tests: &[],
                    };
                    let rows = rows_with(&self.source(), &table, &wanted, &[]).await?;
                    if rows.iter().any(|batch| !batch.is_empty()) {
                        return Err(self.not_present(&table, key, missing));
                    }
                    let at = left.iter().position(|key| key.as_slice() == missing);
                    left = left.get(at.unwrap_or(left.len()) + 1..).unwrap_or_default();
                }
            }
            self.find_children(&table, key, gone, true).await?;
        }
        Ok(())
    }
}
