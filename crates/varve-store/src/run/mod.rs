//! A run as an open store knows it: its head, and which of its rows are deleted.
//! `version.rs` says which runs there are.

mod forward;
mod recent_deletions;
mod version;

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use roaring::RoaringBitmap;
use varve_run::RunHead;
use varve_types::{CommitSeq, RunId, TreeId};

use crate::error::{Result, StoreError};
use crate::run::recent_deletions::RecentDeletions;

pub(crate) use forward::{ForwardBuilder, ForwardMap};
pub(crate) use recent_deletions::within;
pub(crate) use version::Version;

/// A run and its deletion vector. A flush that folds deletions makes a new one; the head is shared.
pub(crate) struct Run {
    pub(crate) id: RunId,
    pub(crate) tree: TreeId,
    /// The head, or why it cannot be read.
    head: Result<Arc<RunHead>>,
    /// Bytes of head and values.
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    /// Whether rows refer to content.
    pub(crate) refers: bool,
    /// The commit of index entries that were written before it was known; 0 where they tell it.
    pub(crate) entries_seq: CommitSeq,
    /// As long as anyone holds this, the run's values stay.
    pub(crate) pin: Arc<RunPin>,
    pub(crate) trace: Arc<RunTrace>,
    pub(crate) deletion_vector: DeletionVector,
}

/// Keeps the values of a run from being deleted.
pub(crate) struct RunPin;

/// Which run it is, and where its rows are now. Holding this keeps no values. A run that loses rows
/// to another one, and keeps others, goes on with a new one.
pub(crate) struct RunTrace {
    pub(crate) id: RunId,
    pub(crate) tree: TreeId,
    /// Set when a compaction takes the place of the run, or of some of its rows.
    pub(crate) forward: OnceLock<ForwardMap>,
}

impl RunTrace {
    pub(crate) fn new(id: RunId, tree: TreeId) -> Arc<RunTrace> {
        Arc::new(RunTrace {
            id,
            tree,
            forward: OnceLock::new(),
        })
    }

    /// Where a row of the run is now, over any number of compactions; `None` if one of them found
    /// it dead.
    pub(crate) fn row_now(self: &Arc<RunTrace>, mut ordinal: u32) -> Option<(&Arc<RunTrace>, u32)> {
        let mut run = self;
        while let Some(forward) = run.forward.get() {
            (run, ordinal) = forward.row(ordinal)?;
        }
        Some((run, ordinal))
    }
}

/// Deleted rows of a run by ordinal.
pub(crate) struct DeletionVector {
    /// Seen by every snapshot that holds this run.
    pub(crate) folded: Arc<RoaringBitmap>,
    /// The version under which `folded` is stored; 0 when it is empty.
    pub(crate) version: u64,
    /// Deletions since the last flush, with the commit that made them.
    recent: Mutex<RecentDeletions>,
}

impl DeletionVector {
    pub(crate) fn new(folded: RoaringBitmap, version: u64) -> DeletionVector {
        DeletionVector {
            folded: Arc::new(folded),
            version,
            recent: Mutex::default(),
        }
    }

    fn recent(&self) -> MutexGuard<'_, RecentDeletions> {
        // No step under this lock can panic half-way.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds rows that a commit deleted. On replay some may be among the folded ones already.
    pub(crate) fn add(&self, rows: &RoaringBitmap, seq: CommitSeq) {
        self.recent().add(rows - &*self.folded, seq);
    }

    /// Whether no commit so far deleted any of these rows.
    pub(crate) fn all_alive_now(&self, rows: &RoaringBitmap) -> bool {
        self.folded.is_disjoint(rows) && self.recent().is_disjoint(rows)
    }

    /// Adds to `dead` the rows of a range that a snapshot does not see.
    pub(crate) fn collect(&self, start: u32, end: u32, seq: CommitSeq, dead: &mut RoaringBitmap) {
        *dead |= within(&self.folded, start, end);
        self.recent().collect(start, end, seq, dead);
    }

    pub(crate) fn is_dead(&self, ordinal: u32, seq: CommitSeq) -> bool {
        self.folded.contains(ordinal) || self.recent().hides(ordinal, seq)
    }

    /// How many rows are deleted by now.
    pub(crate) fn len(&self) -> u64 {
        self.folded.len() + self.recent().len()
    }

