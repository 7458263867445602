//! Foreign keys of a table.

use std::sync::Arc;

use varve_types::{ColumnId, ObjectId, Result};

use crate::model::bytes::{Input, broken, code, put_count, put_name};
use crate::model::catalog::Catalog;
use crate::model::index::Deferral;
use crate::model::table::TableDef;

/// A foreign key.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKeyDef {
    /// Its name, as it was folded.
    pub name: String,
    /// Positions of its columns.
    pub columns: Vec<usize>,
    /// The table that it refers to; of a table that is being made 0 is the table itself.
    pub parent: ObjectId,
    /// The columns of that table, one for each of its own.
    pub parent_columns: Vec<ColumnId>,
    /// `MATCH FULL`: all of its columns are NULL or none.
    pub is_full: bool,
    /// What happens to rows whose row in the other table is deleted.
    pub on_delete: KeyAction,
    /// And where that gets another key.
    pub on_update: KeyAction,
    /// The columns that `ON DELETE SET NULL` and `SET DEFAULT` set; none for all.
    pub set_columns: Vec<usize>,
    /// When it is checked.
    pub deferral: Deferral,
    /// Whether the rows that were there before it were checked.
    pub is_valid: bool,
}

/// What happens to rows that refer to a row which is no longer there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyAction {
    /// An error, at the end of the statement or the transaction.
    #[default]
    NoAction,
    /// An error.
    Restrict,
    /// They are deleted, or get the new key.
    Cascade,
    /// Their columns become NULL.
    SetNull,
    /// Their columns get their defaults.
    SetDefault,
}

/// Actions by their codes.
const ACTIONS: [KeyAction; 5] = [
    KeyAction::NoAction,
    KeyAction::Restrict,
    KeyAction::Cascade,
    KeyAction::SetNull,
    KeyAction::SetDefault,
];
const DEFERRALS: [Deferral; 3] = [Deferral::Never, Deferral::Deferrable, Deferral::Deferred];

impl ForeignKeyDef {
    /// Positions of the columns that it refers to.
    pub fn parent_positions(&self, parent: &TableDef) -> Vec<usize> {
        let position = |id: &ColumnId| parent.columns.iter().position(|column| column.id == *id);
        self.parent_columns.iter().filter_map(position).collect()
    }
}

impl Catalog {
    /// The foreign keys that refer to a table, with their tables and their places there.
    pub fn references_to(
        &self,
        object: ObjectId,
    ) -> impl Iterator<Item = (&Arc<TableDef>, usize, &ForeignKeyDef)> {
        let tables = self.tables.values();
        tables.flat_map(move |table| {
            let keys = table.foreign_keys.iter().enumerate();
            let keys = keys.filter(move |(_, key)| key.parent == object);
            keys.map(move |(at, key)| (table, at, key))
        })
    }
}

/// Appends a foreign key: name, columns, table, its columns, flags (1 full, 2 valid), actions,
/// deferral, columns to be set.
pub(crate) fn put_foreign_key(bytes: &mut Vec<u8>, key: &ForeignKeyDef) -> Result<()> {
    put_name(bytes, &key.name)?;
    put_count(bytes, key.columns.len())?;
    for column in &key.columns {
        put_count(bytes, *column)?;
    }
    bytes.extend(key.parent.0.to_le_bytes());
    for column in &key.parent_columns {
        bytes.extend(column.0.to_le_bytes());
    }
    bytes.push(u8::from(key.is_full) | u8::from(key.is_valid) << 1);
    for action in [key.on_delete, key.on_update] {
        bytes.push(code(&ACTIONS, &action)?);
    }
    bytes.push(code(&DEFERRALS, &key.deferral)?);
    put_count(bytes, key.set_columns.len())?;
    for column in &key.set_columns {
        put_count(bytes, *column)?;
    }
    Ok(())
}

pub(crate) fn take_foreign_key(input: &mut Input<'_>, width: usize) -> Result<ForeignKeyDef> {
    let name = input.name()?;
    let columns = positions(input, width)?;
    let parent = ObjectId(u64::from_le_bytes(input.array()?));
    let mut parent_columns = Vec::with_capacity(columns.len());
    for _ in &columns {
        parent_columns.push(ColumnId(u32::from_le_bytes(input.array()?)));
    }
    let flags = input.u8()?;
    let mut taken = || -> Result<usize> {
        let code = input.u8()?;
        Ok(usize::from(code))
    };
    let wrong = || broken("foreign key");
    let on_delete = *ACTIONS.get(taken()?).ok_or_else(wrong)?;
    let on_update = *ACTIONS.get(taken()?).ok_or_else(wrong)?;
    let deferral = *DEFERRALS.get(taken()?).ok_or_else(wrong)?;
    if columns.is_empty() || flags > 3 {
        return Err(wrong());
    }
    Ok(ForeignKeyDef {
        name,
        columns,
        parent,
        parent_columns,
        is_full: flags & 1 == 1,
        on_delete,
        on_update,
        set_columns: positions(input, width)?,
        deferral,
        is_valid: flags & 2 == 2,
    })
}

fn positions(input: &mut Input<'_>, width: usize) -> Result<Vec<usize>> {
    let mut positions = Vec::new();
    for _ in 0..input.count()? {
        let position = input.count()?;
        if position >= width {
            return Err(broken("column of a foreign key"));
        }
        positions.push(position);
    }
    Ok(positions)
}
