//! What changes with every commit: the newest of everything, behind one lock.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, Weak};

use varve_codec::ZstdEncoders;
use varve_sort::{VecMap, VecSet};
use varve_types::{CommitSeq, ObjectId, Reservation, RunId, TreeId};

use crate::catalog::Catalog;
use crate::content_tree;
use crate::error::{Result, StoreError};
use crate::format::manifest::Manifest;
use crate::memtable::{Memtable, Memtables};
use crate::run::{Run, RunPin, Version};
use crate::store::{JobSource, Log, RecentKeys, Snapshot};
use crate::value_frames::ValueFramesSource;
use crate::write_set::{RecentRowLocks, WriteSet};
use crate::zstd::{ZstdSource, zstd_encoders};
use crate::{StoreSettings, StoreStats, TreeStorage, report};

/// The newest state of a store.
pub(crate) struct State {
    pub(crate) last: CommitSeq,
    pub(crate) version: Arc<Version>,
    /// The memtable that takes commits.
    pub(crate) memtable: Arc<Memtable>,
    /// The one that is being flushed.
    pub(crate) frozen: Option<Frozen>,
    /// What both take.
    pub(crate) memtable_bytes: Reservation,
    pub(crate) catalog: Arc<Catalog>,
    /// As it is stored, or would be.
    pub(crate) manifest: Manifest,
    pub(crate) log: Log,
    pub(crate) recent: RecentKeys,
    pub(crate) row_locks: RecentRowLocks,
    /// The last commit of this process that wrote to a tree.
    pub(crate) written: VecMap<TreeId, CommitSeq>,
    /// The last commit of this process with rows that rely on an object of the catalog.
    pub(crate) relied_on: VecMap<ObjectId, CommitSeq>,
    /// Why this handle takes no more commits.
    pub(crate) failure: Option<StoreError>,
    pub(crate) counters: Counters,
    /// What transactions that may still be open have written and locked; it may list ended ones.
    open: Vec<Open>,
    /// How many snapshots there are, by commit, the oldest first. In front is one that is in use.
    snapshots: VecDeque<(CommitSeq, u32)>,
    /// Runs that are not listed any more, and whether a snapshot still holds them.
    retired: Vec<(RunId, Weak<RunPin>)>,
    orphans: Vec<Orphan>,
    /// Runs that compactions found damaged.
    pub(crate) damaged: VecSet<RunId>,
    /// Makes encoders of zstd, where there is one to make frames.
    pub(crate) zstd: Option<Arc<dyn ZstdEncoders>>,
    /// Where it comes from otherwise.
    pub(crate) zstd_source: Option<Arc<dyn ZstdSource>>,
    /// Says how values are compressed one by one.
    pub(crate) value_frames_source: Option<Arc<dyn ValueFramesSource>>,
    /// Makes jobs that are due at a time.
    pub(crate) job_source: Option<Arc<dyn JobSource>>,
}

/// What the log leads to from the last flush on.
pub(crate) struct Replayed {
    pub(crate) last: CommitSeq,
    pub(crate) version: Version,
    pub(crate) memtable: Memtable,
    pub(crate) catalog: Catalog,
}

/// A transaction as others see it.
struct Open {
    snapshot: Weak<Snapshot>,
    write_set: Weak<Mutex<WriteSet>>,
}

/// What a flush writes out: everything up to one commit.
#[derive(Clone)]
pub(crate) struct Frozen {
    /// The last commit whose rows and catalog are in here; rows may die after it.
    pub(crate) seq: CommitSeq,
    pub(crate) memtable: Arc<Memtable>,
    pub(crate) catalog: Arc<Catalog>,
    /// Who waits for the runs that it becomes, before a later commit changes them.
    pub(crate) awaited_runs: Weak<OnceLock<Vec<Arc<Run>>>>,
}

/// Whether commits may add to the active memtable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Enough,
    /// They pass a bound, and the frozen memtable must be flushed first.
    Tight,
    /// They pass a bound twice over.
    Full,
}

/// Counters for [`StoreStats`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) commits: u64,
    /// KV commits that stored log records.
    pub(crate) kv_commits: u64,
    pub(crate) group_max: u64,
    pub(crate) log_merges: u64,
    pub(crate) conflicts: u64,
    pub(crate) flushes: u64,
    pub(crate) compactions: u64,
    /// Bytes of rows that commits inserted.
    pub(crate) row_bytes: u64,
    /// Bytes of keys and values in all commits to the backend, scratch space left out.
    pub(crate) written_bytes: u64,
    /// The part of the bytes of runs that compactions wrote.
    pub(crate) compaction_bytes: u64,
    pub(crate) run_bytes_written: u64,
    pub(crate) flush_error: Option<String>,
}

