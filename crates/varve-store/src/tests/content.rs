//! Content: large values are stored once, come back whole, and go when nothing refers to them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Durability, Kv, MemoryKv, Scan, ScanLimit};
use varve_types::{
    ColumnPredicate, CompareOp, MemoryBudget, PredicateTest, Reservation, RowPosition, ScanSpec,
    SortKey, TreeId, TreeSchema, Value,
};

use super::damage::{damage, flip};
use super::{
    Background, KEYED, PLAIN, Row, TestEnv, batch, content_addressed, everything, insert, open,
    open_with, positions_where, read, rows_of, schema, small, sorted_rows, with_trees,
    with_trees_as,
};
use crate::content_tree::{DATA, TREE};
use crate::format::keys;
use crate::store::Store;
use crate::{BulkLoadOptions, StoreSettings};

/// A long text that nothing compresses well.
fn text(of: u64) -> String {
    let mut state = of.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + (state % 26) as u8)
    };
    (0..2000).map(|_| letter()).collect()
}

/// Rows whose texts are `distinct` ones, one after another.
fn rows(keys: core::ops::Range<i64>, distinct: i64) -> Vec<Row> {
    let row = |k: i64| (k, Some(text((k % distinct) as u64)), k as i32);
    keys.map(row).collect()
}

fn with_content() -> (MemoryKv, Arc<Store>) {
    let kv = MemoryKv::new();
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    with_trees_as(&store, content_addressed);
    (kv, store)
}

/// Bounds that a test does not reach.
fn large() -> StoreSettings {
    StoreSettings {
        memtable_bytes_max: 64 << 20,
        run_bytes_max: 8 << 20,
        log_values_max: 1024,
        ..small()
    }
}

fn delete_all(store: &Arc<Store>, tree: TreeId) {
    let mut transaction = store.begin();
    let all = read(&transaction, everything(tree)).unwrap();
    let positions: Vec<RowPosition> = all.into_iter().map(|(_, at)| at).collect();
    block_on(transaction.delete(tree, &positions)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
}

fn assert_sound(store: &Arc<Store>) {
    let report = block_on(store.check()).unwrap();
    assert!(report.is_sound(), "{report:?}");
}

/// Bytes of all pages and heads.
fn run_bytes(kv: &MemoryKv) -> usize {
    let kinds = [b"h", b"r"].into_iter();
    let bytes = kinds.map(|kind| {
        let range = varve_kv::KeyRange::prefix(kind.to_vec());
        let found = block_on(kv.scan(&Scan::forward(range, ScanLimit::NONE))).unwrap();
        found.iter().map(|(_, value)| value.len()).sum::<usize>()
    });
    bytes.sum()
}

#[test]
fn equal_values_of_all_tables_are_stored_once() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..1000, 1));
    block_on(store.flush()).unwrap();
    insert(&store, PLAIN, &rows(0..1000, 1));
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 1);
    assert!(store.stats().content_bytes < 3000);
    assert!(run_bytes(&kv) < 16_000, "{}", run_bytes(&kv));
    let transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        assert_eq!(sorted_rows(&transaction, tree), rows(0..1000, 1));
    }
    assert_sound(&store);
}

#[test]
fn content_is_found_again_after_an_open() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..50, 10));
    block_on(store.flush()).unwrap();
    drop(store);
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    insert(&store, KEYED, &rows(50..100, 20));
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 20);
    let mut expected = rows(0..50, 10);
    expected.extend(rows(50..100, 20));
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
    assert_sound(&store);
}

#[test]
fn content_that_nothing_refers_to_is_deleted() {
    let (kv, store) = with_content();
    let empty = run_bytes(&kv);
    insert(&store, KEYED, &rows(0..100, 100));
    insert(&store, PLAIN, &rows(50..150, 200));
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 150);
    delete_all(&store, KEYED);
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(store.stats().content_values, 100);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows(50..150, 200));
    assert_sound(&store);
    delete_all(&store, PLAIN);
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(store.stats().content_values, 0);
    block_on(store.flush()).unwrap();
    assert_eq!(run_bytes(&kv), empty);
}

#[test]
fn jobs_sweep_what_a_dropped_table_leaves() {
    let (_, store) = with_content();
    insert(&store, KEYED, &rows(0..100, 100));
    insert(&store, PLAIN, &rows(0..10, 10));
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    transaction.drop_tree(KEYED).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(store.stats().content_values, 10);
    assert_sound(&store);
}

#[test]
fn a_snapshot_keeps_the_content_that_it_sees() {
    let (_, store) = with_content();
    insert(&store, KEYED, &rows(0..100, 100));
    block_on(store.flush()).unwrap();
    let before = store.begin();
    delete_all(&store, KEYED);
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(store.stats().content_values, 0);
    assert_eq!(sorted_rows(&before, KEYED), rows(0..100, 100));
}

