//! What a transaction reads: everything as of one commit, kept while the snapshot lives.

use std::sync::Arc;

use varve_types::CommitSeq;

use crate::catalog::Catalog;
use crate::memtable::Memtables;
use crate::run::Version;
use crate::store::Store;

/// The state of a store after one commit. Runs, memtables and catalog are pinned; deletions and row
/// versions that are newer than `seq` are left out by whoever reads them.
pub(crate) struct Snapshot {
    pub(crate) store: Arc<Store>,
    pub(crate) seq: CommitSeq,
    pub(crate) version: Arc<Version>,
    pub(crate) memtables: Memtables,
    pub(crate) catalog: Arc<Catalog>,
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        self.store.state().end_snapshot(self.seq);
    }
}
