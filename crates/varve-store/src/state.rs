//! What changes with every commit: the newest of everything, behind one lock.

use std::collections::BTreeMap;
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Weak};

use varve_types::{CommitSeq, Error, Reservation, Result, RunId, TreeId};

use crate::catalogue::Catalogue;
use crate::conflicts::RecentKeys;
use crate::format::manifest::Manifest;
use crate::log::Log;
use crate::memtable::Memtable;
use crate::run::RunPin;
use crate::version::Version;
use crate::{StoreStats, TreeStorage, report};

/// The newest state of a store.
pub(crate) struct State {
    pub(crate) last: CommitSeq,
    pub(crate) version: Arc<Version>,
    pub(crate) memtable: Arc<Memtable>,
    pub(crate) memtable_bytes: Reservation,
    pub(crate) catalogue: Arc<Catalogue>,
    /// As it is stored, or would be.
    pub(crate) manifest: Manifest,
    pub(crate) log: Log,
    pub(crate) recent: RecentKeys,
    /// The last commit of this process that wrote to a tree.
    pub(crate) written: BTreeMap<TreeId, CommitSeq>,
    /// Why this handle takes no more commits.
    pub(crate) failure: Option<Error>,
    pub(crate) counters: Counters,
    /// How many snapshots there are, by commit, the oldest first. In front is one that is in use.
    snapshots: VecDeque<(CommitSeq, u32)>,
    /// Runs that are not listed any more, and whether a snapshot still holds them.
    retired: Vec<(RunId, Weak<RunPin>)>,
    orphans: Vec<Orphan>,
    /// Runs that compactions found damaged.
    pub(crate) damaged: BTreeSet<RunId>,
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
        last: CommitSeq,
        version: Version,
        memtable: Memtable,
        memtable_bytes: Reservation,
        catalogue: Catalogue,
        manifest: Manifest,
        log: Log,
    ) -> State {
        State {
            last,
            version: Arc::new(version),
            memtable: Arc::new(memtable),
            memtable_bytes,
            catalogue: Arc::new(catalogue),
            manifest,
            log,
            recent: RecentKeys::default(),
            written: BTreeMap::new(),
            failure: None,
            counters: Counters::default(),
            snapshots: VecDeque::new(),
            retired: Vec::new(),
            orphans: Vec::new(),
            damaged: BTreeSet::new(),
        }
    }

    pub(crate) fn check_usable(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// Books what the memtable takes now, no more than was booked before.
    pub(crate) fn book_memtable(&mut self) {
        // A smaller reservation is never refused.
        let _ = self.memtable_bytes.resize(self.memtable.bytes());
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
            Some((oldest, _)) => self.recent.forget_through(*oldest),
            None => self.recent.forget_all(),
        }
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
        let Some(shape) = self.catalogue.trees.get(&tree) else {
            return Err(Error::internal(format!("there is no tree {tree}")));
        };
        let tables = self.memtable.tables();
        let memtable_rows = tables
            .get(&tree)
            .map_or(0, |table| table.count_visible(self.last));
        report::tree_storage(shape, self.version.runs(tree), memtable_rows, self.last)
    }

    pub(crate) fn stats(&self) -> StoreStats {
        StoreStats {
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
            memtable_bytes: self.memtable.bytes(),
            runs: self.version.all_runs().count() as u64,
            flush_error: self.counters.flush_error.clone(),
            ..StoreStats::default()
        }
    }
}
