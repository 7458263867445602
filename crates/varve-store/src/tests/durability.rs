//! What a crash takes back, by what the commits asked for; and the log while it is merged.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan, SplitMix64};
use varve_kv::{Durability, Kv, KvError, MemoryKv, Scan, ScanLimit, WriteBatch};
use varve_types::CommitSeq;

use super::{KEYED, batch, open_with, small, some_rows, sorted_rows, with_trees};
use crate::format::keys::{self, Found};
use crate::format::log::{self, Content, Record};
use crate::store::Store;
use crate::{CommitDurability, StoreSettings};

const LEVELS: [CommitDurability; 3] = [
    CommitDurability::Async,
    CommitDurability::Relaxed,
    CommitDurability::Strict,
];

fn settings() -> StoreSettings {
    StoreSettings {
        memtable_bytes_max: 1 << 20,
        ..small()
    }
}

fn insert(store: &Arc<Store>, key: i64, durability: CommitDurability) -> crate::error::Result<()> {
    let mut transaction = store.begin();
    block_on(transaction.insert(KEYED, &batch(&some_rows([key]))))?;
    block_on(transaction.commit(durability)).map(drop)
}

#[test]
fn a_crash_loses_a_suffix_and_nothing_up_to_a_strict_commit() {
    let mut lost = [false; 2];
    for seed in 0..200 {
        let mut random = SplitMix64::new(seed);
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(seed)));
        let store = open_with(kv.clone(), settings()).unwrap();
        with_trees(&store);
        let count = 1 + random.up_to(60) as i64;
        let mut kept = 0;
        let mut last = CommitDurability::Strict;
        for key in 0..count {
            // Mostly weak ones; merges of the log in between are strict.
            last = LEVELS[(random.up_to(8) / 4) as usize];
            insert(&store, key, last).unwrap();
            if last == CommitDurability::Strict {
                kept = key + 1;
            }
            assert_eq!(store.begin().row_count(KEYED), Some(key as u64 + 1));
        }
        drop(store);
        block_on(kv.crash()).unwrap();
        let store = open_with(kv, settings()).unwrap();
        let found = sorted_rows(&store.begin(), KEYED);
        assert!(found.len() as i64 >= kept, "{} {kept}", found.len());
        assert_eq!(found, some_rows(0..found.len() as i64));
        if (found.len() as i64) < count && last != CommitDurability::Strict {
            lost[last as usize] = true;
        }
    }
    assert_eq!(lost, [true; 2]);
}

#[test]
fn strict_commits_close_and_flush_store_what_waits() {
    let ends: [fn(&Arc<Store>); 3] = [
        |store| insert(store, 5, CommitDurability::Strict).unwrap(),
        |store| block_on(store.flush()).unwrap(),
        |store| block_on(store.close()).unwrap(),
    ];
    for (end, count) in ends.into_iter().zip([6, 5, 5]) {
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
        let store = open_with(kv.clone(), StoreSettings::browser()).unwrap();
        with_trees(&store);
        let calls = kv.calls();
        for key in 0..5 {
            insert(&store, key, CommitDurability::Async).unwrap();
        }
        assert_eq!(kv.calls(), calls);
        assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..5));
        end(&store);
        drop(store);
        // Closed, it has nothing left to lose.
        let _ = block_on(kv.crash());
        let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
        let store = open_with(kv, settings()).unwrap();
        assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..count));
    }
}

#[test]
fn what_waits_too_long_is_stored_by_the_next_commit() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    // The clock goes on by a millisecond with each look.
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    for key in 0..100 {
        insert(&store, key, CommitDurability::Async).unwrap();
    }
    let stats = store.stats();
    assert!((2..=20).contains(&stats.kv_commits), "{stats:?}");
    // They go together, so that there are few values.
    assert!(stats.log_values <= stats.kv_commits, "{stats:?}");
    let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let found = sorted_rows(&open_with(kv, settings()).unwrap().begin(), KEYED).len();
    assert!((60..=100).contains(&found), "{found}");
}

