//! Whether a database is what was written, and opening one that is not, in terms of tables.

use std::sync::Arc;

use varve_catalog::{CatalogObject, decode_object, decode_table};
use varve_dml::index;
use varve_kv::Kv;
use varve_store::{Durability, Store, Transaction};
use varve_types::{Env, Error, MemoryAccount, MemoryBudget, Result, TreeId};

use crate::database::Database;
use crate::encryption::unlock;
use crate::shared::cancel::CancelFlag;
use crate::shared::options::Options;

/// What [`Database::check`] read, and what was wrong with it.
pub type CheckReport = varve_store::CheckReport<Problem>;

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The table whose rows are concerned, unless it is a record of the store.
    pub table: Option<String>,
    /// What is wrong, naming page or record.
    pub error: Error,
}

/// What [`Database::repair`] did; all empty where nothing had to be done.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Records that were put back from their copies, by name.
    pub restored: Vec<String>,
    /// The first commit that is lost, because the log cannot be read from there.
    pub first_commit_lost: Option<u64>,
    /// Commits behind it that could be read, and were applied again.
    pub commits_kept_after: u64,
    /// Tables of which rows had to be saved, a line for each damaged run.
    pub tables: Vec<TableRepair>,
}

/// What became of one damaged run of a table. Its values are kept under quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRepair {
    /// The table; none where the catalog does not name it any more.
    pub table: Option<String>,
    /// Rows that could be read, and are in the table again.
    pub rows_kept: u64,
    /// Rows that could not be read.
    pub rows_lost: u64,
    /// Up to so many rows that had been deleted may be back, since the deletion vector of their run
    /// is lost.
    pub deleted_rows_back_max: u64,
    /// What was wrong.
    pub errors: Vec<String>,
}

impl Database {
    /// Reads everything that is stored and compares it with what is known of it. Statements go on
    /// meanwhile. Damage is reported; an error is one of the storage.
    pub async fn check(&self) -> Result<CheckReport> {
        let found = self.shared.store.check().await?;
        let transaction = self.shared.store.begin();
        let problem = |problem: varve_store::Problem| Problem {
            table: table_of(&transaction, problem.tree),
            error: problem.error.into(),
        };
        Ok(found.map_problems(problem))
    }

    /// Opens a database after putting right what can be, see [`Store::repair`]. Indexes of tables
    /// with a damaged run, or with one of their own, and of those that commits changed that were
    /// applied again, are made anew.
    pub async fn repair(
        kv: Arc<dyn Kv>,
        env: Arc<dyn Env>,
        options: Options,
    ) -> Result<(Database, RepairReport)> {
        let memory = Arc::new(MemoryBudget::new(options.memory_limit_bytes));
        let account: Arc<dyn MemoryAccount> = memory.clone();
        let settings = options.store_settings();
        let (kv, encrypted) = unlock(kv, options.encryption.as_ref()).await?;
        let (store, done) = Store::repair(kv, Arc::clone(&env), account, settings).await?;
        let damaged = done.runs.iter().map(|run| run.tree);
        let damaged: Vec<TreeId> = damaged.chain(done.reapplied_trees).collect();
        let transaction = store.begin();
        let table = |run: varve_store::RunRepair| TableRepair {
            table: table_of(&transaction, Some(run.tree)),
            rows_kept: run.rows_kept,
            rows_lost: run.rows_lost,
            deleted_rows_back_max: run.deletions_lost,
            errors: run.errors,
        };
        let report = RepairReport {
            restored: done.restored,
            first_commit_lost: done.first_commit_lost,
            commits_kept_after: done.commits_kept_after,
            tables: done.runs.into_iter().map(table).collect(),
        };
        drop(transaction);
        rebuild_indexes(&store, &env, &damaged).await?;
        let database = Database::of_store(store, encrypted, env, memory, &options);
        Ok((database, report))
    }

    /// Deletes what repairs put aside.
    pub async fn drop_quarantined(&self) -> Result<()> {
        Ok(self.shared.store.drop_quarantined().await?)
    }
}

async fn rebuild_indexes(store: &Arc<Store>, env: &Arc<dyn Env>, damaged: &[TreeId]) -> Result<()> {
    for (_, _, definition) in store.begin().objects() {
        let CatalogObject::Table(table) = decode_object(&definition)? else {
            continue;
        };
        let mut trees = table.indexes.iter().map(|index| index.tree);
        let is_hit = damaged.contains(&table.tree) || trees.any(|tree| damaged.contains(&tree));
        if is_hit && !table.indexes.is_empty() {
            let mut transaction = store.begin();
            let never = CancelFlag::new(Arc::clone(env));
            index::rebuild(&mut transaction, &table, &never).await?;
            transaction.commit(Durability::Strict).await?;
        }
    }
    Ok(())
}

/// The name of the table with this tree, or with an index that has it.
fn table_of(transaction: &Transaction, tree: Option<TreeId>) -> Option<String> {
    let objects = transaction.objects();
    let mut tables = objects
        .iter()
        .filter_map(|(_, _, definition)| decode_table(definition).ok());
    tables
        .find(|table| {
            let mut trees = table.indexes.iter().map(|index| index.tree);
            Some(table.tree) == tree || trees.any(|index| Some(index) == tree)
        })
        .map(|table| table.name)
}
