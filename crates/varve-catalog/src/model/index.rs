//! Indexes of a table: what is known of them, and the shape of their trees.

use varve_types::{
    ColumnId, IndexKey, IndexState, KeyColumn, KeyOrder, KeyPart, PartPredicate, SortKey,
    TreeColumn, TreeId, TreeSchema, Uniqueness, Value,
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
    /// Its key: columns and expressions of the table, and their orders.
    pub keys: Vec<(KeyPart, KeyOrder)>,
    /// Further columns that it holds, by position.
    pub include: Vec<usize>,
    /// Only rows that pass all of these have an entry.
    pub predicate: Vec<PartPredicate>,
}

impl IndexDef {
    /// What the columns of an entry hold: the index's key, the key of the table, what is included.
    /// The number of columns stands for the hidden row id.
    pub fn columns(&self, table: &TableDef) -> Vec<KeyPart> {
        let row_key = table.row_key().into_iter();
        let others = row_key.chain(self.include.iter().copied());
        self.key_parts()
            .chain(others.map(KeyPart::Column))
            .collect()
    }

    /// What its key is on.
    pub fn key_parts(&self) -> impl Iterator<Item = KeyPart> {
        self.keys.iter().map(|(part, _)| *part)
    }

    /// What the store needs to know of the index.
    pub fn tree_schema(&self, table: &TableDef) -> TreeSchema {
        let row_key = table.row_key();
        let orders = self.keys.iter().map(|(_, order)| *order);
        let orders = orders.chain(row_key.iter().map(|_| KeyOrder::default()));
        let column = |(id, part): (u32, KeyPart)| TreeColumn {
            id: ColumnId(id),
            ty: table.type_of(part),
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
    /// What the primary key is on.
    pub fn key_parts(&self) -> impl Iterator<Item = KeyPart> {
        self.primary_key.iter().copied().map(KeyPart::Column)
    }

    /// The positions of what names a row: its primary key or, past all columns, the hidden row id.
    pub fn row_key(&self) -> Vec<usize> {
        if self.primary_key.is_empty() {
            vec![self.columns.len()]
        } else {
            self.primary_key.clone()
        }
    }
}
