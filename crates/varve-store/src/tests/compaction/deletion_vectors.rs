//! The rules of deletion vectors, each by its name.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Kv, MemoryKv, Scan, ScanLimit};
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, RunId, Value};

use super::{AtStep, bump, commit, delete_where, full, layers, runs};
use crate::Durability;
use crate::compaction::{Effort, Extent};
use crate::format::keys;
use crate::format::log::{self, LogOp};
use crate::store::Store;
use crate::tests::crash::{intents, stored_runs};
use crate::tests::{
    KEYED, PLAIN, everything, insert, open, open_with, read, small, some_rows, sorted_rows,
    with_trees,
};

fn below(key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Lt, Value::Int8(key)),
    }
}

/// Stored deletion vectors: run, version and bytes.
fn deletion_vectors(kv: &dyn Kv) -> Vec<(u64, u64, Vec<u8>)> {
    let range = varve_kv::KeyRange::prefix(b"m".to_vec());
    let number = |key: &[u8], at: usize| u64::from_be_bytes(key[at..at + 8].try_into().unwrap());
    let entries = block_on(kv.scan(&Scan::forward(range, ScanLimit::NONE))).unwrap();
    let set =
        |(key, value): (Vec<u8>, Arc<[u8]>)| (number(&key, 1), number(&key, 9), value.to_vec());
    entries.into_iter().map(set).collect()
}

fn delete_below(store: &Arc<Store>, key: i64) {
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, below(key));
    commit(transaction).unwrap();
}

#[test]
fn deletion_vectors_are_immutable_values_with_a_new_key_for_every_version() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 1, 100);
    let mut old = Vec::new();
    for version in 1..4 {
        delete_below(&store, version * 10);
        old.push((store.begin(), version * 10));
        block_on(store.flush()).unwrap();
        let [(_, found, _)] = deletion_vectors(&kv)[..] else {
            panic!("one set, of the newest version");
        };
        assert_eq!(found, version as u64);
    }
    for (snapshot, from) in &old {
        assert_eq!(sorted_rows(snapshot, KEYED), some_rows(*from..100));
    }
}

#[test]
fn recent_deletions_keep_their_sequence_until_no_snapshot_is_older() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 1, 100);
    let snapshots: Vec<_> = (1..=5)
        .map(|i| {
            let snapshot = store.begin();
            delete_below(&store, i * 10);
            snapshot
        })
        .collect();
    let check = || {
        for (snapshot, from) in snapshots.iter().zip((0..).step_by(10)) {
            assert_eq!(sorted_rows(snapshot, KEYED), some_rows(from..100));
            assert_eq!(snapshot.row_count(KEYED), Some(100 - from as u64));
        }
        assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(50..100));
    };
    check();
    // Folded in what new snapshots see, not in what these pinned.
    block_on(store.flush()).unwrap();
    check();
    block_on(store.vacuum(None, true)).unwrap();
    check();
}

#[test]
fn a_flush_writes_only_the_newest_version_and_older_snapshots_read_the_pinned_memtable() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..10));
    insert(&store, PLAIN, &some_rows(0..10));
    let old = store.begin();
    for _ in 0..3 {
        let mut transaction = store.begin();
        bump(&mut transaction, 4);
        commit(transaction).unwrap();
    }
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, below(2));
    commit(transaction).unwrap();
    block_on(store.flush()).unwrap();
    let written: Vec<u64> = runs(&store, KEYED).iter().map(|run| run.1).collect();
    assert_eq!(written, [8]);
    assert_eq!(sorted_rows(&old, KEYED), some_rows(0..10));
    assert_eq!(sorted_rows(&store.begin(), KEYED).len(), 8);
}

#[test]
fn rows_are_translated_through_two_compactions_under_one_long_transaction() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let mut rows = layers(&store, 3, 200);
    insert(&store, KEYED, &some_rows(600..620));
    insert(&store, PLAIN, &some_rows(600..620));
    rows.extend(some_rows(600..620));
    let mut long = store.begin();
    let mut loser = store.begin();
    // From the memtable to a run, to another, and to a third.
    for k in [1, 2] {
        block_on(store.vacuum(None, true)).unwrap();
        let mut transaction = store.begin();
        bump(&mut transaction, k);
        commit(transaction).unwrap();
        block_on(store.flush()).unwrap();
        rows[k as usize].2 += 1;
    }
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(runs(&store, KEYED).len(), 1);
    for k in [5, 300, 610] {
        bump(&mut long, k);
        rows[k as usize].2 += 1;
    }
    bump(&mut loser, 2);
    commit(long).unwrap();
    // The map tells that the row was dead when its run was merged.
    assert_eq!(commit(loser).unwrap_err().state().code(), "40001");
    for store in [Arc::clone(&store), open(&kv)] {
        for tree in [KEYED, PLAIN] {
            assert_eq!(sorted_rows(&store.begin(), tree), rows);
        }
    }
}

