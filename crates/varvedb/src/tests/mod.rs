//! What needs the inside of the facade; `tests/facade` has the rest.

mod catalogs;
mod encryption;
mod jobs;
mod temporary;

use std::sync::Arc;

use varve_kv::{Kv, MemoryKv};
use varve_types::{Error, Value};

use crate::SystemEnv;
use crate::database::Database;
use crate::session::Session;
use crate::shared::options::Options;

/// A database on memory, with the settings of a tab.
fn open(kv: &Arc<MemoryKv>) -> Database {
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let env = Arc::new(SystemEnv::new());
    pollster::block_on(Database::open(kv, env, Options::browser())).unwrap()
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