#[test]
fn what_was_acknowledged_and_cannot_be_stored_ends_the_handle() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), StoreSettings::browser()).unwrap();
    with_trees(&store);
    insert(&store, 0, CommitDurability::Async).unwrap();
    kv.fault_in(1, CallFault::Fail(KvError::StorageFull));
    let stored = block_on(async {
        let _commit_lock = store.take_commit_lock().await;
        store.store_waiting().await
    });
    assert!(stored.is_err());
    for durability in LEVELS {
        let error = insert(&store, 1, durability).unwrap_err();
        assert_eq!(error.state().code(), "53100", "{error}");
    }
}

/// Forty commits and the merges of the log in between, with a fault at every call.
#[test]
fn a_log_being_merged_loses_nothing() {
    let faults = [
        CallFault::Fail(KvError::StorageFull),
        CallFault::Fail(KvError::Closed),
        CallFault::LoseAnswer,
        CallFault::Close,
    ];
    for fault in faults {
        for call in 1.. {
            let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(call)));
            let store = open_with(kv.clone(), settings()).unwrap();
            with_trees(&store);
            kv.fault_in(call, fault.clone());
            let before = kv.calls();
            let mut done = 0;
            let mut failed = None;
            for key in 0..40 {
                match insert(&store, key, CommitDurability::Strict) {
                    Ok(()) => done = key + 1,
                    Err(_) => {
                        failed = Some(key);
                        break;
                    }
                }
            }
            let calls = kv.calls() - before;
            let again: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
            let again = open_with(again, settings()).unwrap();
            let found = sorted_rows(&again.begin(), KEYED);
            let count = found.len() as i64;
            assert!(count == done || failed == Some(count - 1), "{call} {count}");
            assert_eq!(found, some_rows(0..count));
            if calls < call {
                assert_eq!((done, store.stats().log_merges > 2), (40, true));
                break;
            }
        }
    }
}

/// A merged value may begin with records that a flush contains by now.
#[test]
fn replay_skips_what_a_flush_contains() {
    let kv = MemoryKv::new();
    let store = super::open(&kv);
    with_trees(&store);
    insert(&store, 0, CommitDurability::Strict).unwrap();
    block_on(store.flush()).unwrap();
    for key in 1..4 {
        insert(&store, key, CommitDurability::Strict).unwrap();
    }
    drop(store);
    let log = Scan::forward(keys::intents_and_log(), ScanLimit::NONE);
    let mut records: Vec<Record> = (1..=2)
        .map(|seq| Record {
            seq: CommitSeq(seq),
            bytes: b"not looked at".to_vec(),
        })
        .collect();
    for (key, value) in block_on(kv.scan(&log)).unwrap() {
        let Some(Found::Log(seq, part)) = keys::parse(&key) else {
            panic!("{key:?}");
        };
        let Content::Part { bytes, .. } = log::open_value(seq, part, &value).unwrap() else {
            panic!("{seq:?}");
        };
        let bytes = bytes.to_vec();
        records.push(Record { seq, bytes });
    }
    let seqs: Vec<u64> = records.iter().map(|record| record.seq.0).collect();
    assert_eq!(seqs, [1, 2, 3, 4, 5]);
    let mut batch = WriteBatch::new();
    batch.delete_range(keys::log_through(CommitSeq(5)));
    for value in log::encode(&records, usize::MAX).unwrap() {
        batch.put(value.key, value.bytes);
    }
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let store = super::open(&kv);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..4));
    assert_eq!(store.stats().log_values, 1);
    // But it must not leave a gap.
    let mut batch = WriteBatch::new();
    batch.delete_range(keys::log_through(CommitSeq(5)));
    for value in log::encode(&records[3..], usize::MAX).unwrap() {
        batch.put(value.key, value.bytes);
    }
    drop(store);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let error = open_with(Arc::new(kv.reopen()), small()).unwrap_err();
    assert_eq!(error.message(), "part 0 of log record 3 is missing");
}
