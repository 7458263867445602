//! `parserfuzz`: cuts and changes statements. `cargo xtask fuzz parser` builds and starts it.

#![allow(missing_docs, reason = "a program")]

use std::path::PathBuf;
use std::process::ExitCode;

use varve_parserfuzz::run::{Amount, run};
use varve_parserfuzz::statements::statements;

const USAGE: &str =
    "usage: cargo xtask fuzz parser [--seed N] [--cuts N] [--changes N] [--corpora FOLDER]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((amount, corpora)) = parse(&arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let statements = match statements(corpora.as_deref()) {
        Ok(statements) => statements,
        Err(error) => {
            eprintln!("the statements cannot be read: {error}");
            return ExitCode::FAILURE;
        }
    };
    let report = run(&statements, amount);
    print!("{report}");
    match report.failures.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn parse(arguments: &[String]) -> Option<(Amount, Option<PathBuf>)> {
    let mut amount = Amount {
        seed: 1,
        cuts: 1000,
        changes: 100,
        failures_max: 20,
    };
    let mut corpora = None;
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return None };
        match name.as_str() {
            "--seed" => amount.seed = value.parse().ok()?,
            "--cuts" => amount.cuts = value.parse().ok()?,
            "--changes" => amount.changes = value.parse().ok()?,
            "--corpora" => corpora = Some(PathBuf::from(value)),
            _ => return None,
        }
    }
    Some((amount, corpora))
}
