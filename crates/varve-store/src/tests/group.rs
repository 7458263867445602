//! Commits that come together: one KV commit for all, each with an answer of its own.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use futures_util::future::join_all;
use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Kv, KvError, MemoryKv};
use varve_types::{ColumnPredicate, CommitSeq, CompareOp, PredicateTest, Value};

use super::{
    KEYED, Row, batch, open_with, positions_where, small, some_rows, sorted_rows, with_trees,
};
use crate::error::Result;
use crate::store::Store;
use crate::{CommitDurability, StoreSettings, Transaction};

type Commit<'a> = Pin<Box<dyn Future<Output = Result<CommitSeq>> + 'a>>;

fn prepared(yields_max: u32) -> (Arc<FaultKv<MemoryKv>>, Arc<Store>) {
    let plan = FaultPlan::new(7).yields_max(yields_max);
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
    let settings = StoreSettings {
        log_values_max: 1000,
        ..small()
    };
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    (kv, store)
}

fn inserting(store: &Arc<Store>, keys: &[i64]) -> Transaction {
    let mut transaction = store.begin();
    let rows = some_rows(keys.iter().copied());
    block_on(transaction.insert(KEYED, &batch(&rows))).unwrap();
    transaction
}

fn deleting(store: &Arc<Store>, key: i64) -> Transaction {
    let mut transaction = store.begin();
    let equal = ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Eq, Value::Int8(key)),
    };
    let positions = positions_where(&transaction, KEYED, equal);
    assert_eq!(positions.len(), 1);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    transaction
}

fn commit<'a>(transaction: Transaction) -> Commit<'a> {
    Box::pin(transaction.commit(CommitDurability::Strict))
}

/// What the store has, and that a new open finds the same.
fn rows(kv: &Arc<FaultKv<MemoryKv>>, store: &Arc<Store>) -> Vec<Row> {
    let rows = sorted_rows(&store.begin(), KEYED);
    let again: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let again = open_with(again, small()).unwrap();
    assert_eq!(sorted_rows(&again.begin(), KEYED), rows);
    rows
}

#[test]
fn many_share_a_kv_commit() {
    let (kv, store) = prepared(3);
    let before = store.stats();
    let transactions: Vec<Transaction> = (0..50).map(|key| inserting(&store, &[key])).collect();
    let answers = block_on(join_all(transactions.into_iter().map(commit)));
    let mut seqs: Vec<u64> = answers
        .into_iter()
        .map(|answer| answer.unwrap().0)
        .collect();
    seqs.sort_unstable();
    assert_eq!(seqs, (2..52).collect::<Vec<u64>>());
    let after = store.stats();
    assert_eq!(after.commits - before.commits, 50);
    assert!(after.kv_commits - before.kv_commits <= 3, "{after:?}");
    assert!(after.group_max >= 40, "{after:?}");
    assert!(after.log_values <= 4, "{after:?}");
    assert_eq!(rows(&kv, &store), some_rows(0..50));
}

#[test]
fn threads_commit_at_the_same_time() {
    let (kv, store) = prepared(1);
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let store = &store;
            scope.spawn(move || {
                for i in 0..30 {
                    let transaction = inserting(store, &[thread * 1000 + i]);
                    block_on(transaction.commit(CommitDurability::Relaxed)).unwrap();
                }
            });
        }
    });
    let expected = some_rows((0..6).flat_map(|thread| (0..30).map(move |i| thread * 1000 + i)));
    assert_eq!(rows(&kv, &store), expected);
}

