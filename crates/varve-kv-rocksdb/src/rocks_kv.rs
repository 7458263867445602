//! The backend. Its calls block at their first poll and are ready with it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};

use rocksdb::properties::{self, PropName};
use rocksdb::{DB, Options, ReadOptions, WriteOptions};
use varve_kv::{
    Bytes, Durability, Entry, GuardOutcome, Key, Kv, KvError, KvSetting, LocalFuture, ReadResult,
    Scan, WriteBatch,
};

use crate::convert::{self, io_error};
use crate::marker::Marker;
use crate::open::open;
use crate::options::RocksOptions;
use crate::promise::PromiseFile;
use crate::rebuild::{Rebuilt, rebuild};
use crate::reclaim::{HeldRanges, deleted_ranges, give_back};
use crate::space::Disk;

/// What is written between two looks at the disk.
const LOOK_BYTES: u64 = 1 << 20;
/// A batch of this size is tried again once there is room.
const SMALL_BATCH_BYTES_MAX: u64 = 64 << 10;

/// A store in one folder.
pub struct RocksKv {
    /// `None` once closed. Calls hold it for reading, so that closing waits for them and then frees
    /// the folder's lock.
    opened: RwLock<State>,
    path: PathBuf,
    options: RocksOptions,
    disk: Disk,
    is_nearly_full: AtomicBool,
    /// What was written since RocksDB last had nothing in memory only.
    unflushed_bytes: AtomicU64,
    held: HeldRanges,
}

/// Whether RocksDB is there.
enum State {
    Open(Opened),
    /// It could not be opened again on a full disk; the next commit tries.
    Full,
    Closed,
}

/// RocksDB and the lock on its folder.
pub(crate) struct Opened {
    pub(crate) db: DB,
    /// Held by whoever commits.
    pub(crate) promises: Mutex<PromiseFile>,
}

impl RocksKv {
    /// Opens the store in a folder; in one that is missing or empty it makes a new store. A store
    /// that is open elsewhere answers [`KvError::Locked`], one whose files are not all there, as
    /// they were written, [`KvError::Corrupt`]; files of somebody else are left alone.
    pub fn open(path: impl AsRef<Path>, options: &RocksOptions) -> Result<Self, KvError> {
        let path = path.as_ref();
        let disk = Disk::new(path);
        let opened = open_on_full_disk(path, options, &disk)?;
        let kv = Self {
            opened: RwLock::new(State::Open(opened)),
            path: path.to_owned(),
            options: options.clone(),
            disk,
            is_nearly_full: AtomicBool::new(false),
            unflushed_bytes: AtomicU64::new(0),
            held: HeldRanges::default(),
        };
        kv.look_at_disk();
        Ok(kv)
    }

    /// Puts a store of all that can be read in the place of one whose files are damaged, and keeps
    /// the old files in a folder below; `None` where they are sound.
    pub fn rebuild(path: impl AsRef<Path>) -> Result<Option<Rebuilt>, KvError> {
        rebuild(path.as_ref())
    }

    /// Deletes the store in a folder, which must not be open; a missing one is no error.
    pub fn destroy(path: impl AsRef<Path>) -> Result<(), KvError> {
        let path = path.as_ref();
        Marker::remove(path).map_err(|error| io_error(&error))?;
        DB::destroy(&Options::default(), path).map_err(convert::error)
    }

