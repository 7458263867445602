//! Indexes of a table: what is known of them, and the shape of their trees.

use varve_types::{
    ColumnId, ColumnPredicate, IndexKey, IndexState, KeyColumn, KeyOrder, SortKey, TreeColumn,
    TreeId, TreeSchema, Uniqueness, Value,
};

use crate::model::table::TableDef;

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Deferral {
    /// After each statement.
    #[default]
    Never,
    /// After each statement, unless the transaction puts it off to its end.
    Deferrable,
    /// At the end of the transaction, unless that asks for it earlier.
    Deferred,
}

/// An index.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexDef {
    /// The tree that holds its entries.
    pub tree: TreeId,
    /// Its name, as it was folded.
    pub name: String,
    /// Whether it belongs to a UNIQUE constraint, or to a PRIMARY KEY that can be deferred.
    pub is_constraint: bool,
    /// When its constraint is checked.
    pub deferral: Deferral,
    /// Whether it is being built: writes maintain it, nothing reads it.
    pub is_building: bool,
    /// What its keys must be.
    pub uniqueness: Uniqueness,
    /// Its key: positions in the table's columns and expressions, and their orders.
    pub keys: Vec<(usize, KeyOrder)>,
    /// Further columns that it holds, by position.
    pub include: Vec<usize>,
    /// Only rows that pass all of these have an entry.
    pub predicate: Vec<ColumnPredicate>,
}

impl IndexDef {
    /// The positions in the table's columns of the columns of an entry: the index's key, the key of
    /// the table, what is included. The number of columns stands for the hidden row id.
    pub fn columns(&self, table: &TableDef) -> Vec<usize> {
        let own = self.keys.iter().map(|(column, _)| *column);
        own.chain(table.row_key())
            .chain(self.include.iter().copied())
            .collect()
    }

    /// What the store needs to know of the index.
    pub fn tree_schema(&self, table: &TableDef) -> TreeSchema {
        let row_key = table.row_key();
        let orders = self.keys.iter().map(|(_, order)| *order);
        let orders = orders.chain(row_key.iter().map(|_| KeyOrder::default()));
        let column = |(id, position): (u32, usize)| TreeColumn {
            id: ColumnId(id),
            ty: table.type_at(position),
            nullable: true,
            missing: Value::Null,
        };
        TreeSchema {
            tree: self.tree,
            version: 1,
            columns: (1..).zip(self.columns(table)).map(column).collect(),
            key: SortKey::Index(IndexKey {
                of: table.tree,
                columns: orders
                    .enumerate()
                    .map(|(position, order)| KeyColumn { position, order })
                    .collect(),
                own_columns: self.keys.len(),
                uniqueness: self.uniqueness,
                state: if self.is_building {
                    IndexState::Building
                } else {
                    IndexState::Valid
                },
            }),
        }
    }
}

impl TableDef {
    /// The positions of what names a row: its primary key or, past all columns, the hidden row id.
    pub fn row_key(&self) -> Vec<usize> {
        if self.primary_key.is_empty() {
            vec![self.columns.len()]
        } else {
            self.primary_key.clone()
        }
    }
}
