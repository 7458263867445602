//! What a transaction offers.

use std::sync::Arc;

use varve_types::{
    Batch, CommitSeq, Error, ObjectId, Result, RowPosition, TreeId, TreeSchema, Value,
};

use crate::{Durability, InsertError, ScanOptions, TreeScan};

/// A transaction: what it reads is one snapshot and its own writes, which nobody else sees before the
/// commit. Dropped without commit, it is rolled back.
///
/// After a failed write only a rollback makes sense: part of the statement may have been done.
#[derive(Debug)]
pub struct Transaction {}

impl Transaction {
    /// The commit that the snapshot includes last.
    pub fn snapshot_seq(&self) -> CommitSeq {
        CommitSeq(0)
    }

    /// Grows with every commit that changes the catalogue; own changes do not count.
    pub fn catalogue_version(&self) -> u64 {
        0
    }

    /// Every catalogue object: id, version, definition.
    pub fn objects(&self) -> Vec<(ObjectId, u32, Arc<[u8]>)> {
        Vec::new()
    }

    /// An object id that was never handed out before.
    pub fn new_object_id(&mut self) -> ObjectId {
        ObjectId(0)
    }

    /// A tree id that was never handed out before.
    pub fn new_tree_id(&mut self) -> TreeId {
        TreeId(0)
    }

    /// Sets the definition of a catalogue object.
    pub fn put_object(&mut self, id: ObjectId, version: u32, definition: impl Into<Arc<[u8]>>) {
        let _ = (id, version, definition.into());
    }

    /// Removes a catalogue object; an absent one is no error.
    pub fn delete_object(&mut self, id: ObjectId) {
        let _ = id;
    }

    /// Makes an empty tree. Column id 0 is the store's own; the ids of a schema start at 1.
    pub fn create_tree(&mut self, schema: TreeSchema) -> Result<()> {
        let _ = schema;
        Err(Error::unsupported("create_tree"))
    }

    /// Removes a tree with all of its rows.
    pub fn drop_tree(&mut self, tree: TreeId) -> Result<()> {
        let _ = tree;
        Err(Error::unsupported("drop_tree"))
    }

    /// The schema of a tree that this transaction sees.
    pub fn tree_schema(&self, tree: TreeId) -> Option<Arc<TreeSchema>> {
        let _ = tree;
        None
    }

    /// Streams rows. The transaction must not write while the scan runs.
    pub async fn scan(&self, options: ScanOptions) -> Result<TreeScan> {
        let _ = options;
        Err(Error::unsupported("scan"))
    }

    /// The rows with these keys (values in the order of the sort key), in any order; absent keys give
    /// no row. Only for trees sorted by columns.
    pub async fn lookup(
        &self,
        tree: TreeId,
        keys: &[Vec<Value>],
        columns: &[usize],
        with_position: bool,
    ) -> Result<Vec<Batch>> {
        let _ = (tree, keys, columns, with_position);
        Err(Error::unsupported("lookup"))
    }

    /// Columns of the rows at these positions, in their order, 1,024 rows a batch. The positions come
    /// from this transaction's scans and lookups.
    pub async fn fetch(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        columns: &[usize],
    ) -> Result<Vec<Batch>> {
        let _ = (tree, positions, columns);
        Err(Error::unsupported("fetch"))
    }

    /// How many rows a tree has, exactly; `None` for no such tree, or one with a damaged run.
    pub fn row_count(&self, tree: TreeId) -> Option<u64> {
        let _ = tree;
        None
    }

    /// Adds rows; the columns of the batch are those of the schema, in any form. Keys must be new.
    pub async fn insert(&mut self, tree: TreeId, rows: &Batch) -> Result<(), InsertError> {
        let _ = (tree, rows);
        Err(Error::unsupported("insert").into())
    }

    /// Removes the rows at these positions; one named twice, or already removed by this transaction,
    /// is removed once.
    pub async fn delete(&mut self, tree: TreeId, positions: &[RowPosition]) -> Result<()> {
        let _ = (tree, positions);
        Err(Error::unsupported("delete"))
    }

    /// Removes the rows at these positions, then inserts `rows`.
    pub async fn update(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &[Batch],
    ) -> Result<(), InsertError> {
        let _ = (tree, positions, rows);
        Err(Error::unsupported("update").into())
    }

    /// Makes the writes visible and as durable as asked. `40001` where another commit since the
    /// snapshot wrote the same rows, inserted the same keys, or both changed the catalogue.
    pub async fn commit(self, durability: Durability) -> Result<CommitSeq> {
        let _ = durability;
        Err(Error::unsupported("commit"))
    }

    /// Forgets the writes and deletes what was spilled of them.
    pub async fn rollback(self) -> Result<()> {
        Ok(())
    }
}
