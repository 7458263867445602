//! What a transaction offers.

use std::sync::{Arc, Mutex, MutexGuard};

use futures_util::lock::Mutex as AsyncMutex;
use varve_types::{
    Batch, CommitSeq, IndexState, LocalFuture, ObjectId, Reservation, RowPosition, RunId, ScanSpec,
    TreeId, TreeSchema, Value,
};

use crate::catalog::{Catalog, CatalogChange, CatalogState, ObjectChange};
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::ids::Ids;
use crate::memtable::MemtableSlot;
use crate::read::View;
use crate::store::{Snapshot, Spill, Store, Work};
use crate::transaction::commit;
use crate::tree::Tree;
use crate::write_set::{RowRef, SavepointId, WRITE_SET_SEQ, WriteSet, lock_write_set};
use crate::{CommitDurability, InsertError, TreeScan};

/// A transaction: what it reads is one snapshot and its own writes, which nobody else sees before
/// the commit. Dropped without commit, it is rolled back.
///
/// A call that fails has written nothing; several calls are made one by a savepoint. Where rows
/// were to be written out of memory and storage failed, or the future was dropped, every later call
/// answers that error: only a rollback of the whole transaction is left.
pub struct Transaction {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) write_set: Arc<Mutex<WriteSet>>,
    /// Rows that were written out early; a scan may have to complete them.
    pub(super) spill: AsyncMutex<Option<Spill>>,
    /// Its rows are written out when they take more than this.
    pub(super) buffer_bytes_max: u64,
}

/// What a transaction that loads in bulk keeps in its buffers.
const BULK_BUFFER_BYTES: u64 = 1 << 20;

impl Store {
    /// Begins a transaction at a snapshot of the newest commit.
    pub fn begin(self: &Arc<Store>) -> Transaction {
        self.jobs.note_foreground();
        let mut state = self.state();
        state.begin_snapshot();
        let snapshot = Snapshot {
            store: Arc::clone(self),
            seq: state.last,
            version: Arc::clone(&state.version),
            memtables: state.memtables(),
            catalog: Arc::clone(&state.catalog),
        };
        let transaction = Transaction::new(snapshot);
        state.add_open(&transaction.snapshot, &transaction.write_set);
        transaction
    }
}

impl Transaction {
    pub(crate) fn new(snapshot: Snapshot) -> Transaction {
        let reservation = Reservation::new(Arc::clone(&snapshot.store.memory));
        let buffer_bytes_max = snapshot.store.settings.memtable_bytes_max;
        Transaction {
            buffer_bytes_max,
            snapshot: Arc::new(snapshot),
            write_set: Arc::new(Mutex::new(WriteSet::new(reservation))),
            spill: AsyncMutex::new(None),
        }
    }

    /// Whether it writes rows to runs as soon as there are some hundred KiB of them, so that they
    /// need neither log nor memtable.
    pub fn load_in_bulk(&mut self, in_bulk: bool) {
        let bytes_max = self.snapshot.store.settings.memtable_bytes_max;
        self.buffer_bytes_max = match in_bulk {
            true => bytes_max.min(BULK_BUFFER_BYTES),
            false => bytes_max,
        };
    }

    /// The commit that the snapshot includes last.
    pub fn snapshot_seq(&self) -> CommitSeq {
        self.snapshot.seq
    }

    /// Grows with every commit that changes the catalog; own changes do not count.
    pub fn catalog_version(&self) -> u64 {
        self.snapshot.catalog.version
    }

    /// The state of the catalog that this transaction sees, to be compared with an earlier one.
    pub fn catalog_state(&self) -> CatalogState {
        let write_set = self.write_set();
        CatalogState {
            catalog: Arc::clone(write_set.catalog.as_ref().unwrap_or(&self.snapshot.catalog)),
        }
    }

    /// Every catalog object: id, version, definition.
    pub fn objects(&self) -> Vec<(ObjectId, u32, Arc<[u8]>)> {
        let catalog = self.catalog();
        let objects = catalog.objects.iter();
        objects
            .map(|(id, (version, definition))| (*id, *version, Arc::clone(definition)))
            .collect()
    }

