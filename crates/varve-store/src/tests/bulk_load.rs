//! Columns loaded directly into runs: all of them or none, and never two rows with one key.

use std::sync::Arc;

use futures_util::FutureExt;
use pollster::block_on;
use proptest::prelude::{Strategy, any, prop_assert_eq, proptest};
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, MemoryKv};
use varve_run::RunValue;
use varve_types::{
    Batch, Column, ColumnId, LogicalType, MemoryAccount, MemoryBudget, SortKey, SqlState,
    TreeColumn, TreeId, TreeSchema, Value,
};

use super::crash::{intents, stored_runs};
use super::{
    KEYED, PLAIN, Row, TestEnv, batch, everything, insert, open, open_with, positions_where, read,
    small, some_rows, sorted_rows, with_trees,
};
use crate::store::{PageSink, Store};
use crate::{BulkLoadOptions, BulkLoadReport, Durability, InsertError};

fn by(batch_rows: usize) -> BulkLoadOptions {
    BulkLoadOptions {
        batch_rows,
        ..BulkLoadOptions::default()
    }
}

fn load(
    store: &Arc<Store>,
    tree: TreeId,
    rows: &[Row],
    batch_rows: usize,
) -> Result<BulkLoadReport, InsertError> {
    let batches = rows.chunks(batch_rows.max(1) * 2).map(batch);
    block_on(store.direct_bulk_load(tree, batches, by(batch_rows)))
}

fn duplicate(key: i64) -> InsertError {
    InsertError::Duplicate {
        index: None,
        key: vec![Value::Int8(key)],
    }
}

fn state_of(error: InsertError) -> SqlState {
    crate::error::StoreError::from(error).state()
}

/// Keys in an order of no use.
fn shuffled(count: i64) -> Vec<i64> {
    let mut keys: Vec<i64> = (0..count).collect();
    keys.sort_by_key(|key| key.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed()));
    keys
}

#[test]
fn rows_in_order_are_one_run_of_final_size() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = some_rows(0..50_000);
    for tree in [KEYED, PLAIN] {
        let report = load(&store, tree, &rows, 7000).unwrap();
        assert_eq!(report.rows, 50_000);
        let storage = store.tree_storage(tree).unwrap();
        let shape = (storage.runs, storage.rows, storage.memtable_rows);
        assert_eq!(shape, (1, 50_000, 0));
        assert_eq!(report.bytes, storage.total_bytes);
        assert!(report.rows_per_second() > 0);
    }
    let report = load(&store, KEYED, &some_rows(60_000..60_010), 100).unwrap();
    assert_eq!(report.max_row_id, Some(60_009));
    // A second phase would find nothing to do.
    let before = store.tree_storage(KEYED).unwrap().total_bytes;
    block_on(store.flush()).unwrap();
    assert_eq!(store.tree_storage(KEYED).unwrap().total_bytes, before);
    assert_eq!(intents(&kv), 0);
    drop(store);
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), rows);
    let keys = [vec![Value::Int8(49_999)], vec![Value::Int8(50_000)]];
    let found = block_on(store.begin().lookup(KEYED, &keys, &[0], false)).unwrap();
    assert_eq!(found.iter().map(Batch::rows).sum::<usize>(), 1);
}

#[test]
fn rows_in_any_order_become_sorted_runs() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = some_rows(shuffled(3000));
    assert_eq!(load(&store, KEYED, &rows, 100).unwrap().rows, 3000);
    let runs = store.tree_storage(KEYED).unwrap().runs;
    // 16 KiB at a time.
    assert!(runs > 5, "{runs}");
    let transaction = store.begin();
    assert_eq!(sorted_rows(&transaction, KEYED), some_rows(0..3000));
    let keys: Vec<Vec<Value>> = (0..3000).map(|key| vec![Value::Int8(key)]).collect();
    let found = block_on(transaction.lookup(KEYED, &keys, &[0], false)).unwrap();
    assert_eq!(found.iter().map(Batch::rows).sum::<usize>(), 3000);
}

