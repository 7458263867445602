//! The backend. Its calls block at their first poll and are ready with it.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError, RwLock};

use rocksdb::{DB, Options, ReadOptions, WriteOptions};
use varve_kv::{
    Bytes, Durability, Entry, GuardOutcome, Key, Kv, KvError, LocalFuture, ReadResult, Scan,
    WriteBatch,
};

use crate::convert;
use crate::options::RocksOptions;

/// A store in one folder.
pub struct RocksKv {
    /// `None` once closed. Calls hold it for reading, so that closing waits for them and then frees
    /// the folder's lock.
    db: RwLock<Option<DB>>,
    committing: Mutex<()>,
}

impl RocksKv {
    /// Opens the store in a folder and creates it if it is missing. A store that is open elsewhere
    /// answers [`KvError::Locked`].
    pub fn open(path: impl AsRef<Path>, options: &RocksOptions) -> Result<Self, KvError> {
        let db = DB::open(&options.to_rocksdb(), path).map_err(convert::error)?;
        Ok(Self {
            db: RwLock::new(Some(db)),
            committing: Mutex::new(()),
        })
    }

    /// Deletes the store in a folder, which must not be open; a missing one is no error.
    pub fn destroy(path: impl AsRef<Path>) -> Result<(), KvError> {
        DB::destroy(&Options::default(), path).map_err(convert::error)
    }

    fn with_db<T>(&self, work: impl FnOnce(&DB) -> Result<T, KvError>) -> Result<T, KvError> {
        let db = self.db.read().unwrap_or_else(PoisonError::into_inner);
        work(db.as_ref().ok_or(KvError::Closed)?)
    }

    fn read_now(&self, gets: &[Key], scan: Option<&Scan>) -> Result<ReadResult, KvError> {
        self.with_db(|db| {
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
        self.with_db(|db| {
            let _turn = self
                .committing
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(guard) = &batch.guard {
                let found = db.get_pinned(guard.key()).map_err(convert::error)?;
                match batch.check_guard(found.as_deref()) {
                    GuardOutcome::Apply => {}
                    GuardOutcome::AlreadyApplied => return make_durable(db, durability),
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
                return make_durable(db, durability);
            }
            let mut options = WriteOptions::default();
            options.set_sync(durability == Durability::Strict);
            db.write_opt(convert::batch(db, batch)?, &options)
                .map_err(convert::error)
        })
    }
}

/// Syncs the log where nothing is written: a strict commit makes all earlier ones durable even
/// then.
fn make_durable(db: &DB, durability: Durability) -> Result<(), KvError> {
    match durability {
        Durability::Strict => db.flush_wal(true).map_err(convert::error),
        Durability::Relaxed => Ok(()),
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
            let closed = self
                .db
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .take();
            match closed {
                Some(db) => {
                    // What is in memory goes to tables, so that the next opening need not replay
                    // the log. Where that fails, the log still has it.
                    let _ = db.flush();
                    make_durable(&db, Durability::Strict)
                }
                None => Ok(()),
            }
        })
    }
}

impl fmt::Debug for RocksKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RocksKv").finish_non_exhaustive()
    }
}
