//! Starts the fuzzers, which are packages of their own, built with a profile that catches panics of
//! the engine.

use std::env::var_os;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// What is fuzzed, and the package that does it.
const FUZZERS: [(&str, &str); 2] = [("parser", "varve-parserfuzz"), ("sql", "varve-sqlfuzz")];

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    let asked = arguments.split_first().and_then(|(what, rest)| {
        let fuzzer = FUZZERS.iter().find(|(name, _)| name == what)?;
        Some((fuzzer.1, rest))
    });
    let Some((package, rest)) = asked else {
        for (name, _) in FUZZERS {
            eprintln!("usage: cargo xtask fuzz {name} [--seed N] [...]");
        }
        return ExitCode::from(2);
    };
    let mut command = Command::new(var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(["run", "--quiet", "--profile", "corpora"]);
    command.args(["--package", package, "--"]).args(rest);
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
