//! Writing to indexes: entries are added and deleted by key, without reading anything.
//!
//! An index is a tree of its own (`SortKey::Index`). Its rows are *entries*: the index's own key,
//! the key of the table's row (or the hidden row id), and included columns. Key columns have
//! orders: the memcomparable bytes of a descending one are inverted, so runs, groups and vectors
//! are pruned by bytes as those of tables are.
//!
//! An entry is added or deleted by its key: a row of the tree says which. In the memtable it
//! shadows the one before. Nothing is written for a row whose entry stays as it was. Rows keep
//! their row id when they are updated. Reads merge the entries of all sources: see the head of
//! `read`.
//!
//! *Uniqueness* (`unique.rs`). At the end of a statement `index_check_unique` looks for a second
//! entry with the same own key: in memory, then by the filters of runs, which hold the own key;
//! only what is left is scanned. At commit the own key is compared with those of commits since the
//! snapshot.
//!
//! *Online builds.* CREATE INDEX outside a block first commits the tree as *building*. From then on
//! a commit is refused if it wrote to the table and does not know of the index. Then the entries of
//! a snapshot are written to runs that count as old as the snapshot, so that what commits wrote
//! since wins. Then all of the index is checked, and the commit that says *valid* is refused if
//! somebody has written to the index meanwhile. A commit that wrote to a unique index while it was
//! building is refused once it is valid. `tests/index.rs` holds all of this.

use std::sync::Arc;

use varve_types::{
    Batch, Column, ColumnRef, IndexState, LogicalType, SortKey, TreeId, TreeSchema, Value,
};

use crate::catalog::CatalogChange;
use crate::error::{Result, StoreError};
use crate::format::row::{ENTRY_ADDED, ENTRY_DELETED};
use crate::store::Spill;
use crate::transaction::Transaction;
use crate::tree::Tree;

impl Transaction {
    /// Adds entries to an index; the columns of the batch are those of its schema. An entry that is
    /// there already is replaced. Uniqueness is not checked: see
    /// [`Transaction::index_check_unique`].
    pub async fn index_insert(&mut self, tree: TreeId, entries: &Batch) -> Result<()> {
        self.write_entries(tree, entries, ENTRY_ADDED).await
    }

    /// Deletes entries from an index; of each only the key counts. One that is not there is no
    /// error.
    pub async fn index_delete(&mut self, tree: TreeId, entries: &Batch) -> Result<()> {
        self.write_entries(tree, entries, ENTRY_DELETED).await
    }

    /// Adds the entries that an index under construction lacks: those of rows that the snapshot of
    /// this transaction sees. What commits have written to the index since then counts more. The
    /// transaction must write nothing else.
    pub async fn index_backfill(&mut self, tree: TreeId, entries: &Batch) -> Result<()> {
        self.snapshot.store.check_room()?;
        self.write_set().entries_seq = Some(self.snapshot.seq);
        // Entries of an older date than their commit are published as runs, never logged.
        let store = &self.snapshot.store;
        self.spill
            .get_mut()
            .get_or_insert_with(|| Spill::new(store));
        self.index_insert(tree, entries).await
    }

    /// Says that an index has an entry for each row that it should have one for. The commit fails
    /// with `40001` if somebody else has written to the index since the snapshot.
    pub fn set_index_valid(&mut self, tree: TreeId) -> Result<()> {
        let tree = self.tree(tree)?;
        let mut schema = TreeSchema::clone(tree.schema());
        let SortKey::Index(index) = &mut schema.key else {
            return Err(no_index(&tree));
        };
        index.state = IndexState::Valid;
        self.change(CatalogChange::CreateTree(schema))
    }

    async fn write_entries(&mut self, tree: TreeId, entries: &Batch, operation: i64) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        self.write_set().check_usable()?;
        let tree = self.tree(tree)?;
        let bytes_max = self.buffer_bytes_max;
        self.spill_past(bytes_max / 2).await?;
        let columns = entry_columns(&tree, entries, operation)?;
        let key = |row| {
            let mut key = Vec::new();
            tree.put_key(&columns, row, &mut key);
            key
        };
        let keys: Vec<Vec<u8>> = (0..entries.rows()).map(key).collect();
        self.buffer_rows(&tree, &columns, &keys)?;
        self.spill_past(bytes_max).await
    }
}

/// The stored columns of entries.
pub(crate) fn entry_columns(
    tree: &Tree,
    entries: &Batch,
    operation: i64,
) -> Result<Vec<ColumnRef>> {
    if tree.index().is_none() {
        return Err(no_index(tree));
    }
    let mut columns = Vec::with_capacity(tree.types().len());
    for (at, expected) in tree.schema().columns.iter().enumerate() {
        let column = entries.column(at);
        let column = column.filter(|column| column.logical_type() == expected.ty);
        let is_key = tree.key().contains(&at);
        columns.push(match column {
            // What is deleted has no use for anything but its key.
            _ if operation == ENTRY_DELETED && !is_key => {
                Arc::new(Column::constant(expected.ty, &Value::Null, entries.rows()))
            }
            Some(column) => column,
            None => {
                let tree = tree.schema().tree;
                let message = format!("index entries do not fit tree {tree}");
                return Err(StoreError::internal(message));
            }
        });
    }
    let operation = Value::Int8(operation);
    let operation = Column::constant(LogicalType::Int8, &operation, entries.rows());
    columns.push(Arc::new(operation));
    Ok(columns)
}

pub(super) fn no_index(tree: &Tree) -> StoreError {
    StoreError::internal(format!("tree {} is no index", tree.schema().tree))
}
