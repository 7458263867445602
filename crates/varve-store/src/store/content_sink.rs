//! What the runs of one sink refer to.

use std::collections::BTreeMap;
use std::sync::Arc;

use varve_run::RunWriter;
use varve_types::{ColumnBuilder, Reservation, RunId};

use crate::store::Store;
use crate::store::addresses::{ENTRY_BYTES, Hash};

/// The content that the runs of one sink refer to.
pub(crate) struct ContentSink {
    pub(crate) store: Arc<Store>,
    pub(crate) open: Option<OpenContent>,
    /// What was written here.
    own: BTreeMap<Hash, i64>,
    /// What was published before and is referred to.
    used: BTreeMap<Hash, i64>,
    /// What both take.
    reservation: Reservation,
    /// Whether the index of published values was asked for.
    has_asked: bool,
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
            reservation: Reservation::new(Arc::clone(&store.memory)),
            has_asked: false,
        }
    }

    /// The number of a value that its runs refer to already.
    pub(crate) fn known(&self, hash: &Hash) -> Option<i64> {
        self.own.get(hash).or(self.used.get(hash)).copied()
    }

    /// Whether the index of published values is to be read first: once, since there may be no
    /// memory for it.
    pub(crate) fn asks_for_addresses(&mut self) -> bool {
        !core::mem::replace(&mut self.has_asked, true)
    }

    /// The number of a published value, which its runs will refer to.
    pub(crate) fn take_published(&mut self, hash: &Hash) -> Option<i64> {
        if !self.has_room() {
            return None;
        }
        let number = self.store.addresses.take(hash)?;
        self.used.insert(*hash, number);
        Some(number)
    }

    /// Notes a value that was written here. Without memory for that it is written again.
    pub(crate) fn add_own(&mut self, hash: Hash, number: i64) {
        if self.has_room() {
            self.own.insert(hash, number);
        }
    }

    fn has_room(&mut self) -> bool {
        let entries = (self.own.len() + self.used.len() + 1) as u64;
        let bytes = entries.saturating_mul(ENTRY_BYTES);
        self.store.reserve(&mut self.reservation, bytes).is_ok()
    }

    /// Whether it wrote content.
    pub(crate) fn has_own(&self) -> bool {
        !self.own.is_empty()
    }

    /// Its content was published.
    pub(crate) fn set_published(&mut self) {
        self.store.addresses.publish(core::mem::take(&mut self.own));
    }
}

impl Drop for ContentSink {
    fn drop(&mut self) {
        self.store.addresses.release(self.used.values());
    }
}
