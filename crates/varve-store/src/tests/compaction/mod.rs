//! Merging runs, beside transactions and under faults.

#[expect(
    clippy::disallowed_methods,
    reason = "how long it takes is printed, and decides nothing"
)]
mod amplification;
mod deletion_vectors;
mod late_zstd;
#[cfg(feature = "zstd-encode")]
mod value_frames;

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, MemoryKv};
use varve_types::{
    ColumnId, CompareOp, Compression, LogicalType, PredicateTest, TreeColumn, Value,
};
use varve_types::{ColumnPredicate, CommitSeq, RowPosition, SortKey, TreeId};

use self::late_zstd::LateZstd;
use super::crash::{intents, stored_runs};
use super::{
    KEYED, PLAIN, Row, batch, insert, open, open_with, positions_where, schema, small, some_rows,
    sorted_rows, with_trees,
};
use crate::catalog::Catalog;
use crate::compaction::{Effort, Extent, Steps};
use crate::error::Result;
use crate::store::Store;
use crate::tree::Tree;
use crate::{Durability, Transaction};

/// Does something at one step of a compaction.
struct AtStep<F> {
    step: usize,
    act: Option<F>,
}

impl<F: FnOnce() -> Result<()>> AtStep<F> {
    fn new(step: usize, act: F) -> AtStep<F> {
        AtStep {
            step,
            act: Some(act),
        }
    }
}

impl<F: FnOnce() -> Result<()>> Steps for AtStep<F> {
    async fn step(&mut self) -> Result<()> {
        self.step = self.step.saturating_sub(1);
        if self.step == 0
            && let Some(act) = self.act.take()
        {
            return act();
        }
        Ok(())
    }
}

fn full() -> Effort {
    Effort::full(small().run_bytes_max)
}

/// Runs over each other: of each tree as many as there are layers, with every so manyth key.
fn layers(store: &Arc<Store>, layers: i64, rows: i64) -> Vec<Row> {
    for layer in 0..layers {
        let keys = (0..rows).map(|i| i * layers + layer);
        for tree in [KEYED, PLAIN] {
            insert(store, tree, &some_rows(keys.clone()));
        }
        block_on(store.flush()).unwrap();
    }
    some_rows(0..layers * rows)
}

fn runs(store: &Store, tree: TreeId) -> Vec<(u64, u64)> {
    let state = store.state();
    let runs = state.version.runs(tree).iter();
    runs.map(|run| (run.id.0, run.rows)).collect()
}

fn key(op: CompareOp, key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(op, Value::Int8(key)),
    }
}

fn delete_where(transaction: &mut Transaction, tree: TreeId, test: ColumnPredicate) {
    let positions = positions_where(transaction, tree, test);
    block_on(transaction.delete(tree, &positions)).unwrap();
}

fn commit(transaction: Transaction) -> Result<CommitSeq> {
    block_on(transaction.commit(Durability::Strict))
}

/// Adds one to the last column of the row with a key, in both trees.
fn bump(transaction: &mut Transaction, k: i64) {
    for tree in [KEYED, PLAIN] {
        let positions = positions_where(transaction, tree, key(CompareOp::Eq, k));
        let mut row = some_rows([k]);
        row[0].2 += 1;
        block_on(transaction.update(tree, &positions, &[batch(&row)])).unwrap();
    }
}

#[test]
fn runs_become_few_and_rows_stay() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = layers(&store, 6, 500);
    assert_eq!(runs(&store, KEYED).len(), 6);
    block_on(store.vacuum(None, true)).unwrap();
    for tree in [KEYED, PLAIN] {
        let left = runs(&store, tree);
        assert!(left.len() <= 2, "{left:?}");
        assert_eq!(sorted_rows(&store.begin(), tree), rows);
    }
    assert_eq!(intents(&kv), 0);
    // Nothing is left of the inputs.
    assert_eq!(
        stored_runs(&kv).len(),
        runs(&store, KEYED).len() + runs(&store, PLAIN).len()
    );
    let again = runs(&store, KEYED);
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(runs(&store, KEYED), again);
    drop(store);
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
    assert_eq!(runs(&store, KEYED), again);
}

