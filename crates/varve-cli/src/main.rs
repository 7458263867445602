//! `varve`: a shell and an importer over databases in RocksDB folders.
//! It turns text into calls of the facade and results into text; what SQL means is none of its
//! business.
//!
//! Invariant: exit status 0 means that everything asked for was done, but for what failed in a
//! script that was to go on after errors; errors go to standard error.

mod arguments;
mod dump;
mod import;
mod import_script;
mod integrity;
mod message;
mod open;
mod place;
mod shell;

use std::process::ExitCode;

use arguments::Command;

fn main() -> ExitCode {
    let outcome = match arguments::read() {
        Command::Shell(job) => return shell::run(job),
        Command::Check { path } => integrity::check(&path),
        Command::Repair {
            path,
            drop_quarantined,
        } => integrity::repair(&path, drop_quarantined),
        Command::Dump(job) => dump::run(&job),
        Command::Import(job) => import::run(&job),
        Command::ImportScript(job) => import_script::run(&job),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            message::tell(&message);
            ExitCode::FAILURE
        }
    }
}
