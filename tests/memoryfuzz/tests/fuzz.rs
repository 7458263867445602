//! Some statements, and a bug that must be found: nothing is booked.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use std::path::Path;

use varve_memoryfuzz::parent::{Plan, run};

const PROGRAM: &str = env!("CARGO_BIN_EXE_varve-memoryfuzz");

fn plan(text: &str) -> Plan {
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    Plan::parse(&words).unwrap()
}

#[test]
fn no_statement_ends_the_process() {
    let wanted = match std::env::var("VARVEDB_TESTS").as_deref() {
        Ok("full") => "--seed 7 --statements 20000",
        _ => "--seed 7 --statements 250",
    };
    let report = run(Path::new(PROGRAM), &plan(wanted)).unwrap();
    println!("{report}");
    assert!(report.ended.is_empty());
}

#[test]
fn memory_that_is_not_booked_is_found() {
    let report = run(Path::new(PROGRAM), &plan("--statements 24 --unlimited")).unwrap();
    assert!(!report.ended.is_empty(), "{report}");
}