#[test]
fn outputs_are_cut_by_bytes_and_stay_apart() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let mut chance = varve_kv::fault::SplitMix64::new(1);
    let mut wide = |k: i64| {
        let text: String = (0..20)
            .map(|_| format!("{:016x}", chance.next_u64()))
            .collect();
        (k, Some(text), 1)
    };
    for layer in 0..3_i64 {
        let keys = (0..4500).map(|i| i * 3 + layer);
        insert(&store, KEYED, &keys.map(&mut wide).collect::<Vec<_>>());
        block_on(store.flush()).unwrap();
    }
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    let state = store.state();
    let left = state.version.runs(KEYED);
    // Whole groups go into a run.
    assert!(left.len() > 1, "{}", left.len());
    let ranges: Vec<_> = left.iter().map(|run| run.key_range().unwrap()).collect();
    assert!(ranges.is_sorted_by(|a, b| a.1 < b.0));
    for run in left {
        assert!(
            run.bytes < small().run_bytes_max + (2 << 20),
            "{}",
            run.bytes
        );
    }
}

#[test]
fn vacuum_gives_the_space_of_deleted_rows_back() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 1, 4000);
    let bytes = |store: &Store| store.tree_storage(KEYED).unwrap().total_bytes;
    let before = bytes(&store);
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, key(CompareOp::Lt, 3600));
    commit(transaction).unwrap();
    block_on(store.vacuum(Some(KEYED), false)).unwrap();
    let storage = store.tree_storage(KEYED).unwrap();
    assert_eq!((storage.rows, storage.deleted_rows), (400, 0));
    assert!(bytes(&store) < before / 4, "{} {before}", bytes(&store));
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(3600..4000));
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, key(CompareOp::GtEq, 0));
    commit(transaction).unwrap();
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(runs(&store, KEYED), []);
}

#[test]
fn runs_that_are_older_than_a_column_get_what_it_was_added_with() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 2, 300);
    let mut wider = schema(KEYED, SortKey::Columns(vec![0]));
    wider.version = 2;
    wider.columns.push(TreeColumn {
        id: ColumnId(9),
        ty: LogicalType::Text,
        nullable: true,
        missing: Value::text("before"),
        storage: varve_types::ColumnStorage::default(),
    });
    {
        let mut state = store.state();
        let mut catalog = Catalog::clone(&state.catalog);
        let tree = Arc::new(Tree::new(wider).unwrap());
        catalog.trees.insert(KEYED, tree);
        state.catalog = Arc::new(catalog);
    }
    block_on(store.vacuum(None, true)).unwrap();
    let state = store.state();
    let [run] = state.version.runs(KEYED) else {
        panic!("{:?}", runs(&store, KEYED));
    };
    let head = run.head().unwrap();
    assert_eq!((head.schema_version(), head.columns().len()), (2, 4));
    let zone = &head.stats()[3].zone;
    assert_eq!(
        (zone.null_count, zone.max.clone()),
        (0, Some(Value::text("before")))
    );
    drop(state);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..600));
}

