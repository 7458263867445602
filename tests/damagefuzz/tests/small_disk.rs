//! A full disk under the key-value store. `VARVE_ROUNDS` says how often it is filled.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

use std::path::Path;

use pollster::block_on;
use varve_damagefuzz::small_disk::{rounds, small_disk};
use varve_kv::{Durability, KeyRange, Kv, KvError, WriteBatch};
use varve_kv_rocksdb::{RocksKv, RocksOptions};

fn open(folder: &Path) -> RocksKv {
    RocksKv::open(folder, &RocksOptions::default()).unwrap()
}

/// Bytes that do not compress.
fn page(number: u32) -> Vec<u8> {
    let mut state = u64::from(number) + 1;
    let bytes = std::iter::repeat_with(|| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        state.to_be_bytes()
    });
    bytes.flatten().take(200_000).collect()
}

/// Puts pages until only what frees space should be written, or the disk is full.
fn fill(kv: &RocksKv, heeds: bool) -> u32 {
    for number in 0.. {
        if heeds && kv.is_nearly_full() {
            return number;
        }
        let mut batch = WriteBatch::new();
        let mut key = b"p".to_vec();
        key.extend(number.to_be_bytes());
        batch.put(key, page(number));
        match block_on(kv.commit(batch, Durability::Strict)) {
            Ok(()) => assert!(number < 2000, "the disk is not small"),
            Err(error) => {
                assert_eq!(error, KvError::StorageFull);
                return number;
            }
        }
    }
    0
}

#[test]
fn what_is_deleted_on_a_full_disk_gives_room_again() {
    let Some(disk) = small_disk("what_is_deleted_on_a_full_disk_gives_room_again") else {
        return;
    };
    let rounds = rounds(6);
    let folder = disk.join("kv");
    let _ = std::fs::remove_dir_all(&folder);
    let mut kv = open(&folder);
    let mut files_max = 0;
    for round in 0..rounds {
        let pages = fill(&kv, round % 2 == 0);
        assert!(pages > 60, "round {round}: {pages} pages");
        assert!(kv.is_nearly_full(), "round {round}");
        if round % 3 == 2 {
            let _ = block_on(kv.close());
            kv = open(&folder);
        }
        let mut batch = WriteBatch::new();
        batch.delete_range(KeyRange::prefix("p"));
        block_on(kv.commit(batch, Durability::Strict)).unwrap();
        assert!(!kv.is_nearly_full(), "round {round}: the space is not free");
        let mut batch = WriteBatch::new();
        batch.put(round.to_be_bytes(), b"kept".as_slice());
        block_on(kv.commit(batch, Durability::Strict)).unwrap();
        let files = std::fs::read_dir(&folder).unwrap().count();
        println!("round {round}: {pages} pages, {files} files");
        files_max = files_max.max(files);
    }
    for round in 0..rounds {
        let found = block_on(kv.get_many(&[round.to_be_bytes().to_vec()])).unwrap();
        assert!(found.iter().all(Option::is_some), "round {round} is lost");
    }
    assert!(files_max < 40, "files are left behind: {files_max}");
}