#[test]
fn content_that_comes_back_while_it_is_swept_is_kept_or_written_again() {
    let (_, store) = with_content();
    insert(&store, KEYED, &rows(0..100, 100));
    block_on(store.flush()).unwrap();
    delete_all(&store, KEYED);
    insert(&store, PLAIN, &rows(0..100, 100));
    block_on(store.flush()).unwrap();
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(store.stats().content_values, 100);
    insert(&store, KEYED, &rows(100..300, 200));
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 200);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows(0..100, 100));
    assert_sound(&store);
}

#[test]
fn conditions_compare_whole_values() {
    let (_, store) = with_content();
    insert(&store, KEYED, &rows(0..500, 50));
    block_on(store.flush()).unwrap();
    let transaction = store.begin();
    let wanted = text(7);
    for (op, expected) in [
        (CompareOp::Eq, 10),
        (CompareOp::NotEq, 490),
        (CompareOp::LtEq, 0),
    ] {
        let predicate = ColumnPredicate {
            column: 1,
            test: PredicateTest::Compare(op, Value::text(wanted.as_str())),
        };
        let all = rows(0..500, 50);
        let expected = match op {
            CompareOp::LtEq => all
                .iter()
                .filter(|row| row.1 <= Some(wanted.clone()))
                .count(),
            _ => expected,
        };
        let found = positions_where(&transaction, KEYED, predicate.clone());
        assert_eq!(found.len(), expected, "{op:?}");
        let reverse = ScanSpec {
            predicates: vec![predicate],
            reverse: true,
            ..everything(KEYED)
        };
        assert_eq!(read(&transaction, reverse).unwrap().len(), expected);
    }
    let is_null = ColumnPredicate {
        column: 1,
        test: PredicateTest::IsNull,
    };
    assert_eq!(positions_where(&transaction, KEYED, is_null), []);
}

#[test]
fn spilled_and_loaded_rows_refer_to_content_at_once() {
    let (kv, store) = with_content();
    drop(store);
    let store = open(&kv);
    let mut transaction = store.begin();
    for rows in rows(0..400, 20).chunks(100) {
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
        assert_eq!(
            sorted_rows(&transaction, KEYED).last(),
            rows.last(),
            "own rows are read before the commit"
        );
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows(0..400, 20));
    let mut load = store.bulk_load(PLAIN, BulkLoadOptions::default()).unwrap();
    block_on(load.append(&batch(&rows(0..400, 20)))).unwrap();
    block_on(load.finish()).unwrap();
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(store.stats().content_values, 20);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows(0..400, 20));
    assert_sound(&store);
}

/// Changes how texts of a tree are stored, and rewrites its runs.
fn store_as(store: &Arc<Store>, tree: TreeId, change: impl Fn(TreeSchema) -> TreeSchema) {
    let key = match tree {
        KEYED => SortKey::Columns(vec![0]),
        _ => SortKey::RowId,
    };
    let mut transaction = store.begin();
    let version = transaction.tree_schema(tree).unwrap().version + 1;
    transaction.guard_tree(tree, version).unwrap();
    let mut schema = change(schema(tree, key));
    schema.options.version = version;
    transaction.store_otherwise(&schema).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.run_jobs_until_idle()).unwrap();
}

#[test]
fn rows_migrate_to_content_and_back() {
    let kv = MemoryKv::new();
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &rows(0..500, 25));
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 0);
    store_as(&store, KEYED, content_addressed);
    assert_eq!(store.stats().content_values, 25);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows(0..500, 25));
    assert_sound(&store);
    store_as(&store, KEYED, |schema| schema);
    assert_eq!(store.stats().content_values, 0);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows(0..500, 25));
    assert_sound(&store);
}

#[test]
fn damaged_content_is_named_and_costs_the_rows_that_refer_to_it() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..300, 300));
    let short: Vec<Row> = (300..400)
        .map(|k| (k, Some("short".to_owned()), 0))
        .collect();
    insert(&store, KEYED, &short);
    block_on(store.flush()).unwrap();
    let page = {
        let content = Arc::clone(&store.state().version.runs(TREE)[0]);
        let pages = content.head().unwrap().values_for(0, &[DATA]);
        keys::run_value(content.id, pages[0])
    };
    drop(store);
    damage(&kv, &page, flip);
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    let report = block_on(store.check()).unwrap();
    let problems: Vec<String> = report
        .problems
        .iter()
        .map(|one| one.error.to_string())
        .collect();
    assert!(
        problems
            .iter()
            .any(|one| one.contains("refer to missing content")),
        "{problems:?}"
    );
    assert!(read(&store.begin(), everything(KEYED)).is_err());
    drop(store);
    let memory = Arc::new(MemoryBudget::new(64 << 20));
    let env = Arc::new(TestEnv::default());
    let repaired = block_on(Store::repair(Arc::new(kv.reopen()), env, memory, large()));
    let (store, report) = repaired.unwrap();
    assert_eq!(report.runs.len(), 2);
    assert_sound(&store);
    let left = sorted_rows(&store.begin(), KEYED);
    assert!(left.len() >= 100 && left.len() < 400, "{}", left.len());
    assert_eq!(left[left.len() - 100..], short);
}

