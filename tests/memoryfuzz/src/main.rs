//! `memoryfuzz`: asks for much memory. `cargo xtask fuzz memory` builds and starts it.

#![allow(missing_docs, reason = "a program")]

use std::process::ExitCode;

use varve_memoryfuzz::{child, parent};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == child::WORD) {
        let is_limited = arguments.get(1).is_none_or(|word| word != child::UNLIMITED);
        return child::run(is_limited);
    }
    let plan = match parent::Plan::parse(&arguments) {
        Ok(plan) => plan,
        Err(message) => {
            eprintln!("{message}\n\n{}", parent::USAGE);
            return ExitCode::from(2);
        }
    };
    match std::env::current_exe().and_then(|program| parent::run(&program, &plan)) {
        Ok(report) => {
            print!("{report}");
            match report.ended.is_empty() {
                true => ExitCode::SUCCESS,
                false => ExitCode::FAILURE,
            }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
