//! Opens the database in a folder.

use std::path::Path;
use std::sync::Arc;

use varve_kv::{Kv, KvError, MemoryKv};
use varve_kv_rocksdb::{Damage, Rebuilt, RocksKv, SalvagedKv};
use varve_types::{Error, Failure, SqlState};
use varvedb::{Database, Import, Options, RepairReport, SystemEnv};

use crate::message;
use crate::opening::Opening;

/// Opens or makes the database at `path`; the error is a sentence for the user.
pub fn database(path: &Path, with: &Opening) -> Result<Database, String> {
    on(storage(path, with)?, with)
}

/// Opens the database at `path`, which must be there; the inner error is the database's, not yet in
/// words.
pub fn unworded(path: &Path, with: &Opening) -> Result<Result<Database, Error>, String> {
    let options = Options {
        must_exist: true,
        ..native(with)
    };
    let opened = Database::open(storage(path, with)?, Arc::new(SystemEnv::new()), options);
    Ok(pollster::block_on(opened))
}

/// Makes a database in memory.
pub fn in_memory() -> Result<Database, String> {
    let mut options = Options::native();
    // Sorting with scratch space in memory would only hide it from the memory limit.
    options.store.scratch_bytes_max = 0;
    with_options(Arc::new(MemoryKv::new()), options)
}

/// Opens the database that `kv` holds, and has its jobs done.
pub fn on(kv: Arc<dyn Kv>, with: &Opening) -> Result<Database, String> {
    with_options(kv, native(with))
}

/// Begins to make the database at `path` of exports.
pub fn import(path: &Path, with: &Opening) -> Result<Import, String> {
    let import = Database::import(
        storage(path, with)?,
        Arc::new(SystemEnv::new()),
        native(with),
    );
    pollster::block_on(import).map_err(|error| message::of(&error))
}

fn native(with: &Opening) -> Options {
    Options {
        encryption: with.encryption.clone(),
        ..Options::native()
    }
}

fn with_options(kv: Arc<dyn Kv>, options: Options) -> Result<Database, String> {
    let database = without_jobs(kv, options)?;
    let jobs = database.spawn_jobs();
    jobs.map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(database)
}

fn without_jobs(kv: Arc<dyn Kv>, options: Options) -> Result<Database, String> {
    let opened = Database::open(kv, Arc::new(SystemEnv::new()), options);
    pollster::block_on(opened).map_err(|error| message::of(&error))
}

/// Opens the database at `path`, which must be there.
pub fn existing(path: &Path, with: &Opening) -> Result<Database, String> {
    check_is_folder(path)?;
    database(path, with)
}

/// Opens the database at `path` for who only reads it: nothing is merged meanwhile. Where there is
/// no space to open it, it is read from its files.
pub fn for_reading(path: &Path, with: &Opening) -> Result<Database, String> {
    check_is_folder(path)?;
    match RocksKv::open(path, &with.rocks) {
        Ok(kv) => without_jobs(Arc::new(kv), native(with)),
        Err(KvError::StorageFull) => {
            let read = SalvagedKv::read(path).map_err(|error| failure(path, &error))?;
            without_jobs(Arc::new(read.0), native(with))
        }
        Err(error) => Err(failure(path, &error)),
    }
}

/// A database that is damaged, as far as it can be read.
pub struct Salvaged {
    /// What is done to it is gone when it is closed: nothing on disk is changed.
    pub database: Database,
    pub damage: Damage,
    /// What had to be done to read it.
    pub report: RepairReport,
}

/// What can be read of the database at `path`, which must be there, if its files are damaged or it
/// does not open because of what is in them.
pub fn salvaged(path: &Path, with: &Opening) -> Result<Option<Salvaged>, String> {
    check_is_folder(path)?;
    let read = || SalvagedKv::read(path).map_err(|error| failure(path, &error));
    let (kv, damage) = read()?;
    let kv = if damage.is_empty() {
        match opens(Arc::new(kv), with) {
            Ok(()) => return Ok(None),
            // Read anew without what the try changed.
            Err(error) if error.failure() == Some(Failure::Corrupt) => read()?.0,
            Err(error) => return Err(message::of(&error)),
        }
    } else {
        kv
    };
    let (database, report) = put_right(Arc::new(kv), with)?;
    Ok(Some(Salvaged {
        database,
        damage,
        report,
    }))
}

fn opens(kv: Arc<dyn Kv>, with: &Opening) -> Result<(), Error> {
    let environment = Arc::new(SystemEnv::new());
    let opened = Database::open(Arc::clone(&kv), environment, native(with));
    let tried = pollster::block_on(opened).map(drop);
    // The lock on the folder is free again.
    let closed = pollster::block_on(kv.close());
    tried.and(closed.map_err(|error| Error::corrupted(error.to_string())))
}

/// Opens the database at `path`, which must be there, after putting it right. A wrong key is told
/// before a file is changed.
pub fn repaired(
    path: &Path,
    with: &Opening,
) -> Result<(Database, Option<Rebuilt>, RepairReport), String> {
    check_is_folder(path)?;
    let (read, _) = SalvagedKv::read(path).map_err(|error| failure(path, &error))?;
    if let Err(error) = opens(Arc::new(read), with)
        && KEY_STATES.contains(&error.state())
    {
        return Err(message::of(&error));
    }
    let rebuilt = RocksKv::rebuild(path).map_err(|error| failure(path, &error))?;
    let (database, report) = put_right(storage(path, with)?, with)?;
    Ok((database, rebuilt, report))
}

/// What a database answers whose key is another one, or that has none.
const KEY_STATES: [SqlState; 3] = [
    SqlState::INVALID_PASSWORD,
    SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
    SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
];

fn put_right(kv: Arc<dyn Kv>, with: &Opening) -> Result<(Database, RepairReport), String> {
    let repaired = Database::repair(kv, Arc::new(SystemEnv::new()), native(with));
    pollster::block_on(repaired).map_err(|error| message::of(&error))
}

fn storage(path: &Path, with: &Opening) -> Result<Arc<dyn Kv>, String> {
    let kv = RocksKv::open(path, &with.rocks);
    Ok(Arc::new(kv.map_err(|error| failure(path, &error))?))
}

fn failure(path: &Path, error: &KvError) -> String {
    let path = path.display();
    let hint = match error {
        KvError::Corrupt { .. } => {
            format!("\nHINT:  \"varve repair {path}\" keeps what can be read.")
        }
        _ => String::new(),
    };
    format!("cannot open {path}: {error}{hint}")
}

/// An error where there is no folder.
pub fn check_is_folder(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Ok(());
    }
    Err(format!("there is no database at {}", path.display()))
}