#[test]
fn content_of_rows_that_a_savepoint_takes_back_is_swept() {
    let (kv, store) = with_content();
    drop(store);
    let store = open(&kv);
    let mut transaction = store.begin();
    for rows in rows(0..100, 100).chunks(25) {
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
    }
    let savepoint = transaction.savepoint();
    for rows in rows(100..300, 300).chunks(25) {
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
    }
    transaction.rollback_to(savepoint).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.flush()).unwrap();
    drop(store);
    let store = open(&kv);
    assert_sound(&store);
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(store.stats().content_values, 100);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows(0..100, 100));
    assert_sound(&store);
}

#[test]
fn own_rows_refer_to_what_others_published_since() {
    let (kv, store) = with_content();
    drop(store);
    let store = open(&kv);
    let mut transaction = store.begin();
    insert(&store, PLAIN, &rows(0..40, 40));
    block_on(store.flush()).unwrap();
    for rows in rows(0..40, 40).chunks(10) {
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
    }
    assert_eq!(store.stats().content_values, 40);
    assert_eq!(sorted_rows(&transaction, KEYED), rows(0..40, 40));
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(store.stats().content_values, 40);
    assert_sound(&store);
}

/// Flushes and sweeps step by step beside each other, in many orders.
#[test]
fn a_flush_beside_a_sweep_refers_to_living_content() {
    for head_start in 0..60 {
        let kv = MemoryKv::new();
        let plan = FaultPlan::new(head_start).yields_max(3);
        let faulty = Arc::new(FaultKv::new(kv.reopen(), plan));
        let store = open_with(faulty.clone(), large()).unwrap();
        with_trees_as(&store, content_addressed);
        insert(&store, KEYED, &rows(0..20, 20));
        block_on(store.flush()).unwrap();
        delete_all(&store, KEYED);
        block_on(store.flush()).unwrap();
        drop(store);
        // The index of published values is not read yet, and a sweep is due.
        let store = open_with(faulty.clone(), large()).unwrap();
        insert(&store, PLAIN, &rows(0..20, 20));
        let swept = Arc::clone(&store);
        let mut sweep = Background::new(async move { swept.run_jobs_until_idle().await });
        sweep.steps(head_start as usize);
        let mut flush = Background::flush(&store);
        while !(sweep.is_done() && flush.is_done()) {
            flush.step();
            sweep.step();
        }
        assert_sound(&store);
        assert_eq!(sorted_rows(&store.begin(), PLAIN), rows(0..20, 20));
        block_on(store.run_jobs_until_idle()).unwrap();
        assert_eq!(store.stats().content_values, 20);
        assert_sound(&store);
    }
}

#[test]
fn without_memory_for_the_index_values_are_stored_again() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..3000, 3000));
    block_on(store.flush()).unwrap();
    drop(store);
    let memory = Arc::new(MemoryBudget::new(8 << 20));
    let env = Arc::new(TestEnv::default());
    let kv: Arc<dyn Kv> = Arc::new(kv.reopen());
    let store = block_on(Store::open(kv, env, memory.clone(), large())).unwrap();
    let mut booked = Reservation::new(memory.clone());
    insert(&store, PLAIN, &rows(0..10, 10));
    while booked.resize(booked.bytes() + 10_000).is_ok() {}
    booked.resize(booked.bytes() - 100_000).unwrap();
    block_on(store.flush()).unwrap();
    assert_eq!(store.stats().content_values, 3010);
    drop(booked);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows(0..10, 10));
}

#[test]
fn a_damaged_stranger_keeps_content_and_lets_others_be_vacuumed() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..20, 20));
    insert(&store, PLAIN, &rows(20..40, 40));
    block_on(store.flush()).unwrap();
    let run = store.state().version.runs(PLAIN)[0].id;
    drop(store);
    damage(&kv, &keys::head(run), flip);
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    delete_all(&store, KEYED);
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    block_on(store.run_jobs_until_idle()).unwrap();
    assert_eq!(store.stats().content_values, 40);
}

#[test]
fn single_rows_are_read_whole_with_and_without_waiting() {
    let (kv, store) = with_content();
    insert(&store, KEYED, &rows(0..200, 200));
    block_on(store.flush()).unwrap();
    drop(store);
    let store = open_with(Arc::new(kv.reopen()), large()).unwrap();
    let transaction = store.begin();
    for key in [0, 7, 199] {
        let keys = [vec![Value::Int8(key)]];
        let found = block_on(transaction.lookup(KEYED, &keys, &[0, 1, 2], false)).unwrap();
        assert_eq!(rows_of(&found[0]), rows(key..key + 1, 200));
    }
    let limited = ScanSpec {
        limit_rows: Some(3),
        reverse: true,
        ordered: true,
        ..everything(KEYED)
    };
    let found: Vec<Row> = read(&transaction, limited)
        .unwrap()
        .into_iter()
        .map(|(row, _)| row)
        .collect();
    let mut expected = rows(197..200, 200);
    expected.reverse();
    assert_eq!(found[..3], expected);
}
