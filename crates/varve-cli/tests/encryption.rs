//! Encrypted databases: where the passphrase comes from, and that every command asks for it.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

#[expect(dead_code, reason = "other tests use all of it")]
mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Ran, varve};

const SECRET: &str = "nobody shall find this";

fn with(folder: &Path, passphrase: &str, arguments: &[&str], input: &str) -> Ran {
    fs::write(folder.join("passphrase"), format!("{passphrase}\n")).unwrap();
    let arguments = [arguments, &["--passphrase-file", "passphrase"]].concat();
    varve(folder, &arguments, input)
}

fn database(folder: &Path) {
    let sql = format!(
        "create database other; create table t (s text); insert into t values ('{SECRET}');
         \\c other\ncreate table o (i int); checkpoint; \\c varvedb\ncheckpoint;"
    );
    let made = with(folder, "tea", &["shell", "-q", "db"], &sql);
    assert_eq!((made.status, made.err.as_str()), (0, ""));
}

/// Every file below a folder, with its bytes.
fn files(folder: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).unwrap();
            found.push((path, bytes));
        }
    }
    found
}

#[test]
fn every_command_asks_for_the_passphrase_and_takes_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    database(folder);
    for (path, bytes) in files(&folder.join("db")) {
        let mut parts = bytes.windows(SECRET.len());
        assert!(!parts.any(|part| part == SECRET.as_bytes()), "{path:?}");
    }
    let commands: [(&[&str], &str); 5] = [
        (&["shell", "db", "-At", "-c", "select s from t"], SECRET),
        (
            &["shell", "db", "-d", "other", "-At", "-c", "select 7"],
            "7",
        ),
        (&["dump", "db"], SECRET),
        (&["check", "db"], "rows read"),
        (&["repair", "db"], "nothing had to be repaired"),
    ];
    for (command, expected) in commands {
        let none = varve(folder, command, "");
        assert_ne!(none.status, 0, "{command:?}");
        assert!(none.err.contains("28000"), "{command:?}: {}", none.err);
        let wrong = with(folder, "Tea", command, "");
        assert_ne!(wrong.status, 0, "{command:?}");
        assert!(wrong.err.contains("28P01"), "{command:?}: {}", wrong.err);
        let right = with(folder, "tea", command, "");
        assert_eq!(right.status, 0, "{command:?}: {}", right.err);
        assert!(right.out.contains(expected), "{command:?}: {}", right.out);
    }
}

#[test]
fn the_passphrase_of_all_databases_of_a_place_is_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    database(folder);
    let change = ["change-passphrase", "db", "--new-passphrase-file", "new"];
    fs::write(folder.join("new"), "coffee").unwrap();
    let wrong = with(folder, "milk", &change, "");
    assert!(
        wrong.status == 1 && wrong.err.contains("28P01"),
        "{wrong:?}"
    );
    let changed = with(folder, "tea", &change, "");
    let all = "varvedb: has the new passphrase\nother: has the new passphrase\n";
    assert_eq!(
        (changed.status, changed.out.as_str()),
        (0, all),
        "{}",
        changed.err
    );
    let again = with(folder, "tea", &change, "");
    assert!(
        again.out.contains("other: had the new passphrase already"),
        "{again:?}"
    );
    let read = ["shell", "db", "-d", "other", "-c", "select * from o"];
    assert!(with(folder, "tea", &read, "").err.contains("28P01"));
    let output = Command::new(env!("CARGO_BIN_EXE_varve"))
        .args(read)
        .env("VARVE_PASSPHRASE", "coffee")
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success());
}

#[test]
fn what_cannot_be_encrypted_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let plain = varve(folder, &["-q", "db", "-c", "create table t (i int)"], "");
    assert_eq!(plain.status, 0, "{}", plain.err);
    let refused = with(folder, "tea", &["shell", "db", "-c", "select 1"], "");
    assert!(refused.err.contains("55000"), "{}", refused.err);
    let refused = with(folder, "tea", &["shell", "memory://", "-c", "select 1"], "");
    assert!(refused.err.contains("stored nowhere"), "{}", refused.err);
    let empty = with(folder, "", &["shell", "new", "-c", "select 1"], "");
    assert!(empty.err.contains("22023"), "{}", empty.err);
    let missing = varve(folder, &["check", "db", "--passphrase-file", "none"], "");
    assert!(
        missing.status == 2 && missing.err.contains("cannot read none"),
        "{missing:?}"
    );
}
