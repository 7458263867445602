//! Checks of the repository that no other tool makes, run as `cargo xtask tidy`, the way to the
//! benchmarks, the corpora and the fuzzing of queries, `cargo xtask bench`, `corpora` and `fuzz`,
//! the page on SQL, `cargo xtask docs`, and the packing of the time zones, `cargo xtask zones`.
//! Each rule is a small pure function over names and texts, so that its tests need no repository.
//!
//! Invariant: a rule only reads; `tidy --shrink` alone writes, and only takes off lists.
//! Invariant: every finding names the rule, the file, the line and what to do.

mod bench;
mod corpora;
mod docs;
mod fuzz;
mod tidy;
mod zones;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, [])) if command == "zones" => zones::run(),
        Some((command, rest)) if command == "tidy" => tidy::run(rest),
        Some((command, rest)) if command == "docs" => docs::run(rest),
        Some((command, rest)) if command == "bench" => bench::run(rest),
        Some((command, rest)) if command == "corpora" => corpora::run(rest),
        Some((command, rest)) if command == "fuzz" => fuzz::run(rest),
        _ => {
            eprintln!(
                "usage: cargo xtask tidy [--shrink]\n       cargo xtask bench codecs [--wasm] [...]\n       \
                 cargo xtask corpora [--family NAME] [...]\n       \
                 cargo xtask docs [--check]\n       \
                 cargo xtask fuzz damage|dump|js|memory|parser|sql [--seed N] [...]\n       cargo xtask zones"
            );
            ExitCode::from(2)
        }
    }
}
