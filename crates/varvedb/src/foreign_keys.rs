//! Foreign keys: rows find the rows that they refer to, and what happens where those go away.
//!
//! A statement first writes, then looks: rows that refer to others look for them and claim them,
//! so that nobody deletes them meanwhile; rows that others refer to take those along, or are
//! missed by them. What that changes is looked at in the same way, from a list, not by recursion.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use varve_exec::{Cancel, ScanRequest, ScanSource};
use varve_expr::{Locale, cast_value, evaluate, format_value};
use varve_sql::{ForeignKeyDef, KeyAction, Relation, TableDef};
use varve_store::ClaimKind;
use varve_types::{
    Batch, Column, ColumnBuilder, Error, LogicalType, ObjectId, Result, RowPosition, SqlState,
    Value,
};

use crate::deferred::Constraint;
use crate::find::{Wanted, key_bytes, rows_with};
use crate::write::{Writer, positions_of};

/// Keys that are looked up at a time.
const CHUNK_KEYS: usize = 1024;
/// Keys that are kept to be looked up later; of more, all rows of the table are looked at.
const KEYS_MAX: usize = 1 << 16;

/// What is left to be looked at.
pub(crate) enum Work {
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
pub(crate) type Change = (Vec<Value>, Option<Vec<Value>>);

/// Different keys in the order in which they came.
#[derive(Clone, Default)]
pub(crate) struct Keys {
    known: BTreeSet<Vec<u8>>,
    list: Vec<Vec<Value>>,
    /// Whether there are too many to be kept.
    all: bool,
}

impl Keys {
    fn add(&mut self, key: Vec<Value>) {
        if self.all || !self.known.insert(key_bytes(&key)) {
            return;
        }
        self.list.push(key);
        if self.list.len() > KEYS_MAX {
            *self = Keys {
                all: true,
                ..Keys::default()
            };
        }
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty() && !self.all
    }

