//! Freezing the memtable, and commits while it is being flushed.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{FaultKv, FaultPlan, SplitMix64};
use varve_kv::{Bytes, Kv, KvError, MemoryKv};
use varve_types::{CommitSeq, RowPosition, SqlState};

use super::crash::{intents, stored_runs};
use super::{
    Background, KEYED, PLAIN, Row, batch, everything, insert, open, open_with, positions_where,
    read, rows_of, small, some_rows, sorted_rows, with_trees,
};
use crate::catalog::Catalog;
use crate::format::log::{self, LogOp, Record};
use crate::format::manifest::Manifest;
use crate::ids::Ids;
use crate::open::Replay;
use crate::run::Version;
use crate::store::Store;
use crate::{Durability, StoreSettings, Transaction};

type FaultyKv = FaultKv<MemoryKv>;

/// A store whose KV calls take several polls.
fn slow() -> (Arc<FaultyKv>, Arc<Store>) {
    let plan = FaultPlan::new(7).yields_max(3);
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    (kv, store)
}

/// A flush that has frozen the memtable and written nothing yet.
fn frozen_by_flush(store: &Arc<Store>) -> Background {
    let mut flush = Background::flush(store);
    while store.state().frozen.is_none() {
        flush.step();
    }
    flush
}

fn delete_keys(transaction: &mut Transaction, keys: impl Fn(i64) -> bool) {
    for tree in [KEYED, PLAIN] {
        let all = read(transaction, everything(tree)).unwrap();
        let doomed = all.into_iter().filter(|(row, _)| keys(row.0));
        let doomed: Vec<RowPosition> = doomed.map(|(_, position)| position).collect();
        block_on(transaction.delete(tree, &doomed)).unwrap();
    }
}

fn insert_both(store: &Arc<Store>, keys: core::ops::Range<i64>) {
    for tree in [KEYED, PLAIN] {
        insert(store, tree, &some_rows(keys.clone()));
    }
}

fn assert_rows(store: &Arc<Store>, keys: impl IntoIterator<Item = i64> + Clone) {
    for tree in [KEYED, PLAIN] {
        let transaction = store.begin();
        let rows = some_rows(keys.clone());
        assert_eq!(sorted_rows(&transaction, tree), rows);
        assert_eq!(transaction.row_count(tree), Some(rows.len() as u64));
        let storage = store.tree_storage(tree).unwrap();
        assert_eq!(storage.rows, rows.len() as u64);
    }
}

#[test]
fn a_freeze_does_no_io() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    let mut commits = 0;
    while store.state().frozen.is_none() {
        let mut transaction = store.begin();
        let text = "x".repeat(2000);
        let row = [(commits, Some(text), 0)];
        block_on(transaction.insert(PLAIN, &batch(&row))).unwrap();
        let before = kv.calls();
        block_on(transaction.commit(Durability::Strict)).unwrap();
        assert_eq!(kv.calls(), before + 1);
        commits += 1;
    }
    assert!(commits > 2);
}

#[test]
fn commits_and_reads_go_on_while_a_flush_runs() {
    let (kv, store) = slow();
    insert_both(&store, 0..40);
    let mut flush = frozen_by_flush(&store);
    let mut next = 40;
    while !flush.is_done() {
        for tree in [KEYED, PLAIN] {
            let mut transaction = store.begin();
            block_on(transaction.insert(tree, &batch(&some_rows([next])))).unwrap();
            flush
                .beside(transaction.commit(Durability::Relaxed))
                .unwrap();
        }
        next += 1;
        assert_rows(&store, 0..next);
        flush.step();
    }
    assert!(next > 41, "{next}");
    flush.finish().unwrap();
    assert_rows(&store, 0..next);
    assert!(store.stats().log_values > 0);
    assert_eq!(intents(&*kv), 0);
    assert_rows(&open_with(kv, small()).unwrap(), 0..next);
}

