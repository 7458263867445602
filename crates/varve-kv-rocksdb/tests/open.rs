//! What open answers in folders that are not as a store was left.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests fail by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

use pollster::block_on;
use tempfile::TempDir;
use varve_kv::{Bytes, Durability, Key, KeyRange, Kv, KvError, WriteBatch};
use varve_kv_rocksdb::{RocksKv, RocksOptions};

fn open(folder: &Path) -> Result<RocksKv, KvError> {
    RocksKv::open(folder, &RocksOptions::default())
}

fn put(kv: &RocksKv, key: u8, durability: Durability) {
    let mut batch = WriteBatch::new();
    batch.put([key], vec![key; 100]);
    block_on(kv.commit(batch, durability)).unwrap();
}

/// The keys that are there.
fn keys(kv: &RocksKv) -> Vec<u8> {
    let keys: Vec<Key> = (0..=u8::MAX).map(|key| vec![key]).collect();
    let values = block_on(kv.get_many(&keys)).unwrap();
    let found = (0..=u8::MAX).zip(values).filter_map(|(key, value)| {
        let value: Option<Bytes> = value;
        value.map(|value| {
            assert_eq!(&*value, [key; 100]);
            key
        })
    });
    found.collect()
}

/// A store with tables and a log: ten commits in each. The handle is dropped as by a kill.
fn store() -> TempDir {
    let folder = TempDir::new().unwrap();
    let kv = open(folder.path()).unwrap();
    (0..10).for_each(|key| put(&kv, key, Durability::Relaxed));
    block_on(kv.close()).unwrap();
    let kv = open(folder.path()).unwrap();
    (10..20).for_each(|key| put(&kv, key, Durability::Relaxed));
    folder
}

fn file(folder: &Path, is_wanted: impl Fn(&str) -> bool) -> PathBuf {
    let names = fs::read_dir(folder).unwrap();
    let mut paths: Vec<PathBuf> = names.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.retain(|path| is_wanted(&name(path)));
    // The one of a pair that has something in it.
    paths
        .into_iter()
        .max_by_key(|path| fs::metadata(path).unwrap().len())
        .unwrap()
}

fn log(folder: &Path) -> PathBuf {
    file(folder, |name| name.ends_with(".log"))
}

