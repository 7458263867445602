//! A damaged database: what check tells, what dump gives, what repair leaves.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test program stops when its own parts are missing"
)]

#[expect(dead_code, reason = "other tests use all of it")]
mod common;

use std::fs;
use std::path::Path;

use common::varve;
use pollster::block_on;
use varve_kv::{Durability, KeyRange, Kv, Scan, ScanLimit, WriteBatch};
use varve_kv_rocksdb::{RocksKv, RocksOptions};

/// A database as a kill left it: one table in RocksDB's tables, one in its log.
fn database(folder: &Path) {
    let made = varve(
        folder,
        &["-q", "db"],
        "create table kept (id int primary key, t text);
         insert into kept select i, 'row ' || i from generate_series(1, 100) i;
         checkpoint;",
    );
    assert_eq!(made.status, 0, "{}", made.err);
    let made = varve(
        folder,
        &["-q", "db"],
        "create table late (id int primary key);
         insert into late select * from generate_series(1, 10);
         checkpoint;",
    );
    assert_eq!(made.status, 0, "{}", made.err);
}

#[test]
fn without_current_a_dump_has_all_and_a_repair_keeps_all() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    database(folder);
    let sound = varve(folder, &["dump", "db"], "");
    assert_eq!(sound.status, 0, "{}", sound.err);
    fs::remove_file(folder.join("db/CURRENT")).unwrap();

    let opened = varve(folder, &["db"], "select 1");
    assert_ne!(opened.status, 0);
    assert!(opened.err.contains("varve repair"), "{}", opened.err);
    let checked = varve(folder, &["check", "db"], "");
    assert_eq!(checked.status, 1);
    assert!(
        checked.err.contains("CURRENT is missing"),
        "{}",
        checked.err
    );
    let dumped = varve(folder, &["dump", "db"], "");
    assert_eq!(dumped.status, 1, "a dump of a damaged database says so");
    assert_eq!(dumped.out, sound.out);
    assert!(!folder.join("db/CURRENT").exists(), "nothing was changed");

    let repaired = varve(folder, &["repair", "db"], "");
    assert_eq!(repaired.status, 0, "{}", repaired.err);
    assert!(
        repaired.out.contains("CURRENT is missing"),
        "{}",
        repaired.out
    );
    let dumped = varve(folder, &["dump", "db"], "");
    assert_eq!((dumped.status, dumped.out), (0, sound.out));
    assert!(
        folder.join("db/damaged-1").is_dir(),
        "the old files are kept"
    );
    let checked = varve(folder, &["check", "db"], "");
    assert_eq!(checked.status, 0, "{}", checked.err);
}

/// Changes a byte in the middle of a value, under RocksDB's checksums.
fn damage_value(folder: &Path, key: &[u8]) {
    let kv = RocksKv::open(folder, &RocksOptions::default()).unwrap();
    let found = block_on(kv.get_many(&[key.to_vec()])).unwrap();
    let mut value = found[0].as_ref().unwrap().to_vec();
    let middle = value.len() / 2;
    value[middle] ^= 0x10;
    let mut batch = WriteBatch::new();
    batch.put(key.to_vec(), value);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    block_on(kv.close()).unwrap();
}

fn keys(folder: &Path) -> Vec<Vec<u8>> {
    let kv = RocksKv::open(folder, &RocksOptions::default()).unwrap();
    let all = Scan::forward(KeyRange::from(Vec::new()), ScanLimit::NONE);
    let entries = block_on(kv.scan(&all)).unwrap();
    block_on(kv.close()).unwrap();
    entries.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn a_dump_goes_on_behind_a_table_that_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    database(folder);
    let sound = varve(folder, &["dump", "db"], "");
    let (_, rows_of_late) = sound.out.split_once("COPY public.late").unwrap();
    let mut tables_left_out = 0;
    for key in keys(&folder.join("db")) {
        damage_value(&folder.join("db"), &key);
        let dumped = varve(folder, &["dump", "db"], "");
        let checked = varve(folder, &["check", "db"], "");
        // The same byte again is the value as it was.
        damage_value(&folder.join("db"), &key);
        if dumped.status == 0 {
            assert_eq!(dumped.out, sound.out, "{key:?}: a loss without a word");
            continue;
        }
        assert_eq!(checked.status, 1, "{key:?}: {}", dumped.err);
        if dumped.err.contains("public.kept: ") {
            tables_left_out += 1;
            assert!(dumped.out.ends_with(rows_of_late), "{}", dumped.out);
        }
    }
    assert!(tables_left_out > 0);
    assert_eq!(varve(folder, &["dump", "db"], ""), sound);
}