#[test]
fn deletions_that_came_during_a_compaction_are_in_its_publishing_commit() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 4, 75);
    let mut steps = AtStep::new(2, || {
        delete_below(&store, 50);
        Ok(())
    });
    let steady = Effort::steady(small().run_bytes_max);
    block_on(store.compact(&Extent::Tree(KEYED), &steady, &mut steps)).unwrap();
    let [(run, _)] = runs(&store, KEYED)[..] else {
        panic!("one run");
    };
    let sets = deletion_vectors(&kv);
    assert_eq!((sets.len(), sets[0].0, sets[0].1), (1, run, 1));
    // The log still deletes in the inputs, which are gone.
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(50..300));
    assert_eq!(store.tree_storage(KEYED).unwrap().deleted_rows, 50);
}

#[test]
fn a_lost_map_means_that_the_output_is_redone() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = layers(&store, 3, 100);
    let inputs = runs(&store, KEYED);
    let mut long = store.begin();
    let lost = crate::error::StoreError::internal("lost");
    let mut steps = AtStep::new(4, || Err(lost));
    block_on(store.compact(&Extent::Tree(KEYED), &full(), &mut steps)).unwrap_err();
    // Nothing of it was published, and nothing is left of it.
    assert_eq!(runs(&store, KEYED), inputs);
    block_on(store.flush()).unwrap();
    let mut reap = store.begin();
    delete_where(&mut reap, PLAIN, below(1));
    commit(reap).unwrap();
    block_on(store.flush()).unwrap();
    assert_eq!(intents(&kv), 0);
    assert_eq!(stored_runs(&kv).len(), 6);
    store.state().damaged.clear();
    block_on(store.compact(
        &Extent::Tree(KEYED),
        &full(),
        &mut AtStep::new(0, || Ok(())),
    ))
    .unwrap();
    assert_eq!(runs(&store, KEYED).len(), 1);
    delete_where(&mut long, KEYED, below(7));
    commit(long).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows[7..]);
    // A process that dies loses maps and outputs alike.
    assert_eq!(sorted_rows(&open(&kv).begin(), KEYED), rows[7..]);
}

#[test]
fn replay_skips_a_deletion_in_a_missing_run_up_to_deletions_through_and_calls_a_later_one_corrupt()
{
    for (later, sound) in [(0, true), (1, false)] {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        layers(&store, 2, 50);
        delete_below(&store, 10);
        block_on(store.compact(&Extent::All, &full(), &mut AtStep::new(0, || Ok(())))).unwrap();
        let (seq, deletions_through) = {
            let state = store.state();
            (state.last, state.manifest.deletions_through)
        };
        assert_eq!(seq, deletions_through);
        let [gone] = [RunId(1)];
        assert!(store.state().version.all_runs().all(|run| run.id != gone));
        // A record that deletes in a run which is not there, at the last sequence or after it.
        let seq = varve_types::CommitSeq(seq.0 + later);
        let op = LogOp::DeleteInRun {
            run: gone,
            rows: vec![3..=3],
        };
        let mut batch = varve_kv::WriteBatch::new();
        let record = log::Record {
            seq,
            bytes: log::encode_record(&[op]).unwrap(),
        };
        for value in log::encode(&[record], usize::MAX).unwrap() {
            batch.put(value.key, value.bytes);
        }
        drop(store);
        block_on(kv.commit(batch, Durability::Strict)).unwrap();
        let opened = open_with(Arc::new(kv.reopen()), small());
        match opened {
            Ok(_) => assert!(sound),
            Err(error) => {
                assert!(!sound);
                assert_eq!(error.state().code(), "XX001", "{error}");
            }
        }
    }
}

#[test]
fn metadata_answers_leave_out_deleted_rows() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 1, 3000);
    let old = store.begin();
    delete_below(&store, 1500);
    let new = store.begin();
    let reads = || {
        let pages = store.stats().page_cache;
        pages.hits + pages.misses
    };
    let before = reads();
    for _ in 0..2 {
        assert_eq!(old.row_count(KEYED), Some(3000));
        assert_eq!(new.row_count(KEYED), Some(1500));
        assert_eq!(reads(), before, "counted without a page");
        block_on(store.flush()).unwrap();
    }
    // Whole vectors of dead rows are not decoded for a scan either.
    assert_eq!(sorted_rows(&new, KEYED), some_rows(1500..3000));
    let storage = store.tree_storage(KEYED).unwrap();
    assert_eq!((storage.rows, storage.deleted_rows), (1500, 1500));
}

#[test]
fn a_deletion_vector_that_is_lost_is_corruption() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 1, 100);
    delete_below(&store, 10);
    block_on(store.flush()).unwrap();
    let (run, version, _) = deletion_vectors(&kv)[0].clone();
    let mut batch = varve_kv::WriteBatch::new();
    batch.delete(keys::deletion_vector(RunId(run), version));
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let store = open(&kv);
    let error = read(&store.begin(), everything(KEYED)).unwrap_err();
    assert_eq!(error.state().code(), "XX001");
}
