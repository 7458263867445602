//! `varve`: a shell and an importer over databases in RocksDB folders.
//! It turns text into calls of the facade and results into text; what SQL means is none of its
//! business.
//!
//! Invariant: exit status 0 means that everything asked for was done, but for what failed in a
//! script that was to go on after errors; errors go to standard error.

mod arguments;
mod dump;
mod export;
mod import;
mod import_script;
mod integrity;
mod message;
mod open;
mod opening;
mod passphrase;
mod place;
mod shell;

use std::process::ExitCode;

use arguments::Command;

fn main() -> ExitCode {
    let (command, opening) = arguments::read();
    let with = &opening;
    let outcome = match command {
        Command::Shell(job) => return shell::run(job, opening),
        Command::Check { path } => integrity::check(&path, with),
        Command::Repair {
            path,
            drop_quarantined,
        } => integrity::repair(&path, drop_quarantined, with),
        Command::ChangePassphrase { place, new } => passphrase::change(&place, with, new.as_ref()),
        Command::Dump(job) => dump::run(&job, with),
        Command::Export(job) => export::export(&job, with),
        Command::ImportStore(job) => export::import(&job, with),
        Command::Import(job) => import::run(&job, with),
        Command::ImportScript(job) => import_script::run(&job, with),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            message::tell(&message);
            ExitCode::FAILURE
        }
    }
}
