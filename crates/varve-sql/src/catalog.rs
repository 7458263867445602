//! The catalogue as plain values: what the binder resolves names against.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_expr::Expr;
use varve_types::{
    ColumnId, LogicalType, ObjectId, SortKey, TreeColumn, TreeId, TreeSchema, TypeMod, Value,
};

use crate::index::IndexDef;

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct TableDef {
    /// Its catalogue object.
    pub object: ObjectId,
    /// The tree that holds its rows.
    pub tree: TreeId,
    /// Grows with every change.
    pub version: u32,
    /// Its name, as it was folded.
    pub name: String,
    /// Its columns in order.
    pub columns: Vec<ColumnDef>,
    /// Positions of the primary key; empty without one.
    pub primary_key: Vec<usize>,
    /// Its indexes, in the order in which they were made.
    pub indexes: Vec<IndexDef>,
    /// What its indexes are on beside columns, over its columns.
    pub expressions: Vec<Expr>,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDef {
    /// Never reused within the table.
    pub id: ColumnId,
    /// Its name, as it was folded.
    pub name: String,
    /// Its type.
    pub ty: LogicalType,
    /// What the type is bounded by.
    pub modifier: TypeMod,
    /// Whether NULL may be stored.
    pub nullable: bool,
}

/// The tables that a statement sees, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalog {
    /// Tables by name.
    pub tables: BTreeMap<String, Arc<TableDef>>,
}

impl TableDef {
    /// What the store needs to know of the table.
    pub fn tree_schema(&self) -> TreeSchema {
        TreeSchema {
            tree: self.tree,
            version: self.version,
            columns: self
                .columns
                .iter()
                .map(|column| TreeColumn {
                    id: column.id,
                    ty: column.ty,
                    nullable: column.nullable,
                    missing: Value::Null,
                })
                .collect(),
            key: if self.primary_key.is_empty() {
                SortKey::RowId
            } else {
                SortKey::Columns(self.primary_key.clone())
            },
        }
    }
}
