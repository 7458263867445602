//! Scripts of other databases, translated and run on the engine in memory. The tests of the crate
//! `varve-dialect` look at the text of translations only.
//!
//! Invariant: a script that cannot be translated or run stops the test with its line.

#![allow(
    missing_docs,
    clippy::panic,
    clippy::expect_used,
    reason = "a test program stops when its own parts are broken"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use varve_dialect::{Dialect, Script, translate};
use varve_kv::{Kv, MemoryKv};
use varvedb::{Database, Options, Session, SystemEnv};

/// A session of an empty database.
pub fn session() -> Session {
    let kv: Arc<dyn Kv> = Arc::new(MemoryKv::new());
    let env = Arc::new(SystemEnv::with_threads(1));
    let database = pollster::block_on(Database::open(kv, env, Options::native()));
    database.expect("a database on memory").session()
}

/// Translates a script and runs it in one transaction.
pub fn load(session: &mut Session, script: &str, dialect: Dialect) -> Script {
    let translation = translate(script.as_bytes(), dialect);
    if let Some(fault) = translation.faults.first() {
        panic!("{fault}");
    }
    run(session, "BEGIN");
    for statement in &translation.statements {
        run(session, &statement.sql);
    }
    run(session, "COMMIT");
    translation
}

/// Runs one statement; the rows as text, with `|` between values.
pub fn run(session: &mut Session, sql: &str) -> Vec<String> {
    let answer = pollster::block_on(session.query(sql, &[]));
    let answer = answer.unwrap_or_else(|error| panic!("{error}: {sql}"));
    let rows = answer.text_rows();
    let text = |value: Option<String>| value.unwrap_or_else(|| "NULL".to_owned());
    rows.map(|row| row.into_iter().map(text).collect::<Vec<_>>().join("|"))
        .collect()
}

/// The message of a statement that must fail.
pub fn refused(session: &mut Session, sql: &str) -> String {
    match pollster::block_on(session.query(sql, &[])) {
        Ok(_) => panic!("not refused: {sql}"),
        Err(error) => error.to_string(),
    }
}

/// The folder of the corpora, beside the repository or above it, where they are.
pub fn corpora() -> Option<PathBuf> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = folders
        .map(|folder| folder.join("shared/corpora"))
        .find(|folder| folder.exists());
    if found.is_none() {
        eprintln!("skipped: the corpora are not there");
    }
    found
}
