//! Checks of the repository that no other tool makes, run as `cargo xtask tidy`.
//! Each rule is a small pure function over names and texts, so that its tests need no repository.
//!
//! Invariant: a rule only reads; nothing in the repository is ever changed by a check.
//! Invariant: every finding names the rule, the file, the line and what to do.

mod tidy;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("tidy"), None) => tidy::run(),
        _ => {
            eprintln!("usage: cargo xtask tidy");
            ExitCode::from(2)
        }
    }
}
