//! Pairs of source and translation.

#![allow(missing_docs, clippy::panic, reason = "tests")]

use varve_dialect::{Dialect, Script, translate};

const SQLITE: &str = include_str!("sqlite.txt");
const MYSQL: &str = include_str!("mysql.txt");

/// Pieces of a file of pairs: a source, `=>`, and what becomes of it, one line for each statement.
fn check(pairs: &str, dialect: Dialect) {
    for pair in pairs.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
        let Some((source, expected)) = pair.split_once("\n=>\n") else {
            panic!("a pair without =>: {pair}");
        };
        let found = shown(&translate(source.as_bytes(), dialect));
        assert_eq!(found, expected, "\nsource:\n{source}\n");
    }
}

fn shown(script: &Script) -> String {
    let statements = script.statements.iter().map(|one| format!("{};", one.sql));
    let faults = script.faults.iter().map(|one| format!("fault: {one}"));
    let remarks = script.remarks.iter().map(|one| format!("remark: {one}"));
    let passed = script
        .passed_over
        .iter()
        .map(|one| format!("passed: {one}"));
    let lines: Vec<String> = statements
        .chain(faults)
        .chain(remarks)
        .chain(passed)
        .collect();
    lines.join("\n")
}

#[test]
fn sqlite() {
    check(SQLITE, Dialect::Sqlite);
}

#[test]
fn mysql() {
    check(MYSQL, Dialect::MySql);
}