#[test]
fn rows_deleted_after_the_freeze_are_in_the_deletion_vector_of_the_new_run() {
    let (kv, store) = slow();
    insert_both(&store, 0..40);
    let before = store.begin();
    let mut flush = frozen_by_flush(&store);
    let mut transaction = store.begin();
    delete_keys(&mut transaction, |key| key % 4 == 1);
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    flush.finish().unwrap();
    let left = (0..40).filter(|key| key % 4 != 1);
    assert_rows(&store, left.clone());
    assert_eq!(store.tree_storage(KEYED).unwrap().deleted_rows, 10);
    let deletion_vector = store
        .state()
        .manifest
        .runs
        .iter()
        .map(|run| run.deleted_rows)
        .sum::<u64>();
    assert_eq!(deletion_vector, 20);
    // The older snapshot reads its own memtable.
    assert_eq!(sorted_rows(&before, KEYED), some_rows(0..40));
    drop(before);
    // The log still holds the deletes, by keys that are in no memtable any more.
    assert!(store.stats().log_values > 0);
    assert_rows(&open_with(kv, small()).unwrap(), left);
}

#[test]
fn a_run_whose_rows_all_died_during_the_flush_is_retired() {
    let (kv, store) = slow();
    insert_both(&store, 0..40);
    let mut flush = frozen_by_flush(&store);
    let mut transaction = store.begin();
    delete_keys(&mut transaction, |_| true);
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    flush.finish().unwrap();
    assert_rows(&store, 0..0);
    assert_eq!(store.stats().runs, 0);
    assert_eq!(stored_runs(&*kv), [0_u64; 0]);
    assert_rows(&open_with(kv, small()).unwrap(), 0..0);
}

#[test]
fn a_key_may_be_deleted_and_inserted_again_while_its_row_is_flushed() {
    let (kv, store) = slow();
    insert_both(&store, 0..10);
    let mut flush = frozen_by_flush(&store);
    for round in 0..3 {
        for tree in [KEYED, PLAIN] {
            let mut transaction = store.begin();
            let equals = super::properties::equal(5);
            let positions = positions_where(&transaction, tree, equals);
            let new = [(5, None, round)];
            block_on(transaction.update(tree, &positions, &[batch(&new)])).unwrap();
            flush
                .beside(transaction.commit(Durability::Relaxed))
                .unwrap();
        }
        flush.step();
    }
    flush.finish().unwrap();
    let mut expected = some_rows(0..10);
    expected[5] = (5, None, 2);
    for store in [Arc::clone(&store), open_with(kv, small()).unwrap()] {
        for tree in [KEYED, PLAIN] {
            assert_eq!(sorted_rows(&store.begin(), tree), expected);
        }
    }
}

#[test]
fn a_delete_finds_its_row_frozen_and_flushed() {
    for flushed in [false, true] {
        let (kv, store) = slow();
        insert_both(&store, 0..40);
        let mut early = store.begin();
        delete_keys(&mut early, |key| key < 5);
        let mut late = store.begin();
        delete_keys(&mut late, |key| key == 4 || key == 9);
        let mut flush = frozen_by_flush(&store);
        if flushed {
            flush.finish().unwrap();
            block_on(early.commit(Durability::Strict)).unwrap();
            let error = block_on(late.commit(Durability::Strict)).unwrap_err();
            assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
        } else {
            flush.beside(early.commit(Durability::Strict)).unwrap();
            let error = flush.beside(late.commit(Durability::Strict)).unwrap_err();
            assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
            flush.finish().unwrap();
        }
        assert_rows(&store, 5..40);
        assert_rows(&open_with(kv, small()).unwrap(), 5..40);
    }
}

#[test]
fn positions_name_rows_of_both_memtables() {
    let (_kv, store) = slow();
    insert_both(&store, 0..20);
    let mut flush = frozen_by_flush(&store);
    insert_both(&store, 20..40);
    let mut transaction = store.begin();
    flush.step();
    for tree in [KEYED, PLAIN] {
        let mut all = read(&transaction, everything(tree)).unwrap();
        all.reverse();
        let positions: Vec<RowPosition> = all.iter().map(|(_, at)| *at).collect();
        let fetched = block_on(transaction.fetch(tree, &positions, &[0, 1, 2])).unwrap();
        let fetched: Vec<_> = fetched.iter().flat_map(rows_of).collect();
        assert_eq!(
            fetched,
            all.into_iter().map(|(row, _)| row).collect::<Vec<_>>()
        );
    }
    delete_keys(&mut transaction, |key| key % 2 == 1);
    assert_eq!(transaction.row_count(KEYED), Some(20));
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    flush.finish().unwrap();
    assert_rows(&store, (0..40).step_by(2));
}

