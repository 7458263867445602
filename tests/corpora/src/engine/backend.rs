//! Where a database keeps its bytes.

use std::sync::Arc;

use varve_kv::{Kv, MemoryKv};
use varvedb::{Database, Durability, Options, SystemEnv};

use super::{Failure, FailureKind};

/// Most bytes of one database's caches and operators.
const MEMORY_LIMIT_BYTES: u64 = 512 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    Memory,
    #[cfg(feature = "disk")]
    RocksDb,
    /// No backend of ours: a PostgreSQL server runs the statements.
    Postgres,
}

/// An open database and what must live as long as it.
pub(super) struct Opened {
    pub database: Database,
    #[cfg(feature = "disk")]
    _folder: Option<tempfile::TempDir>,
}

impl Backend {
    /// The backend of a name, if this build has it.
    pub fn from_name(name: &str) -> Option<Backend> {
        match name {
            "memory" => Some(Backend::Memory),
            "postgres" => Some(Backend::Postgres),
            #[cfg(feature = "disk")]
            "rocksdb" => Some(Backend::RocksDb),
            _ => None,
        }
    }

    /// A new, empty database.
    pub(super) fn open(self) -> Result<Opened, Box<Failure>> {
        let mut options = Options::native();
        options.memory_limit_bytes = MEMORY_LIMIT_BYTES;
        // What would survive a power failure is no question of these tests.
        options.durability = Durability::Relaxed;
        match self {
            Backend::Postgres => Err(Failure::new(
                FailureKind::Error,
                "a server is not opened as a database of ours",
            )),
            Backend::Memory => {
                let database = open(Arc::new(MemoryKv::new()), options)?;
                Ok(Opened {
                    database,
                    #[cfg(feature = "disk")]
                    _folder: None,
                })
            }
            #[cfg(feature = "disk")]
            Backend::RocksDb => {
                use varve_kv_rocksdb::{RocksKv, RocksOptions};
                let broken =
                    |error: String| Failure::new(FailureKind::Error, format!("no store: {error}"));
                let folder = tempfile::tempdir().map_err(|error| broken(error.to_string()))?;
                let kv = RocksKv::open(folder.path(), &RocksOptions::default())
                    .map_err(|error| broken(error.to_string()))?;
                let database = open(Arc::new(kv), options)?;
                Ok(Opened {
                    database,
                    _folder: Some(folder),
                })
            }
        }
    }
}

fn open(kv: Arc<dyn Kv>, options: Options) -> Result<Database, Box<Failure>> {
    let env = Arc::new(SystemEnv::with_threads(1));
    Ok(pollster::block_on(Database::open(kv, env, options))?)
}
