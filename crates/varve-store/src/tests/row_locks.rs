//! Row locks: whoever commits second learns of them.

use std::sync::Arc;

use futures_util::future::join_all;
use pollster::block_on;
use varve_kv::MemoryKv;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, RowPosition, Value};

use super::{
    KEYED, PLAIN, batch, insert, open, open_with, positions_where, small, some_rows, with_trees,
};
use crate::store::Store;
use crate::write_set::RowLockKind;
use crate::{CommitDurability, Transaction};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    Share,
    Update,
    Delete,
    Change,
}

const ACTS: [Act; 4] = [Act::Share, Act::Update, Act::Delete, Act::Change];

fn positions(transaction: &Transaction, key: i64) -> Vec<RowPosition> {
    let equal = ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Eq, Value::Int8(key)),
    };
    positions_where(transaction, KEYED, equal)
}

/// A transaction that does something to row 5, and writes elsewhere.
fn acting(store: &Arc<Store>, act: Act, own_key: i64) -> Transaction {
    let mut transaction = store.begin();
    let lock = |transaction: &mut Transaction, kind| {
        let keys = [5, 99].map(|key| vec![Value::Int8(key)]);
        let found = block_on(transaction.lock_keys(KEYED, &keys, kind)).unwrap();
        assert_eq!(found, [true, false]);
        let at = positions(transaction, 5);
        block_on(transaction.lock_rows(KEYED, &at, kind)).unwrap();
    };
    match act {
        Act::Share => lock(&mut transaction, RowLockKind::Share),
        Act::Update => lock(&mut transaction, RowLockKind::Update),
        Act::Delete => {
            let at = positions(&transaction, 5);
            block_on(transaction.delete(KEYED, &at)).unwrap();
        }
        Act::Change => {
            let at = positions(&transaction, 5);
            let rows = [batch(&[(5, None, 1)])];
            block_on(transaction.update(KEYED, &at, &rows)).unwrap();
        }
    }
    block_on(transaction.insert(PLAIN, &batch(&some_rows([own_key])))).unwrap();
    transaction
}

fn commit(transaction: Transaction) -> Option<String> {
    let answer = block_on(transaction.commit(CommitDurability::Relaxed));
    answer.err().map(|error| error.state().code().to_owned())
}

#[test]
fn the_second_of_two_that_exclude_each_other_fails() {
    // What moves the row between the two commits.
    let moves: [fn(&Arc<Store>); 2] = [|_| (), |store| block_on(store.flush()).unwrap()];
    for in_run in [false, true] {
        for moved in moves {
            for (first, second) in ACTS.into_iter().flat_map(|a| ACTS.map(|b| (a, b))) {
                let kv = MemoryKv::new();
                let store = open(&kv);
                with_trees(&store);
                insert(&store, KEYED, &some_rows(0..10));
                if in_run {
                    block_on(store.flush()).unwrap();
                }
                let one = acting(&store, first, 100);
                let two = acting(&store, second, 200);
                assert_eq!(commit(one), None);
                moved(&store);
                let shared = (first, second) == (Act::Share, Act::Share);
                let expected = (!shared).then(|| "40001".to_owned());
                assert_eq!(commit(two), expected, "{first:?} {second:?} {in_run}");
                // Who begins later is free.
                let free = [Act::Share, Act::Update];
                if free.contains(&first) {
                    assert_eq!(commit(acting(&store, second, 300)), None);
                }
            }
        }
    }
}

#[test]
fn of_a_group_those_that_go_together_commit() {
    for (first, second) in ACTS.into_iter().flat_map(|a| ACTS.map(|b| (a, b))) {
        let plan = FaultPlan::new(1).yields_max(2);
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
        let store = open_with(kv, small()).unwrap();
        with_trees(&store);
        insert(&store, KEYED, &some_rows(0..10));
        // The first to commit keeps the commit lock for a while.
        let mut leader = store.begin();
        block_on(leader.insert(PLAIN, &batch(&some_rows([1])))).unwrap();
        let group = [
            leader,
            acting(&store, first, 100),
            acting(&store, second, 200),
        ];
        let group = group.map(|member| member.commit(CommitDurability::Strict));
        let answers = block_on(join_all(group));
        let fails: Vec<bool> = answers.iter().map(Result::is_err).collect();
        let shared = (first, second) == (Act::Share, Act::Share);
        assert_eq!(fails, [false, false, !shared], "{first:?} {second:?}");
    }
}

#[test]
fn very_many_row_locks_are_kept_together() {
    let kv = MemoryKv::new();
    let store = open_with(Arc::new(kv), crate::StoreSettings::browser()).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..10));
    let late = [5, 6].map(|key| {
        let mut transaction = store.begin();
        let at = positions(&transaction, key);
        block_on(transaction.delete(KEYED, &at)).unwrap();
        transaction
    });
    for i in 0..3000 {
        assert_eq!(commit(acting(&store, Act::Share, i)), None);
    }
    let answers = late.map(commit);
    assert_eq!(answers, [Some("40001".to_owned()), None]);
}