#[test]
fn a_tree_dropped_during_a_flush_leaves_no_run() {
    let (kv, store) = slow();
    insert_both(&store, 0..40);
    let mut flush = frozen_by_flush(&store);
    let mut transaction = store.begin();
    transaction.drop_tree(PLAIN).unwrap();
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    flush.finish().unwrap();
    assert_eq!(store.stats().runs, 1);
    assert_eq!(stored_runs(&*kv).len(), 1);
    let store = open_with(kv, small()).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..40));
    assert!(store.begin().tree_schema(PLAIN).is_none());
}

#[test]
fn the_catalog_of_the_freeze_is_published_and_later_changes_stay_in_the_log() {
    let (kv, store) = slow();
    let put = |version: u32, text: &str| {
        let mut transaction = store.begin();
        let id = varve_types::ObjectId(1);
        transaction.put_object(id, version, text.as_bytes().to_vec());
        transaction
    };
    block_on(put(1, "one").commit(Durability::Strict)).unwrap();
    insert_both(&store, 0..40);
    let mut flush = frozen_by_flush(&store);
    // A row goes into a tree that is dropped after it, all while the flush runs.
    let mut transaction = store.begin();
    block_on(transaction.insert(PLAIN, &batch(&some_rows(0..3)))).unwrap();
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    let mut transaction = put(2, "two");
    transaction.drop_tree(PLAIN).unwrap();
    flush
        .beside(transaction.commit(Durability::Strict))
        .unwrap();
    flush.finish().unwrap();
    let store = open_with(kv, small()).unwrap();
    let transaction = store.begin();
    let (_, version, text) = transaction.objects().remove(0);
    assert_eq!((version, &*text), (2, &b"two"[..]));
    assert!(transaction.tree_schema(PLAIN).is_none());
    assert!(transaction.tree_schema(KEYED).is_some());
}

#[test]
fn a_committer_helps_to_flush_what_is_frozen() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for i in 0..100 {
        insert(&store, KEYED, &some_rows(i * 10..i * 10 + 10));
        let stats = store.stats();
        assert!(stats.memtable_bytes <= 2 * small().memtable_bytes_max);
        assert!(stats.log_values <= u64::from(small().log_values_max));
    }
    assert!(store.stats().flushes >= 3);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..1000));
}

#[test]
fn the_memory_account_has_both_memtables() {
    let (_kv, store) = slow();
    insert_both(&store, 0..20);
    let mut flush = frozen_by_flush(&store);
    insert_both(&store, 20..40);
    let booked = || store.state().memtable_bytes.bytes();
    let both = store.state().memtables().bytes();
    assert!(store.state().memtable.bytes() > 0);
    assert!(both > store.state().memtable.bytes());
    assert_eq!(booked(), both);
    flush.step();
    flush.finish().unwrap();
    assert_eq!(booked(), store.state().memtable.bytes());
    assert_eq!(booked(), store.stats().memtable_bytes);
}

#[test]
fn where_memory_is_short_a_commit_flushes_first() {
    let kv = MemoryKv::new();
    let memory = Arc::new(varve_types::MemoryBudget::new(64 << 10));
    let settings = StoreSettings {
        page_cache_bytes_max: 0,
        ..StoreSettings::browser()
    };
    let env = Arc::new(super::TestEnv::default());
    let kv: Arc<dyn Kv> = Arc::new(kv.reopen());
    let store = block_on(Store::open(kv, env, memory, settings)).unwrap();
    with_trees(&store);
    for i in 0..40 {
        insert(&store, KEYED, &some_rows(i * 50..i * 50 + 50));
    }
    assert!(store.stats().flushes > 2);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..2000));
}