/// Pages under an intent that will not be published.
#[derive(Clone, Debug)]
pub(crate) struct Orphan {
    pub(crate) intent: u64,
    pub(crate) runs: Vec<RunId>,
}

/// What [`State::take_garbage`] gives out to be deleted.
#[derive(Default)]
pub(crate) struct Garbage {
    pub(crate) intents: Vec<u64>,
    orphans: Vec<Orphan>,
    retired: Vec<(RunId, Weak<RunPin>)>,
}

impl Garbage {
    pub(crate) fn is_empty(&self) -> bool {
        self.orphans.is_empty() && self.retired.is_empty()
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = RunId> {
        let orphans = self
            .orphans
            .iter()
            .flat_map(|orphan| orphan.runs.iter().copied());
        orphans.chain(self.retired.iter().map(|(run, _)| *run))
    }
}

impl State {
    /// The state after an open. Pages of retired runs were just deleted.
    pub(crate) fn new(
        replayed: Replayed,
        memtable_bytes: Reservation,
        manifest: Manifest,
        log: Log,
    ) -> State {
        State {
            last: replayed.last,
            version: Arc::new(replayed.version),
            memtable: Arc::new(replayed.memtable),
            frozen: None,
            memtable_bytes,
            catalog: Arc::new(replayed.catalog),
            manifest,
            log,
            recent: RecentKeys::default(),
            row_locks: RecentRowLocks::default(),
            written: VecMap::new(),
            relied_on: VecMap::new(),
            failure: None,
            counters: Counters::default(),
            open: Vec::new(),
            snapshots: VecDeque::new(),
            retired: Vec::new(),
            orphans: Vec::new(),
            damaged: VecSet::new(),
            zstd: zstd_encoders(),
            zstd_source: None,
            value_frames_source: None,
            job_source: None,
        }
    }

