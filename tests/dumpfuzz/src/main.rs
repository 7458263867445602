//! `cargo xtask fuzz dump`: random databases until one is dumped wrongly.
//!
//! Invariant: it ends with status 1 where something was found.

use std::process::ExitCode;

use varve_dumpfuzz::{Planted, run};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut seed, mut first, mut cases) = (1, 0, 10_000);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().and_then(|value| value.parse().ok());
        match (argument.as_str(), value) {
            ("--seed", Some(value)) => seed = value,
            ("--from", Some(value)) => first = value,
            ("--cases", Some(value)) => cases = value,
            _ => {
                eprintln!("usage: cargo xtask fuzz dump [--seed N] [--from N] [--cases N]");
                return ExitCode::from(2);
            }
        }
    }
    let (made, found) = run(seed, first..first.saturating_add(cases), Planted::Nothing);
    let Some(found) = found else {
        println!("{cases} databases of {made} statements, nothing found");
        return ExitCode::SUCCESS;
    };
    println!(
        "{}\nseed {seed}, case {}: {}",
        found.dump, found.case, found.what
    );
    ExitCode::FAILURE
}