#[test]
fn of_two_in_a_group_that_write_the_same_the_first_one_wins() {
    for twice in [true, false] {
        let (kv, store) = prepared(2);
        super::insert(&store, KEYED, &some_rows([1, 2]));
        if twice {
            block_on(store.flush()).unwrap();
        }
        let leader = inserting(&store, &[10]);
        let insert = [inserting(&store, &[20, 21]), inserting(&store, &[21, 22])];
        let delete = [deleting(&store, 1), deleting(&store, 1)];
        let group = [leader].into_iter().chain(insert).chain(delete);
        let answers = block_on(join_all(group.map(commit)));
        let states: Vec<Option<String>> = answers
            .into_iter()
            .map(|answer| answer.err().map(|error| error.state().code().to_owned()))
            .collect();
        let lost = Some("40001".to_owned());
        assert_eq!(states, [None, None, lost.clone(), None, lost]);
        assert_eq!(store.stats().conflicts, 2);
        assert_eq!(rows(&kv, &store), some_rows([2, 10, 20, 21]));
    }
}

#[test]
fn a_group_that_cannot_be_written_is_committed_one_by_one_or_the_storage_is_full() {
    for failures in 0..4 {
        let (kv, store) = prepared(2);
        let leader = inserting(&store, &[100]);
        let others: Vec<Transaction> = (0..5).map(|key| inserting(&store, &[key])).collect();
        let mut commits: Vec<Commit<'_>> = vec![commit(leader)];
        // The first call is the leader's, the second that of all others.
        for failure in 0..failures {
            kv.fault_in(2 + failure, CallFault::Fail(KvError::StorageFull));
        }
        commits.extend(others.into_iter().map(commit));
        let answers = block_on(join_all(commits));
        let failed: Vec<usize> = (0..6).filter(|at| answers[*at].is_err()).collect();
        // The group was too much, or after the first one alone the storage is full for all.
        let expected: Vec<usize> = if failures < 2 {
            vec![]
        } else {
            (1..6).collect()
        };
        assert_eq!(failed, expected, "{failures}");
        let states = answers.iter().filter_map(|answer| answer.as_ref().err());
        assert!(
            states
                .into_iter()
                .all(|error| error.state().code() == "53100")
        );
        let left = (0..5).filter(|key| !expected.contains(&(*key as usize + 1)));
        assert_eq!(rows(&kv, &store), some_rows(left.chain([100])));
    }
}

#[test]
fn a_dropped_commit_is_done_or_not_and_holds_nobody_up() {
    let mut done = 0;
    for fault in [None, Some(CallFault::LoseAnswer)] {
        for polls in 0..30 {
            let (kv, store) = prepared(4);
            if let Some(fault) = &fault {
                kv.fault_in(1, fault.clone());
            }
            let mut first = commit(inserting(&store, &[1, 2]));
            let mut second = commit(inserting(&store, &[3]));
            let mut context = Context::from_waker(Waker::noop());
            let mut is_done = false;
            for _ in 0..polls {
                is_done |= first.as_mut().poll(&mut context).is_ready();
                if is_done {
                    break;
                }
                assert!(second.as_mut().poll(&mut context).is_pending());
            }
            drop(first);
            let third = commit(inserting(&store, &[4]));
            let [second, third] = block_on(join_all([second, third])).try_into().unwrap();
            second.unwrap();
            third.unwrap();
            let found = rows(&kv, &store);
            let has_first = found.len() == 4;
            done += usize::from(has_first);
            let expected = if has_first { 1..5 } else { 3..5 };
            assert_eq!(found, some_rows(expected));
            assert!(has_first || !is_done);
        }
    }
    assert!(done > 20 && done < 60, "{done}");
}

#[test]
fn nobody_is_left_when_all_are_dropped() {
    for polls in 0..12 {
        let (kv, store) = prepared(3);
        let mut commits: Vec<Commit<'_>> = (0..4)
            .map(|key| commit(inserting(&store, &[key])))
            .collect();
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..polls {
            for commit in &mut commits {
                if let Poll::Ready(answer) = commit.as_mut().poll(&mut context) {
                    answer.unwrap();
                    *commit = Box::pin(std::future::pending());
                }
            }
        }
        drop(commits);
        // Whoever comes next finds the store as the dropped ones left it.
        block_on(inserting(&store, &[9]).commit(CommitDurability::Strict)).unwrap();
        let found = rows(&kv, &store);
        assert!(found.contains(&some_rows([9])[0]));
        block_on(store.close()).unwrap();
    }
}
