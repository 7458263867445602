//! The handle of an open store, and what it holds: the newest state, the commits and jobs that
//! wait, runs on their way to storage. They hold each other, and so they are in one folder; what
//! they are made of lies below, what is done with them above.

mod addresses;
mod caches;
mod commit_queue;
mod content_sink;
mod full;
mod job;
mod job_control;
mod jobs;
mod log;
mod page_sink;
mod publication;
mod recent_keys;
mod reserve;
mod scratch;
mod signal;
mod snapshot;
mod spill;
mod state;
mod value_frames;
mod zstd;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::lock::{Mutex as AsyncMutex, MutexGuard as CommitLockGuard};
use varve_kv::{Bytes, Guard, Key, Kv, KvError, KvSetting, WriteBatch};
use varve_run::{ColumnEncoding, RunError, RunWriter};
use varve_types::{Env, Failure, LocalFuture, MemoryAccount, Reservation, RunId, TreeId};

use crate::cache::{GroupCache, PageCache, RowCache, StoreCache};
use crate::content_tree;
use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::keys;
use crate::ids::Ids;
use crate::store::caches::first_cache_bytes;
use crate::store::scratch::ScratchUse;
use crate::tree::Tree;
use crate::{Durability, StoreSettings, StoreStats, TreeStorage};

pub(crate) use addresses::{Addresses, ENTRY_BYTES, Index, hash, hash_paced};
pub(crate) use commit_queue::{Accepted, CommitQueue, Deletes, Group, KeyedVersion, Member, Work};
pub(crate) use content_sink::OpenContent;
pub(crate) use full::Fullness;
pub use job::{Job, JobId, JobInfo, JobSource, JobState};
pub(crate) use job_control::Hurry;
pub use job_control::{JobControl, Pace};
pub(crate) use jobs::Jobs;
pub(crate) use log::{Log, LogValue, put_records};
pub(crate) use page_sink::PageSink;
pub(crate) use publication::Publication;
pub(crate) use recent_keys::RecentKeys;
pub use scratch::{ScratchSpace, ScratchTicket};
pub(crate) use snapshot::Snapshot;
pub(crate) use spill::Spill;
pub(crate) use state::{Frozen, Garbage, Orphan, Replayed, Room, State};

/// An open store. One handle serves all sessions of a process; it is fenced when another opens the
/// same store.
pub struct Store {
    pub(crate) kv: Arc<dyn Kv>,
    pub(crate) env: Arc<dyn Env>,
    pub(crate) memory: Arc<dyn MemoryAccount>,
    pub(crate) settings: StoreSettings,
    pub(crate) cache: PageCache,
    pub(crate) groups: GroupCache,
    pub(crate) rows: RowCache,
    pub(crate) addresses: Addresses,
    pub(crate) ids: Ids,
    pub(crate) epoch: Epoch,
    pub(crate) scratch_use: Mutex<ScratchUse>,
    /// Whether the reserve is stored.
    pub(crate) has_reserve: AtomicBool,
    pub(crate) fullness: Fullness,
    pub(crate) jobs: Arc<Jobs>,
    pub(crate) commits: CommitQueue,
    state: Mutex<State>,
    /// Whoever locks rows that nobody else may hold has it, so that two do not find the same free.
    row_locking: Mutex<()>,
    /// Whoever changes what is published holds it: commits, the ends of flushes, deletions of
    /// pages.
    commit_lock: AsyncMutex<()>,
    /// Whoever writes the frozen memtable out holds it, and takes the commit lock only within.
    pub(crate) flushing: AsyncMutex<()>,
    /// Whoever merges runs holds it, and takes the commit lock only within.
    pub(crate) compacting: AsyncMutex<()>,
    /// Vectors of columns that scans decoded, filtered or took rows of.
    pub(crate) vectors_decoded: AtomicU64,
    /// Vectors of columns of which zone maps told scans all that was wanted.
    pub(crate) vectors_known: AtomicU64,
}

