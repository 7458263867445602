//! Starts the fuzzers, which are packages of their own, built with profiles that catch panics of
//! the engine.

use std::env::var_os;
use std::ffi::OsString;
use std::process::{Command, ExitCode};

/// What is fuzzed, the package that does it, and its profile: RocksDB is compiled for one only.
const FUZZERS: [(&str, &str, &str); 5] = [
    ("damage", "varve-damagefuzz", "dev"),
    ("dump", "varve-dumpfuzz", "corpora"),
    ("memory", "varve-memoryfuzz", "corpora"),
    ("parser", "varve-parserfuzz", "corpora"),
    ("sql", "varve-sqlfuzz", "corpora"),
];

/// The fuzzer of the npm package, which is a script of its own.
const JS: &str = "tests/browser/jsfuzz/run.mjs";

pub(crate) fn run(arguments: &[String]) -> ExitCode {
    if let Some((what, rest)) = arguments.split_first()
        && what == "js"
    {
        return status(Command::new("node").arg(JS).args(rest));
    }
    let asked = arguments.split_first().and_then(|(what, rest)| {
        let fuzzer = FUZZERS.iter().find(|(name, ..)| name == what)?;
        Some((*fuzzer, rest))
    });
    let Some(((_, package, profile), rest)) = asked else {
        for (name, ..) in FUZZERS {
            eprintln!("usage: cargo xtask fuzz {name} [--seed N] [...]");
        }
        eprintln!("usage: cargo xtask fuzz js [--seed N] [--calls N]");
        return ExitCode::from(2);
    };
    let mut command = Command::new(var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.args(["run", "--quiet", "--profile", profile]);
    command.args(["--package", package, "--"]).args(rest);
    status(&mut command)
}

fn status(command: &mut Command) -> ExitCode {
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
