//! `damagefuzz`: damages stores. `cargo xtask fuzz damage` builds and starts it.

#![allow(missing_docs, reason = "a program")]

use std::process::ExitCode;

use varve_damagefuzz::{Settings, run};

const USAGE: &str = "usage: cargo xtask fuzz damage [--seed N] [--places N]\n\n\
    Each file of a store is removed, cut and changed at N places; more than it has bytes are all.";

fn main() -> ExitCode {
    let Some(settings) = settings(std::env::args().skip(1)) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    match run(&settings) {
        Ok(report) => {
            print!("{report}");
            if report.failures.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn settings(mut arguments: impl Iterator<Item = String>) -> Option<Settings> {
    let mut settings = Settings {
        seed: 1,
        places: 100,
        forgets_promises: false,
    };
    while let Some(argument) = arguments.next() {
        let number = arguments.next()?.parse().ok()?;
        match argument.as_str() {
            "--seed" => settings.seed = number,
            "--places" => settings.places = number,
            _ => return None,
        }
    }
    Some(settings)
}