/// What fences a stale writer: every guarded commit finds this value at its key.
#[derive(Clone, Debug)]
pub(crate) struct Epoch {
    pub(crate) number: u64,
    pub(crate) value: Bytes,
}

impl Epoch {
    pub(crate) fn guard(&self) -> Guard {
        Guard::Holds {
            key: keys::epoch(),
            value: Bytes::clone(&self.value),
        }
    }
}

/// What an opened store consists of; see [`crate::open`].
pub(crate) struct Parts {
    pub(crate) kv: Arc<dyn Kv>,
    pub(crate) env: Arc<dyn Env>,
    pub(crate) memory: Arc<dyn MemoryAccount>,
    pub(crate) settings: StoreSettings,
    pub(crate) ids: Ids,
    pub(crate) epoch: Epoch,
    pub(crate) state: State,
}

impl Store {
    /// A store of what an open found.
    pub(crate) fn new(parts: Parts) -> Store {
        let bytes = |cache| first_cache_bytes(&parts.settings, &*parts.memory, cache);
        let memory = || Arc::clone(&parts.memory);
        let addresses = Addresses::default();
        // Nobody knows whether a sweep was due when the store was left.
        let has_content = !parts.state.version.runs(content_tree::TREE).is_empty();
        addresses.set_sweep_due(has_content);
        Store {
            addresses,
            cache: PageCache::new(bytes(StoreCache::Pages), memory()),
            groups: GroupCache::new(bytes(StoreCache::Groups), memory()),
            rows: RowCache::new(bytes(StoreCache::Rows), memory()),
            kv: parts.kv,
            env: parts.env,
            memory: parts.memory,
            settings: parts.settings,
            ids: parts.ids,
            epoch: parts.epoch,
            scratch_use: Mutex::default(),
            has_reserve: AtomicBool::new(false),
            fullness: Fullness::default(),
            jobs: Arc::default(),
            commits: CommitQueue::default(),
            state: Mutex::new(parts.state),
            row_locking: Mutex::new(()),
            commit_lock: AsyncMutex::new(()),
            flushing: AsyncMutex::new(()),
            compacting: AsyncMutex::new(()),
            vectors_decoded: AtomicU64::new(0),
            vectors_known: AtomicU64::new(0),
        }
    }

    /// A writer of a run that is written once and stays: every codec that is asked for is used.
    pub(crate) async fn lasting_run(
        &self,
        tree: &Tree,
        run: RunId,
    ) -> core::result::Result<RunWriter, RunError> {
        let spec = tree.run_spec(run, tree.content());
        let wants = |encoding: &ColumnEncoding| encoding.zstd_level.is_some();
        if spec.encodings.iter().any(wants) {
            self.fetch_zstd().await;
        }
        let zstd = self.state().zstd.clone();
        Ok(RunWriter::new(spec)?.with_zstd(zstd.as_ref()))
    }

