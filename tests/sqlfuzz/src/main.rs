//! `sqlfuzz`: checks random queries. `cargo xtask fuzz sql` builds and starts it.

#![allow(missing_docs, reason = "a program")]

use std::process::ExitCode;

use varve_sqlfuzz::arguments::{Arguments, USAGE};
use varve_sqlfuzz::run::run;

fn main() -> ExitCode {
    let report = Arguments::parse(std::env::args().skip(1)).and_then(|arguments| run(&arguments));
    match report {
        Ok(report) => {
            print!("{report}");
            if report.found.is_empty() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(message) => {
            eprintln!("{message}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}
