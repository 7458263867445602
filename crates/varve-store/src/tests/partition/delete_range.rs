//! Deleting what lies in a range of the column by which rows are kept apart.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Kv, MemoryKv, Scan, ScanLimit};
use varve_types::TreeId;

use super::{
    Durability, KEYED, PLAIN, Row, Store, everything, insert, insert_both, kept_apart, mixed,
    numbers, open, read, some_rows, sorted, sorted_rows, store,
};
use crate::tests::crash::stored_runs;
use crate::tests::{open_with, small, with_trees_as};

fn without(rows: &[Row], range: core::ops::Range<i64>) -> Vec<Row> {
    let kept = rows.iter().filter(|row| !range.contains(&row.0)).cloned();
    sorted(&kept.collect::<Vec<_>>())
}

fn drop_range(store: &Arc<Store>, tree: TreeId, range: core::ops::Range<i64>) -> u64 {
    let mut transaction = store.begin();
    let rows = block_on(transaction.delete_range(tree, range)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    rows
}

#[test]
fn runs_that_lie_in_the_range_are_not_read() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees_as(&store, |schema| kept_apart(schema, 1, super::WIDTH));
    let rows = some_rows(0..1000);
    insert_both(&store, &rows);
    block_on(store.flush()).unwrap();
    drop(store);
    let store = open_with(kv.clone(), small()).unwrap();
    let held = store.begin();
    let log = || {
        let range = varve_kv::KeyRange::prefix(b"l".to_vec());
        block_on(kv.scan(&Scan::forward(range, ScanLimit::NONE))).unwrap()
    };
    let (calls, records) = (kv.calls(), log().len());
    let mut transaction = store.begin();
    let gone = block_on(transaction.delete_range(PLAIN, 200..500)).unwrap();
    assert_eq!(gone, 300);
    assert_eq!(kv.calls() - calls, 1, "the call of the log above");
    assert_eq!(transaction.row_count(PLAIN), Some(700));
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let bytes: usize = log()
        .iter()
        .skip(records)
        .map(|(_, value)| value.len())
        .sum();
    assert!(bytes < 50, "the record has {bytes} bytes");
    // Soon they are listed no more; while a snapshot needs them they are stored.
    let stored = stored_runs(&*kv);
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(numbers(&store, PLAIN), [0, 1, 5, 6, 7, 8, 9]);
    assert_eq!(stored_runs(&*kv), stored);
    assert_eq!(store.stats().compactions, 0, "nothing was written again");
    assert_eq!(sorted_rows(&held, PLAIN), rows);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), without(&rows, 200..500));
    drop(held);
    block_on(store.flush()).unwrap();
    drop(store);
    let store = open_with(kv.clone(), small()).unwrap();
    assert_eq!(stored_runs(&*kv).len(), stored.len() - 3);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), without(&rows, 200..500));
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
}

#[test]
fn what_lies_there_in_part_is_looked_for() {
    let kv = MemoryKv::new();
    let store = store(&kv);
    let rows = mixed(1000);
    insert_both(&store, &rows[..600]);
    block_on(store.flush()).unwrap();
    insert_both(&store, &rows[600..]);
    for tree in [KEYED, PLAIN] {
        let mut transaction = store.begin();
        // Rows that the transaction has deleted itself, and written.
        let seen = read(&transaction, everything(tree)).unwrap();
        let own = seen.iter().filter(|(row, _)| row.0 % 10 == 0);
        let own: Vec<_> = own.map(|(_, position)| *position).collect();
        block_on(transaction.delete(tree, &own)).unwrap();
        let new = some_rows(700..720);
        block_on(transaction.insert(tree, &super::batch(&new))).unwrap();
        let savepoint = transaction.savepoint();
        let kept: Vec<Row> = rows.iter().filter(|row| row.0 % 10 != 0).cloned().collect();
        let kept = [kept, new].concat();
        let gone = block_on(transaction.delete_range(tree, -250..710)).unwrap();
        let left = without(&kept, -250..710);
        assert_eq!(gone, (kept.len() - left.len()) as u64);
        assert_eq!(sorted_rows(&transaction, tree), left);
        // It comes back with a savepoint, and goes again.
        transaction.rollback_to(savepoint).unwrap();
        assert_eq!(sorted_rows(&transaction, tree), sorted(&kept));
        assert_eq!(
            block_on(transaction.delete_range(tree, -250..710)).unwrap(),
            gone
        );
        assert_eq!(
            block_on(transaction.delete_range(tree, -250..710)).unwrap(),
            0
        );
        block_on(transaction.commit(Durability::Strict)).unwrap();
        assert_eq!(sorted_rows(&store.begin(), tree), left);
    }
    let left = sorted_rows(&store.begin(), PLAIN);
    drop(store);
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), left);
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), left);
    assert!(block_on(store.check()).unwrap().is_sound());
}

