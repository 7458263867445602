//! What scans read, and what they do not.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, ScanSpec, Value};

use super::{KEYED, PLAIN, Row, batch, everything, insert, open_with, read, some_rows, with_trees};
use crate::store::Store;
use crate::{Durability, StoreSettings};

fn test(column: usize, test: PredicateTest) -> ColumnPredicate {
    ColumnPredicate { column, test }
}

fn compare(column: usize, op: CompareOp, value: Value) -> ColumnPredicate {
    test(column, PredicateTest::Compare(op, value))
}

/// 200,000 rows in one run of several groups, without a page cache.
fn large() -> (Arc<FaultKv<MemoryKv>>, Arc<Store>) {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let settings = StoreSettings {
        page_cache_bytes_max: 0,
        group_cache_bytes_max: 0,
        ..StoreSettings::browser()
    };
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..200_000));
    block_on(store.flush()).unwrap();
    let runs = store.tree_storage(KEYED).unwrap().runs;
    assert_eq!(runs, 1);
    (kv, store)
}

#[test]
fn predicates_choose_rows_and_spare_reads() {
    let (kv, store) = large();
    let transaction = store.begin();
    let all = some_rows(0..200_000);
    let key = |k| Value::Int8(k);
    // Predicates, which rows pass, and the most calls that reading them may take.
    type Case = (Vec<ColumnPredicate>, fn(&Row) -> bool, u64);
    let cases: [Case; 8] = [
        (vec![compare(0, CompareOp::Eq, key(-1))], |_| false, 0),
        (vec![compare(0, CompareOp::Gt, key(200_000))], |_| false, 0),
        (
            vec![compare(0, CompareOp::Eq, key(77_777))],
            |row| row.0 == 77_777,
            3,
        ),
        (
            vec![compare(0, CompareOp::Lt, key(10))],
            |row| row.0 < 10,
            3,
        ),
        (
            vec![compare(2, CompareOp::Gt, Value::Int4(999))],
            |_| false,
            0,
        ),
        (
            vec![test(1, PredicateTest::IsNull)],
            |row| row.1.is_none(),
            13,
        ),
        (
            vec![
                compare(2, CompareOp::Eq, Value::Int4(5)),
                compare(0, CompareOp::GtEq, key(150_000)),
            ],
            |row| row.2 == 5 && row.0 >= 150_000,
            6,
        ),
        (vec![], |_| true, 4),
    ];
    for (predicates, passes, calls_max) in cases {
        for reverse in [false, true] {
            let before = kv.calls();
            let options = ScanSpec {
                predicates: predicates.clone(),
                reverse,
                ..everything(KEYED)
            };
            let rows = read(&transaction, options).unwrap();
            let mut expected: Vec<Row> = all.iter().filter(|row| passes(row)).cloned().collect();
            if reverse {
                expected.reverse();
            }
            assert!(
                rows.into_iter().map(|(row, _)| row).eq(expected),
                "{predicates:?}"
            );
            let calls = kv.calls() - before;
            assert!(calls <= calls_max, "{calls} {predicates:?}");
        }
    }
}

#[test]
fn columns_come_as_asked_and_counting_reads_nothing() {
    let (kv, store) = large();
    let transaction = store.begin();
    let before = kv.calls();
    let options = ScanSpec {
        columns: vec![],
        with_position: false,
        ..everything(KEYED)
    };
    let mut scan = block_on(transaction.scan(options)).unwrap();
    let mut rows = 0;
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        assert_eq!(batch.width(), 0);
        rows += batch.rows();
    }
    assert_eq!((rows, kv.calls() - before), (200_000, 0));
    let options = ScanSpec {
        columns: vec![2, 0, 2],
        with_position: false,
        limit_rows: Some(5),
        predicates: vec![compare(0, CompareOp::GtEq, Value::Int8(5000))],
        ..everything(KEYED)
    };
    let mut scan = block_on(transaction.scan(options)).unwrap();
    let batch = block_on(scan.next_batch()).unwrap().unwrap();
    let first = [0, 1, 2].map(|i| batch.column(i).unwrap().value(0));
    assert_eq!(first, [Value::Int4(0), Value::Int8(5000), Value::Int4(0)]);
    assert!(block_on(scan.next_batch()).unwrap().is_none());
}

#[test]
fn a_cold_lookup_takes_two_calls_and_a_hot_one_none() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), StoreSettings::browser()).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..100_000));
    let transaction = store.begin();
    for calls_max in [3, 0] {
        let before = kv.calls();
        let keys = [vec![Value::Int8(70_000)]];
        let found = block_on(transaction.lookup(KEYED, &keys, &[1], false)).unwrap();
        assert_eq!(found[0].column(0).unwrap().value(0), Value::Null);
        let calls = kv.calls() - before;
        assert!(calls <= calls_max, "{calls}");
    }
    let stats = store.stats();
    assert!(stats.page_cache.hits > 0 && stats.page_cache.bytes > 0);
}

#[test]
fn a_scan_goes_on_while_others_commit_and_flush() {
    let kv = MemoryKv::new();
    let store = super::open(&kv);
    with_trees(&store);
    insert(&store, PLAIN, &some_rows(0..3000));
    insert(&store, PLAIN, &some_rows(3000..3010));
    let transaction = store.begin();
    let mut scan = block_on(transaction.scan(everything(PLAIN))).unwrap();
    let mut rows = Vec::new();
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        rows.extend(super::rows_of(&batch));
        let mut other = store.begin();
        let doomed = read(&other, everything(PLAIN)).unwrap();
        let doomed: Vec<_> = doomed.into_iter().map(|(_, at)| at).step_by(2).collect();
        block_on(other.delete(PLAIN, &doomed)).unwrap();
        block_on(other.insert(PLAIN, &batch_of(rows.len()))).unwrap();
        block_on(other.commit(Durability::Relaxed)).unwrap();
        block_on(store.flush()).unwrap();
    }
    assert_eq!(rows, some_rows(0..3010));
}

fn batch_of(n: usize) -> varve_types::Batch {
    batch(&some_rows([n as i64 + 100_000]))
}

#[test]
fn of_groups_whose_vectors_cannot_match_only_the_index_is_read() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let settings = StoreSettings {
        page_cache_bytes_max: 0,
        group_cache_bytes_max: 0,
        ..StoreSettings::browser()
    };
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    let mut rows = some_rows(0..150_000);
    for row in &mut rows {
        row.2 = (row.0 / 1024 * 10) as i32;
    }
    insert(&store, KEYED, &rows);
    let groups: usize = {
        let state = store.state();
        let runs = state.version.runs(KEYED).iter();
        runs.map(|run| run.head().unwrap().groups().len()).sum()
    };
    let before = kv.calls();
    let options = ScanSpec {
        predicates: vec![compare(2, CompareOp::Eq, Value::Int4(55))],
        ..everything(KEYED)
    };
    assert!(read(&store.begin(), options).unwrap().is_empty());
    assert!(groups > 2 && kv.calls() - before == groups as u64);
}