fn listing(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap();
    let paths = paths.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.file_name().unwrap() != "PROMISE")
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Opening answers that the store is damaged, twice, and leaves its files as they are.
fn is_refused(folder: &Path, words: &str) {
    let before = listing(folder);
    for _ in 0..2 {
        match open(folder) {
            Err(KvError::Corrupt { message, .. }) => {
                assert!(message.contains(words), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(listing(folder) == before, "nothing was changed");
}

#[test]
fn what_was_acknowledged_is_there_after_a_kill() {
    let folder = store();
    let kv = open(folder.path()).unwrap();
    assert_eq!(keys(&kv), (0..20).collect::<Vec<_>>());
}

#[test]
fn a_record_that_crosses_many_blocks_of_the_log_is_whole() {
    let folder = store();
    let kv = open(folder.path()).unwrap();
    let long = vec![9; 300_000];
    for key in [200_u8, 201] {
        let mut batch = WriteBatch::new();
        batch.put([key, 0], long.as_slice());
        block_on(kv.commit(batch, Durability::Relaxed)).unwrap();
    }
    drop(kv);
    let kv = open(folder.path()).unwrap();
    let found = block_on(kv.get_many(&[vec![200, 0], vec![201, 0]])).unwrap();
    assert!(
        found
            .iter()
            .all(|value| value.as_deref() == Some(long.as_slice()))
    );
}

#[test]
fn a_store_without_current_is_damaged_not_new() {
    let folder = store();
    fs::remove_file(folder.path().join("CURRENT")).unwrap();
    is_refused(folder.path(), "CURRENT is missing");
    fs::remove_file(folder.path().join("VARVE")).unwrap();
    is_refused(folder.path(), "VARVE and CURRENT are missing");
}

#[test]
fn files_that_are_missing_are_named() {
    for (suffix, words) in [
        (".sst", ".sst is missing"),
        (".log", "missing from write 11"),
    ] {
        let folder = store();
        fs::remove_file(file(folder.path(), |name| name.ends_with(suffix))).unwrap();
        is_refused(folder.path(), words);
    }
    let folder = store();
    fs::remove_file(file(folder.path(), |name| name.starts_with("MANIFEST-"))).unwrap();
    is_refused(folder.path(), "MANIFEST");
    let folder = store();
    fs::remove_file(folder.path().join("PROMISE")).unwrap();
    is_refused(folder.path(), "PROMISE");
}

#[test]
fn a_changed_byte_of_the_log_is_noticed_wherever_it_is() {
    let folder = store();
    let log = log(folder.path());
    let sound = fs::read(&log).unwrap();
    for at in (0..sound.len()).step_by(11) {
        let mut damaged = sound.clone();
        damaged[at] ^= 4;
        fs::write(&log, damaged).unwrap();
        is_refused(
            folder.path(),
            "acknowledged commits are missing from write ",
        );
    }
    for length in (0..sound.len()).step_by(29) {
        fs::write(&log, &sound[..length]).unwrap();
        is_refused(
            folder.path(),
            "acknowledged commits are missing from write ",
        );
    }
    fs::write(&log, sound).unwrap();
    assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
}

#[test]
fn the_end_of_a_write_that_was_not_acknowledged_is_no_damage() {
    for byte in [0, 1, 4, 5, 7, 9, 130, 255] {
        let folder = store();
        for file in [
            log(folder.path()),
            file(folder.path(), |name| name.starts_with("MANIFEST-")),
        ] {
            let mut bytes = fs::read(&file).unwrap();
            bytes.extend([byte; 50]);
            fs::write(&file, bytes).unwrap();
        }
        assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
        assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
    }
}

#[test]
fn a_manifest_that_was_cut_is_noticed() {
    let folder = store();
    let manifest = file(folder.path(), |name| name.starts_with("MANIFEST-"));
    let sound = fs::read(&manifest).unwrap();
    for length in 0..sound.len() {
        fs::write(&manifest, &sound[..length]).unwrap();
        is_refused(folder.path(), "MANIFEST");
    }
    fs::write(&manifest, sound).unwrap();
    assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thesis.txt"), "words").unwrap();
    let before = listing(folder.path());
    for _ in 0..2 {
        let error = open(folder.path()).unwrap_err();
        assert!(error.to_string().contains("thesis.txt"), "{error}");
    }
    assert!(listing(folder.path()) == before);
    assert!(!folder.path().join("PROMISE").exists());
}

#[test]
fn a_store_that_was_begun_is_made() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("VARVE.new"), "").unwrap();
    fs::write(folder.path().join("MANIFEST-000001"), "half").unwrap();
    fs::create_dir(folder.path().join("databases")).unwrap();
    let kv = open(folder.path()).unwrap();
    put(&kv, 1, Durability::Strict);
    drop(kv);
    assert!(!folder.path().join("VARVE.new").exists());
    assert_eq!(keys(&open(folder.path()).unwrap()), [1]);
}

#[test]
fn a_store_without_marker_and_a_later_format_are_refused() {
    let folder = store();
    let marker = folder.path().join("VARVE");
    let text = fs::read_to_string(&marker).unwrap();
    fs::remove_file(&marker).unwrap();
    is_refused(folder.path(), "VARVE is missing");
    // As a later version would write it.
    let later = "VarveDB store\nformat 2\n";
    let sum = xxhash_rust::xxh3::xxh3_64(later.as_bytes());
    fs::write(&marker, format!("{later}check {sum:016x}\n")).unwrap();
    let error = open(folder.path()).unwrap_err();
    assert!(error.to_string().contains("format_too_new"), "{error}");
    fs::write(&marker, text.replace("id ", "id x")).unwrap();
    is_refused(folder.path(), "VARVE is damaged");
    fs::write(&marker, text).unwrap();
    assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
}

#[test]
fn a_store_whose_making_was_cut_short_has_a_sound_log_or_is_damaged() {
    let begun = || {
        let folder = store();
        fs::remove_file(folder.path().join("PROMISE")).unwrap();
        let marker = folder.path().join("VARVE");
        fs::rename(marker, folder.path().join("VARVE.new")).unwrap();
        folder
    };
    let folder = begun();
    assert_eq!(keys(&open(folder.path()).unwrap()).len(), 20);
    let folder = begun();
    let log = log(folder.path());
    let mut bytes = fs::read(&log).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&log, bytes).unwrap();
    is_refused(folder.path(), "acknowledged commits are missing");
}

#[test]
fn what_was_deleted_takes_no_space_after_a_close() {
    let folder = TempDir::new().unwrap();
    let kv = open(folder.path()).unwrap();
    for key in 0..32_u8 {
        let mut batch = WriteBatch::new();
        batch.put([b'l', key], vec![key; 1 << 20]);
        block_on(kv.commit(batch, Durability::Relaxed)).unwrap();
    }
    // In tables by now.
    block_on(kv.close()).unwrap();
    let kv = open(folder.path()).unwrap();
    let mut batch = WriteBatch::new();
    batch.delete_range(KeyRange::new([b'l'], [b'm']));
    batch.put([b'm'], vec![1]);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    block_on(kv.close()).unwrap();
    let tables = listing(folder.path()).into_iter();
    let tables = tables.filter(|(path, _)| path.extension().is_some_and(|end| end == "sst"));
    let bytes: usize = tables.map(|(_, bytes)| bytes.len()).sum();
    assert!(bytes < 1 << 20, "{bytes}");
    let kv = open(folder.path()).unwrap();
    let values = block_on(kv.get_many(&[vec![b'm'], vec![b'l', 0]])).unwrap();
    assert_eq!(values, [Some(vec![1].into()), None]);
}
