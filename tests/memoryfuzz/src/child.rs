//! The process that runs the statements: one a line of its input, a line of its output for each.

use std::io::{BufRead, Write, stdin, stdout};
use std::process::ExitCode;
use std::sync::Arc;

use varve_kv::{Kv, MemoryKv};
use varvedb::{Database, Options, Session, SystemEnv};

/// The first argument of the process.
pub const WORD: &str = "--child";
/// The second, of a process whose statements are not held to the memory limit: a planted bug.
pub const UNLIMITED: &str = "--unlimited";
/// What an answer begins with.
pub const ANSWERED: &str = "ok";

/// The tables that statements read.
const WORLD: &str = "\
    CREATE TABLE chain (id int PRIMARY KEY, parent int REFERENCES chain ON DELETE CASCADE, t text);\
    INSERT INTO chain SELECT g, nullif(g - 1, 0), repeat('x', 1000) FROM generate_series(1, 500) g";

fn session(is_limited: bool) -> Option<Session> {
    let kv: Arc<dyn Kv> = Arc::new(MemoryKv::new());
    let env = Arc::new(SystemEnv::new());
    let mut options = Options::browser();
    // Space in this store is memory too.
    options.store.scratch_bytes_max = 0;
    let opened = pollster::block_on(Database::open(kv, env, options));
    let mut session = opened.ok()?.session();
    let limit = if is_limited { "64MB" } else { "1TB" };
    let settings = format!("SET varve.memory_limit = '{limit}'; SET statement_timeout = '3s'");
    for script in [WORLD, &settings] {
        pollster::block_on(session.execute_script(script)).ok()?;
    }
    Some(session)
}

/// Answers each statement with its SQLSTATE, or that there was an answer.
pub fn run(is_limited: bool) -> ExitCode {
    let Some(mut session) = session(is_limited) else {
        return ExitCode::FAILURE;
    };
    let mut out = stdout();
    for statement in stdin().lock().lines() {
        let Ok(statement) = statement else {
            return ExitCode::FAILURE;
        };
        let result = pollster::block_on(session.query(&statement, &[]));
        let line = match result {
            Ok(result) => format!("{ANSWERED} {}", result.row_count()),
            Err(error) => format!("{} {error}", error.state().code()),
        };
        // An error may have several lines.
        let line = line.replace('\n', " ");
        if writeln!(out, "{line}").and_then(|()| out.flush()).is_err() {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
