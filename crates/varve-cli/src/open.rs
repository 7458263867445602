//! Opens the database in a folder.

use std::path::Path;
use std::sync::Arc;

use varve_kv::Kv;
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varvedb::{Database, Options, RepairReport, SystemEnv};

use crate::message;

/// Opens or makes the database at `path`; the error is a sentence for the user.
pub fn database(path: &Path) -> Result<Database, String> {
    on(storage(path)?)
}

/// Opens the database that `kv` holds, and has its jobs done.
pub fn on(kv: Arc<dyn Kv>) -> Result<Database, String> {
    let opened = Database::open(kv, Arc::new(SystemEnv::new()), Options::native());
    let database = pollster::block_on(opened).map_err(|error| message::of(&error))?;
    let jobs = database.spawn_jobs();
    jobs.map_err(|error| format!("cannot start a thread: {error}"))?;
    Ok(database)
}

/// Opens the database at `path`, which must be there.
pub fn existing(path: &Path) -> Result<Database, String> {
    check_is_folder(path)?;
    database(path)
}

/// Opens the database at `path`, which must be there, after putting it right.
pub fn repaired(path: &Path) -> Result<(Database, RepairReport), String> {
    check_is_folder(path)?;
    let repaired = Database::repair(
        storage(path)?,
        Arc::new(SystemEnv::new()),
        Options::native(),
    );
    pollster::block_on(repaired).map_err(|error| message::of(&error))
}

fn storage(path: &Path) -> Result<Arc<dyn Kv>, String> {
    let kv = RocksKv::open(path, &RocksOptions::default())
        .map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    Ok(Arc::new(kv))
}

fn check_is_folder(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Ok(());
    }
    Err(format!("there is no database at {}", path.display()))
}
