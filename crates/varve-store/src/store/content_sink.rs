//! What the runs of one sink refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_run::RunWriter;
use varve_types::{ColumnBuilder, RunId};

use crate::store::Store;
use crate::store::addresses::Hash;

/// The content that the runs of one sink refer to.
pub(crate) struct ContentSink {
    pub(crate) store: Arc<Store>,
    pub(crate) open: Option<OpenContent>,
    /// What was written here.
    own: BTreeMap<Hash, i64>,
    /// What was published before and is referred to.
    used: BTreeMap<Hash, i64>,
}

/// A run of content that takes further values.
pub(crate) struct OpenContent {
    pub(crate) run: RunId,
    pub(crate) writer: RunWriter,
    /// Numbers, hashes and values of the rows to come.
    pub(crate) pending: [ColumnBuilder; 3],
    pub(crate) pending_bytes: usize,
}

impl ContentSink {
    pub(crate) fn new(store: &Arc<Store>) -> ContentSink {
        ContentSink {
            store: Arc::clone(store),
            open: None,
            own: BTreeMap::new(),
            used: BTreeMap::new(),
        }
    }

    /// The number of a value that its runs refer to already.
    pub(crate) fn known(&self, hash: &Hash) -> Option<i64> {
        self.own.get(hash).or(self.used.get(hash)).copied()
    }

    /// The number of a published value, which its runs will refer to.
    pub(crate) fn take_published(&mut self, hash: &Hash) -> Option<i64> {
        let number = self.store.addresses.take(hash)?;
        self.used.insert(*hash, number);
        Some(number)
    }

    /// Notes a value that was written here.
    pub(crate) fn add_own(&mut self, hash: Hash, number: i64) {
        self.own.insert(hash, number);
    }

    /// Whether it wrote content.
    pub(crate) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Its content was published.
    pub(crate) fn set_published(&mut self) {
        let own = core::mem::take(&mut self.own);
        if !own.is_empty() {
            self.store.addresses.publish(own);
        }
    }
}

impl Drop for ContentSink {
    fn drop(&mut self) {
        self.store.addresses.release(self.used.values());
    }
}
