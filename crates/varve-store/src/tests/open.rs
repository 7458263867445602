//! Opening again: fencing, replay, what is swept.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Kv, MemoryKv, WriteBatch};
use varve_types::{CommitSeq, ObjectId, RunId, SqlState};

use super::crash::{intents, stored_runs};
use super::{
    KEYED, PLAIN, batch, everything, insert, open, open_with, read, small, some_rows, sorted_rows,
    with_trees,
};
use crate::format::log::{self, LogOp};
use crate::{Durability, StoreSettings};

#[test]
fn a_second_opener_fences_the_first() {
    let kv = MemoryKv::new();
    let first = open(&kv);
    with_trees(&first);
    insert(&first, KEYED, &some_rows(0..10));
    let second = open(&kv);
    let mut transaction = first.begin();
    block_on(transaction.insert(KEYED, &batch(&some_rows([50])))).unwrap();
    let error = block_on(transaction.commit(Durability::Relaxed)).unwrap_err();
    assert_eq!(error.state(), SqlState::OBJECT_IN_USE);
    assert!(error.message().starts_with("store_locked"));
    assert_eq!(
        block_on(first.flush()).unwrap_err().state(),
        SqlState::OBJECT_IN_USE
    );
    insert(&second, KEYED, &some_rows(10..20));
    assert_eq!(sorted_rows(&second.begin(), KEYED), some_rows(0..20));
    block_on(first.close()).unwrap();
    block_on(second.close()).unwrap();
    let error = block_on(second.flush()).unwrap_err();
    assert_eq!(error.state(), SqlState::CONNECTION_DOES_NOT_EXIST);
}

#[test]
fn objects_are_there_after_replay_and_after_a_flush() {
    let kv = MemoryKv::new();
    let mut store = open(&kv);
    let mut transaction = store.begin();
    let id = transaction.new_object_id();
    transaction.put_object(id, 1, *b"one");
    block_on(transaction.commit(Durability::Strict)).unwrap();
    for step in 0..3 {
        if step == 1 {
            block_on(store.flush()).unwrap();
        }
        store = open(&kv);
        let mut transaction = store.begin();
        assert_eq!(transaction.objects(), [(id, 1, Arc::from(*b"one"))]);
        assert!(transaction.new_object_id() > id);
    }
    let before = store.begin();
    let mut transaction = store.begin();
    transaction.delete_object(id);
    transaction.put_object(ObjectId(77), 5, *b"two");
    assert_eq!(
        transaction.objects(),
        [(ObjectId(77), 5, Arc::from(*b"two"))]
    );
    assert_eq!(before.objects().len(), 1);
    block_on(transaction.commit(Durability::Strict)).unwrap();
    assert_eq!(before.objects().len(), 1);
    block_on(store.flush()).unwrap();
    let store = open(&kv);
    assert_eq!(
        store.begin().objects(),
        [(ObjectId(77), 5, Arc::from(*b"two"))]
    );
    assert_eq!(store.begin().new_object_id(), ObjectId(78));
}

#[test]
fn of_two_changes_of_the_catalog_the_second_fails() {
    let store = open(&MemoryKv::new());
    let [mut one, mut two] = [store.begin(), store.begin()];
    one.put_object(ObjectId(1), 1, *b"a");
    two.put_object(ObjectId(2), 1, *b"a");
    block_on(one.commit(Durability::Relaxed)).unwrap();
    let error = block_on(two.commit(Durability::Relaxed)).unwrap_err();
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn a_dropped_tree_gives_its_pages_back_once_nobody_reads_it() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &some_rows(0..500));
    }
    block_on(store.flush()).unwrap();
    let runs = stored_runs(&kv);
    let reader = store.begin();
    let writer = {
        let mut writer = store.begin();
        block_on(writer.insert(KEYED, &batch(&some_rows([9999])))).unwrap();
        writer
    };
    let mut transaction = store.begin();
    transaction.drop_tree(KEYED).unwrap();
    assert!(transaction.tree_schema(KEYED).is_none());
    assert!(block_on(transaction.scan(everything(KEYED))).is_err());
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    let error = block_on(writer.commit(Durability::Relaxed)).unwrap_err();
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    assert_eq!(stored_runs(&kv), runs);
    assert_eq!(sorted_rows(&reader, KEYED), some_rows(0..500));
    drop(reader);
    block_on(store.flush()).unwrap();
    assert!(stored_runs(&kv).len() < runs.len());
    let store = open(&kv);
    assert!(store.begin().tree_schema(KEYED).is_none());
    assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(0..500));
}

#[test]
fn a_run_without_a_living_row_is_retired() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..300));
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    let all = read(&transaction, everything(KEYED)).unwrap();
    let positions: Vec<_> = all.into_iter().map(|(_, position)| position).collect();
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    block_on(store.flush()).unwrap();
    block_on(store.close()).unwrap();
    assert_eq!(stored_runs(&kv), [0_u64; 0]);
    let store = open(&kv);
    assert_eq!(store.begin().row_count(KEYED), Some(0));
}

