//! A tree as the store keeps it: its schema, and the columns that its rows are stored with.

use std::collections::BTreeSet;

use varve_run::{ColumnSpec, RunSpec};
use varve_types::{
    Column, ColumnId, Error, LogicalType, Result, RunId, SortKey, TreeSchema, Value,
    encode_key_value,
};

/// The column of hidden row ids; a schema's own columns start at 1.
pub(crate) const ROW_ID: ColumnId = ColumnId(0);

/// A schema, and what follows from it for stored rows.
#[derive(Debug, PartialEq)]
pub(crate) struct Tree {
    schema: std::sync::Arc<TreeSchema>,
    /// Stored columns: the hidden row id, if there is one, then those of the schema.
    columns: Vec<ColumnSpec>,
    types: Vec<LogicalType>,
    /// Positions in the stored columns that form the sort key.
    key: Vec<usize>,
}

impl Tree {
    pub(crate) fn new(schema: TreeSchema) -> Result<Tree> {
        let ids: BTreeSet<ColumnId> = schema.columns.iter().map(|column| column.id).collect();
        let own_id = ids.contains(&ROW_ID);
        let key_exists = match &schema.key {
            SortKey::RowId => true,
            SortKey::Columns(key) => {
                !key.is_empty() && key.iter().all(|at| *at < schema.columns.len())
            }
        };
        if own_id || ids.len() != schema.columns.len() || !key_exists {
            return Err(Error::internal(format!(
                "the schema of tree {} is unsound",
                schema.tree
            )));
        }
        let hidden = ColumnSpec {
            id: ROW_ID,
            ty: LogicalType::Int8,
        };
        let visible = schema.columns.iter().map(|column| ColumnSpec {
            id: column.id,
            ty: column.ty,
        });
        let (columns, key): (Vec<ColumnSpec>, Vec<usize>) = match &schema.key {
            SortKey::RowId => (core::iter::once(hidden).chain(visible).collect(), vec![0]),
            SortKey::Columns(key) => (visible.collect(), key.clone()),
        };
        Ok(Tree {
            types: columns.iter().map(|column| column.ty).collect(),
            columns,
            key,
            schema: std::sync::Arc::new(schema),
        })
    }

    pub(crate) fn schema(&self) -> &std::sync::Arc<TreeSchema> {
        &self.schema
    }

    pub(crate) fn has_row_id(&self) -> bool {
        self.schema.key == SortKey::RowId
    }

    /// Types of the stored columns.
    pub(crate) fn types(&self) -> &[LogicalType] {
        &self.types
    }

    /// The stored columns.
    pub(crate) fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    /// Positions of the sort key in the stored columns.
    pub(crate) fn key(&self) -> &[usize] {
        &self.key
    }

    /// Where column `position` of the schema is among the stored columns.
    pub(crate) fn stored(&self, position: usize) -> Result<usize> {
        if position >= self.schema.columns.len() {
            let tree = self.schema.tree;
            return Err(Error::internal(format!(
                "tree {tree} has no column at {position}"
            )));
        }
        Ok(position + usize::from(self.has_row_id()))
    }

    /// What rows of runs that lack a stored column read.
    pub(crate) fn missing(&self, stored: usize) -> Value {
        let visible = stored.checked_sub(usize::from(self.has_row_id()));
        let column = visible.and_then(|at| self.schema.columns.get(at));
        column.map_or(Value::Null, |column| column.missing.clone())
    }

    /// Appends the key of a row of stored columns.
    pub(crate) fn put_key<C: AsRef<Column>>(&self, columns: &[C], row: usize, out: &mut Vec<u8>) {
        for column in self.key.iter().filter_map(|at| columns.get(*at)) {
            encode_key_value(&column.as_ref().value(row), out);
        }
    }

    /// The shape of a new run of this tree. Trees that are looked up by key get filters.
    pub(crate) fn run_spec(&self, run: RunId) -> RunSpec {
        RunSpec {
            run,
            schema_version: self.schema.version,
            columns: self.columns.clone(),
            key_columns: self.key.clone(),
            filter: !self.has_row_id(),
        }
    }
}
