//! Rows of a table that refer to rows of the same table, which take them along: all rows below
//! those that are gone are found in one reading, however long their chain is. Where an index has
//! the references, each step is a lookup instead.

use std::collections::BTreeMap;

use varve_catalog::{ForeignKeyDef, KeyAction, TableDef};
use varve_exec::ScanSource;
use varve_types::meter::{self, Growth};
use varve_types::{Result, RowPosition, ScanSpec, Value};

use crate::read::find::key_bytes;
use crate::read::rows::positions_of;
use crate::write::foreign_keys::Change;
use crate::write::waiting_keys::key_of;
use crate::write::writer::Writer;

/// A row that refers to another one: where it is, and the key by which others refer to it.
type Child = (RowPosition, Vec<Value>);

impl Writer<'_> {
    /// Whether rows that are gone take along rows of their own table, and nothing but that decides
    /// which ones these are.
    pub fn is_chain(&self, table: &TableDef, key: &ForeignKeyDef, deleted: bool) -> bool {
        let is_first = |index: &varve_catalog::IndexDef| {
            let first = index.keys.first().and_then(|(part, _)| part.column());
            first.is_some_and(|first| key.columns.contains(&first))
        };
        let has_index = table.indexes.iter().any(is_first)
            || (table.primary_key.first()).is_some_and(|first| key.columns.contains(first));
        deleted
            && key.on_delete == KeyAction::Cascade
            && key.parent == table.object
            && table.inheritance.is_none()
            && !has_index
            && self.catalog.triggers_of(table.object).is_empty()
    }

    /// Deletes all rows below those that are gone.
    pub async fn delete_below(
        &mut self,
        table: &TableDef,
        key: &ForeignKeyDef,
        gone: &[Change],
    ) -> Result<()> {
        let types = self.types_of(table, key)?;
        let mut children = self.children(table, key).await?;
        let locale = self.context.locale;
        let mut left: Vec<Vec<Value>> = gone.iter().map(|(old, _)| old.clone()).collect();
        let mut positions = Vec::new();
        while let Some(old) = left.pop() {
            meter::steps(1)?;
            let Some(old) = types.to_child(&old, locale) else {
                continue;
            };
            // A row is below one row only, so it is met once.
            for (position, own) in children.remove(&key_bytes(&old)).unwrap_or_default() {
                positions.push(position);
                left.push(own);
            }
        }
        match positions.is_empty() {
            true => Ok(()),
            false => self.delete(table, &positions).await,
        }
    }

    /// The rows that refer to others, by what they refer to.
    async fn children(
        &self,
        table: &TableDef,
        key: &ForeignKeyDef,
    ) -> Result<BTreeMap<Vec<u8>, Vec<Child>>> {
        let mut columns = key.columns.clone();
        columns.extend(key.parent_positions(table));
        let own: Vec<usize> = (key.columns.len()..columns.len()).collect();
        let refers: Vec<usize> = (0..key.columns.len()).collect();
        let source = self.source();
        let spec = ScanSpec {
            with_position: true,
            ..ScanSpec::of(table.tree, columns.clone())
        };
        let mut stream = source.scan(spec).await?;
        let mut children: BTreeMap<Vec<u8>, Vec<Child>> = BTreeMap::new();
        let mut growth = Growth::default();
        while let Some(batch) = stream.next().await? {
            let batch = batch.compact();
            growth.add(batch.memory_bytes() + batch.rows() * 4 * size_of::<Child>())?;
            let positions = positions_of(core::slice::from_ref(&batch), columns.len())?;
            for (row, position) in positions.into_iter().enumerate() {
                let refers = key_of(&batch, &refers, row);
                if refers.iter().any(Value::is_null) {
                    continue;
                }
                let children = children.entry(key_bytes(&refers)).or_default();
                children.push((position, key_of(&batch, &own, row)));
            }
        }
        Ok(children)
    }
}