    fn opened(&self) -> RwLockReadGuard<'_, State> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_opened<T>(
        &self,
        work: impl FnOnce(&Opened) -> Result<T, KvError>,
    ) -> Result<T, KvError> {
        match &*self.opened() {
            State::Open(opened) => work(opened),
            State::Full => Err(KvError::StorageFull),
            State::Closed => Err(KvError::Closed),
        }
    }

    fn read_now(&self, gets: &[Key], scan: Option<&Scan>) -> Result<ReadResult, KvError> {
        self.with_opened(|Opened { db, .. }| {
            let snapshot = db.snapshot();
            let options = || {
                let mut options = ReadOptions::default();
                options.set_snapshot(&snapshot);
                options
            };
            let values = convert::get_many(db, gets, &options())?;
            let entries = match scan {
                Some(scan) => convert::scan(db, scan, options())?,
                None => Vec::new(),
            };
            Ok(ReadResult { values, entries })
        })
    }

    fn commit_now(&self, batch: &WriteBatch, durability: Durability) -> Result<(), KvError> {
        self.with_opened(|opened| {
            let mut turn = opened.turn();
            let db = &opened.db;
            if let Some(guard) = &batch.guard {
                let found = db.get_pinned(guard.key()).map_err(convert::error)?;
                match batch.check_guard(found.as_deref()) {
                    GuardOutcome::Apply => {}
                    GuardOutcome::AlreadyApplied => {
                        return opened.make_durable(&mut turn, durability);
                    }
                    GuardOutcome::Mismatch => {
                        let found = found.map(|value| Bytes::from(&*value));
                        return Err(KvError::GuardMismatch {
                            key: guard.key().clone(),
                            found,
                        });
                    }
                }
            }
            if batch.writes.is_empty() {
                return opened.make_durable(&mut turn, durability);
            }
            let mut options = WriteOptions::default();
            options.set_sync(durability == Durability::Strict);
            db.write_opt(convert::batch(db, batch)?, &options)
                .map_err(convert::error)?;
            opened.promise(&mut turn, durability);
            Ok(())
        })
    }

    /// Commits, and on a full disk makes the room that a small batch needs, for what frees space is
    /// small.
    fn commit_somehow(&self, batch: &WriteBatch, durability: Durability) -> Result<(), KvError> {
        let was_nearly_full = self.is_nearly_full();
        let mut done = self.commit_now(batch, durability);
        if done == Err(KvError::StorageFull) {
            self.make_room()?;
            if batch.bytes() <= SMALL_BATCH_BYTES_MAX {
                done = self.commit_now(batch, durability);
            }
        }
        if done.is_ok() {
            self.give_back(batch);
            let bytes = batch.bytes();
            let before = self.unflushed_bytes.fetch_add(bytes, Ordering::Relaxed);
            let is_due = before / LOOK_BYTES != before.saturating_add(bytes) / LOOK_BYTES;
            if was_nearly_full || is_due {
                self.look_at_disk();
            }
        }
        done
    }

    /// After a write that found no space RocksDB takes no more until it is opened again, for which
    /// the reserve goes.
    fn make_room(&self) -> Result<(), KvError> {
        self.is_nearly_full.store(true, Ordering::Relaxed);
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if matches!(*opened, State::Closed) {
            return Err(KvError::Closed);
        }
        // Its lock must be free before it is opened again.
        *opened = State::Full;
        self.disk.give_up_reserve();
        *opened = State::Open(open(&self.path, &self.options)?);
        self.unflushed_bytes.store(0, Ordering::Relaxed);
        Ok(())
    }

    /// Looks whether space is short; RocksDB then writes what it has in memory to tables early, as
    /// long as there is space for that.
    fn look_at_disk(&self) {
        let mut is_nearly_full = self.is_disk_nearly_full();
        if is_nearly_full && self.unflushed_bytes.load(Ordering::Relaxed) > LOOK_BYTES {
            let flushed = self.with_opened(|opened| opened.db.flush().map_err(convert::error));
            if flushed.is_ok() {
                self.unflushed_bytes.store(0, Ordering::Relaxed);
                is_nearly_full = self.is_disk_nearly_full();
            }
        }
        self.is_nearly_full.store(is_nearly_full, Ordering::Relaxed);
        if !is_nearly_full {
            self.disk.make_reserve();
        }
    }

    fn is_disk_nearly_full(&self) -> bool {
        let (unflushed_bytes, tables_bytes) = self.held_bytes();
        self.disk.is_nearly_full(unflushed_bytes, tables_bytes)
    }

    /// What RocksDB has in memory, and in tables.
    fn held_bytes(&self) -> (u64, u64) {
        let tables_bytes = self.property(properties::TOTAL_SST_FILES_SIZE);
        (self.unflushed_bytes.load(Ordering::Relaxed), tables_bytes)
    }

    /// What RocksDB counts; 0 while it is closed.
    fn property(&self, name: &PropName) -> u64 {
        let found = self.with_opened(|Opened { db, .. }| {
            let found = db.property_int_value(name);
            found.map_err(convert::error)
        });
        found.ok().flatten().unwrap_or(0)
    }

    /// Gives the space of deleted ranges back where it may soon be short; else the end of the use
    /// does.
    fn give_back(&self, batch: &WriteBatch) {
        let ranges = deleted_ranges(batch);
        if ranges.is_empty() {
            return;
        }
        let (unflushed_bytes, tables_bytes) = self.held_bytes();
        if !self.disk.is_short(unflushed_bytes, tables_bytes) {
            self.held.add(&ranges);
            return;
        }
        // Once a compaction found no space, RocksDB begins none that might not find it again, until
        // it is opened anew.
        if self.property(properties::BACKGROUND_ERRORS) > 0 && self.make_room().is_err() {
            return;
        }
        if let State::Open(Opened { db, .. }) = &*self.opened() {
            give_back(db, &ranges);
        }
    }
}

