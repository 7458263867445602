//! The backend. Its calls block at their first poll and are ready with it.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use rocksdb::{DB, Options, ReadOptions, WriteOptions};
use varve_kv::{
    Bytes, Durability, Entry, GuardOutcome, Key, Kv, KvError, LocalFuture, ReadResult, Scan,
    WriteBatch,
};

use crate::convert::{self, io_error};
use crate::marker::Marker;
use crate::open::open;
use crate::options::RocksOptions;
use crate::promise::PromiseFile;
use crate::rebuild::{Rebuilt, rebuild};

/// A store in one folder.
pub struct RocksKv {
    /// `None` once closed. Calls hold it for reading, so that closing waits for them and then frees
    /// the folder's lock.
    opened: RwLock<Option<Opened>>,
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
        let opened = open(path.as_ref(), options)?;
        Ok(Self {
            opened: RwLock::new(Some(opened)),
        })
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

    fn with_opened<T>(
        &self,
        work: impl FnOnce(&Opened) -> Result<T, KvError>,
    ) -> Result<T, KvError> {
        let opened = self.opened.read().unwrap_or_else(PoisonError::into_inner);
        work(opened.as_ref().ok_or(KvError::Closed)?)
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
    pub(crate) fn close(self) -> Result<(), KvError> {
        // What is in memory goes to tables, so that the next opening need not replay the log. Where
        // that fails, the log still has it.
        let _ = self.db.flush();
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
        Box::pin(async move { self.commit_now(&batch, durability) })
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
            opened.take().map_or(Ok(()), Opened::close)
        })
    }
}

impl fmt::Debug for RocksKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksKv").finish_non_exhaustive()
    }
}
