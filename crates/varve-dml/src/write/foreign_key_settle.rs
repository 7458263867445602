//! What foreign keys want once rows were written: at the end of a statement, and of what was put
//! off at that of the transaction.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_catalog::{ForeignKeyDef, KeyAction, TableDef};
use varve_expr::{cast_value, evaluate};
use varve_types::{Batch, Column, ColumnBuilder, ObjectId, Result, Value};

use crate::read::find::{Wanted, key_bytes, rows_with};
use crate::read::rows::positions_of;
use crate::write::deferred::Constraint;
use crate::write::foreign_key_look::CHUNK_KEYS;
use crate::write::foreign_keys::{Change, Work};
use crate::write::waiting_keys::{Keys, WaitingKeys, key_of};
use crate::write::writer::Writer;

impl Writer<'_> {
    /// Does what the foreign keys want after a statement has written.
    pub async fn settle(&mut self) -> Result<()> {
        let mut checks = Vec::new();
        while let Some(work) = self.left.work.pop_front() {
            self.cancel.check()?;
            let Work::Gone {
                child,
                key,
                changes,
            } = work
            else {
                checks.push(work);
                continue;
            };
            let Some((table, definition)) = self.key_at(child, key) else {
                continue;
            };
            let is_deleted = changes.iter().all(|(_, new)| new.is_none());
            let action = match is_deleted {
                true => definition.on_delete,
                false => definition.on_update,
            };
            match action {
                KeyAction::NoAction => checks.push(Work::Gone {
                    child,
                    key,
                    changes,
                }),
                KeyAction::Cascade if self.is_chain(&table, &definition, is_deleted) => {
                    self.delete_below(&table, &definition, &changes).await?;
                }
                KeyAction::Restrict => {
                    let mut keys = Keys::default();
                    changes.into_iter().for_each(|(old, _)| keys.add(old));
                    self.find_children(&table, &definition, keys, false).await?;
                }
                _ => {
                    // A default may be the key that is gone.
                    let again = (action == KeyAction::SetDefault).then(|| changes.clone());
                    self.carry_on(&table, &definition, action, changes).await?;
                    checks.extend(again.map(|changes| Work::Gone {
                        child,
                        key,
                        changes,
                    }));
                }
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
                } => {
                    let Some((table, definition)) = self.key_at(child, key) else {
                        continue;
                    };
                    let mut keys = Keys::default();
                    changes.into_iter().for_each(|(old, _)| keys.add(old));
                    if self.txn.deferred.defers_key(child, &definition) {
                        let waiting = self.txn.deferred.keys(child, &definition.name);
                        waiting.gone.extend(keys);
                    } else {
                        self.find_children(&table, &definition, keys, true).await?;
                    }
                }
            }
        }
        self.fire_after().await
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
            let mut wanted = Vec::with_capacity(chunk.len());
            let mut new_keys = BTreeMap::new();
            for (old, new) in chunk {
                let Some(old) = types.to_child(old, self.context.locale) else {
                    continue;
                };
                if let Some(new) = new {
                    new_keys.insert(key_bytes(&old), new.clone());
                }
                wanted.push(old);
            }
            let wanted = Wanted {
                columns: &key.columns,
                keys: &wanted,
                tests: &[],
            };
            let rows = rows_with(&self.source(), table, &wanted, &every).await?;
            let positions = positions_of(&rows, every.len())?;
            if positions.is_empty() {
                continue;
            }
            let is_deleted = new_keys.is_empty();
            if action == KeyAction::Cascade && is_deleted {
                self.delete(table, &positions).await?;
                continue;
            }
            let mut changed = Vec::with_capacity(rows.len());
            let set = match (is_deleted, key.set_columns.as_slice()) {
                (true, set @ [_, ..]) => set,
                _ => &key.columns,
            };
            for batch in &rows {
                let mut columns = batch.physical_columns().to_vec();
                columns.truncate(every.len());
                for (place, at) in key.columns.iter().enumerate() {
                    let (Some(definition), Some(column)) =
                        (table.columns.get(*at), columns.get_mut(*at))
                    else {
                        continue;
                    };
                    let ty = definition.ty;
                    *column = match (action, &definition.default) {
                        (KeyAction::Cascade, _) => {
                            let mut builder = ColumnBuilder::with_capacity(ty, batch.rows());
                            for row in 0..batch.rows() {
                                let old = key_bytes(&key_of(batch, &key.columns, row));
                                let new = new_keys.get(&old).and_then(|new| new.get(place));
                                let new = new.cloned().unwrap_or(Value::Null);
                                let locale = self.context.locale;
                                let new = match new.is_of(ty) {
                                    true => new,
                                    false => cast_value(&new, ty, false, locale)?,
                                };
                                builder.push(&new);
                            }
                            Arc::new(builder.finish())
                        }
                        _ if !set.contains(at) => continue,
                        (KeyAction::SetDefault, Some(default)) => {
                            evaluate(default, batch, &self.context)?
                        }
                        _ => Arc::new(Column::constant(ty, &Value::Null, batch.rows())),
                    };
                }
                changed.push(Batch::new(columns, batch.rows()));
            }
            let changed = self.checked(table, &changed)?;
            self.update(table, &positions, &changed, &key.columns)
                .await?;
        }
        Ok(())
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
                        columns: &key.columns,
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