    /// Whether there is a store, of this or any later version.
    pub async fn exists(kv: &dyn Kv) -> Result<bool> {
        let records = [keys::epoch(), keys::manifest(), keys::manifest_copy()];
        match kv.get_many(&records).await {
            Ok(values) => Ok(values.iter().any(Option::is_some)),
            Err(KvError::Corrupt { .. }) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether this open made it: nobody had opened it before.
    pub fn is_new(&self) -> bool {
        self.epoch.number == 1
    }

    /// Makes every commit durable and gives the backend up; later calls answer `08003`. Jobs end at
    /// their next step.
    pub async fn close(self: &Arc<Store>) -> Result<()> {
        self.jobs.stop();
        let _commit_lock = self.take_commit_lock().await;
        let (mut done, is_all_stored) = {
            let state = self.state();
            (state.check_usable(), state.log.waiting().is_empty())
        };
        if done.is_err() && is_all_stored {
            done = Ok(());
        } else if done.is_ok() {
            done = self.store_waiting().await;
            done = done.and(self.reap().await);
            let sync = self.write(WriteBatch::new(), Durability::Strict).await;
            done = done.and(sync.map_err(StoreError::from));
        }
        self.kv.close().await?;
        match done {
            // The other opener's commits come after all of this handle's.
            Err(error) if matches!(error.failure(), Some(Failure::Fenced | Failure::Closed)) => {
                Ok(())
            }
            done => done,
        }
    }

    /// The bytes of the runs of a tree that lie in a range of the column by which it keeps rows
    /// apart; one that lies across a bound counts where its least value is.
    pub fn range_bytes(&self, tree: TreeId, range: &core::ops::Range<i64>) -> u64 {
        let state = self.state();
        let Some(shape) = state.catalog.tree(tree) else {
            return 0;
        };
        let runs = state.version.runs(tree).iter();
        let runs = runs.filter(|run| {
            run.head()
                .is_ok_and(|head| shape.values_of(head).begin_in(range))
        });
        runs.map(|run| run.bytes).sum()
    }

    /// How the rows of a tree are stored; `XX001` where one of its runs is damaged.
    pub fn tree_storage(&self, tree: TreeId) -> Result<TreeStorage> {
        self.state().tree_storage(tree)
    }

    /// The bounds that it was opened with.
    pub fn settings(&self) -> &StoreSettings {
        &self.settings
    }

    /// The settings of the backend.
    pub fn backend_settings(&self) -> Vec<KvSetting> {
        self.kv.settings()
    }

    /// Counters.
    pub fn stats(&self) -> StoreStats {
        StoreStats {
            page_cache: self.cache_stats(StoreCache::Pages),
            group_cache: self.cache_stats(StoreCache::Groups),
            row_cache: self.cache_stats(StoreCache::Rows),
            scratch_bytes: self.scratch_use().used_bytes,
            storage_full: self.is_storage_full(),
            vectors_decoded: self.vectors_decoded.load(Ordering::Relaxed),
            vectors_known: self.vectors_known.load(Ordering::Relaxed),
            ..self.state().stats()
        }
    }

    /// Temporary space of one statement.
    pub fn scratch(self: &Arc<Store>) -> ScratchSpace {
        ScratchSpace::new(Arc::clone(self))
    }

    /// Counts vectors of columns that were read.
    pub(crate) fn count_vectors(&self, vectors: u64) {
        self.vectors_decoded.fetch_add(vectors, Ordering::Relaxed);
    }

    /// Counts vectors of columns that did not have to be read.
    pub(crate) fn count_known(&self, vectors: u64) {
        self.vectors_known.fetch_add(vectors, Ordering::Relaxed);
    }

    /// The state; never held across an await, and never while a snapshot is dropped.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        // No step under this lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn scratch_use(&self) -> MutexGuard<'_, ScratchUse> {
        let scratch = self.scratch_use.lock();
        scratch.unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn row_locking(&self) -> MutexGuard<'_, ()> {
        self.row_locking
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the commit lock, under which what is published changes.
    pub(crate) async fn take_commit_lock(&self) -> CommitLockGuard<'_, ()> {
        let commit_lock = self.commit_lock.lock().await;
        // What a dropped commit left half-way comes first.
        self.write_group().await;
        commit_lock
    }

    /// One guarded commit, for which the reserve is given up where the storage is full. A commit
    /// whose answer was lost is repeated once.
    pub(crate) fn write(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        self.write_any(batch, durability, false)
    }

    /// As [`Store::write`], but new rows do not get the reserve. The caller knows whether a refusal
    /// means that the storage is full, or that it was too much at once.
    pub(crate) fn write_any(
        &self,
        mut batch: WriteBatch,
        durability: Durability,
        adds_rows: bool,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        batch.guard(self.epoch.guard());
        self.state().counters.written_bytes += batch.bytes();
        Box::pin(async move {
            let mut lost = None;
            let mut has_reserve = !adds_rows;
            loop {
                match self.kv.commit(batch.clone(), durability).await {
                    Err(error) if lost.is_none() && error.outcome_is_unknown() => {
                        lost = Some(error);
                    }
                    Err(KvError::StorageFull) if has_reserve && self.give_up_reserve().await => {
                        has_reserve = false;
                        self.set_full();
                    }
                    Err(KvError::StorageFull) => {
                        if !adds_rows {
                            self.set_full();
                        }
                        // The attempt before may be what took the space.
                        return Err(lost.unwrap_or(KvError::StorageFull));
                    }
                    answer => {
                        if answer.is_ok() && adds_rows {
                            self.set_available();
                        } else if answer.is_ok() && batch.deletes() {
                            self.note_deleted();
                        }
                        return answer;
                    }
                }
            }
        })
    }

    /// A guarded commit after which the state must follow. If nobody can tell whether it took
    /// effect, this handle takes no more commits: a new open reads what is there.
    pub(crate) async fn write_change(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> Result<()> {
        self.store_waiting().await?;
        self.state().failure = Some(StoreErrorKind::CommitInterrupted.into());
        match self.write(batch, durability).await {
            Err(error) if error.outcome_is_unknown() => Err(error.into()),
            answer => {
                self.state().failure = None;
                answer.map_err(StoreError::from)
            }
        }
    }

    pub(crate) async fn get_many(&self, keys: &[Key]) -> Result<Vec<Option<Bytes>>> {
        let values = self.kv.get_many(keys).await;
        values.map_err(StoreError::from)
    }

    /// Books memory, for which the caches make room.
    pub(crate) fn reserve(&self, reservation: &mut Reservation, bytes: u64) -> Result<()> {
        if reservation.resize(bytes).is_ok() {
            return Ok(());
        }
        // What is made again from pages goes first, what would have to be read again last.
        let mut wanted = bytes.saturating_sub(reservation.bytes());
        wanted -= self.groups.release(wanted).min(wanted);
        wanted -= self.rows.release(wanted).min(wanted);
        self.cache.release(wanted);
        Ok(reservation.resize(bytes)?)
    }

    /// Deletes pages that nothing names any more: of transactions that were rolled back, and of
    /// runs that no snapshot holds. The caller holds the commit lock.
    pub(crate) async fn reap(&self) -> Result<()> {
        let collected = Collected {
            store: self,
            garbage: Some(self.state().take_garbage()),
        };
        let Some(garbage) = collected.garbage.as_ref().filter(|found| !found.is_empty()) else {
            return Ok(());
        };
        let mut batch = WriteBatch::new();
        for intent in &garbage.intents {
            batch.delete(keys::intent(*intent));
        }
        let runs: Vec<RunId> = garbage.runs().collect();
        for range in runs.iter().flat_map(|run| keys::all_of_run(*run)) {
            batch.delete_range(range);
        }
        let written = self.write(batch, Durability::Relaxed).await;
        written?;
        collected.set_deleted();
        for run in runs {
            self.cache.forget_run(run);
            self.groups.forget_run(run);
        }
        self.look_for_room().await;
        Ok(())
    }
}

/// Garbage that is being deleted. Dropped before it surely is, with the future that deletes it, it
/// is garbage again: deleting it twice does no harm.
struct Collected<'a> {
    store: &'a Store,
    garbage: Option<Garbage>,
}

impl Collected<'_> {
    fn set_deleted(mut self) {
        self.garbage = None;
    }
}

impl Drop for Collected<'_> {
    fn drop(&mut self) {
        if let Some(garbage) = self.garbage.take() {
            self.store.state().put_garbage_back(garbage);
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Who runs the jobs waits without holding the store.
        self.jobs.stop();
    }
}

impl core::fmt::Debug for Store {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Store")
            .field("epoch", &self.epoch.number)
            .field("last", &self.state().last)
            .finish_non_exhaustive()
    }
}
