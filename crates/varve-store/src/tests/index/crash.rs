//! A fault at every call of a scenario with indexes: after the next open each index has exactly the
//! entries of the rows that are there.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{KvError, MemoryKv};

use super::{Model, check, new_row, with_indexes, write};
use crate::Durability;
use crate::error::Result;
use crate::tests::{KEYED, Row, open_with, small, sorted_rows};

type FaultyKv = FaultKv<MemoryKv>;

/// Rows of each state that a commit of the scenario leaves.
fn states() -> [Vec<Row>; 5] {
    let rows = |keys: std::ops::Range<i64>, text: u8, number: i32| -> Vec<Row> {
        keys.map(|key| new_row(key, text, number)).collect()
    };
    let second = [rows(0..30, 1, 1), rows(100..400, 2, 2)].concat();
    let third = [
        rows(0..30, 1, 1),
        rows(100..200, 6, 3),
        rows(250..400, 2, 2),
    ]
    .concat();
    let fourth = [
        rows(0..20, 5, 1),
        rows(100..200, 6, 3),
        rows(250..400, 2, 2),
    ]
    .concat();
    [Vec::new(), rows(0..30, 1, 1), second, third, fourth]
}

/// Commits from state to state, one of them spilled, with flushes and merges between them.
fn scenario(kv: &Arc<FaultyKv>, done: &mut usize) -> Result<()> {
    let store = open_with(kv.clone(), small())?;
    let states = states();
    for (from, to) in states.iter().zip(states.iter().skip(1)) {
        let old: Vec<Row> = from
            .iter()
            .filter(|row| !to.contains(row))
            .cloned()
            .collect();
        let new: Vec<Row> = to
            .iter()
            .filter(|row| !from.contains(row))
            .cloned()
            .collect();
        let mut transaction = store.begin();
        write(&mut transaction, &old, &[])?;
        for rows in new.chunks(60) {
            write(&mut transaction, &[], rows)?;
        }
        block_on(transaction.commit(Durability::Strict))?;
        *done += 1;
        if *done >= 2 {
            block_on(store.flush())?;
        }
    }
    block_on(store.run_jobs_until_idle())?;
    block_on(store.close())
}

fn verify(kv: &Arc<FaultyKv>, done: usize) {
    let store = open_with(Arc::new(kv.inner().reopen()), small()).unwrap();
    let states = states();
    let found = sorted_rows(&store.begin(), KEYED);
    let known = states
        .iter()
        .skip(done)
        .take(2)
        .any(|state| *state == found);
    assert!(known, "{done} {}", found.len());
    let model: Model = found.into_iter().map(|row| (row.0, row)).collect();
    check(&store.begin(), &model);
    block_on(store.flush()).unwrap();
    check(&store.begin(), &model);
}

#[test]
fn indexes_agree_with_their_table_whatever_fails() {
    for fault in [CallFault::Fail(KvError::StorageFull), CallFault::LoseAnswer] {
        for call in 1.. {
            let plan = FaultPlan::new(call).yields_max(1);
            let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
            with_indexes(&open_with(kv.clone(), small()).unwrap());
            kv.fault_in(call, fault.clone());
            let before = kv.calls();
            let mut done = 0;
            let answer = scenario(&kv, &mut done);
            let is_over = kv.calls() - before < call;
            verify(&kv, done);
            if is_over {
                answer.unwrap();
                assert!(done == 4 && call > 20, "{call}");
                break;
            }
        }
    }
}