    pub(crate) fn check_usable(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    pub(crate) fn memtables(&self) -> Memtables {
        Memtables {
            active: Arc::clone(&self.memtable),
            frozen: self
                .frozen
                .as_ref()
                .map(|frozen| Arc::clone(&frozen.memtable)),
        }
    }

    /// Puts an empty memtable in the place of the active one, which waits to be flushed. Does
    /// nothing while another one waits, or where no commit came since. The caller holds the commit
    /// lock.
    pub(crate) fn freeze(&mut self) {
        if self.frozen.is_none() && self.last > self.manifest.flushed {
            self.frozen = Some(Frozen {
                seq: self.last,
                memtable: core::mem::take(&mut self.memtable),
                catalog: Arc::clone(&self.catalog),
                awaited_runs: Weak::new(),
            });
        }
    }

    /// The frozen memtable was published.
    pub(crate) fn thaw(&mut self) {
        if let Some(frozen) = self.frozen.take() {
            self.log.forget_through(frozen.seq);
        }
        self.book_memtables();
    }

    /// Books what the memtables take now, no more than was booked before.
    pub(crate) fn book_memtables(&mut self) {
        // A smaller reservation is never refused.
        let _ = self.memtable_bytes.resize(self.memtables().bytes());
    }

    /// Bytes of runs and log.
    pub(crate) fn stored_bytes(&self) -> u64 {
        let runs = self.version.all_runs().map(|run| run.bytes);
        runs.sum::<u64>() + self.log.bytes()
    }

    /// Whether the active memtable and its log may take commits of so many bytes.
    pub(crate) fn room_for(&self, coming_bytes: u64, settings: &StoreSettings) -> Room {
        let (values, log_bytes) = match &self.frozen {
            Some(frozen) => self.log.size_after(frozen.seq),
            None => (u64::from(self.log.values()), self.log.bytes()),
        };
        let bytes = self.memtable.bytes().max(log_bytes);
        let bytes_max = settings.memtable_bytes_max;
        let values_max = u64::from(settings.log_values_max);
        let over = |times: u64| {
            bytes > 0 && bytes.saturating_add(coming_bytes) > bytes_max.saturating_mul(times)
                || values >= values_max.saturating_mul(times)
        };
        match (over(1), over(2)) {
            (false, _) => Room::Enough,
            (true, false) => Room::Tight,
            (true, true) => Room::Full,
        }
    }

    pub(crate) fn begin_snapshot(&mut self) {
        match self.snapshots.back_mut() {
            Some((seq, count)) if *seq == self.last => *count += 1,
            _ => self.snapshots.push_back((self.last, 1)),
        }
    }

    pub(crate) fn end_snapshot(&mut self, seq: CommitSeq) {
        if let Ok(at) = self.snapshots.binary_search_by_key(&seq, |(of, _)| *of)
            && let Some((_, count)) = self.snapshots.get_mut(at)
        {
            *count -= 1;
        }
        while self
            .snapshots
            .pop_front_if(|(_, count)| *count == 0)
            .is_some()
        {}
        match self.snapshots.front() {
            Some((oldest, _)) => {
                self.recent.forget_through(*oldest);
                self.row_locks.forget_through(*oldest);
            }
            None => {
                self.recent.forget_all();
                self.row_locks.forget_all();
            }
        }
    }

    /// Notes a transaction that begins.
    pub(crate) fn add_open(&mut self, snapshot: &Arc<Snapshot>, write_set: &Arc<Mutex<WriteSet>>) {
        if self.open.len() == self.open.capacity() {
            self.open.retain(|open| open.write_set.strong_count() > 0);
        }
        self.open.push(Open {
            snapshot: Arc::downgrade(snapshot),
            write_set: Arc::downgrade(write_set),
        });
    }

    /// The transactions that have not ended.
    pub(crate) fn open(&self) -> Vec<(Arc<Snapshot>, Arc<Mutex<WriteSet>>)> {
        let open = self.open.iter();
        open.filter_map(|open| Some((open.snapshot.upgrade()?, open.write_set.upgrade()?)))
            .collect()
    }

    /// Whether a transaction beside the one that commits could conflict with it later.
    pub(crate) fn has_other_snapshots(&self) -> bool {
        self.snapshots.iter().map(|(_, count)| count).sum::<u32>() > 1
    }

    /// Notes a run that the next manifest does not list.
    pub(crate) fn retire(&mut self, run: RunId, pin: Weak<RunPin>) {
        self.retired.push((run, pin));
    }

    /// The retired runs whose pages are still there.
    pub(crate) fn retired_runs(&self) -> Vec<RunId> {
        self.retired.iter().map(|(run, _)| *run).collect()
    }

    /// Pages that are to be deleted, and their intents.
    #[cfg(feature = "inspect")]
    pub(crate) fn orphans(&self) -> &[Orphan] {
        &self.orphans
    }

    pub(crate) fn add_orphan(&mut self, orphan: Orphan) {
        self.orphans.push(orphan);
    }

    /// Takes what may be deleted now; nothing once it is unclear what is published.
    pub(crate) fn take_garbage(&mut self) -> Garbage {
        if self.failure.is_some() {
            return Garbage::default();
        }
        let orphans = core::mem::take(&mut self.orphans);
        let (free, held) = core::mem::take(&mut self.retired)
            .into_iter()
            .partition(|(_, pin)| pin.strong_count() == 0);
        self.retired = held;
        Garbage {
            intents: orphans.iter().map(|orphan| orphan.intent).collect(),
            orphans,
            retired: free,
        }
    }

    pub(crate) fn put_garbage_back(&mut self, garbage: Garbage) {
        self.orphans.extend(garbage.orphans);
        self.retired.extend(garbage.retired);
    }

    pub(crate) fn tree_storage(&self, tree: TreeId) -> Result<TreeStorage> {
        let Some(shape) = self.catalog.tree(tree) else {
            return Err(StoreError::internal(format!("there is no tree {tree}")));
        };
        let memtables = self.memtables();
        let rows = memtables.iter().map(|memtable| {
            let tables = memtable.tables();
            tables
                .get(&tree)
                .map_or(0, |table| table.count_visible(self.last))
        });
        let memtable_rows = rows.sum();
        report::tree_storage(shape, self.version.runs(tree), memtable_rows, self.last)
    }

    pub(crate) fn stats(&self) -> StoreStats {
        let content = self.version.runs(content_tree::TREE).iter();
        let living = |run: &Arc<Run>| run.rows.saturating_sub(run.deletion_vector.len());
        StoreStats {
            content_values: content.clone().map(living).sum(),
            content_bytes: content.map(|run| run.bytes).sum(),
            last_commit: self.last.0,
            commits: self.counters.commits,
            kv_commits: self.counters.kv_commits,
            group_max: self.counters.group_max,
            log_merges: self.counters.log_merges,
            conflicts: self.counters.conflicts,
            flushes: self.counters.flushes,
            compactions: self.counters.compactions,
            row_bytes: self.counters.row_bytes,
            written_bytes: self.counters.written_bytes,
            compaction_bytes_written: self.counters.compaction_bytes,
            run_bytes_written: self.counters.run_bytes_written,
            log_values: u64::from(self.log.values()),
            memtable_bytes: self.memtables().bytes(),
            runs: self.version.all_runs().count() as u64,
            flush_error: self.counters.flush_error.clone(),
            ..StoreStats::default()
        }
    }
}
