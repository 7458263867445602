//! The handle of an open store.

use std::sync::Arc;

use varve_kv::Kv;
use varve_types::{Env, Error, MemoryAccount, Result, TreeId};

use crate::{ScratchSpace, StoreSettings, StoreStats, Transaction, TreeStorage};

/// An open store. One handle serves all sessions of a process; it is fenced when another opens the
/// same store.
#[derive(Debug)]
pub struct Store {}

impl Store {
    /// Opens a store, or makes one where there is none, and fences whoever had it open.
    ///
    /// `55006` where another opener came in between, `0A000` for a format that this version does not
    /// know, `XX001` naming the record where manifest, catalogue or log are damaged. A damaged run
    /// only fails reads of its tree.
    pub async fn open(
        kv: Arc<dyn Kv>,
        env: Arc<dyn Env>,
        memory: Arc<dyn MemoryAccount>,
        settings: StoreSettings,
    ) -> Result<Arc<Store>> {
        let _ = (kv, env, memory, settings);
        Err(Error::unsupported("open"))
    }

    /// Begins a transaction at a snapshot of the newest commit.
    pub fn begin(self: &Arc<Store>) -> Transaction {
        Transaction {}
    }

    /// Writes the memtable to runs and empties the log.
    pub async fn flush(&self) -> Result<()> {
        Err(Error::unsupported("flush"))
    }

    /// Makes every commit durable and gives the backend up; later calls answer `08003`.
    pub async fn close(&self) -> Result<()> {
        Err(Error::unsupported("close"))
    }

    /// How the rows of a tree are stored; `XX001` where one of its runs is damaged.
    pub fn tree_storage(&self, tree: TreeId) -> Result<TreeStorage> {
        let _ = tree;
        Err(Error::unsupported("storage"))
    }

    /// Counters.
    pub fn stats(&self) -> StoreStats {
        StoreStats::default()
    }

    /// Temporary space of one statement.
    pub fn scratch(self: &Arc<Store>) -> ScratchSpace {
        ScratchSpace {}
    }
}