/// Opens a store, on a full disk in the space of the reserve. What a try that failed has left is
/// removed.
fn open_on_full_disk(path: &Path, options: &RocksOptions, disk: &Disk) -> Result<Opened, KvError> {
    match open(path, options) {
        Err(KvError::StorageFull) if disk.give_up_reserve() => open(path, options),
        opened => opened,
    }
}

impl Opened {
    fn turn(&self) -> MutexGuard<'_, PromiseFile> {
        self.promises.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that everything up to now is acknowledged. A promise that cannot be written is less
    /// than could be promised, but no reason to fail a commit that stands.
    fn promise(&self, turn: &mut PromiseFile, durability: Durability) {
        let sequence = self.db.latest_sequence_number();
        let _ = turn.raise(sequence, durability == Durability::Strict);
    }

    /// Syncs the log where nothing is written: a strict commit makes all earlier ones durable even
    /// then.
    fn make_durable(&self, turn: &mut PromiseFile, durability: Durability) -> Result<(), KvError> {
        if durability == Durability::Strict {
            self.db.flush_wal(true).map_err(convert::error)?;
            self.promise(turn, durability);
        }
        Ok(())
    }

    /// Ends the use of the files.
    pub(crate) fn close(self, held: &HeldRanges) -> Result<(), KvError> {
        // What is in memory goes to tables, so that the next opening need not replay the log. Where
        // that fails, the log still has it.
        if self.db.flush().is_ok() {
            held.give_back(&self.db);
        }
        let mut turn = self.turn();
        self.make_durable(&mut turn, Durability::Strict)?;
        turn.sync().map_err(|error| io_error(&error))
    }
}

impl Kv for RocksKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(async move { Ok(self.read_now(keys, None)?.values) })
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(async move { Ok(self.read_now(&[], Some(scan))?.entries) })
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(async move { self.read_now(gets, scan) })
    }

    fn commit(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move { self.commit_somehow(&batch, durability) })
    }

    fn settings(&self) -> Vec<KvSetting> {
        self.options.settings()
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
            match std::mem::replace(&mut *opened, State::Closed) {
                State::Open(opened) => opened.close(&self.held),
                State::Full | State::Closed => Ok(()),
            }
        })
    }

    fn is_nearly_full(&self) -> bool {
        // Others may have freed space since.
        self.is_nearly_full.load(Ordering::Relaxed) && self.is_disk_nearly_full()
    }
}

impl fmt::Debug for RocksKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksKv").finish_non_exhaustive()
    }
}