    /// How many rows a snapshot does not see.
    pub(crate) fn count(&self, seq: CommitSeq) -> u64 {
        self.folded.len() + self.recent().count(seq)
    }

    pub(crate) fn has_recent(&self) -> bool {
        !self.recent().is_empty()
    }

    /// All deleted rows as one bitmap.
    pub(crate) fn all(&self) -> RoaringBitmap {
        let mut all = (*self.folded).clone();
        self.recent().add_to(&mut all);
        all
    }
}

impl Run {
    /// A new run without deleted rows.
    pub(crate) fn new(tree: TreeId, head: Arc<RunHead>, bytes: u64) -> Run {
        Run {
            id: head.run(),
            tree,
            rows: head.rows(),
            refers: head.has_references(),
            bytes,
            entries_seq: CommitSeq(0),
            pin: Arc::new(RunPin),
            trace: RunTrace::new(head.run(), tree),
            head: Ok(head),
            deletion_vector: DeletionVector::new(RoaringBitmap::new(), 0),
        }
    }

    /// A run of the manifest, with what was found of it.
    pub(crate) fn opened(
        entry: crate::format::manifest::RunEntry,
        found: Result<(Arc<RunHead>, RoaringBitmap)>,
    ) -> Run {
        let (head, folded) = match found {
            Ok((head, folded)) => (Ok(head), folded),
            Err(error) => (Err(error), RoaringBitmap::new()),
        };
        Run {
            id: entry.run,
            tree: entry.tree,
            refers: head.as_ref().is_ok_and(|head| head.has_references()),
            head,
            bytes: entry.bytes,
            rows: entry.rows,
            entries_seq: entry.entries_seq,
            pin: Arc::new(RunPin),
            trace: RunTrace::new(entry.run, entry.tree),
            deletion_vector: DeletionVector::new(folded, entry.deletion_vector_version),
        }
    }

    /// The same run with another deletion vector.
    pub(crate) fn with_deletion_vector(&self, deletion_vector: DeletionVector) -> Run {
        Run {
            id: self.id,
            tree: self.tree,
            head: self.head.clone(),
            bytes: self.bytes,
            rows: self.rows,
            refers: self.refers,
            entries_seq: self.entries_seq,
            pin: Arc::clone(&self.pin),
            trace: Arc::clone(&self.trace),
            deletion_vector,
        }
    }

    /// The same run, whose rows are looked for by another trace from now on.
    pub(crate) fn with_trace(self, trace: Arc<RunTrace>) -> Run {
        Run { trace, ..self }
    }

    /// The same run, published by this commit.
    pub(crate) fn with_entries_seq(&self, seq: CommitSeq) -> Run {
        let folded = (*self.deletion_vector.folded).clone();
        Run {
            entries_seq: seq,
            ..self.with_deletion_vector(DeletionVector::new(folded, self.deletion_vector.version))
        }
    }

    /// Whether so many of its rows are deleted that it is to be written again.
    pub(crate) fn is_worn(&self) -> bool {
        is_worn(self.rows, self.deletion_vector.len(), DEAD_SHARE)
    }

    /// The head; `XX001` naming run and tree where it is damaged.
    pub(crate) fn head(&self) -> Result<&Arc<RunHead>> {
        self.head.as_ref().map_err(StoreError::clone)
    }

    /// The lowest and the highest key; `None` for an empty or damaged run.
    pub(crate) fn key_range(&self) -> Option<(&[u8], &[u8])> {
        self.head.as_ref().ok()?.key_range()
    }

    /// The same error, telling to which tree the run belongs.
    pub(crate) fn place_error(&self, error: impl Into<StoreError>) -> StoreError {
        place_error(self.tree, error.into())
    }
}

/// A run is written again when one of so many rows is deleted.
pub(crate) const DEAD_SHARE: u64 = 3;

/// Whether at least one of `dead_share` rows is deleted.
pub(crate) fn is_worn(rows: u64, dead: u64, dead_share: u64) -> bool {
    dead > 0 && dead.saturating_mul(dead_share) >= rows
}

/// The same error, telling to which tree its run belongs.
pub(crate) fn place_error(tree: TreeId, error: StoreError) -> StoreError {
    error.of_tree(tree)
}
