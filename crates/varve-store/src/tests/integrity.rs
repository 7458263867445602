//! Checking and repairing: what is damaged is named, what is sound is kept.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Bytes, Durability, Key, Kv, MemoryKv, WriteBatch};
use varve_types::{
    ColumnPredicate, CommitSeq, CompareOp, MemoryBudget, PredicateTest, RunId, Value,
};

use super::damage::{damage, flip};
use super::index::{new_row, with_indexes, write};
use super::{
    KEYED, PLAIN, Row, TestEnv, insert, open, positions_where, small, some_rows, sorted_rows,
    with_trees,
};
use crate::RepairReport;
use crate::format::keys;
use crate::store::Store;

/// Run 1 is that of `KEYED`, run 2 that of `PLAIN`; both have deletion vectors. Two more commits
/// are in the log: 5 inserts into `PLAIN`, 6 into `KEYED`.
fn filled() -> MemoryKv {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &some_rows(0..5000));
    }
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        let low = ColumnPredicate {
            column: 0,
            test: PredicateTest::Compare(CompareOp::Lt, Value::Int8(10)),
        };
        let positions = positions_where(&transaction, tree, low);
        block_on(transaction.delete(tree, &positions)).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
    insert(&store, KEYED, &[(3, Some("again".to_owned()), 3)]);
    block_on(store.flush()).unwrap();
    insert(&store, PLAIN, &some_rows([7000]));
    insert(&store, KEYED, &some_rows([7000]));
    kv
}

fn expected(tree: super::TreeId) -> Vec<Row> {
    let mut rows = some_rows((10..5000).chain([7000]));
    if tree == KEYED {
        rows.push((3, Some("again".to_owned()), 3));
        rows.sort();
    }
    rows
}

fn remove(kv: &MemoryKv, key: Key) {
    let mut batch = WriteBatch::new();
    batch.delete(key);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
}

fn get(kv: &MemoryKv, key: Key) -> Option<Bytes> {
    block_on(kv.get_many(&[key])).unwrap().remove(0)
}

fn repair(kv: &MemoryKv) -> (Arc<Store>, RepairReport) {
    let memory = Arc::new(MemoryBudget::new(64 << 20));
    let env = Arc::new(TestEnv::default());
    block_on(Store::repair(Arc::new(kv.reopen()), env, memory, small())).unwrap()
}

/// After the repair the store is sound, also after it is opened again.
fn check_sound(store: &Arc<Store>, kv: &MemoryKv) {
    let report = block_on(store.check()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    let (_, report) = repair(kv);
    assert!(report.is_empty(), "{report:?}");
}

#[test]
fn a_sound_store_is_read_whole_and_left_as_it_is() {
    let kv = filled();
    let store = open(&kv);
    let report = block_on(store.check()).unwrap();
    assert!(report.is_sound(), "{report:?}");
    // Rows of runs, deleted ones too.
    assert_eq!(report.rows, 10_001);
    assert!(report.values >= 10 && report.bytes > 3_000, "{report:?}");
    let (store, report) = repair(&kv);
    assert!(report.is_empty(), "{report:?}");
    for tree in [KEYED, PLAIN] {
        assert_eq!(sorted_rows(&store.begin(), tree), expected(tree));
    }
}

#[test]
fn a_new_store_is_sound() {
    let kv = MemoryKv::new();
    assert!(block_on(open(&kv).check()).unwrap().is_sound());
    assert!(repair(&kv).1.is_empty());
}

#[test]
fn records_come_back_from_their_copies() {
    let manifest = keys::manifest();
    let catalog = keys::catalog(1);
    for (key, copy) in [
        (manifest, keys::manifest_copy()),
        (catalog, keys::catalog_copy(1)),
    ] {
        for damaged in [&key, &copy] {
            for lost in [false, true] {
                let kv = filled();
                let before = get(&kv, damaged.clone());
                if lost {
                    remove(&kv, damaged.clone());
                } else {
                    damage(&kv, damaged, flip);
                }
                let (store, report) = repair(&kv);
                assert_eq!(report.restored, [keys::describe(damaged)]);
                assert_eq!(get(&kv, damaged.clone()), before);
                assert_eq!(sorted_rows(&store.begin(), KEYED), expected(KEYED));
                check_sound(&store, &kv);
            }
        }
        let kv = filled();
        damage(&kv, &key, flip);
        damage(&kv, &copy, flip);
        let memory = Arc::new(MemoryBudget::new(64 << 20));
        let env = Arc::new(TestEnv::default());
        let kv = Arc::new(kv.reopen());
        let error = block_on(Store::repair(kv, env, memory, small())).unwrap_err();
        assert_eq!(error.state().code(), "XX001");
    }
}

#[test]
fn a_damaged_epoch_is_replaced() {
    let kv = filled();
    let stale = open(&kv);
    damage(&kv, &keys::epoch(), flip);
    let (store, report) = repair(&kv);
    assert_eq!(report.restored, ["the epoch"]);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), expected(PLAIN));
    let mut transaction = stale.begin();
    block_on(transaction.insert(PLAIN, &super::batch(&some_rows([1])))).unwrap();
    let error = block_on(transaction.commit(Durability::Strict)).unwrap_err();
    assert_eq!(error.state().code(), "55006");
}