#[test]
fn a_key_comes_once() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(1000..1010));
    block_on(store.flush()).unwrap();
    insert(&store, KEYED, &some_rows(2000..2010));
    let stored = stored_runs(&kv);
    let before = sorted_rows(&store.begin(), KEYED);
    let in_order: Vec<i64> = (0..900).collect();
    let cases: [(&str, Vec<i64>, i64); 8] = [
        ("neighbours", vec![1, 2, 2, 3], 2),
        ("over batches", (0..100).chain(99..200).collect(), 99),
        ("in a chunk", [shuffled(100), vec![50]].concat(), 50),
        ("over chunks", [shuffled(900), vec![450]].concat(), 450),
        (
            "a chunk and the run",
            [in_order.clone(), vec![5]].concat(),
            5,
        ),
        ("in a run", (500..1500).collect(), 1000),
        ("in a run, not in order", vec![1500, 1005, 3], 1005),
        ("in the memtable", [in_order, vec![2009]].concat(), 2009),
    ];
    for (what, keys, key) in cases {
        for batch_rows in [10, 5000] {
            let error = load(&store, KEYED, &some_rows(keys.clone()), batch_rows);
            assert_eq!(error, Err(duplicate(key)), "{what}");
            assert_eq!(sorted_rows(&store.begin(), KEYED), before, "{what}");
            // The pages went with the load.
            assert_eq!(
                (stored_runs(&kv), intents(&kv)),
                (stored.clone(), 0),
                "{what}"
            );
        }
    }
    let transaction = store.begin();
    let mut dead = Vec::new();
    for key in [1005, 2005] {
        let test =
            varve_types::PredicateTest::Compare(varve_types::CompareOp::Eq, Value::Int8(key));
        let is = varve_types::ColumnPredicate { column: 0, test };
        dead.extend(positions_where(&transaction, KEYED, is));
    }
    let mut transaction = transaction;
    block_on(transaction.delete(KEYED, &dead)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    load(&store, KEYED, &some_rows([2005, 1005]), 10).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), before);
}

/// Sorted by two columns, one of them text.
#[test]
fn keys_of_several_columns() {
    let store = open(&MemoryKv::new());
    let tree = TreeId(1);
    let mut transaction = store.begin();
    let schema = super::schema(tree, SortKey::Columns(vec![1, 0]));
    transaction.create_tree(schema).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let rows: Vec<Row> = shuffled(2000)
        .into_iter()
        .map(|k| (k / 10, Some(format!("{}", k % 10)), 0))
        .collect();
    let report = load(&store, tree, &rows, 300).unwrap();
    assert_eq!((report.rows, report.max_row_id), (2000, None));
    let mut expected = rows.clone();
    expected.sort();
    assert_eq!(sorted_rows(&store.begin(), tree), expected);
    let twice = InsertError::Duplicate {
        index: None,
        key: vec![Value::text("7"), Value::Int8(3)],
    };
    assert_eq!(
        load(&store, tree, &[(3, Some("7".into()), 1)], 9),
        Err(twice)
    );
}

#[test]
fn ids_go_on_from_the_greatest() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let without_key = |rows: std::ops::Range<i32>| {
        let texts: Vec<Value> = rows.clone().map(|n| Value::text(format!("{n}"))).collect();
        let numbers: Vec<Value> = rows.clone().map(Value::Int4).collect();
        let columns = [
            Column::from_values(LogicalType::Text, &texts),
            Column::from_values(LogicalType::Int4, &numbers),
        ];
        Batch::new(columns.map(Arc::new).into(), rows.len())
    };
    let batches = || [without_key(0..3), without_key(3..2000)];
    let mut first = 1;
    for greatest in [2000, 4000] {
        let loaded = store.direct_bulk_load_auto_id(KEYED, batches(), by(64));
        let report = block_on(loaded).unwrap();
        assert_eq!((report.rows, report.max_row_id), (2000, Some(greatest)));
        let rows = sorted_rows(&store.begin(), KEYED);
        let expected = (0..2000).map(|n| (first + i64::from(n), Some(format!("{n}")), n));
        assert!(rows.into_iter().skip(first as usize - 1).eq(expected));
        first = greatest + 1;
    }
    insert(&store, KEYED, &some_rows([9000]));
    let loaded = store.direct_bulk_load_auto_id(KEYED, [without_key(0..1)], by(64));
    assert_eq!(block_on(loaded).unwrap().max_row_id, Some(9001));
    insert(&store, KEYED, &some_rows([i64::MAX]));
    let loaded = store.direct_bulk_load_auto_id(KEYED, [without_key(0..1)], by(64));
    let beyond = state_of(block_on(loaded).unwrap_err());
    assert_eq!(beyond, SqlState::NUMERIC_VALUE_OUT_OF_RANGE);
    // Hidden row ids ascend by themselves, whatever the load is called.
    for _ in 0..2 {
        let rows = some_rows(0..10);
        let loaded = store.direct_bulk_load_auto_id(PLAIN, [batch(&rows)], by(4));
        let report = block_on(loaded).unwrap();
        assert!(report.max_row_id.is_some());
    }
    let rows = read(&store.begin(), everything(PLAIN)).unwrap();
    let keys: Vec<i64> = rows.into_iter().map(|(row, _)| row.0).collect();
    assert!(keys.into_iter().eq((0..10).chain(0..10)));
}

