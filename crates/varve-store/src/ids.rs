//! The counters that ids come from.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::catalog::Catalog;
use crate::format::manifest::Manifest;

/// Ids handed out; those of what never got committed may be handed out again after the next open.
pub(crate) struct Ids {
    pub(crate) run: AtomicU64,
    pub(crate) object: AtomicU64,
    pub(crate) tree: AtomicU64,
    pub(crate) row: AtomicU64,
    pub(crate) intent: AtomicU64,
}

impl Ids {
    /// The ids that are free after an open.
    pub(crate) fn after(manifest: &Manifest, catalog: &Catalog) -> Ids {
        let (object, tree) = catalog.next_ids();
        Ids {
            run: AtomicU64::new(manifest.next_run),
            object: AtomicU64::new(manifest.next_object.max(object)),
            tree: AtomicU64::new(manifest.next_tree.max(tree)),
            row: AtomicU64::new(manifest.next_row),
            intent: AtomicU64::new(1),
        }
    }

    pub(crate) fn next(counter: &AtomicU64) -> u64 {
        Ids::take(counter, 1)
    }

    /// Hands out so many ids at once; the first of them.
    pub(crate) fn take(counter: &AtomicU64, count: u64) -> u64 {
        counter.fetch_add(count, Ordering::Relaxed)
    }

    pub(crate) fn peek(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }

    /// Makes sure that nothing below `next` is handed out.
    pub(crate) fn skip_to(counter: &AtomicU64, next: u64) {
        counter.fetch_max(next, Ordering::Relaxed);
    }
}
