//! Settings that are given when a database is opened.

#![allow(
    clippy::unwrap_used,
    reason = "a test program stops when its own parts are missing"
)]

#[expect(dead_code, reason = "other tests use all of it")]
mod common;

use common::{Ran, varve};

/// All of RocksDB's settings: what they are at first, and another value.
const ROCKSDB: [(&str, &str, &str); 10] = [
    ("rocksdb.background_jobs", "2", "3"),
    ("rocksdb.block_bytes", "1B", "16kB"),
    ("rocksdb.block_cache_bytes", "32MB", "8MB"),
    ("rocksdb.bloom_bits", "10", "14"),
    ("rocksdb.bytes_per_sync", "0B", "1MB"),
    ("rocksdb.level0_trigger", "4", "8"),
    ("rocksdb.pipelined_writes", "off", "on"),
    ("rocksdb.write_buffer_bytes", "64MB", "1MB"),
    ("rocksdb.write_buffers", "2", "4"),
    ("rocksdb.write_buffers_to_merge", "1", "2"),
];

fn shell(arguments: &[&str], sql: &str) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    varve(folder.path(), &[&["-At", "db"], arguments].concat(), sql)
}

#[test]
fn each_setting_of_rocksdb_is_shown_as_it_was_given() {
    let shows = ROCKSDB.map(|(name, ..)| format!("show {name};")).concat();
    let lines = |values: [&str; 10]| values.map(|value| format!("{value}\n")).concat();
    let first = shell(&[], &shows);
    assert_eq!(first.out, lines(ROCKSDB.map(|(_, first, _)| first)));
    let given = ROCKSDB.map(|(name, _, other)| format!("--setting={name}={other}"));
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let other = shell(&given, &shows);
    assert_eq!((other.err.as_str(), other.status), ("", 0));
    assert_eq!(other.out, lines(ROCKSDB.map(|(_, _, other)| other)));
}

#[test]
fn a_setting_of_rocksdb_stays_as_it_is_while_the_database_is_open() {
    for change in [
        "set rocksdb.write_buffers = 4",
        "set local ROCKSDB.write_buffers = 4",
        "reset rocksdb.write_buffers",
        "select set_config('rocksdb.write_buffers', '4', false)",
    ] {
        let ran = shell(&["-v", "VERBOSITY=verbose"], &format!("{change};"));
        assert!(
            ran.err
                .contains("55P02: parameter \"rocksdb.write_buffers\" cannot be changed now"),
            "{ran:?}"
        );
        assert!(ran.err.contains("given when the database is opened"));
    }
    let listed = shell(
        &["--setting", "rocksdb.bloom_bits=0"],
        "select name, setting, context, vartype from pg_settings where name like '%bloom%';
         select current_setting('rocksdb.bloom_bits');",
    );
    assert_eq!(listed.out, "rocksdb.bloom_bits|0|postmaster|integer\n0\n");
    let unknown = shell(&[], "show rocksdb.prefix_extractor;");
    assert!(unknown.err.contains("unrecognized"), "{unknown:?}");
}

#[test]
fn wrong_settings_are_refused_before_anything_is_opened() {
    for (given, told) in [
        ("bloom_bits", "is not NAME=VALUE"),
        ("bloom_bits=3", "there are rocksdb.background_jobs, "),
        ("rocksdb.bloom_bits=many", "takes a number"),
        ("rocksdb.bloom_bits=65", "must be 0 to 64"),
        ("rocksdb.write_buffer_bytes=1", "must be 65536 to"),
        ("rocksdb.block_bytes=1 mile", "units are B, kB"),
        ("rocksdb.pipelined_writes=2", "takes on or off"),
        ("rocksdb.write_buffers_to_merge=2", "must be less than"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ran = varve(
            folder.path(),
            &["db", "--setting", given, "-c", "select 1"],
            "",
        );
        assert!(ran.err.contains(told) && ran.status == 2, "{ran:?}");
        assert!(!folder.path().join("db").exists());
    }
    let ran = shell(&["--setting", "rocksdb.bloom_bits=3"], "");
    assert_eq!(ran.status, 0);
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["memory://", "--setting", "rocksdb.bloom_bits=3"];
    let memory = varve(folder.path(), &arguments, "");
    assert!(memory.err.contains("leave --setting out"), "{memory:?}");
    let arguments = ["memory://", "-c", "set rocksdb.bloom_bits = 3"];
    let memory = varve(folder.path(), &arguments, "");
    assert!(
        memory.err.contains("unrecognized configuration parameter"),
        "{memory:?}"
    );
}