#[test]
fn whoever_deletes_one_of_the_rows_first_wins() {
    let store = store(&MemoryKv::new());
    let rows = some_rows(0..300);
    insert(&store, PLAIN, &rows);
    block_on(store.flush()).unwrap();
    let delete_one = || {
        let mut transaction = store.begin();
        let seen = read(&transaction, everything(PLAIN)).unwrap();
        let one = seen.iter().find(|(row, _)| row.0 == 150).unwrap().1;
        block_on(transaction.delete(PLAIN, &[one])).unwrap();
        transaction
    };
    let delete_range = || {
        let mut transaction = store.begin();
        block_on(transaction.delete_range(PLAIN, 100..200)).unwrap();
        transaction
    };
    let (one, range) = (delete_one(), delete_range());
    block_on(one.commit(Durability::Strict)).unwrap();
    let error = block_on(range.commit(Durability::Strict)).unwrap_err();
    assert_eq!(error.state().code(), "40001");
    // The other way round, also where the run has gone meanwhile.
    let seen = read(&store.begin(), everything(PLAIN)).unwrap();
    let other = seen.iter().find(|(row, _)| row.0 == 151).unwrap().1;
    let mut one = store.begin();
    block_on(one.delete(PLAIN, &[other])).unwrap();
    let (first, second) = (delete_range(), delete_range());
    block_on(first.commit(Durability::Strict)).unwrap();
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(numbers(&store, PLAIN), [0, 2]);
    for late in [one, second] {
        let error = block_on(late.commit(Durability::Strict)).unwrap_err();
        assert_eq!(error.state().code(), "40001");
    }
    // Rows that came since are no conflict.
    let range = delete_range();
    insert(&store, PLAIN, &some_rows(100..101));
    block_on(range.commit(Durability::Strict)).unwrap();
    assert_eq!(
        sorted_rows(&store.begin(), PLAIN),
        [some_rows(0..101), some_rows(200..300)].concat()
    );
}

#[test]
fn runs_may_move_between_a_drop_and_its_commit() {
    let store = store(&MemoryKv::new());
    for layer in 0..3 {
        insert(&store, PLAIN, &some_rows((0..200).map(|i| i * 3 + layer)));
        block_on(store.flush()).unwrap();
    }
    insert(&store, PLAIN, &some_rows(600..700));
    let mut transaction = store.begin();
    let gone = block_on(transaction.delete_range(PLAIN, 100..650)).unwrap();
    assert_eq!(gone, 550);
    block_on(store.vacuum(None, true)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let rows = [some_rows(0..100), some_rows(650..700)].concat();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows);
}

#[test]
fn bounds_beyond_the_type_are_no_bounds() {
    let store = open(&MemoryKv::new());
    with_trees_as(&store, |schema| kept_apart(schema, 3, 10));
    insert(&store, PLAIN, &some_rows(0..40));
    assert_eq!(drop_range(&store, PLAIN, i64::MIN..10), 10);
    assert_eq!(drop_range(&store, PLAIN, i64::MIN..i64::MIN + 5), 0);
    assert_eq!(drop_range(&store, PLAIN, 1 << 40..1 << 41), 0);
    assert_eq!(drop_range(&store, PLAIN, 5..5), 0);
    block_on(store.flush()).unwrap();
    assert_eq!(drop_range(&store, PLAIN, 30..1 << 40), 10);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(10..30));
}

#[test]
fn a_tree_that_does_not_keep_rows_apart_has_no_range() {
    let store = open(&MemoryKv::new());
    super::with_trees(&store);
    let mut transaction = store.begin();
    assert!(block_on(transaction.delete_range(PLAIN, 0..1)).is_err());
}

#[test]
fn a_record_of_ranges_comes_back() {
    use crate::format::log::{LogOp, decode, encode_record, ranges};
    use varve_types::{CommitSeq, RunId};
    let cases = [
        (vec![0..=999], 8),
        (vec![5..=5, 7..=7, 9..=9], 7),
        (
            vec![0..=70_000, 70_002..=90_000, u32::MAX - 9..=u32::MAX],
            8,
        ),
    ];
    for (rows, code) in cases {
        let op = LogOp::DeleteInRun {
            run: RunId(3),
            rows: rows.clone(),
        };
        let record = encode_record(std::slice::from_ref(&op)).unwrap();
        assert_eq!(record[1], code);
        assert!(record.len() < 24);
        assert_eq!(decode(CommitSeq(1), &record).unwrap(), [op]);
        let numbers = rows.iter().cloned().flatten();
        if code == 7 {
            assert_eq!(ranges(numbers), rows);
        }
    }
}