    /// The catalog objects that the transaction has changed: as its snapshot has them, and as they
    /// are now.
    pub fn object_changes(&self) -> Vec<ObjectChange> {
        let before = CatalogState {
            catalog: Arc::clone(&self.snapshot.catalog),
        };
        let now = self.catalog_state();
        match now.is_same(&before) {
            true => Vec::new(),
            false => now.changes_since(&before),
        }
    }

    /// Notes that rows which are written rely on a catalog object: the commit fails with `40001` if
    /// somebody else has deleted it or given it another version since, and so does that of whoever
    /// does this and lacks them.
    pub fn rely_on_object(&self, id: ObjectId) {
        self.write_set().relied_on.insert(id);
    }

    /// Whether it has written rows of a tree.
    pub fn has_written(&self, tree: TreeId) -> bool {
        self.write_set().trees.contains_key(&tree)
    }

    /// The definition of a catalog object, if the transaction sees it.
    pub fn object(&self, id: ObjectId) -> Option<Arc<[u8]>> {
        let catalog = self.catalog();
        let object = catalog.objects.get(&id);
        object.map(|(_, definition)| Arc::clone(definition))
    }

    /// An object id that was never handed out before.
    pub fn new_object_id(&mut self) -> ObjectId {
        ObjectId(Ids::next(&self.snapshot.store.ids.object))
    }

    /// A tree id that was never handed out before.
    pub fn new_tree_id(&mut self) -> TreeId {
        TreeId(Ids::next(&self.snapshot.store.ids.tree))
    }

    /// Sets the definition of a catalog object.
    pub fn put_object(&mut self, id: ObjectId, version: u32, definition: impl Into<Arc<[u8]>>) {
        let change = CatalogChange::PutObject(id, version, definition.into());
        // Only tree schemas can be refused.
        let _ = self.change(change);
    }

    /// Removes a catalog object; an absent one is no error.
    pub fn delete_object(&mut self, id: ObjectId) {
        // Only tree schemas can be refused.
        let _ = self.change(CatalogChange::DeleteObject(id));
    }

    /// Makes an empty tree. Column id 0 is the store's own; the ids of a schema start at 1.
    pub fn create_tree(&mut self, schema: TreeSchema) -> Result<()> {
        if self.catalog().trees.contains_key(&schema.tree) {
            let message = format!("tree {} exists already", schema.tree);
            return Err(StoreError::internal(message));
        }
        self.change(CatalogChange::CreateTree(schema))
    }

    /// Removes a tree with all of its rows.
    pub fn drop_tree(&mut self, tree: TreeId) -> Result<()> {
        self.tree(tree)?;
        self.change(CatalogChange::DropTree(tree))
    }

    /// Forbids that others write to a tree meanwhile: the commit fails with `40001` if somebody
    /// else has written to it since the snapshot, and so does that of whoever has begun before
    /// it and writes to the tree. For those the schema gets another version.
    pub fn guard_tree(&mut self, tree: TreeId, version: u32) -> Result<()> {
        let mut schema = TreeSchema::clone(self.tree(tree)?.schema());
        schema.version = version;
        self.write_set().guarded.insert(tree);
        self.change(CatalogChange::CreateTree(schema))
    }

    /// Whether frames of zstd can be made; what makes them is fetched for that.
    pub async fn fetch_zstd(&self) -> bool {
        self.store().fetch_zstd().await
    }

    /// Says how the rows of a tree are to be stored, as another schema of its columns does. Those
    /// that are in runs are written anew in the background.
    pub fn store_otherwise(&mut self, wanted: &TreeSchema) -> Result<()> {
        let mut schema = TreeSchema::clone(self.tree(wanted.tree)?.schema());
        for column in &mut schema.columns {
            let found = wanted.columns.iter().find(|found| found.id == column.id);
            column.storage = found.map_or(column.storage, |found| found.storage);
        }
        schema.options = wanted.options;
        self.change(CatalogChange::CreateTree(schema))
    }