    pub fn extend(&mut self, other: Keys) {
        self.all |= other.all;
        for key in other.list {
            self.add(key);
        }
    }
}

/// What waits for the end of the transaction of one foreign key.
#[derive(Clone, Default)]
pub(crate) struct WaitingKeys {
    /// Keys of rows that refer to others.
    pub refers: Keys,
    /// Keys of rows that others may refer to.
    pub gone: Keys,
}

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
    fn has_reference(
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
        if self.deferred.defers_key(child, key) {
            self.deferred.keys(child, &key.name).refers.extend(keys);
            return Ok(());
        }
        if key.parent != child {
            return self.find_parents(table, key, &keys).await;
        }
        // Rows of the same statement may still come.
        for work in &mut self.work {
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
        self.work.push_back(Work::Refers {
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
            let changes = self.changes(table, positions, rows, &key.columns).await?;
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
            let mut changes = self.changes(table, positions, rows, &columns).await?;
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

    pub async fn after_update(
        &mut self,
        table: &TableDef,
        (refers, gone): (Vec<(usize, Keys)>, Vec<Work>),
    ) -> Result<()> {
        self.work.extend(gone);
        for (at, keys) in refers {
            self.look_or_note(table, at, keys).await?;
        }
        Ok(())
    }

    /// The old and new values of some columns of rows where they differ.
    async fn changes(
        &self,
        table: &TableDef,
        positions: &[RowPosition],
        rows: &[Batch],
        columns: &[usize],
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
        let changed = old
            .zip(new)
            .filter(|(old, new)| key_bytes(old) != key_bytes(new));
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
        self.transaction.fetch(table.tree, positions, columns).await
    }

    /// Does what the foreign keys want after a statement has written.
    pub async fn settle(&mut self) -> Result<()> {
        let mut checks = Vec::new();
        while let Some(work) = self.work.pop_front() {
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
                    if self.deferred.defers_key(child, &definition) {
                        let waiting = self.deferred.keys(child, &definition.name);
                        waiting.gone.extend(keys);
                    } else {
                        self.find_children(&table, &definition, keys, true).await?;
                    }
                }
            }
        }
        Ok(())
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

    /// Looks for the rows that keys refer to, and claims them.
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

    fn not_present(&self, table: &TableDef, key: &ForeignKeyDef, values: &[Value]) -> Error {
        let parent = self.catalog.tables.get(&key.parent);
        let name = parent.map_or("", |parent| parent.name.as_str());
        let shown = self.shown_key(table, &key.columns, values);
        violation(table, key)
            .with_detail(format!("Key {shown} is not present in table \"{name}\"."))
    }

    fn shown_key(&self, table: &TableDef, columns: &[usize], values: &[Value]) -> String {
        let names: Vec<String> = columns.iter().map(|at| table.label_at(*at)).collect();
        let values = values
            .iter()
            .map(|value| format_value(value, self.context.locale));
        let values: Vec<String> = values.collect();
        format!("({})=({})", names.join(", "), values.join(", "))
    }

    /// The first of some keys that refers to no row; the rows that others refer to are claimed.
    async fn missing_parent<'k>(
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
            self.claim_parents(key, &positions).await?;
        }
        Ok(None)
    }

    async fn claim_parents(
        &mut self,
        key: &ForeignKeyDef,
        positions: &[RowPosition],
    ) -> Result<()> {
        match self.catalog.tables.get(&key.parent) {
            Some(parent) => {
                let claims = self
                    .transaction
                    .claim_rows(parent.tree, positions, ClaimKind::Share);
                claims.await
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
                .transaction
                .lookup(parent.tree, &reordered, &columns, true);
            found.await?
        } else {
            let wanted = Wanted {
                columns: &columns,
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
    async fn find_children(
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
                columns: &key.columns,
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
        let request = ScanRequest {
            relation: Relation::Tree(table.tree),
            columns: key.columns.clone(),
            predicates: Vec::new(),
            with_position: false,
            reverse: false,
            limit_rows: None,
            order: Vec::new(),
        };
        let places: Vec<usize> = (0..key.columns.len()).collect();
        let mut positions = BTreeSet::new();
        {
            let source = self.source();
            let mut stream = source.scan(request).await?;
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
        self.claim_parents(key, &positions).await
    }

    fn types_of(&self, table: &TableDef, key: &ForeignKeyDef) -> Result<KeyTypes> {
        let parent = self.catalog.tables.get(&key.parent);
        let parent = parent.ok_or_else(|| Error::internal("a foreign key refers to nothing"))?;
        let positions = key.parent_positions(parent);
        Ok(KeyTypes {
            child: key.columns.iter().map(|at| table.type_at(*at)).collect(),
            parent: positions.iter().map(|at| parent.type_at(*at)).collect(),
        })
    }

    /// Checks what was put off of some constraints, or of all.
    pub async fn settle_deferred(&mut self, constraints: Option<&[Constraint]>) -> Result<()> {
        self.deferred.check(self.transaction, constraints).await?;
        let waiting = self.deferred.take_keys(constraints);
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

/// The types of the columns on both sides of a foreign key.
struct KeyTypes {
    child: Vec<LogicalType>,
    parent: Vec<LogicalType>,
}

impl KeyTypes {
    fn to_parent(&self, key: &[Value], locale: &Locale) -> Option<Vec<Value>> {
        converted(key, &self.child, &self.parent, locale)
    }

    fn to_child(&self, key: &[Value], locale: &Locale) -> Option<Vec<Value>> {
        converted(key, &self.parent, &self.child, locale)
    }
}

/// A key in other types; `None` where no key of these types equals it.
fn converted(
    key: &[Value],
    from: &[LogicalType],
    to: &[LogicalType],
    locale: &Locale,
) -> Option<Vec<Value>> {
    if from == to {
        return Some(key.to_vec());
    }
    let convert = |((value, from), to): ((&Value, &LogicalType), &LogicalType)| {
        if from == to {
            return Some(value.clone());
        }
        let there = cast_value(value, *to, true, locale).ok()?;
        let back = cast_value(&there, *from, true, locale).ok()?;
        let same =
            key_bytes(core::slice::from_ref(&back)) == key_bytes(core::slice::from_ref(value));
        same.then_some(there)
    };
    key.iter().zip(from).zip(to).map(convert).collect()
}

fn key_of(batch: &Batch, columns: &[usize], row: usize) -> Vec<Value> {
    let columns = columns.iter().map(|at| batch.column(*at));
    columns
        .map(|column| column.map_or(Value::Null, |column| column.value(row)))
        .collect()
}

fn violation(table: &TableDef, key: &ForeignKeyDef) -> Error {
    let message = format!(
        "insert or update on table \"{}\" violates foreign key constraint \"{}\"",
        table.name, key.name
    );
    Error::new(SqlState::FOREIGN_KEY_VIOLATION, message)
        .with_table(&table.name)
        .with_constraint(&key.name)
}