#[test]
fn a_damaged_record_of_the_log_costs_its_commit_alone() {
    for lost in [false, true] {
        let kv = filled();
        let key = keys::log(CommitSeq(6), 0);
        if lost {
            remove(&kv, key);
        } else {
            damage(&kv, &key, flip);
        }
        let (store, report) = repair(&kv);
        assert_eq!(report.first_commit_lost, Some(6));
        assert_eq!(report.commits_kept_after, 1);
        assert_eq!(report.log_values_lost, if lost { 1 } else { 2 });
        for tree in [KEYED, PLAIN] {
            let mut rows = expected(tree);
            rows.retain(|row| tree == KEYED || row.0 != 7000);
            assert_eq!(sorted_rows(&store.begin(), tree), rows);
        }
        insert(&store, KEYED, &some_rows([8000]));
        check_sound(&store, &kv);
    }
}

#[test]
fn of_a_run_with_a_damaged_page_the_other_vectors_are_kept() {
    let kv = filled();
    let store = open(&kv);
    // The last page of the run: whatever it holds, check and repair agree on it.
    let last = (0..)
        .take_while(|page| get(&kv, keys::run_value(RunId(1), *page)).is_some())
        .last()
        .unwrap();
    damage(&kv, &keys::run_value(RunId(1), last), flip);
    let report = block_on(store.check()).unwrap();
    assert!(!report.is_sound());
    assert!(
        report
            .problems
            .iter()
            .all(|found| found.run == Some(RunId(1))
                && found.tree == Some(KEYED)
                && found.error.state().code() == "XX001")
    );
    let (store, report) = repair(&kv);
    let [run] = report.runs.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!(
        (run.tree, run.run, run.deletions_lost),
        (KEYED, RunId(1), 0)
    );
    assert_eq!(run.rows_kept + run.rows_lost, 4990);
    let rows = sorted_rows(&store.begin(), KEYED);
    // Those of the damaged run, one that another run has, one of the log.
    assert_eq!(rows.len() as u64, run.rows_kept + 2);
    assert!(rows.iter().all(|row| expected(KEYED).contains(row)));
    assert_eq!(sorted_rows(&store.begin(), PLAIN), expected(PLAIN));
    assert_eq!(block_on(store.quarantined_runs()).unwrap(), [RunId(1)]);
    check_sound(&store, &kv);
    assert!(get(&kv, keys::run_value(RunId(1), 0)).is_some());
    let store = open(&kv);
    block_on(store.drop_quarantined()).unwrap();
    assert_eq!(block_on(store.quarantined_runs()).unwrap(), []);
    assert!(get(&kv, keys::run_value(RunId(1), 0)).is_none());
}

#[test]
fn a_run_without_its_head_is_put_aside_whole() {
    let kv = filled();
    damage(&kv, &keys::head(RunId(1)), flip);
    let (store, report) = repair(&kv);
    let run = &report.runs[0];
    assert_eq!((run.rows_kept, run.rows_lost), (0, 5000));
    assert_eq!(sorted_rows(&store.begin(), KEYED).len(), 2);
    assert_eq!(sorted_rows(&store.begin(), PLAIN), expected(PLAIN));
    check_sound(&store, &kv);
}

#[test]
fn rows_whose_deletions_are_lost_come_back_unless_newer_ones_have_their_keys() {
    let kv = filled();
    remove(&kv, keys::deletion_vector(RunId(1), 1));
    let (store, report) = repair(&kv);
    let run = &report.runs[0];
    assert_eq!(
        (run.rows_kept, run.rows_lost, run.deletions_lost),
        (4999, 0, 10)
    );
    // Of the ten deleted rows, 3 has a newer version.
    let rows = sorted_rows(&store.begin(), KEYED);
    assert_eq!(rows.len(), expected(KEYED).len() + 9);
    let again = (3, Some("again".to_owned()), 3);
    assert_eq!(
        rows.iter().filter(|row| row.0 == 3).collect::<Vec<_>>(),
        [&again]
    );
    check_sound(&store, &kv);
}

#[test]
fn pages_that_nothing_names_are_swept() {
    let kv = filled();
    let mut batch = WriteBatch::new();
    for key in [
        keys::head(RunId(90)),
        keys::run_value(RunId(91), 4),
        keys::deletion_vector(RunId(u64::MAX), 1),
        keys::intent(8),
    ] {
        batch.put(key, b"x".to_vec());
    }
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let (store, report) = repair(&kv);
    assert!(
        report.runs.is_empty() && report.restored.is_empty(),
        "{report:?}"
    );
    for key in [
        keys::head(RunId(90)),
        keys::run_value(RunId(91), 4),
        keys::deletion_vector(RunId(u64::MAX), 1),
        keys::intent(8),
    ] {
        assert_eq!(get(&kv, key), None);
    }
    check_sound(&store, &kv);
}

#[test]
fn a_page_that_says_something_untrue_is_found() {
    // Sound by its checksum, but with a zone map that no row has: written by a bug, not by decay.
    let kv = filled();
    let head = get(&kv, keys::head(RunId(2))).unwrap();
    assert!(!head.is_empty());
    damage(&kv, &keys::deletion_vector(RunId(2), 1), |value| {
        let untrue = roaring::RoaringBitmap::from_iter([100_000_u32]);
        *value = crate::format::deletion_vector::encode(RunId(2), 1, &untrue).unwrap();
    });
    let report = block_on(open(&kv).check()).unwrap();
    assert_eq!(
        report.problems[0].error.message(),
        "the deletion vector of run 2 names rows that it lacks"
    );
}

/// Keys of an index have orders, and its filters are over its own key columns only.
#[test]
fn indexes_are_found_sound() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_indexes(&store);
    let mut transaction = store.begin();
    let rows: Vec<Row> = (0..2000).map(|key| new_row(key, 1, 2)).collect();
    write(&mut transaction, &[], &rows).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.flush()).unwrap();
    let report = block_on(store.check()).unwrap();
    assert!(report.problems.is_empty(), "{report:?}");
    assert!(report.rows > 4000, "{report:?}");
}