#[test]
fn a_full_disk_does_not_stop_deletes() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..40));
    block_on(store.flush()).unwrap();
    let mut random = SplitMix64::new(1);
    let mut noise = || -> Vec<Row> {
        let mut text = || Some((0..8).map(|_| format!("{:x}", random.next_u64())).collect());
        (0..8).map(|k| (k, text(), 0)).collect()
    };
    insert(&store, PLAIN, &noise());
    store.state().freeze();
    insert(&store, PLAIN, &noise());
    kv.set_quota_bytes(Some(kv.inner().bytes()));
    let room_for = |coming_bytes: u64| {
        block_on(async {
            let commit_lock = store.take_commit_lock().await;
            let room = store.make_room(commit_lock, || coming_bytes).await;
            room.map(drop)
        })
    };
    let bytes_max = small().memtable_bytes_max;
    room_for(bytes_max).unwrap();
    assert!(store.stats().flush_error.is_some());
    let refused = room_for(2 * bytes_max).unwrap_err();
    assert_eq!(refused.state(), SqlState::DISK_FULL);
    // Room for log records, and for no run.
    kv.set_quota_bytes(Some(kv.inner().bytes() + 2000));
    for deleted in 0..20 {
        let mut transaction = store.begin();
        let position = positions_where(&transaction, KEYED, super::properties::equal(deleted));
        assert_eq!(position.len(), 1);
        block_on(transaction.delete(KEYED, &position)).unwrap();
        block_on(transaction.commit(Durability::Strict)).unwrap();
    }
    assert!(store.state().frozen.is_some());
    let expected = some_rows(20..40);
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
    kv.set_quota_bytes(None);
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().flush_error, None);
    assert_eq!(store.stats().log_values, 0);
    assert_eq!(intents(&*kv), 0);
    let store = open_with(kv, small()).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
}

#[test]
fn a_flush_dropped_half_way_is_done_again() {
    for steps in 0..60 {
        let (kv, store) = slow();
        insert_both(&store, 0..40);
        let mut flush = Background::flush(&store);
        flush.steps(steps);
        let was_done = flush.is_done();
        drop(flush);
        let answer = block_on(store.flush());
        // Only a drop in the publishing commit leaves it open what is there.
        let unsure = answer.is_err_and(|error| error.state() == SqlState::IO_ERROR);
        assert!(!unsure || !was_done);
        assert_rows(&store, 0..40);
        if !unsure {
            assert_eq!(intents(&*kv), 0);
            assert_eq!(stored_runs(&*kv).len(), 2);
        }
        let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
        assert_rows(&open_with(Arc::clone(&kv), small()).unwrap(), 0..40);
        assert_eq!(intents(&*kv), 0);
    }
}

#[test]
fn a_closed_store_ends_a_flush() {
    let (_kv, store) = slow();
    insert_both(&store, 0..40);
    let mut flush = frozen_by_flush(&store);
    flush.beside(store.close()).unwrap();
    let error = flush.finish().unwrap_err();
    assert_eq!(error.state(), SqlState::CONNECTION_DOES_NOT_EXIST);
    assert!(matches!(
        block_on(store.kv.get_many(&[])),
        Err(KvError::Closed)
    ));
}

#[test]
fn replay_skips_deletes_that_are_in_deletion_vectors_and_no_others() {
    let manifest = Manifest {
        deletions_through: CommitSeq(1),
        ..Manifest::empty()
    };
    let ids = Ids::after(&manifest, &Catalog::default());
    let mut replay = Replay::new(&manifest, Version::default(), Catalog::default(), &ids);
    let record = |seq| {
        let key: &[u8] = b"gone";
        let keys = LogOp::DeleteKeys {
            tree: KEYED,
            keys: vec![key],
        };
        let record = Record {
            seq: CommitSeq(seq),
            bytes: log::encode_record(&[keys]).unwrap(),
        };
        let values = log::encode(&[record], 1 << 20).unwrap();
        let value: Bytes = values[0].bytes.clone().into();
        [(CommitSeq(seq), 0, value)]
    };
    replay.records(&record(1)).unwrap();
    let error = replay.records(&record(2)).unwrap_err();
    assert_eq!(
        error.message(),
        "part 0 of log record 2 is corrupt: malformed deleted key"
    );
}
