//! A database over one key-value store.

use crate::shared::Shared;
use crate::shared::temporary_schemas::TemporarySchemas;
use std::sync::Arc;

use varve_ddl::Sequences;
use varve_expr::provide_zstd;
use varve_kv::Kv;
use varve_kv_encrypted::EncryptedKv;
use varve_store::{Store, StoreStats};
use varve_types::{Env, Error, Failure, MemoryAccount, MemoryBudget, Result};

use crate::encryption::unlock;
use crate::schedule::ScheduledJobs;
use crate::session::Session;
use crate::session::temporary::drop_left;
use crate::shared::advisory::AdvisoryLocks;
use crate::shared::options::Options;
use crate::shared::phases::Phases;
use crate::shared::schedule::JobSchedule;
use crate::shared::statements::Statements;
use crate::transparent::{ConfigSource, new_cache};
use crate::zstd_values::ZstdValues;

/// What a page waits for after an open comes before the first job that is due.
const FIRST_JOB_US: u64 = 2_000_000;

/// An open database. Clones share it.
#[derive(Clone)]
pub struct Database {
    pub(crate) shared: Arc<Shared>,
}

impl Database {
    /// Opens the database that `kv` holds, or makes an empty one.
    ///
    /// From then on every other handle that has the same store open is fenced off: its next commit
    /// answers `55006`. With [`Options::must_exist`] an empty store answers `58P01`, with a wrong
    /// [`Options::encryption`] an encrypted one `28P01`.
    pub async fn open(kv: Arc<dyn Kv>, env: Arc<dyn Env>, options: Options) -> Result<Database> {
        if options.must_exist && !Store::exists(&*kv).await? {
            return Err(Error::failed(
                Failure::Evicted,
                "evicted: there is no database here any more",
            )
            .with_hint("The storage was cleared. Open it without `must_exist` to begin anew."));
        }
        provide_zstd(ZstdValues::new(options.zstd.clone()));
        let memory = Arc::new(MemoryBudget::new(options.memory_limit_bytes));
        let account: Arc<dyn MemoryAccount> = memory.clone();
        let settings = options.store_settings();
        let (kv, encrypted) = unlock(kv, options.encryption.as_ref()).await?;
        let store = Store::open(kv, Arc::clone(&env), account, settings).await?;
        if let Some(source) = &options.zstd {
            store.set_zstd_source(Arc::clone(source));
        }
        drop_left(&store).await?;
        Ok(Database::of_store(store, encrypted, env, memory, &options))
    }

    pub(crate) fn of_store(
        store: Arc<Store>,
        encrypted: Option<Arc<EncryptedKv>>,
        env: Arc<dyn Env>,
        memory: Arc<MemoryBudget>,
        options: &Options,
    ) -> Database {
        let account: Arc<dyn MemoryAccount> = memory.clone();
        let statements = Statements::new(&account);
        let durability = options.durability;
        let shared = Arc::new(Shared {
            store,
            encrypted,
            env,
            memory,
            durability,
            memory_limit_bytes: options.memory_limit_bytes,
            statements,
            phases: Phases::new(options.tracer.clone()),
            sequences: Sequences::default(),
            temporary: TemporarySchemas::default(),
            advisory: AdvisoryLocks::default(),
            schedule: JobSchedule::default(),
            dictionaries: Arc::new(new_cache(account)),
        });
        let source = ConfigSource::new(&shared);
        shared.store.set_value_frames_source(Arc::new(source));
        let scheduled = ScheduledJobs(Arc::downgrade(&shared));
        shared.store.set_job_source(Arc::new(scheduled));
        let due_us = shared.env.monotonic_us().saturating_add(FIRST_JOB_US);
        shared.schedule.set_due(due_us);
        Database { shared }
    }

    /// A new session with a transaction state of its own.
    pub fn session(&self) -> Session {
        Session::new(Arc::clone(&self.shared))
    }

    /// Moves what is in memory into runs.
    pub async fn flush(&self) -> Result<()> {
        Ok(self.shared.store.flush().await?)
    }

    /// Counters of the store and its caches.
    pub fn stats(&self) -> StoreStats {
        self.shared.store.stats()
    }

    /// Bytes booked on the memory account now.
    pub fn memory_used_bytes(&self) -> u64 {
        self.shared.memory.used_bytes()
    }

    /// Whether this open made the database.
    pub fn is_new(&self) -> bool {
        self.shared.store.is_new()
    }

    /// Whether the storage was full when rows were last to be added: none are then, but everything
    /// else goes on. [`Env::storage_changed`](varve_types::Env::storage_changed) tells of changes.
    pub fn is_storage_full(&self) -> bool {
        self.shared.store.is_storage_full()
    }

    /// Gives the store up; every later call answers `08003`.
    pub async fn close(&self) -> Result<()> {
        Ok(self.shared.store.close().await?)
    }
}