#[test]
fn others_may_commit_meanwhile() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let mut load = store.bulk_load(KEYED, by(100)).unwrap();
    block_on(load.append(&batch(&some_rows(0..500)))).unwrap();
    insert(&store, PLAIN, &some_rows(0..10));
    insert(&store, KEYED, &some_rows(5000..5010));
    block_on(store.flush()).unwrap();
    assert_eq!(store.begin().row_count(KEYED), Some(10));
    block_on(load.append(&batch(&some_rows(500..900)))).unwrap();
    assert_eq!(block_on(load.finish()).unwrap().rows, 900);
    assert_eq!(store.begin().row_count(KEYED), Some(910));

    let mut load = store.bulk_load(KEYED, by(100)).unwrap();
    block_on(load.append(&batch(&some_rows(1000..2000)))).unwrap();
    insert(&store, KEYED, &some_rows([1500]));
    let lost = block_on(load.finish()).unwrap_err();
    assert_eq!(state_of(lost), SqlState::SERIALIZATION_FAILURE);
    // And the other way round.
    let mut transaction = store.begin();
    block_on(transaction.insert(KEYED, &batch(&some_rows([1600])))).unwrap();
    self::load(&store, KEYED, &some_rows(1501..1700), 100).unwrap();
    let lost = block_on(transaction.commit(Durability::Strict)).unwrap_err();
    assert_eq!(lost.state(), SqlState::SERIALIZATION_FAILURE);

    let load = store.bulk_load(PLAIN, by(100)).unwrap();
    let mut load = load;
    block_on(load.append(&batch(&some_rows(0..100)))).unwrap();
    let mut transaction = store.begin();
    transaction.drop_tree(PLAIN).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let lost = block_on(load.finish()).unwrap_err();
    assert_eq!(state_of(lost), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn little_memory_is_enough() {
    let kv = MemoryKv::new();
    let limit = 3 << 20;
    let memory = Arc::new(MemoryBudget::new(limit));
    let account: Arc<dyn MemoryAccount> = memory.clone();
    let settings = crate::StoreSettings::native();
    let env = Arc::new(TestEnv::default());
    let store = block_on(Store::open(Arc::new(kv), env, account, settings)).unwrap();
    with_trees(&store);
    let rows = some_rows(shuffled(60_000));
    let report = load(&store, KEYED, &rows, 100_000).unwrap();
    assert_eq!(report.rows, 60_000);
    assert!(memory.used_bytes() < limit);
    assert!(store.tree_storage(KEYED).unwrap().runs > 3);
    assert_eq!(store.begin().row_count(KEYED), Some(60_000));
}

fn faulty(seed: u64) -> Arc<FaultKv<MemoryKv>> {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(seed)));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows(10_000..10_100));
    block_on(store.flush()).unwrap();
    kv
}

fn keys_of_scenario() -> Vec<i64> {
    (0..1500)
        .chain(shuffled(600).into_iter().map(|key| key + 1500))
        .collect()
}

fn scenario(kv: &Arc<FaultKv<MemoryKv>>) -> Result<(), InsertError> {
    let store = open_with(kv.clone(), small())?;
    load(&store, KEYED, &some_rows(keys_of_scenario()), 100)?;
    block_on(store.close())?;
    Ok(())
}

