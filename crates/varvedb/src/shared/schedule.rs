//! When jobs that SQL describes are due, and whether a commit changes that.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use varve_catalog::{Catalog, Named, TableDef};
use varve_store::{Store, Transaction};
use varve_types::TreeId;

/// The schema of the tables, and the one of them that every change of a job writes.
const SCHEMA: &str = "_timescaledb_config";
const TABLE: &str = "job_stat";

const NEVER: u64 = u64::MAX;
const NO_TREE: u64 = u64::MAX;

/// When jobs are due.
pub(crate) struct JobSchedule {
    /// In monotonic microseconds.
    due_us: AtomicU64,
    /// The tree of [`TABLE`].
    tree: AtomicU64,
    /// Whether jobs that were running when the database was last left have been noted.
    is_recovered: AtomicBool,
}

impl Default for JobSchedule {
    fn default() -> JobSchedule {
        JobSchedule {
            due_us: AtomicU64::new(NEVER),
            tree: AtomicU64::new(NO_TREE),
            is_recovered: AtomicBool::new(false),
        }
    }
}

impl JobSchedule {
    /// When the next job is due; `None` for never.
    pub fn due_us(&self) -> Option<u64> {
        let due_us = self.due_us.load(Ordering::Relaxed);
        (due_us != NEVER).then_some(due_us)
    }

    /// Nothing is due until something is said to be.
    pub fn rest(&self) {
        self.due_us.store(NEVER, Ordering::Relaxed);
    }

    /// A job is due then, if none is earlier.
    pub fn set_due(&self, due_us: u64) {
        self.due_us.fetch_min(due_us, Ordering::Relaxed);
    }

    /// Whether this is the first look at jobs since the database was opened.
    pub fn begins(&self) -> bool {
        !self.is_recovered.swap(true, Ordering::Relaxed)
    }

    /// Whether a transaction changes jobs, so that another one may be due after its commit.
    pub fn is_changed_by(&self, transaction: &Transaction) -> bool {
        let tree = self.tree.load(Ordering::Relaxed);
        tree != NO_TREE && transaction.has_written(TreeId(tree))
    }

    /// Looks again at what is due.
    pub fn wake(&self, store: &Store) {
        self.due_us.store(0, Ordering::Relaxed);
        store.wake_jobs();
    }

    /// Whether the rows of jobs may be in a table.
    pub fn is_kept_in(table: &TableDef) -> bool {
        table.name == TABLE
    }

    /// Notes where the rows of jobs are; false where there are none.
    pub fn find(&self, catalog: &Catalog) -> bool {
        let schema = catalog.schema(SCHEMA);
        let named = schema.and_then(|schema| catalog.find_in(schema, TABLE));
        let table = match named {
            Some(Named::Table(table)) => catalog.tables.get(&table),
            _ => None,
        };
        let tree = table.map_or(NO_TREE, |table| table.tree.0);
        self.tree.store(tree, Ordering::Relaxed);
        tree != NO_TREE
    }
}