#[test]
fn runs_are_written_again_where_storage_changed_and_once_zstd_is_there() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    store.state().zstd = None;
    with_trees(&store);
    layers(&store, 1, 300);
    let change = |version: u32, compression: Compression| {
        let mut schema = schema(KEYED, SortKey::Columns(vec![0]));
        schema.version = version;
        schema.options.version = version;
        schema.columns[2].storage.compression = compression;
        let mut state = store.state();
        let mut catalog = Catalog::clone(&state.catalog);
        catalog
            .trees
            .insert(KEYED, Arc::new(Tree::new(schema).unwrap()));
        state.catalog = Arc::new(catalog);
    };
    let encodings = || {
        store.tree_storage(KEYED).unwrap().columns[2]
            .encodings
            .join(", ")
    };
    let before = runs(&store, KEYED);
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(runs(&store, KEYED), before, "nothing to do");
    change(2, Compression::Plain);
    block_on(store.vacuum(None, false)).unwrap();
    assert_ne!(runs(&store, KEYED), before);
    assert_eq!(encodings(), "plain");
    change(3, Compression::Zstd(3));
    block_on(store.vacuum(None, false)).unwrap();
    assert!(encodings().ends_with("zstd due"), "{}", encodings());
    let before = runs(&store, KEYED);
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(runs(&store, KEYED), before, "without an encoder it waits");
    store.set_zstd_source(Arc::new(LateZstd::default()));
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(runs(&store, KEYED), before, "it could not be fetched");
    block_on(store.vacuum(None, false)).unwrap();
    assert_eq!(
        encodings(),
        "plain",
        "a stage that does not pay is no stage"
    );
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..300));
}

#[test]
fn transactions_find_rows_that_moved_under_them() {
    // At each step of the compaction something commits; before it, transactions began.
    for step in 1..12 {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        let mut rows = layers(&store, 4, 300);
        let mut late = store.begin();
        let mut loser = store.begin();
        let mut during = store.begin();
        bump(&mut during, 17);
        delete_where(&mut during, KEYED, key(CompareOp::GtEq, 1190));
        delete_where(&mut during, PLAIN, key(CompareOp::GtEq, 1190));
        let old = store.begin();
        let mut steps = AtStep::new(step, || commit(during).map(drop));
        block_on(store.compact(&Extent::All, &full(), &mut steps)).unwrap();
        if let Some(act) = steps.act.take() {
            act().unwrap();
        }
        assert_eq!(runs(&store, KEYED).len(), 1);
        // It saw the rows where they were, and they are where it does not look.
        bump(&mut late, 18);
        bump(&mut late, 900);
        commit(late).unwrap();
        bump(&mut loser, 17);
        assert_eq!(commit(loser).unwrap_err().state().code(), "40001");
        let mut loser = old;
        let before = some_rows(0..1200);
        assert_eq!(sorted_rows(&loser, KEYED), before);
        delete_where(&mut loser, PLAIN, key(CompareOp::Eq, 1195));
        assert_eq!(commit(loser).unwrap_err().state().code(), "40001");
        for k in [17, 18, 900] {
            rows[k].2 += 1;
        }
        rows.truncate(1190);
        for tree in [KEYED, PLAIN] {
            assert_eq!(sorted_rows(&store.begin(), tree), rows, "{step}");
        }
        let store = open(&kv);
        for tree in [KEYED, PLAIN] {
            assert_eq!(sorted_rows(&store.begin(), tree), rows, "{step}");
        }
    }
}

#[test]
fn a_run_may_die_or_its_table_be_dropped_while_it_is_merged() {
    for step in 1..6 {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        layers(&store, 3, 200);
        let mut old = store.begin();
        let act = || {
            let mut transaction = store.begin();
            let all = transaction_rows(&transaction, KEYED, |row| row.0 % 3 == 1);
            block_on(transaction.delete(KEYED, &all))?;
            commit(transaction)?;
            // The run that is wholly dead is listed no more.
            block_on(store.flush())
        };
        let mut steps = AtStep::new(step, act);
        block_on(store.compact(&Extent::Tree(KEYED), &full(), &mut steps)).unwrap();
        if let Some(act) = steps.act.take() {
            act().unwrap();
        }
        let expected: Vec<Row> = some_rows(0..600)
            .into_iter()
            .filter(|row| row.0 % 3 != 1)
            .collect();
        assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
        delete_where(&mut old, KEYED, key(CompareOp::Eq, 1));
        assert_eq!(commit(old).unwrap_err().state().code(), "40001");
        let mut steps = AtStep::new(step, || {
            let mut transaction = store.begin();
            transaction.drop_tree(PLAIN)?;
            commit(transaction).map(drop)
        });
        let done = block_on(store.compact(&Extent::Tree(PLAIN), &full(), &mut steps));
        match steps.act.take() {
            Some(act) => act().unwrap(),
            None => assert_eq!(done.unwrap_err().state().code(), "57014"),
        }
        block_on(store.flush()).unwrap();
        block_on(store.vacuum(None, false)).unwrap();
        assert_eq!(intents(&kv), 0);
        assert_eq!(stored_runs(&kv).len(), runs(&store, KEYED).len());
    }
}

