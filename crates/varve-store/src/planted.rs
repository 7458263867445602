//! Bugs that the simulation plants to see whether it finds them. Only for tests: no product enables
//! the feature.

use std::cell::Cell;

use roaring::RoaringBitmap;

thread_local! {
    static LOSES_DELETIONS: Cell<bool> = const { Cell::new(false) };
}

/// Whether compactions on this thread forget what was deleted while they ran.
pub fn lose_deletions(lose: bool) {
    LOSES_DELETIONS.set(lose);
}

/// What a compaction carries over to its outputs of the rows that died while it ran.
pub(crate) fn carried_over(died: RoaringBitmap) -> RoaringBitmap {
    if LOSES_DELETIONS.get() {
        return RoaringBitmap::new();
    }
    died
}
