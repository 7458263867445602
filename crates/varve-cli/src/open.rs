//! Opens the database in a folder.

use std::path::Path;
use std::sync::Arc;

use varve_kv::Kv;
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varvedb::{Database, Options, SystemEnv};

/// Opens or makes the database at `path`; the error is a sentence for the user.
pub fn database(path: &Path) -> Result<Database, String> {
    let kv = RocksKv::open(path, &RocksOptions::default())
        .map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    let kv: Arc<dyn Kv> = Arc::new(kv);
    pollster::block_on(Database::open(
        kv,
        Arc::new(SystemEnv::new()),
        Options::native(),
    ))
    .map_err(|error| crate::caret::render(&error, ""))
}
