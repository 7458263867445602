//! Reads of one row by its key, and what the caches hold of them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_types::{Batch, ColumnPredicate, CompareOp, PredicateTest, RowPosition, Value};

use super::{
    KEYED, Row, batch, everything, insert, open_with, positions_where, read, rows_of, small,
    some_rows, with_trees,
};
use crate::store::Store;
use crate::{CacheStats, Durability, PointRead, StoreSettings, Transaction};

fn row(batch: &Batch) -> Row {
    assert_eq!(batch.rows(), 1);
    rows_of(batch).remove(0)
}

fn get(transaction: &Transaction, key: i64) -> Option<Row> {
    let key = [Value::Int8(key)];
    let found = block_on(transaction.get(KEYED, &key, &[0, 1, 2], false)).unwrap();
    found.as_ref().map(row)
}

fn position(transaction: &Transaction, key: i64) -> RowPosition {
    let test = PredicateTest::Compare(CompareOp::Eq, Value::Int8(key));
    positions_where(transaction, KEYED, ColumnPredicate { column: 0, test })[0]
}

fn delete(store: &Arc<Store>, key: i64) {
    let mut transaction = store.begin();
    let position = position(&transaction, key);
    block_on(transaction.delete(KEYED, &[position])).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
}

fn large(settings: StoreSettings) -> (Arc<FaultKv<MemoryKv>>, Arc<Store>) {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows((0..50_000).map(|k| k * 2)));
    block_on(store.flush()).unwrap();
    (kv, store)
}

/// Hits and misses since the stats before.
fn since(before: CacheStats, after: CacheStats) -> (u64, u64) {
    (after.hits - before.hits, after.misses - before.misses)
}

#[test]
fn a_row_is_read_at_once_when_its_pages_are_at_hand() {
    let (kv, store) = large(StoreSettings::browser());
    let transaction = store.begin();
    let key = [Value::Int8(70_000)];
    let now = || transaction.get_now(KEYED, &key, &[2, 0], false).unwrap();
    assert!(matches!(now(), PointRead::Wait));
    let found = block_on(transaction.get(KEYED, &key, &[2, 0], false)).unwrap();
    let expected = [Value::Int4(0), Value::Int8(70_000)];
    assert_eq!(
        [0, 1].map(|at| found.as_ref().unwrap().column(at).unwrap().value(0)),
        expected
    );
    let calls = kv.calls();
    let before = store.stats().row_cache;
    for hits in 0..3 {
        let PointRead::Row(row) = now() else {
            panic!("{hits}");
        };
        assert_eq!([0, 1].map(|at| row.column(at).unwrap().value(0)), expected);
        assert_eq!(since(before, store.stats().row_cache), (hits + 1, 0));
    }
    let absent = [Value::Int8(70_001)];
    let absent = || transaction.get_now(KEYED, &absent, &[0], false).unwrap();
    assert!(matches!(absent(), PointRead::Absent));
    assert_eq!(kv.calls(), calls);
}

#[test]
fn every_snapshot_gets_the_row_that_it_sees() {
    let (_, store) = large(StoreSettings::browser());
    let key = 40_000;
    let first = some_rows([key]).remove(0);
    let before = store.begin();
    assert_eq!(get(&before, key), Some(first.clone()));
    assert_eq!(get(&before, key), Some(first.clone()));
    // Own writes come before the cache.
    let mut own = store.begin();
    let at = position(&own, key);
    block_on(own.delete(KEYED, &[at])).unwrap();
    assert_eq!(get(&own, key), None);
    let changed = (key, Some("changed".to_owned()), 9);
    block_on(own.insert(KEYED, &batch(std::slice::from_ref(&changed)))).unwrap();
    assert_eq!(get(&own, key), Some(changed.clone()));
    assert_eq!(get(&store.begin(), key), Some(first.clone()));
    block_on(own.commit(Durability::Relaxed)).unwrap();
    let between = store.begin();
    assert_eq!(get(&between, key), Some(changed.clone()));
    block_on(store.flush()).unwrap();
    let flushed = store.begin();
    delete(&store, key);
    for _ in 0..2 {
        assert_eq!(get(&store.begin(), key), None);
        assert_eq!(get(&flushed, key), Some(changed.clone()));
        assert_eq!(get(&between, key), Some(changed.clone()));
        assert_eq!(get(&before, key), Some(first.clone()));
    }
    assert!(store.stats().row_cache.hits > 0);
}

