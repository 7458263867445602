//! Starts the fuzzing of queries, which is a package of its own, built with a profile that catches
//! panics of the engine.

use std::env::var_os;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let Some(("sql", rest)) = arguments
        .split_first()
        .map(|(what, rest)| (what.as_str(), rest))
    else {
        eprintln!("usage: cargo xtask fuzz sql [--seed N] [--queries N] [...]");
        return ExitCode::from(2);
    };
    let mut command = Command::new(var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(["run", "--quiet", "--profile", "corpora"]);
    command
        .args(["--package", "varve-sqlfuzz", "--"])
        .args(rest);
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
