//! The store that is damaged, and what can be read of one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Kv, KvError};
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varve_store::StoreSettings;
use varve_types::{Error, SqlState, Value};
use varvedb::{Database, Options, Session, SystemEnv};

/// No run has more rows.
pub const RUN_ROWS_MAX: u64 = 200;
/// The rows of `late`, which are lost with the commit that made it.
pub const LATE_ROWS: u64 = 12;
/// The tables. `late` is in the log only.
pub const TABLES: [&str; 4] = ["narrow", "wide", "changed", "late"];

/// The rows of each table, as text; an error where they cannot be read.
pub type Tables = BTreeMap<&'static str, Result<Vec<String>, Error>>;

fn options() -> Options {
    Options {
        memory_limit_bytes: 64 << 20,
        store: StoreSettings {
            memtable_bytes_max: 32 << 10,
            ..StoreSettings::native()
        },
        ..Options::native()
    }
}

/// The database in a folder.
pub fn open(folder: &Path) -> Result<Database, Error> {
    let kv = RocksKv::open(folder, &RocksOptions::default()).map_err(|error| kv_error(&error))?;
    on(Arc::new(kv))
}

fn kv_error(error: &KvError) -> Error {
    match error {
        KvError::Corrupt { .. } => Error::corrupted(error.to_string()),
        error => Error::new(SqlState::IO_ERROR, error.to_string()),
    }
}

fn on(kv: Arc<dyn Kv>) -> Result<Database, Error> {
    block_on(Database::open(kv, Arc::new(SystemEnv::new()), options()))
}

/// The database that a repair makes of what is in a folder.
pub fn repaired(folder: &Path) -> Result<Database, Error> {
    RocksKv::rebuild(folder).map_err(|error| kv_error(&error))?;
    let kv = RocksKv::open(folder, &RocksOptions::default()).map_err(|error| kv_error(&error))?;
    let repaired = Database::repair(Arc::new(kv), Arc::new(SystemEnv::new()), options());
    block_on(repaired).map(|(database, _)| database)
}

/// What a dump of a damaged store goes by: nothing on disk is changed.
pub fn salvaged(folder: &Path) -> Result<Database, Error> {
    let (kv, _) = varve_kv_rocksdb::SalvagedKv::read(folder).map_err(|error| kv_error(&error))?;
    let repaired = Database::repair(Arc::new(kv), Arc::new(SystemEnv::new()), options());
    block_on(repaired).map(|(database, _)| database)
}

fn run(session: &mut Session, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    Ok(block_on(session.query(sql, &[]))?.rows())
}

/// All rows of all tables.
pub fn tables(database: &Database) -> Tables {
    let mut session = database.session();
    let read = |table: &&'static str| {
        let rows = run(&mut session, &format!("SELECT * FROM {table} ORDER BY 1"));
        let rows = rows.map(|rows| rows.iter().map(|row| format!("{row:?}")).collect());
        (*table, rows)
    };
    TABLES.iter().map(read).collect()
}

/// Makes the store: tables in runs, in RocksDB's tables and in its log. It is left as by a kill.
pub fn make(folder: &Path) -> Result<Tables, Error> {
    let database = open(folder)?;
    let mut session = database.session();
    for sql in [
        "CREATE TABLE narrow (id int PRIMARY KEY, name text)",
        "CREATE TABLE wide (id int PRIMARY KEY, body text, n numeric)",
        "CREATE INDEX wide_n ON wide (n)",
        "CREATE TABLE changed (id int PRIMARY KEY, v int)",
        "INSERT INTO narrow SELECT i, 'name ' || i FROM generate_series(1, 200) i",
        "INSERT INTO wide SELECT i, md5(i::text) || md5((i * 7)::text), i * 1.5 FROM generate_series(1, 180) i",
        "CHECKPOINT",
        "INSERT INTO wide SELECT i, md5(i::text) || md5((i * 7)::text), i * 1.5 FROM generate_series(181, 360) i",
        "INSERT INTO changed SELECT i, i FROM generate_series(1, 200) i",
        "CHECKPOINT",
        "UPDATE changed SET v = v + 1000 WHERE id % 3 = 0",
        "DELETE FROM changed WHERE id % 5 = 0",
        "CHECKPOINT",
    ] {
        run(&mut session, sql)?;
    }
    drop(session);
    block_on(database.close())?;
    let database = open(folder)?;
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE late (id int PRIMARY KEY, t text)",
    )?;
    for id in 1..=LATE_ROWS {
        let sql = format!("INSERT INTO late VALUES ({id}, 'late {id}')");
        run(&mut session, &sql)?;
        let sql = format!("UPDATE changed SET v = -{id} WHERE id = {id}");
        run(&mut session, &sql)?;
    }
    drop(session);
    Ok(tables(&database))
}

/// Copies the files of a store, but not the one that only takes space.
pub fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name() != "RESERVE" {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}
