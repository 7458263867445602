//! The two memtables of a store: one that takes commits, and perhaps one that is being flushed.

use std::sync::Arc;

use crate::memtable::Memtable;

/// Which of the two memtables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MemtableSlot {
    /// The one that takes commits.
    Active,
    /// The one that takes no more rows, until a flush has written it out.
    Frozen,
}

impl MemtableSlot {
    pub(crate) const ALL: [MemtableSlot; 2] = [MemtableSlot::Active, MemtableSlot::Frozen];
}

/// Both memtables as of one moment. A row that is alive is in one of them at most.
#[derive(Clone)]
pub(crate) struct Memtables {
    pub(crate) active: Arc<Memtable>,
    pub(crate) frozen: Option<Arc<Memtable>>,
}

impl Memtables {
    pub(crate) fn get(&self, slot: MemtableSlot) -> Option<&Arc<Memtable>> {
        match slot {
            MemtableSlot::Active => Some(&self.active),
            MemtableSlot::Frozen => self.frozen.as_ref(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Memtable>> {
        MemtableSlot::ALL
            .into_iter()
            .filter_map(|slot| self.get(slot))
    }

    /// Where a memtable is among these.
    pub(crate) fn slot_of(&self, memtable: &Arc<Memtable>) -> Option<MemtableSlot> {
        MemtableSlot::ALL.into_iter().find(|slot| {
            self.get(*slot)
                .is_some_and(|found| Arc::ptr_eq(found, memtable))
        })
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.iter().map(|memtable| memtable.bytes()).sum()
    }
}
