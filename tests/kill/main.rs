//! Kills a process that writes a store on RocksDB, again and again, and looks what is there.
//!
//! The test runs itself as a child that writes transactions, and says on its standard output which
//! one it asks to commit and which was answered. `SIGKILL` ends it at a random time; then the
//! store must hold every transaction that was answered and at most the one that was asked for, each
//! as a whole, and be sound. `VARVE_KILLS` says how often (20; 500 in the full run).

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    reason = "a test program stops when its own parts fail; its numbers are small"
)]

mod child;
mod parent;
mod workload;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

/// Names the folder of the store to the child.
const FOLDER: &str = "VARVE_KILL_FOLDER";
/// Names its first transaction.
const FIRST: &str = "VARVE_KILL_FIRST";

fn main() -> ExitCode {
    if let Ok(folder) = std::env::var(FOLDER) {
        let first = std::env::var(FIRST).unwrap().parse().unwrap();
        child::write(folder.as_ref(), first);
        return ExitCode::SUCCESS;
    }
    let kills = match std::env::var("VARVE_KILLS") {
        Ok(kills) => kills.parse().expect("a number of kills"),
        Err(_) if std::env::var("VARVEDB_TESTS").as_deref() == Ok("full") => 500,
        Err(_) => 20,
    };
    let trial = Trial::test("no_kill_loses_a_commit", move || {
        parent::kill_often(kills).map_err(Failed::from)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit_code()
}