/// Positions of the rows of a tree that are wanted.
fn transaction_rows(
    transaction: &Transaction,
    tree: TreeId,
    wanted: fn(&Row) -> bool,
) -> Vec<RowPosition> {
    let rows = super::read(transaction, super::everything(tree)).unwrap();
    let rows = rows.into_iter().filter(|(row, _)| wanted(row));
    rows.map(|(_, position)| position).collect()
}

#[test]
fn older_snapshots_read_the_inputs_which_stay_until_none_does() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = layers(&store, 3, 400);
    let inputs = stored_runs(&kv);
    let old = store.begin();
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, key(CompareOp::Lt, 700));
    commit(transaction).unwrap();
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(sorted_rows(&old, KEYED), rows);
    assert_eq!(sorted_rows(&old, PLAIN), rows);
    let stored = stored_runs(&kv);
    assert!(inputs.iter().all(|run| stored.contains(run)));
    drop(old);
    block_on(store.flush()).unwrap();
    let stored = stored_runs(&kv);
    assert!(inputs.iter().all(|run| !stored.contains(run)));
    // A store that was killed meanwhile knows what to delete.
    let store = open(&kv);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows[700..]);
}

#[test]
fn a_damaged_page_ends_the_compaction_and_is_not_tried_again() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    layers(&store, 4, 200);
    let (run, _) = runs(&store, KEYED)[1];
    let key = crate::format::keys::run_value(varve_types::RunId(run), 0);
    let mut damage = varve_kv::WriteBatch::new();
    damage.put(key, vec![1, 2, 3]);
    block_on(kv.commit(damage, varve_kv::Durability::Strict)).unwrap();
    let error = block_on(store.vacuum(None, true)).unwrap_err();
    assert_eq!(error.state().code(), "XX001");
    block_on(store.vacuum(None, true)).unwrap();
    assert_eq!(runs(&store, KEYED).len(), 4);
    assert_eq!(runs(&store, PLAIN).len(), 1);
    assert_eq!(intents(&kv), 0);
}

type FaultyKv = FaultKv<MemoryKv>;

/// Three layers with some rows deleted, and what is left of them.
fn prepared(seed: u64) -> (Arc<FaultyKv>, Vec<Row>) {
    let kv = Arc::new(FaultKv::new(
        MemoryKv::new(),
        FaultPlan::new(seed).yields_max(2),
    ));
    let store = open_with(kv.clone(), small()).unwrap();
    with_trees(&store);
    let mut rows = layers(&store, 3, 150);
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        let some = transaction_rows(&transaction, tree, |row| row.0 % 5 == 2);
        block_on(transaction.delete(tree, &some)).unwrap();
    }
    commit(transaction).unwrap();
    rows.retain(|row| row.0 % 5 != 2);
    (kv, rows)
}

/// The store has these rows, and no page that nothing names.
fn check(kv: &FaultyKv, rows: &[Row]) {
    let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let store = open_with(kv.clone(), small()).unwrap();
    for tree in [KEYED, PLAIN] {
        assert_eq!(sorted_rows(&store.begin(), tree), rows);
    }
    assert_eq!(intents(&*kv), 0);
    let mut listed: Vec<u64> = [KEYED, PLAIN]
        .iter()
        .flat_map(|tree| runs(&store, *tree))
        .map(|run| run.0)
        .collect();
    listed.sort_unstable();
    assert_eq!(stored_runs(&*kv), listed);
}

