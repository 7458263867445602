//! When keys must be unique: after a statement, or at the end of the transaction.

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, RowPosition, Value};

use super::{
    KEYED, Row, batch, everything, insert, open, positions_where, read, some_rows, sorted_rows,
    with_trees,
};
use crate::{CommitDurability, InsertError, Transaction};

fn equal(key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Eq, Value::Int8(key)),
    }
}

fn duplicate(key: i64) -> Result<(), InsertError> {
    Err(InsertError::Duplicate {
        index: None,
        key: vec![Value::Int8(key)],
    })
}

fn insert_deferred(transaction: &mut Transaction, keys: &[i64]) {
    let rows = some_rows(keys.iter().copied());
    block_on(transaction.insert_deferred(KEYED, &batch(&rows))).unwrap();
}

/// `k = k + 1` over the whole table: each new key but one is an old one.
#[test]
fn keys_may_be_shifted_by_one_statement() {
    for flushed in [false, true] {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        insert(&store, KEYED, &some_rows(0..3000));
        if flushed {
            block_on(store.flush()).unwrap();
        }
        let mut transaction = store.begin();
        let rows = read(&transaction, everything(KEYED)).unwrap();
        let positions: Vec<RowPosition> = rows.iter().map(|(_, at)| *at).collect();
        let shifted: Vec<Row> = rows
            .into_iter()
            .map(|((k, t, n), _)| (k + 1, t, n))
            .collect();
        let batches: Vec<_> = shifted.chunks(500).map(batch).collect();
        block_on(transaction.update(KEYED, &positions, &batches)).unwrap();
        // Once more, onto a key that is taken: nothing is left of it.
        let first = positions_where(&transaction, KEYED, equal(1));
        let taken = [batch(&[(3000, None, 0)])];
        assert_eq!(
            block_on(transaction.update(KEYED, &first, &taken)),
            duplicate(3000)
        );
        block_on(transaction.commit(CommitDurability::Strict)).unwrap();
        let mut expected = shifted;
        expected.sort();
        assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
        assert_eq!(sorted_rows(&open(&kv).begin(), KEYED), expected);
    }
}

#[test]
fn rows_keep_their_keys_without_a_lookup() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..100));
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    let at = positions_where(&transaction, KEYED, equal(7));
    let new = (7, Some("new".to_owned()), 1);
    let rows = [batch(std::slice::from_ref(&new))];
    block_on(transaction.update_same_keys(KEYED, &at, &rows)).unwrap();
    block_on(transaction.commit(CommitDurability::Strict)).unwrap();
    let rows = sorted_rows(&store.begin(), KEYED);
    assert_eq!((rows.len(), &rows[7]), (100, &new));
}

#[test]
fn deferred_keys_are_checked_at_the_end() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..10));
    block_on(store.flush()).unwrap();
    insert(&store, KEYED, &some_rows(10..20));
    for (key, in_time) in [(5, true), (15, true), (5, false), (15, false), (30, false)] {
        let mut transaction = store.begin();
        // The last one has its twin among the own rows, even in the same batch.
        let twice = if key == 30 { &[30, 30, 31][..] } else { &[key] };
        insert_deferred(&mut transaction, twice);
        let rows = sorted_rows(&transaction, KEYED);
        assert_eq!(rows.iter().filter(|row| row.0 == key).count(), 2);
        assert_eq!(block_on(transaction.check_deferred()), duplicate(key));
        // The check itself has changed nothing.
        assert_eq!(sorted_rows(&transaction, KEYED), rows);
        if in_time {
            let twins = positions_where(&transaction, KEYED, equal(key));
            block_on(transaction.delete(KEYED, &twins[..1])).unwrap();
            assert_eq!(block_on(transaction.check_deferred()), Ok(()));
            block_on(transaction.commit(CommitDurability::Strict)).unwrap();
        } else {
            let error = block_on(transaction.commit(CommitDurability::Strict)).unwrap_err();
            assert_eq!(error.state().code(), "23505");
        }
        assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..20));
    }
}

#[test]
fn many_deferred_keys_go_through_runs() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..1000));
    let mut transaction = store.begin();
    for keys in (1000..3000).collect::<Vec<i64>>().chunks(100) {
        insert_deferred(&mut transaction, keys);
    }
    // Rows of runs too may have twins, in memory or in another run.
    insert_deferred(&mut transaction, &[5, 1005]);
    let at = |transaction: &Transaction, key| positions_where(transaction, KEYED, equal(key));
    assert_eq!(at(&transaction, 1005).len(), 2);
    let doomed = [at(&transaction, 5)[0], at(&transaction, 1005)[1]];
    block_on(transaction.delete(KEYED, &doomed)).unwrap();
    block_on(transaction.commit(CommitDurability::Strict)).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..3000));
    assert_eq!(sorted_rows(&open(&kv).begin(), KEYED), some_rows(0..3000));
}
