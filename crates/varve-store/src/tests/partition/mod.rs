//! Rows that are kept apart: runs of one partition, and partitions that go without being read.

mod delete_range;

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::TreeId;

use super::{
    KEYED, PLAIN, Row, batch, everything, insert, kept_apart, open, read, some_rows, sorted_rows,
    with_trees, with_trees_as,
};
use crate::run::Run;
use crate::store::Store;
use crate::{BulkLoadOptions, Durability};

/// Rows of both trees are kept apart by their keys.
const WIDTH: i64 = 100;

fn store(kv: &MemoryKv) -> Arc<Store> {
    let store = open(kv);
    with_trees_as(&store, |schema| kept_apart(schema, 1, WIDTH));
    store
}

/// The runs of a tree with their partitions; none of them lies in several.
fn partitions(store: &Store, tree: TreeId) -> Vec<(u64, i64)> {
    let state = store.state();
    let shape = state.catalog.tree(tree).unwrap();
    let runs = state.version.runs(tree).iter();
    let place = |run: &Arc<Run>| match shape.place(run.head().unwrap()) {
        crate::partition::RunPlace::One(number) => number.unwrap_or(i64::MIN),
        crate::partition::RunPlace::Several => panic!("a run lies in several partitions"),
    };
    runs.map(|run| (run.id.0, place(run))).collect()
}

fn numbers(store: &Store, tree: TreeId) -> Vec<i64> {
    let runs = partitions(store, tree).into_iter();
    let mut numbers: Vec<i64> = runs.map(|(_, number)| number).collect();
    numbers.sort_unstable();
    numbers
}

/// Keys of a range in an order that has nothing to do with them.
fn mixed(rows: i64) -> Vec<Row> {
    some_rows((0..rows).map(|i| i * 7919 % rows - rows / 2))
}

fn insert_both(store: &Arc<Store>, rows: &[Row]) {
    for tree in [KEYED, PLAIN] {
        insert(store, tree, rows);
    }
}

fn sorted(rows: &[Row]) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.sort();
    rows
}

#[test]
fn a_flush_writes_a_run_for_each_partition() {
    let kv = MemoryKv::new();
    let store = store(&kv);
    let rows = mixed(60);
    insert_both(&store, &rows);
    let old = store.begin();
    let mut writer = store.begin();
    let victims = read(&writer, everything(PLAIN)).unwrap();
    let victims: Vec<_> = victims.iter().filter(|(row, _)| row.0 % 3 == 0).collect();
    let positions: Vec<_> = victims.iter().map(|(_, position)| *position).collect();
    block_on(store.flush()).unwrap();
    for tree in [KEYED, PLAIN] {
        assert_eq!(numbers(&store, tree), [-1, 0]);
        assert_eq!(sorted_rows(&store.begin(), tree), sorted(&rows));
        assert_eq!(sorted_rows(&old, tree), sorted(&rows));
    }
    // What was read before the flush is found in the runs.
    block_on(writer.delete(PLAIN, &positions)).unwrap();
    block_on(writer.commit(Durability::Strict)).unwrap();
    let kept: Vec<Row> = rows.iter().filter(|row| row.0 % 3 != 0).cloned().collect();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&kept));
    drop(old);
    drop(store);
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&kept));
    assert_eq!(sorted_rows(&store.begin(), KEYED), sorted(&rows));
}

#[test]
fn rows_that_die_during_a_flush_are_dead_in_their_run() {
    let kv = MemoryKv::new();
    let store = store(&kv);
    let rows = mixed(200);
    insert(&store, PLAIN, &rows);
    let mut flush = super::Background::flush(&store);
    flush.steps(2);
    let mut writer = store.begin();
    let seen = read(&writer, everything(PLAIN)).unwrap();
    let odd = seen.iter().filter(|(row, _)| row.0 % 2 != 0);
    let odd: Vec<_> = odd.map(|(_, position)| *position).collect();
    block_on(writer.delete(PLAIN, &odd)).unwrap();
    flush.beside(writer.commit(Durability::Strict)).unwrap();
    flush.finish().unwrap();
    let even: Vec<Row> = rows.iter().filter(|row| row.0 % 2 == 0).cloned().collect();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&even));
    drop(store);
    assert_eq!(sorted_rows(&open(&kv).begin(), PLAIN), sorted(&even));
}