    /// Makes the transaction serializable: from now on it notes which trees it reads, and if it
    /// writes anything, its commit fails with `40001` if somebody else has written to one of them
    /// since the snapshot. Such transactions happen as if one after another, in the order of their
    /// commits; one that only reads, at its snapshot.
    pub fn watch_reads(&mut self) {
        self.write_set().watched.get_or_insert_default();
    }

    /// The schema of a tree that this transaction sees.
    pub fn tree_schema(&self, tree: TreeId) -> Option<Arc<TreeSchema>> {
        let catalog = self.catalog();
        catalog
            .trees
            .get(&tree)
            .map(|tree| Arc::clone(tree.schema()))
    }

    /// Streams rows. The transaction must not write while the scan runs. `55000` for an index that
    /// is not complete yet.
    pub fn scan(&self, spec: ScanSpec) -> LocalFuture<'_, Result<TreeScan>> {
        Box::pin(self.begin_scan(spec))
    }

    async fn begin_scan(&self, spec: ScanSpec) -> Result<TreeScan> {
        self.write_set().note_read(spec.tree);
        let tree = self.tree(spec.tree)?;
        if tree
            .index()
            .is_some_and(|index| index.state == IndexState::Building)
        {
            return Err(StoreErrorKind::IndexBuilding(spec.tree).into());
        }
        TreeScan::new(self.view(spec.tree).await?, spec)
    }

    /// The rows with these keys (values in the order of the sort key), in any order; absent keys
    /// give no row. The key of a tree without one is the hidden row id.
    pub fn lookup<'t>(
        &'t self,
        tree: TreeId,
        keys: &'t [Vec<Value>],
        columns: &'t [usize],
        with_position: bool,
    ) -> LocalFuture<'t, Result<Vec<Batch>>> {
        Box::pin(self.rows_of_keys(tree, keys, columns, with_position))
    }

    async fn rows_of_keys(
        &self,
        tree: TreeId,
        keys: &[Vec<Value>],
        columns: &[usize],
        with_position: bool,
    ) -> Result<Vec<Batch>> {
        if let [key] = keys {
            let row = self.get(tree, key, columns, with_position).await?;
            return Ok(row.into_iter().collect());
        }
        self.write_set().note_read(tree);
        let view = self.view(tree).await?;
        let key_bytes: Result<Vec<Vec<u8>>> =
            keys.iter().map(|key| encode_key(&view.tree, key)).collect();
        let mut key_bytes = key_bytes?;
        varve_sort::sort(&mut key_bytes);
        key_bytes.dedup();
        let rows: Vec<RowRef> = view
            .locate(&key_bytes)
            .await?
            .into_iter()
            .flatten()
            .collect();
        let columns = stored(&view.tree, columns)?;
        view.gather(&rows, &columns, with_position).await
    }

    /// Columns of the rows at these positions, in their order, 1,024 rows a batch. The positions
    /// come from this transaction's scans and lookups.
    pub fn fetch<'t>(
        &'t self,
        tree: TreeId,
        positions: &'t [RowPosition],
        columns: &'t [usize],
    ) -> LocalFuture<'t, Result<Vec<Batch>>> {
        Box::pin(self.rows_of_positions(tree, positions, columns))
    }

    async fn rows_of_positions(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
        columns: &[usize],
    ) -> Result<Vec<Batch>> {
        self.write_set().note_read(tree);
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        let columns = stored(&view.tree, columns)?;
        view.gather(&rows, &columns, false).await
    }

    /// How many rows a tree has, exactly; `None` for no such tree, one with a damaged run, or where
    /// this transaction is about to write rows of it out.
    pub fn row_count(&self, tree: TreeId) -> Option<u64> {
        self.write_set().note_read(tree);
        let tree = self.tree(tree).ok()?;
        let spilling = self.spill.try_lock()?;
        let unfinished = spilling.as_ref().map_or(0, |spill| {
            let write_set = self.write_set();
            let alive = spill.open_rows(tree.schema().tree).map(|(run, rows)| {
                rows.saturating_sub(write_set.dead_rows(run).map_or(0, |dead| dead.len()))
            });
            alive.sum::<u64>()
        });
        drop(spilling);
        let view = View::new(
            tree,
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        );
        let mut rows = unfinished;
        for run in &view.runs {
            let total = run.run.head().ok()?.rows();
            rows += total.saturating_sub(run.dead_count(self.snapshot.seq));
        }
        let seq = self.snapshot.seq;
        for slot in MemtableSlot::ALL {
            let count = view.with_memtable(slot, |table, dead| {
                let visible = table.count_visible(seq);
                visible.saturating_sub(dead.map_or(0, roaring::RoaringBitmap::len))
            });
            rows += count.unwrap_or(0);
        }
        let write_set = view.with_own_rows(|table| table.count_visible(WRITE_SET_SEQ));
        Some(rows + write_set.unwrap_or(0))
    }

    /// Refuses at once what would add rows to a storage that is full.
    pub fn check_room(&self) -> Result<()> {
        self.snapshot.store.check_room()
    }

    /// Adds rows; the columns of the batch are those of the schema, in any form. Keys must be new.
    /// Where there is a hidden row id, it may follow as one more column: one of
    /// [`Transaction::new_row_ids`], or that of a row that is replaced.
    pub async fn insert(&mut self, tree: TreeId, rows: &Batch) -> Result<(), InsertError> {
        self.insert_rows(tree, rows, false).await
    }

    /// Removes the rows at these positions; one named twice, or already removed by this
    /// transaction, is removed once.
    pub async fn delete(&mut self, tree: TreeId, positions: &[RowPosition]) -> Result<()> {
        let (rows, runs) = self.rows_at(tree, positions).await?;
        self.write_set()
            .delete(tree, &rows, |slot| runs.get(slot as usize).copied());
        Ok(())
    }

    /// The rows at these positions, and by slot the runs that they may be in. The view is given up:
    /// what is deleted while it lives is copied first.
    pub(super) async fn rows_at(
        &self,
        tree: TreeId,
        positions: &[RowPosition],
    ) -> Result<(Vec<RowRef>, Vec<RunId>)> {
        let view = self.view(tree).await?;
        let rows = unpack(&view, positions)?;
        Ok((rows, view.runs.iter().map(|run| run.run.id).collect()))
    }

    /// Removes the rows at these positions, then inserts `rows`.
    pub async fn update(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &[Batch],
    ) -> Result<(), InsertError> {
        self.replace_rows(tree, positions, rows, false).await
    }

    /// Like [`Transaction::update`], for new rows that have the same keys as the old ones, which
    /// the caller vouches for: so nothing is looked up.
    pub async fn update_same_keys(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &[Batch],
    ) -> Result<(), InsertError> {
        match rows {
            [rows] if rows.rows() == positions.len() => {
                let replaced = self.replace_same_keys(tree, positions, rows).await;
                Ok(replaced?)
            }
            rows => self.replace_rows(tree, positions, rows, true).await,
        }
    }

    async fn replace_rows(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &[Batch],
        has_old_keys: bool,
    ) -> Result<(), InsertError> {
        let savepoint = self.savepoint();
        let replaced = self.delete_and_insert(tree, positions, rows, has_old_keys);
        let done = replaced.await;
        if done.is_err() {
            self.rollback_to(savepoint)?;
        }
        self.release(savepoint)?;
        done
    }

    async fn delete_and_insert(
        &mut self,
        tree: TreeId,
        positions: &[RowPosition],
        rows: &[Batch],
        has_old_keys: bool,
    ) -> Result<(), InsertError> {
        self.delete(tree, positions).await?;
        for rows in rows {
            self.insert_rows(tree, rows, has_old_keys).await?;
        }
        Ok(())
    }

    /// Sets a point to come back to: cheap enough for every statement.
    pub fn savepoint(&mut self) -> SavepointId {
        self.write_set().savepoint()
    }

    /// Takes back everything that was written since a savepoint, which stays in force; those after
    /// it are gone. Positions of rows that were read since then are not valid any more.
    pub fn rollback_to(&mut self, savepoint: SavepointId) -> Result<()> {
        let mut write_set = lock_write_set(&self.write_set);
        write_set.check_usable()?;
        let runs = write_set.rollback_to(savepoint)?;
        drop(write_set);
        if let Some(spill) = self.spill.get_mut() {
            spill.drop_runs(&runs);
        }
        Ok(())
    }

    /// Forgets a savepoint and those after it; what was written since stays.
    pub fn release(&mut self, savepoint: SavepointId) -> Result<()> {
        self.write_set().release(savepoint)
    }

    /// Makes the writes visible and as durable as asked. `40001` where another commit since the
    /// snapshot wrote the same rows, inserted the same keys, or both changed the catalog.
    ///
    /// The future may be dropped: the transaction is then committed or not, as a whole.
    pub async fn commit(mut self, durability: impl Into<CommitDurability>) -> Result<CommitSeq> {
        self.check_deferred().await?;
        commit::commit(Work {
            snapshot: self.snapshot,
            write_set: self.write_set,
            spill: self.spill.into_inner(),
            durability: durability.into(),
        })
        .await
    }

    /// Forgets the writes and deletes what was spilled of them.
    pub async fn rollback(self) -> Result<()> {
        let store = Arc::clone(&self.snapshot.store);
        let has_spilled = self.spill.into_inner().is_some();
        if has_spilled {
            let _commit_lock = store.take_commit_lock().await;
            store.reap().await?;
        }
        Ok(())
    }

    pub(super) fn write_set(&self) -> MutexGuard<'_, WriteSet> {
        lock_write_set(&self.write_set)
    }

    pub(super) fn catalog(&self) -> Arc<Catalog> {
        let write_set = self.write_set();
        Arc::clone(write_set.catalog.as_ref().unwrap_or(&self.snapshot.catalog))
    }

    pub(super) fn change(&mut self, change: CatalogChange) -> Result<()> {
        self.write_set().change(&self.snapshot.catalog, change)
    }

    pub(crate) fn tree(&self, id: TreeId) -> Result<Arc<Tree>> {
        let catalog = self.catalog();
        let tree = catalog.trees.get(&id).map(Arc::clone);
        tree.ok_or_else(|| StoreError::internal(format!("there is no tree {id}")))
    }

    /// The tree as this transaction sees it, with rows being spilled made readable.
    pub(crate) async fn view(&self, id: TreeId) -> Result<View> {
        self.write_set().check_usable()?;
        let tree = self.tree(id)?;
        if let Some(spill) = &mut *self.spill.lock().await {
            spill.finish(&self.write_set, Some(id)).await?;
        }
        Ok(View::new(
            tree,
            Arc::clone(&self.snapshot),
            Arc::clone(&self.write_set),
        ))
    }
}

impl core::fmt::Debug for Transaction {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Transaction")
            .field("snapshot", &self.snapshot.seq)
            .finish_non_exhaustive()
    }
}

pub(super) fn stored(tree: &Tree, columns: &[usize]) -> Result<Vec<usize>> {
    columns.iter().map(|column| tree.stored(*column)).collect()
}

pub(super) fn unpack(view: &View, positions: &[RowPosition]) -> Result<Vec<RowRef>> {
    let rows: Option<Vec<RowRef>> = positions
        .iter()
        .map(|position| RowRef::unpack(*position))
        .collect();
    let rows = rows.ok_or_else(|| StoreError::internal("a row position is malformed"))?;
    view.check_positions(&rows)?;
    Ok(rows)
}

pub(super) fn encode_key(tree: &Tree, values: &[Value]) -> Result<Vec<u8>> {
    let has_null = values.iter().any(Value::is_null) && !tree.may_have_null_keys();
    if values.len() != tree.key().len() || has_null {
        return Err(StoreError::internal("a key does not fit its tree"));
    }
    let mut key = Vec::new();
    tree.put_key_prefix(values, &mut key)?;
    Ok(key)
}
