//! What follows a commit.
//!
//! An index that was made outside of a block is built while others write: CREATE INDEX has
//! committed that it exists, now the rows of a snapshot get their entries, and then it is valid.
//! Chunks that a transaction has compressed become compact: their runs become few, and all of
//! their rows lie in runs.
//!
//! The store refuses commits that do not know of the index or that come between the check and the
//! commit that says *valid*: see the head of `varve-store/src/transaction/index.rs`.

use core::ops::Range;

use varve_catalog::{CatalogObject, ChunkDef, IndexDef, TableDef, decode_object, encode_table};
use varve_dml::{cannot_build, index};
use varve_store::{StoreError, Transaction};
use varve_types::{Error, Failure, Notice, ObjectId, Result, SqlState, TreeId};

use super::Session;
use crate::shared::Shared;
use crate::shared::result_set::ResultSet;
use crate::shared::schedule::JobSchedule;

/// How often an index is checked again because somebody wrote to it meanwhile.
const CHECKS_MAX: u32 = 100;

impl Session {
    /// Completes an index, or drops it where that fails.
    pub(super) async fn finish_index(&mut self, table: ObjectId, tree: TreeId) -> Result<()> {
        let finished = self.build_index(table, tree).await;
        if finished.is_err() {
            self.forget_index(table, tree).await?;
        }
        finished
    }

    async fn build_index(&mut self, object: ObjectId, tree: TreeId) -> Result<()> {
        let durability = self.settings.durability.of_commit();
        let mut transaction = self.shared.store.begin();
        let (table, index) = self.unfinished(&transaction, object, tree)?;
        let cancel = &*self.cancel;
        let built = index::build(&mut transaction, &table, &index, cancel, true).await;
        if let Err(error) = built {
            transaction.rollback().await?;
            return Err(error);
        }
        transaction.commit(durability).await?;
        let mut checks = 0;
        loop {
            let mut transaction = self.shared.store.begin();
            let (mut table, index) = self.unfinished(&transaction, object, tree)?;
            let unique = transaction.index_check_all_unique(tree).await;
            unique.map_err(|error| {
                let catalog = self.host.catalog();
                cannot_build(&table, catalog.enums(), &index, error)
            })?;
            transaction.set_index_valid(tree)?;
            for index in table.indexes.iter_mut().filter(|index| index.tree == tree) {
                index.is_building = false;
            }
            transaction.put_object(table.object, table.version, encode_table(&table)?);
            match transaction.commit(durability).await {
                Err(error) if is_conflict(&error) && checks < CHECKS_MAX => checks += 1,
                done => return Ok(done.map(|_| ())?),
            }
        }
    }

    async fn forget_index(&mut self, object: ObjectId, tree: TreeId) -> Result<()> {
        let mut tries = 0;
        loop {
            let mut transaction = self.shared.store.begin();
            let Ok((mut table, _)) = self.unfinished(&transaction, object, tree) else {
                return Ok(());
            };
            transaction.drop_tree(tree)?;
            table.retain_indexes(|index| index.tree != tree);
            transaction.put_object(table.object, table.version, encode_table(&table)?);
            let durability = self.settings.durability.of_commit();
            match transaction.commit(durability).await {
                Err(error) if is_conflict(&error) && tries < CHECKS_MAX => tries += 1,
                done => return Ok(done.map(|_| ())?),
            }
        }
    }

    /// The index as a transaction sees it; an error where it was dropped meanwhile.
    fn unfinished(
        &mut self,
        transaction: &Transaction,
        object: ObjectId,
        tree: TreeId,
    ) -> Result<(TableDef, IndexDef)> {
        let catalog = self
            .catalog
            .borrow_mut()
            .get(transaction, &self.settings.search_path)?;
        let table = catalog.tables.get(&object);
        let index = table.and_then(|table| table.indexes.iter().find(|index| index.tree == tree));
        match (table, index) {
            (Some(table), Some(index)) => Ok((TableDef::clone(table), index.clone())),
            _ => Err(Error::new(
                SqlState::UNDEFINED_OBJECT,
                "the index was dropped while it was built",
            )),
        }
    }
}

fn is_conflict(error: &StoreError) -> bool {
    error.failure() == Some(Failure::Conflict)
}

/// What is to be done when a transaction has committed.
#[derive(Default)]
pub(super) struct AfterCommit {
    /// The chunks that it says are compressed: the tree of the hypertable and the range.
    compressed: Vec<(TreeId, Range<i64>)>,
    /// Whether other jobs may be due.
    changes_jobs: bool,
}

impl AfterCommit {
    /// Whether there is something to be done.
    pub fn is_needed(&self) -> bool {
        self.changes_jobs || !self.compressed.is_empty()
    }

    /// Of a transaction that is about to commit.
    pub fn of(shared: &Shared, transaction: &Transaction) -> Result<AfterCommit> {
        let mut found = AfterCommit {
            compressed: Vec::new(),
            changes_jobs: shared.schedule.is_changed_by(transaction),
        };
        // A chunk that is compressed anew is put again as it was, which is a change too.
        for (_, after) in transaction.object_changes() {
            let Some(after) = after else { continue };
            match decode_object(&after)? {
                CatalogObject::Chunk(chunk) if chunk.is_compressed => {
                    let tree = tree_of(transaction, &chunk)?;
                    let range = chunk.start..chunk.end;
                    found.compressed.extend(tree.map(|tree| (tree, range)));
                }
                CatalogObject::Table(table) => {
                    found.changes_jobs |= JobSchedule::is_kept_in(&table);
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

fn tree_of(transaction: &Transaction, chunk: &ChunkDef) -> Result<Option<TreeId>> {
    let Some(definition) = transaction.object(chunk.table) else {
        return Ok(None);
    };
    match decode_object(&definition)? {
        CatalogObject::Table(table) => Ok(Some(table.tree)),
        _ => Ok(None),
    }
}

impl Session {
    /// Does what is to be done after a commit.
    pub(super) async fn follow_commit(&mut self, after: AfterCommit, result: &mut ResultSet) {
        if after.changes_jobs {
            self.shared.schedule.wake(&self.shared.store);
        }
        // Rows are where they should be anyway, so what fails is told.
        for (tree, range) in after.compressed {
            let parallel = self.shared.env.parallel(None);
            let done = self.shared.store.vacuum_range(tree, range, parallel).await;
            if let Err(error) = done {
                let text = format!("a chunk is not compact yet: {error}");
                result
                    .notices
                    .push(Notice::warning(SqlState::WARNING, &text));
            }
        }
    }
}