#[test]
fn positions_of_point_reads_are_those_of_scans() {
    let (_, store) = large(StoreSettings::browser());
    for _ in 0..3 {
        let mut transaction = store.begin();
        let key = [Value::Int8(600)];
        let found = block_on(transaction.get(KEYED, &key, &[1], true))
            .unwrap()
            .unwrap();
        let Value::Int8(at) = found.column(1).unwrap().value(0) else {
            panic!("{found:?}");
        };
        let at = RowPosition(at.cast_unsigned());
        assert_eq!(at, position(&transaction, 600));
        block_on(transaction.delete(KEYED, &[at])).unwrap();
        assert_eq!(get(&transaction, 600), None);
    }
}

#[test]
fn caches_stay_within_their_bounds_and_without_room_reads_go_on() {
    for (rows, groups) in [(0, 0), (2 << 10, 20 << 10), (1 << 20, 1 << 20)] {
        let (_, store) = large(StoreSettings {
            row_cache_bytes_max: rows,
            group_cache_bytes_max: groups,
            ..small()
        });
        for round in 0..2 {
            let transaction = store.begin();
            for key in (0..100_000).step_by(997) {
                let expected = (key % 2 == 0).then(|| some_rows([key]).remove(0));
                assert_eq!(get(&transaction, key), expected, "{round}");
            }
        }
        let stats = store.stats();
        assert!(stats.row_cache.bytes <= rows && stats.row_cache.bytes_max == rows);
        assert!(stats.group_cache.bytes <= groups);
        assert_eq!(stats.row_cache.hits > 0, rows == 1 << 20);
        assert_eq!(stats.row_cache.evictions > 0, rows == 2 << 10);
    }
}

#[test]
fn what_was_made_of_a_group_is_made_once_and_goes_with_its_run() {
    let (_, store) = large(StoreSettings {
        row_cache_bytes_max: 0,
        ..StoreSettings::browser()
    });
    let transaction = store.begin();
    // From the second time on whole vectors are kept.
    get(&transaction, 20_000);
    get(&transaction, 20_000);
    let before = store.stats().group_cache;
    get(&transaction, 20_000);
    let after = store.stats().group_cache;
    assert_eq!((after.misses, after.bytes), (before.misses, before.bytes));
    assert!(after.hits > before.hits && after.bytes > 8 << 10);
    drop(transaction);
    let mut transaction = store.begin();
    let all = read(&transaction, everything(KEYED)).unwrap();
    let all: Vec<RowPosition> = all.into_iter().map(|(_, at)| at).collect();
    block_on(transaction.delete(KEYED, &all)).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    block_on(store.flush()).unwrap();
    block_on(store.flush()).unwrap();
    assert_eq!(store.begin().row_count(KEYED), Some(0));
}

#[test]
fn many_keys_are_found_in_overlapping_runs() {
    let kv = MemoryKv::new();
    let settings = StoreSettings::browser();
    let store = open_with(Arc::new(kv.reopen()), settings).unwrap();
    with_trees(&store);
    for part in 0..5 {
        insert(&store, KEYED, &some_rows((0..9000).map(|k| k * 6 + part)));
        block_on(store.flush()).unwrap();
    }
    delete(&store, 6 * 77 + 3);
    let transaction = store.begin();
    // In no order, every sixth key absent.
    let keys: Vec<i64> = (0..4000).map(|i| i * 7919 % 54_000).collect();
    let wanted: Vec<Vec<Value>> = keys.iter().map(|k| vec![Value::Int8(*k)]).collect();
    let found = block_on(transaction.lookup(KEYED, &wanted, &[0, 1, 2], false)).unwrap();
    let mut found: Vec<Row> = found.iter().flat_map(rows_of).collect();
    found.sort();
    let is_there = |key: &i64| key % 6 != 5 && *key != 6 * 77 + 3;
    let mut expected: Vec<i64> = keys.into_iter().filter(is_there).collect();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(found, some_rows(expected));
}