/// None of the rows, or all of them where `may_be_there`; nothing else is stored.
fn check(kv: &FaultKv<MemoryKv>, must_be_there: bool, may_be_there: bool) {
    let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let store = open_with(kv.clone(), small()).unwrap();
    let rows = sorted_rows(&store.begin(), KEYED);
    let all = some_rows((0..2100).chain(10_000..10_100));
    let none = some_rows(10_000..10_100);
    assert!(
        rows == all && may_be_there || rows == none && !must_be_there,
        "{}",
        rows.len()
    );
    let state = store.state();
    let mut listed: Vec<u64> = state.version.all_runs().map(|run| run.id.0).collect();
    listed.sort_unstable();
    assert_eq!((stored_runs(&*kv), intents(&*kv)), (listed, 0));
}

#[test]
fn any_call_may_fail() {
    let backend = || KvError::Backend {
        message: "x".into(),
    };
    let faults = [
        CallFault::Fail(KvError::StorageFull),
        CallFault::Fail(backend()),
        CallFault::LoseAnswer,
        CallFault::Close,
    ];
    for fault in faults {
        for call in 1.. {
            let kv = faulty(call);
            kv.fault_in(call, fault.clone());
            let before = kv.calls();
            let answer = scenario(&kv);
            if kv.calls() - before < call {
                answer.unwrap();
                assert!(call > 10, "{call}");
                check(&kv, true, true);
                break;
            }
            check(&kv, answer.is_ok(), true);
        }
    }
}

#[test]
fn a_process_may_die_at_any_call() {
    for call in 1.. {
        let kv = faulty(call);
        for later in call..call + 200 {
            kv.fault_in(later, CallFault::Fail(KvError::Closed));
        }
        let before = kv.calls();
        let answer = scenario(&kv);
        let survived = kv.calls() - before < call;
        check(&kv, survived, survived || answer.is_ok());
        if survived {
            assert!(call > 10, "{call}");
            break;
        }
    }
}

#[test]
fn a_full_storage_leaves_nothing() {
    let kv = faulty(1);
    let store = open_with(kv.clone(), small()).unwrap();
    let stored = stored_runs(kv.inner());
    kv.set_quota_bytes(Some(40 << 10));
    let rows = some_rows(shuffled(50_000).into_iter().map(|key| key + 20_000));
    let full = load(&store, KEYED, &rows, 1000).unwrap_err();
    assert_eq!(state_of(full), SqlState::DISK_FULL);
    assert_eq!((stored_runs(kv.inner()), intents(kv.inner())), (stored, 0));
    kv.set_quota_bytes(None);
    load(&store, KEYED, &some_rows(0..10), 1000).unwrap();
}

/// A run that the failed write would have listed is listed by the next one.
#[test]
fn pages_come_with_their_intent_after_a_write_that_failed() {
    let kv = faulty(1);
    let store = open_with(kv.clone(), small()).unwrap();
    let mut sink = PageSink::new(&store);
    let run = sink.new_run();
    let mut write = || {
        let page = RunValue {
            number: 0,
            bytes: vec![1; 100],
        };
        block_on(sink.put_values(run, vec![page])).unwrap();
        block_on(sink.write_pending())
    };
    kv.fault_in(1, CallFault::Fail(KvError::StorageFull));
    assert_eq!(write().unwrap_err().state(), SqlState::DISK_FULL);
    write().unwrap();
    assert!(stored_runs(kv.inner()).contains(&run.0));
    check(&kv, false, false);
}

#[test]
fn a_dropped_load_has_not_happened() {
    let rows = some_rows(shuffled(1000));
    for polls in 1.. {
        let kv = MemoryKv::new();
        let plan = FaultPlan::new(polls).yields_max(2);
        let store = open_with(Arc::new(FaultKv::new(kv.reopen(), plan)), small()).unwrap();
        with_trees(&store);
        let loading = store.direct_bulk_load(KEYED, [batch(&rows)], by(500));
        let mut loading = Box::pin(loading);
        let mut done = false;
        for _ in 0..polls {
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            done = done || loading.poll_unpin(&mut context).is_ready();
        }
        drop(loading);
        if done {
            assert!(polls > 5, "{polls}");
            break;
        }
        // Nobody knows how a commit ended in which the drop fell.
        if store.state().check_usable().is_ok() {
            assert_eq!(store.begin().row_count(KEYED), Some(0));
            insert(&store, KEYED, &some_rows([5000]));
            block_on(store.flush()).unwrap();
            assert_eq!(store.begin().row_count(KEYED), Some(1));
        }
        drop(store);
        let store = open(&kv);
        let found = store.begin().row_count(KEYED).unwrap();
        assert!([0, 1, 1000].contains(&found), "{found}");
        let state = store.state();
        let mut listed: Vec<u64> = state.version.all_runs().map(|run| run.id.0).collect();
        listed.sort_unstable();
        assert_eq!((stored_runs(&kv), intents(&kv)), (listed, 0));
    }
}

