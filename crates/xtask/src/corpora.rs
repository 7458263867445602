//! Starts the runners of the corpora. They are a package of their own, built with a profile that
//! catches panics of the engine.

use std::env::var_os;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let mut command = Command::new(var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(["run", "--quiet", "--profile", "corpora"]);
    command.args(["--package", "varve-corpora"]);
    // RocksDB takes minutes to build.
    if arguments.iter().any(|argument| argument == "rocksdb") {
        command.args(["--features", "disk"]);
    }
    command.arg("--").args(arguments);
    match command.status() {
        Ok(status) => status
            .code()
            .and_then(|code| u8::try_from(code).ok())
            .map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("{:?} cannot be started: {error}", command.get_program());
            ExitCode::FAILURE
        }
    }
}