#[test]
fn row_ids_are_not_handed_out_twice() {
    let kv = MemoryKv::new();
    let mut store = open(&kv);
    with_trees(&store);
    for i in 0..6 {
        insert(&store, PLAIN, &some_rows(i * 10..i * 10 + 10));
        if i % 2 == 0 {
            block_on(store.flush()).unwrap();
        }
        store = open(&kv);
        let scan = block_on(store.begin().scan(everything(PLAIN))).unwrap();
        assert!(scan.is_key_ordered());
        let rows = read(&store.begin(), everything(PLAIN)).unwrap();
        let rows: Vec<_> = rows.into_iter().map(|(row, _)| row).collect();
        assert_eq!(rows, some_rows(0..i * 10 + 10));
    }
}

#[test]
fn long_records_are_cut_and_joined() {
    let kv = MemoryKv::new();
    let store = open_with(Arc::new(kv.reopen()), StoreSettings::browser()).unwrap();
    with_trees(&store);
    let text = "0123456789".repeat(300_000);
    let rows = [(1, Some(text), 1)];
    insert(&store, KEYED, &rows);
    assert_eq!(store.stats().log_values, 4);
    let store = open_with(Arc::new(kv.reopen()), StoreSettings::browser()).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
}

#[test]
fn the_log_is_bounded() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for i in 0..40 {
        insert(&store, KEYED, &some_rows([i]));
        assert!(store.stats().log_values <= u64::from(small().log_values_max));
    }
    let stats = store.stats();
    assert!(stats.log_merges >= 3 && stats.flushes == 0, "{stats:?}");
    let again = open(&kv);
    assert_eq!(sorted_rows(&again.begin(), KEYED), some_rows(0..40));
    assert_eq!(again.stats().log_values, stats.log_values);
    assert_eq!(again.stats().last_commit, stats.last_commit);
}

#[test]
fn scratch_is_written_read_freed_and_swept() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    let types = [
        varve_types::LogicalType::Int8,
        varve_types::LogicalType::Text,
        varve_types::LogicalType::Int4,
    ];
    let scratch = store.scratch();
    let rows = some_rows(0..1000);
    let one = block_on(scratch.write(&batch(&rows))).unwrap();
    let two = block_on(scratch.write(&batch(&rows[..5]))).unwrap();
    let back = block_on(scratch.read(one, &types)).unwrap();
    assert_eq!(super::rows_of(&back), rows);
    let used = store.stats().scratch_bytes;
    scratch.free(one);
    assert!(store.stats().scratch_bytes < used);
    block_on(scratch.write(&batch(&rows[..1]))).unwrap();
    assert!(block_on(scratch.read(one, &types)).is_err());
    let back = block_on(scratch.read(two, &types)).unwrap();
    assert_eq!(super::rows_of(&back), rows[..5]);
    drop(scratch);
    assert_eq!(store.stats().scratch_bytes, 0);
    let store = open(&kv);
    let range = crate::format::keys::all_scratch();
    let scan = varve_kv::Scan::forward(range, varve_kv::ScanLimit::NONE);
    assert!(block_on(kv.scan(&scan)).unwrap().is_empty());
    let none = StoreSettings {
        scratch_bytes_max: 0,
        ..small()
    };
    let refused = open_with(Arc::new(MemoryKv::new()), none)
        .unwrap()
        .scratch();
    let error = block_on(refused.write(&batch(&rows))).unwrap_err();
    assert_eq!(error.state(), SqlState::OUT_OF_MEMORY);
    assert_eq!(intents(&kv), 0);
    drop(store);
}

#[test]
fn deletions_in_a_run_since_removed_are_skipped() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..300));
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    let all = read(&transaction, everything(KEYED)).unwrap();
    block_on(transaction.delete(KEYED, &[all[5].1])).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    let mut transaction = store.begin();
    transaction.drop_tree(KEYED).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    assert_eq!(open(&kv).begin().row_count(KEYED), None);
}

#[test]
fn a_deletion_in_an_unknown_run_is_corruption() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let deletion = LogOp::DeleteInRun {
        run: RunId(99),
        rows: vec![1..=1],
    };
    let mut batch = WriteBatch::new();
    let record = log::Record {
        seq: CommitSeq(2),
        bytes: log::encode_record(&[deletion]).unwrap(),
    };
    for log::Value {
        key, bytes: value, ..
    } in log::encode(&[record], usize::MAX).unwrap()
    {
        batch.put(key, value);
    }
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let error = open_with(Arc::new(kv.reopen()), small()).unwrap_err();
    assert_eq!(
        error.message(),
        "part 0 of log record 2 is corrupt: malformed run"
    );
}