#[test]
fn any_call_of_a_compaction_may_fail() {
    let faults = [
        CallFault::Fail(KvError::StorageFull),
        CallFault::LoseAnswer,
        CallFault::Close,
        CallFault::Fail(KvError::Closed),
    ];
    for fault in faults {
        for call in 1.. {
            let (kv, mut rows) = prepared(call);
            let store = open_with(kv.clone(), small()).unwrap();
            let calls = kv.calls();
            // The process dies, or goes on after one fault.
            let dies = matches!(fault, CallFault::Fail(KvError::Closed));
            for later in call..call + if dies { 200 } else { 1 } {
                kv.fault_in(later, fault.clone());
            }
            let done = block_on(store.vacuum(None, true));
            if kv.calls() - calls < call {
                done.unwrap();
                assert!(call > 8, "{call}");
                break;
            }
            check(&kv, &rows);
            if dies {
                continue;
            }
            // The same handle goes on, or says that it must be opened again. Where the storage was
            // full, the next try is due after a while.
            block_on(store.env.sleep(1_000_000));
            let mut transaction = store.begin();
            bump(&mut transaction, 3);
            if commit(transaction).is_ok() {
                rows[2].2 += i32::from(rows[2].0 == 3);
                block_on(store.vacuum(None, true)).unwrap();
                check(&kv, &rows);
            }
        }
    }
}

#[test]
fn a_compaction_may_be_dropped_at_any_await() {
    for polls in 1.. {
        let (kv, rows) = prepared(polls);
        let store = open_with(kv.clone(), small()).unwrap();
        let old = store.begin();
        let ended = {
            let mut control = crate::store::JobControl::of_request(&store);
            let effort = full();
            let mut future = Box::pin(store.compact(&Extent::All, &effort, &mut control));
            let mut context = std::task::Context::from_waker(std::task::Waker::noop());
            (0..polls).any(|_| future.as_mut().poll(&mut context).is_ready())
        };
        assert_eq!(sorted_rows(&old, KEYED), rows);
        drop(old);
        // Dropped within the publishing commit, nobody can tell whether it took effect.
        if store.state().check_usable().is_ok() {
            block_on(store.vacuum(None, true)).unwrap();
            assert_eq!(runs(&store, KEYED).len(), 1);
        }
        drop(store);
        check(&kv, &rows);
        if ended {
            assert!(polls > 12, "{polls}");
            break;
        }
    }
}

#[test]
fn the_same_runs_come_of_the_same_steps() {
    let stored = || {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        layers(&store, 5, 300);
        block_on(store.vacuum(None, true)).unwrap();
        let range = varve_kv::KeyRange::prefix(b"r".to_vec());
        block_on(kv.scan(&varve_kv::Scan::forward(range, varve_kv::ScanLimit::NONE))).unwrap()
    };
    assert!(stored() == stored());
}

#[test]
fn space_of_deleted_rows_comes_back_without_a_command() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    layers(&store, 5, 600);
    block_on(store.run_jobs_until_idle()).unwrap();
    assert!(runs(&store, KEYED).len() < 4, "small runs become one");
    let before = store.tree_storage(KEYED).unwrap().total_bytes;
    let mut transaction = store.begin();
    delete_where(&mut transaction, KEYED, key(CompareOp::Lt, 2000));
    commit(transaction).unwrap();
    block_on(store.flush()).unwrap();
    block_on(store.run_jobs_until_idle()).unwrap();
    let storage = store.tree_storage(KEYED).unwrap();
    assert_eq!((storage.rows, storage.deleted_rows), (1000, 0));
    assert!(
        storage.total_bytes < before,
        "{} {before}",
        storage.total_bytes
    );
    let jobs = store.jobs();
    let merged = jobs.iter().rfind(|job| job.kind == "compaction").unwrap();
    assert_eq!(merged.state, crate::store::JobState::Done);
    assert_eq!((merged.done, merged.total), (1000, Some(1000)));
}
