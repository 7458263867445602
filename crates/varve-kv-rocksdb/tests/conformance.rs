//! RocksDB passes the suite (B1), and what the suite cannot ask of every backend.

use pollster::block_on;
use tempfile::TempDir;
use varve_kv::conformance::{Backend, run_all};
use varve_kv::{Bytes, Durability, Kv, KvError, LocalFuture, WriteBatch};
use varve_kv_rocksdb::{RocksKv, RocksOptions};

struct Rocks(TempDir);

impl Backend for Rocks {
    fn open<'a>(&'a self, name: &'a str) -> LocalFuture<'a, Result<Box<dyn Kv>, KvError>> {
        let path = self.0.path().join(name);
        Box::pin(async move { Ok(Box::new(RocksKv::open(path, &small())?) as Box<dyn Kv>) })
    }
}

/// Buffers so small that the suite reaches table files too.
fn small() -> RocksOptions {
    RocksOptions {
        write_buffer_bytes: 1 << 20,
        block_cache_bytes: 1 << 20,
        background_jobs: 1,
        ..RocksOptions::default()
    }
}

#[test]
fn rocksdb_passes() {
    assert_eq!(block_on(run_all(&Rocks(TempDir::new().unwrap()))), []);
}

#[test]
fn a_store_that_was_dropped_unclosed_has_its_commits_when_reopened() {
    let folder = TempDir::new().unwrap();
    for (round, durability) in
        (0u8..).zip([Durability::Relaxed, Durability::Strict, Durability::Relaxed])
    {
        let kv = RocksKv::open(folder.path(), &RocksOptions::default()).unwrap();
        let keys: Vec<_> = (0..round).map(|key| vec![key]).collect();
        let found = block_on(kv.get_many(&keys)).unwrap();
        assert_eq!(
            found,
            keys.iter()
                .map(|key| Some(Bytes::from(key.as_slice())))
                .collect::<Vec<_>>()
        );
        let mut batch = WriteBatch::new();
        batch.put([round], [round]);
        block_on(kv.commit(batch, durability)).unwrap();
    }
}

#[test]
fn an_open_store_is_locked_until_it_is_closed() {
    let folder = TempDir::new().unwrap();
    let open = || RocksKv::open(folder.path(), &RocksOptions::default());
    let first = open().unwrap();
    assert!(
        matches!(open(), Err(KvError::Locked { .. })),
        "{:?}",
        open()
    );
    block_on(first.close()).unwrap();
    let second = open().unwrap();
    block_on(second.close()).unwrap();
    RocksKv::destroy(folder.path()).unwrap();
    assert!(!folder.path().join("CURRENT").exists());
}

#[test]
fn a_damaged_table_answers_corrupt() {
    let folder = TempDir::new().unwrap();
    let kv = RocksKv::open(folder.path(), &small()).unwrap();
    for key in 0..40u8 {
        let mut batch = WriteBatch::new();
        batch.put([key], vec![key; 100_000]);
        block_on(kv.commit(batch, Durability::Relaxed)).unwrap();
    }
    block_on(kv.close()).unwrap();
    let mut damaged = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "sst") {
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 0xff;
            std::fs::write(&path, bytes).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0);
    let kv = RocksKv::open(folder.path(), &small()).unwrap();
    let answers: Vec<_> = (0..40u8)
        .map(|key| block_on(kv.get_many(&[vec![key]])))
        .collect();
    assert!(
        answers
            .iter()
            .any(|answer| matches!(answer, Err(KvError::Corrupt { .. })))
    );
    assert!(
        answers.iter().any(Result::is_ok),
        "other values stay readable"
    );
}
