//! A fault at every call of a small scenario, then a new open.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, MemoryKv, Scan, ScanLimit};

use super::{
    Background, KEYED, PLAIN, Row, batch, open_with, small, some_rows, sorted_rows, with_trees,
};
use crate::Durability;
use crate::error::Result;
use crate::format::keys;
use crate::store::Store;

type FaultyKv = FaultKv<MemoryKv>;

/// Every intent that is stored.
pub(super) fn intents(kv: &dyn Kv) -> usize {
    let mut range = keys::intents_and_log();
    range.end = Some(b"j".to_vec());
    block_on(kv.scan(&Scan::forward(range, ScanLimit::NONE)))
        .unwrap()
        .len()
}

/// Every run that has a head or a value stored.
pub(super) fn stored_runs(kv: &dyn Kv) -> Vec<u64> {
    let mut runs = Vec::new();
    for kind in [b"h", b"r"] {
        let range = varve_kv::KeyRange::prefix(kind.to_vec());
        for (key, _) in block_on(kv.scan(&Scan::forward(range, ScanLimit::NONE))).unwrap() {
            runs.push(u64::from_be_bytes(key[1..9].try_into().unwrap()));
        }
    }
    runs.sort_unstable();
    runs.dedup();
    runs
}

/// Commits, a spilled transaction, a flush, deletes, a commit while a flush has gone so many steps.
/// Counts the commits that answered.
fn scenario(kv: &Arc<FaultyKv>, flush_steps: usize, done: &mut usize) -> Result<()> {
    let store = open_with(kv.clone(), small())?;
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        block_on(transaction.insert(tree, &batch(&some_rows(0..20))))?;
    }
    block_on(transaction.commit(Durability::Strict))?;
    *done = 1;
    let mut transaction = store.begin();
    for rows in some_rows(100..400).chunks(50) {
        block_on(transaction.insert(KEYED, &batch(rows)))?;
        block_on(transaction.insert(PLAIN, &batch(rows)))?;
    }
    block_on(transaction.commit(Durability::Strict))?;
    *done = 2;
    block_on(store.flush())?;
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        let all = super::read(&transaction, super::everything(tree))?;
        let odd = all.iter().filter(|(row, _)| row.0 % 2 == 1);
        let odd: Vec<_> = odd.map(|(_, position)| *position).collect();
        block_on(transaction.delete(tree, &odd))?;
    }
    block_on(transaction.commit(Durability::Strict))?;
    *done = 3;
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        block_on(transaction.insert(tree, &batch(&some_rows(500..560))))?;
    }
    block_on(transaction.commit(Durability::Relaxed))?;
    *done = 4;
    let mut flush = Background::flush(&store);
    flush.steps(flush_steps);
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        let all = super::read(&transaction, super::everything(tree))?;
        let thirds = all.iter().filter(|(row, _)| row.0 % 3 == 0);
        let (rows, thirds): (Vec<Row>, Vec<_>) = thirds.cloned().unzip();
        block_on(transaction.update(tree, &thirds, &[batch(&changed(rows))]))?;
    }
    flush.beside(transaction.commit(Durability::Relaxed))?;
    *done = 5;
    flush.finish()?;
    block_on(store.close())
}

/// What the last commit makes of rows.
fn changed(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter().map(|row| (row.0, row.1, -1)).collect()
}

fn prepared(seed: u64) -> Arc<FaultyKv> {
    let plan = FaultPlan::new(seed).yields_max(2);
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
    with_trees(&open_with(kv.clone(), small()).unwrap());
    kv
}

/// What the scenario's commits leave, one after the other.
fn states() -> [Vec<Row>; 6] {
    let first = some_rows(0..20);
    let second: Vec<Row> = some_rows((0..20).chain(100..400));
    let third: Vec<Row> = second
        .iter()
        .filter(|row| row.0 % 2 == 0)
        .cloned()
        .collect();
    let fourth: Vec<Row> = third.iter().cloned().chain(some_rows(500..560)).collect();
    let (thirds, mut fifth): (Vec<Row>, Vec<Row>) =
        fourth.iter().cloned().partition(|row| row.0 % 3 == 0);
    fifth.extend(changed(thirds));
    fifth.sort();
    [Vec::new(), first, second, third, fourth, fifth]
}

/// The store reads as after the last commit that answered, or after the one that was under way; no
/// page is left that nothing names.
fn check(kv: &Arc<FaultyKv>, done: usize, may_be_next: bool) {
    let kv: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let store = open_with(kv.clone(), small()).unwrap();
    let transaction = store.begin();
    let found = sorted_rows(&transaction, KEYED);
    assert_eq!(sorted_rows(&transaction, PLAIN), found);
    let states = states();
    let next = states.get(done + 1).filter(|_| may_be_next);
    assert!(
        found == states[done] || Some(&found) == next,
        "{done} {}",
        found.len()
    );
    assert_eq!(intents(&*kv), 0);
    let mut listed: Vec<u64> = store
        .state()
        .version
        .all_runs()
        .map(|run| run.id.0)
        .collect();
    listed.sort_unstable();
    assert_eq!(stored_runs(&*kv), listed);
}

#[test]
fn any_call_may_fail() {
    let faults = [
        CallFault::Fail(KvError::StorageFull),
        CallFault::Fail(KvError::Backend {
            message: "x".into(),
        }),
        CallFault::LoseAnswer,
        CallFault::Close,
    ];
    for fault in faults {
        for call in 1.. {
            let kv = prepared(call);
            kv.fault_in(call, fault.clone());
            let before = kv.calls();
            let mut done = 0;
            let answer = scenario(&kv, call as usize % 23, &mut done);
            if kv.calls() - before < call {
                answer.unwrap();
                assert_eq!(done, 5);
                assert!(call > 20, "{call}");
                break;
            }
            check(
                &kv,
                done,
                answer.is_err() && !matches!(fault, CallFault::Fail(KvError::StorageFull)),
            );
        }
    }
}

/// The process dies at a call: this one and all after it fail.
#[test]
fn a_process_may_die_at_any_call() {
    for call in 1..60 {
        let kv = prepared(call);
        for later in call..call + 100 {
            kv.fault_in(later, CallFault::Fail(KvError::Closed));
        }
        let mut done = 0;
        let answer = scenario(&kv, call as usize % 23, &mut done);
        assert!(answer.is_err() || call > 20);
        check(&kv, done, false);
    }
}

/// What a crash takes of relaxed commits is a suffix, even of large records.
#[test]
fn a_crash_loses_a_suffix() {
    for seed in 0..40 {
        let kv = prepared(seed);
        let settings = crate::StoreSettings::browser();
        let store: Arc<Store> = open_with(kv.clone(), settings.clone()).unwrap();
        for i in 0..10_i64 {
            let text = "x".repeat(if i % 3 == 0 { 100_000 } else { 10 });
            super::insert(&store, KEYED, &[(i, Some(text), 0)]);
        }
        drop(store);
        block_on(kv.crash()).unwrap();
        let store = open_with(kv, settings).unwrap();
        let rows = sorted_rows(&store.begin(), KEYED);
        // Record 9 was large, therefore strict.
        assert!(rows.len() == 10, "{}", rows.len());
        assert!(rows.iter().zip(0..).all(|(row, i)| row.0 == i));
    }
}