#[test]
fn a_load_whose_part_was_interrupted_does_not_finish() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let mut load = store.bulk_load(KEYED, by(10)).unwrap();
    block_on(load.append(&batch(&some_rows(0..50)))).unwrap();
    block_on(load.append(&batch(&some_rows([60, 60])))).unwrap_err();
    for error in [
        block_on(load.append(&batch(&some_rows([70])))).unwrap_err(),
        block_on(load.finish()).unwrap_err(),
    ] {
        assert_eq!(state_of(error), SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE);
    }
    assert_eq!(store.begin().row_count(KEYED), Some(0));
}

#[test]
fn what_does_not_fit_the_tree_is_refused() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let column = Column::from_values(LogicalType::Int4, &[Value::Int4(1)]);
    let narrow = Batch::new(vec![Arc::new(column)], 1);
    let error = block_on(store.direct_bulk_load(KEYED, [narrow], by(10))).unwrap_err();
    assert_eq!(state_of(error), SqlState::INTERNAL_ERROR);
    assert!(store.bulk_load(TreeId(77), by(10)).is_err());
    let huge = "x".repeat(33 << 20);
    let rows = vec![(1, Some(huge), 0)];
    let error = load(&store, KEYED, &rows, 10).unwrap_err();
    assert_eq!(state_of(error), SqlState::PROGRAM_LIMIT_EXCEEDED);
}

fn loads() -> impl Strategy<Value = Vec<(Vec<i8>, usize)>> {
    let keys = proptest::collection::vec(any::<i8>(), 1..60);
    proptest::collection::vec((keys, 1..20usize), 1..6)
}

proptest! {
    /// Loads one after the other, with keys of every kind, against a set.
    #[test]
    fn loads_behave_as_a_set(loads in loads(), text_key: bool) {
        let settings = crate::StoreSettings {
            memtable_bytes_max: 600,
            ..small()
        };
        let store = open_with(Arc::new(MemoryKv::new()), settings).unwrap();
        let tree = TreeId(1);
        let ty = if text_key { LogicalType::Text } else { LogicalType::Int4 };
        let column = TreeColumn {
            id: ColumnId(1),
            ty,
            nullable: false,
            missing: Value::Null,
            storage: varve_types::ColumnStorage::default(),
        };
        let schema = TreeSchema {
            tree,
            version: 1,
            columns: vec![column],
            key: SortKey::Columns(vec![0]),
            options: varve_types::TreeOptions::default(),
        };
        let mut transaction = store.begin();
        transaction.create_tree(schema).unwrap();
        block_on(transaction.commit(Durability::Strict)).unwrap();
        let mut model = std::collections::BTreeSet::new();
        for (keys, batch_rows) in loads {
            let value = |key: &i8| match ty {
                LogicalType::Text => Value::text(format!("{key}")),
                _ => Value::Int4(i32::from(*key)),
            };
            let values: Vec<Value> = keys.iter().map(value).collect();
            let batches = values.chunks(17).map(|values| {
                let column = Column::from_values(ty, values);
                Batch::new(vec![Arc::new(column)], values.len())
            });
            let answer = block_on(store.direct_bulk_load(tree, batches, by(batch_rows)));
            let mut after = model.clone();
            let fresh = keys.iter().all(|key| after.insert(*key));
            prop_assert_eq!(answer.is_ok(), fresh);
            if fresh {
                model = after;
            }
            prop_assert_eq!(store.begin().row_count(tree), Some(model.len() as u64));
        }
    }
}