#[test]
fn spills_and_loads_write_a_run_for_each_partition_too() {
    let kv = MemoryKv::new();
    let store = store(&kv);
    let mut transaction = store.begin();
    let rows = mixed(2000);
    for rows in rows.chunks(100) {
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
        block_on(transaction.insert(PLAIN, &batch(rows))).unwrap();
        let all = rows.len() as u64;
        assert!(transaction.row_count(PLAIN).unwrap() >= all);
    }
    assert_eq!(transaction.row_count(PLAIN), Some(2000));
    assert_eq!(sorted_rows(&transaction, PLAIN), sorted(&rows));
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let loaded = some_rows(5000..9000);
    for tree in [KEYED, PLAIN] {
        assert!(!partitions(&store, tree).is_empty());
        let load = store.direct_bulk_load(tree, [batch(&loaded)], BulkLoadOptions::default());
        assert_eq!(block_on(load).unwrap().rows, 4000);
    }
    block_on(store.flush()).unwrap();
    let all = [rows, loaded].concat();
    for tree in [KEYED, PLAIN] {
        let mut numbers = numbers(&store, tree);
        numbers.dedup();
        let expected: Vec<i64> = (-10..10).chain(50..90).collect();
        assert_eq!(numbers, expected);
        assert_eq!(sorted_rows(&store.begin(), tree), sorted(&all));
    }
}

#[test]
fn compactions_leave_runs_of_one_partition() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = mixed(3000);
    for rows in rows.chunks(300) {
        insert_both(&store, rows);
        block_on(store.flush()).unwrap();
    }
    let old = store.begin();
    let positions = read(&old, everything(PLAIN)).unwrap();
    // Now they are to be kept apart.
    let mut change = store.begin();
    for tree in [KEYED, PLAIN] {
        let schema = varve_types::TreeSchema::clone(&change.tree_schema(tree).unwrap());
        change
            .store_otherwise(&kept_apart(schema, 1, WIDTH))
            .unwrap();
    }
    block_on(change.commit(Durability::Strict)).unwrap();
    let mut late = store.begin();
    block_on(store.run_jobs_until_idle()).unwrap();
    for tree in [KEYED, PLAIN] {
        let mut numbers = numbers(&store, tree);
        numbers.dedup();
        assert_eq!(numbers, (-15..15).collect::<Vec<_>>());
        assert_eq!(sorted_rows(&old, tree), sorted(&rows));
        assert_eq!(sorted_rows(&store.begin(), tree), sorted(&rows));
    }
    // A transaction that began before finds its rows where they are now.
    let third = positions.iter().filter(|(row, _)| row.0 % 3 == 0);
    let third: Vec<_> = third.map(|(_, position)| *position).collect();
    block_on(late.delete(PLAIN, &third)).unwrap();
    block_on(late.commit(Durability::Strict)).unwrap();
    let kept: Vec<Row> = rows.iter().filter(|row| row.0 % 3 != 0).cloned().collect();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&kept));
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(numbers(&store, KEYED), (-15..15).collect::<Vec<_>>());
    drop(old);
    drop(store);
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&kept));
    assert!(block_on(store.check()).unwrap().is_sound());
}

#[test]
fn a_range_is_compacted_alone() {
    let store = store(&MemoryKv::new());
    for layer in 0..3 {
        insert_both(&store, &some_rows((0..300).map(|i| i * 3 + layer)));
        block_on(store.flush()).unwrap();
    }
    let before = numbers(&store, PLAIN);
    assert_eq!(before.len(), 27);
    block_on(store.vacuum_range(PLAIN, 200..400, None)).unwrap();
    let after = numbers(&store, PLAIN);
    let count = |number| after.iter().filter(|found| **found == number).count();
    let runs: Vec<usize> = (0..9).map(count).collect();
    assert_eq!(runs, [3, 3, 1, 1, 3, 3, 3, 3, 3]);
    assert_eq!(numbers(&store, KEYED), before, "another tree stays");
    assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(0..900));
}

#[test]
fn another_width_cuts_runs_anew() {
    let store = store(&MemoryKv::new());
    let rows = mixed(500);
    insert_both(&store, &rows);
    block_on(store.flush()).unwrap();
    for width in [30, 1000] {
        let mut change = store.begin();
        let schema = varve_types::TreeSchema::clone(&change.tree_schema(PLAIN).unwrap());
        change
            .store_otherwise(&kept_apart(schema, 1, width))
            .unwrap();
        block_on(change.commit(Durability::Strict)).unwrap();
        block_on(store.vacuum(None, true)).unwrap();
        let expected: Vec<i64> = ((-250_i64).div_euclid(width)..=249 / width).collect();
        assert_eq!(numbers(&store, PLAIN), expected);
        assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted(&rows));
    }
}

#[test]
fn a_schema_that_keeps_rows_apart_by_what_is_no_number_is_refused() {
    let store = open(&MemoryKv::new());
    let mut transaction = store.begin();
    let tree = transaction.new_tree_id();
    let schema = super::schema(tree, varve_types::SortKey::RowId);
    assert!(
        transaction
            .create_tree(kept_apart(schema.clone(), 2, 7))
            .is_err()
    );
    assert!(
        transaction
            .create_tree(kept_apart(schema.clone(), 1, 0))
            .is_err()
    );
    transaction.create_tree(kept_apart(schema, 1, 7)).unwrap();
}
