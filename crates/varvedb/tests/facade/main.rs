//! The facade over memory: what SQL answers is told by the `.slt` files; here stand calls, blocks
//! and imports.

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "a test stops when what it needs fails; its numbers are small"
)]

mod advisory_locks;
mod alter_table;
mod batch;
mod bulk_load;
mod caches;
mod copy;
mod foreign_keys;
mod full_storage;
mod functions;
mod hypertables;
mod indexes;
mod integrity;
mod large_objects;
mod limits;
mod literals;
mod phases;
mod prepared;
mod quota_hour;
mod row_locks;
mod savepoints;
mod sequences;
mod serializable;
mod session;
mod settings;
mod stream;
#[cfg(feature = "zstd-encode")]
mod transparent;

use std::sync::Arc;

use varve_kv::{Kv, MemoryKv};
use varve_types::{Error, Value};

use varvedb::{Database, Options, Session, SystemEnv};

/// A database on memory, with the settings of a tab.
fn open(kv: &Arc<MemoryKv>) -> Database {
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let env = Arc::new(SystemEnv::new());
    pollster::block_on(Database::open(kv, env, Options::browser())).unwrap()
}

fn session() -> Session {
    open(&Arc::new(MemoryKv::new())).session()
}

fn rows(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    pollster::block_on(session.query(sql, &[])).unwrap().rows()
}

fn run(session: &mut Session, sql: &str) {
    pollster::block_on(session.execute_script(sql)).unwrap();
}

fn fails(session: &mut Session, sql: &str) -> Error {
    pollster::block_on(session.execute_script(sql)).unwrap_err()
}

fn ints(values: &[i64]) -> Vec<Vec<Value>> {
    values
        .iter()
        .map(|value| vec![Value::Int8(*value)])
        .collect()
}
