//! Savepoints: what a rollback takes back, in buffers, runs and the catalog.

use std::collections::BTreeMap;
use std::sync::Arc;

use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, prop_oneof, proptest};
use varve_kv::MemoryKv;
use varve_types::{
    ColumnPredicate, CompareOp, ObjectId, PredicateTest, RowPosition, SortKey, TreeId, Value,
};

use super::crash::{intents, stored_runs};
use super::{
    KEYED, PLAIN, Row, batch, everything, insert, open, positions_where, read, schema, some_rows,
    sorted_rows, with_trees,
};
use crate::store::Store;
use crate::write_set::SavepointId;
use crate::{Durability, InsertError, Transaction};

const KEYS: i64 = 60;

#[derive(Clone, Debug)]
enum Op {
    Insert { first: i64, count: i64, text: usize },
    Update { key: i64 },
    Delete { from: i64, to: i64 },
    Savepoint,
    RollbackTo(usize),
    Release(usize),
    Commit,
    Flush,
}

fn op() -> impl Strategy<Value = Op> {
    let key = 0..KEYS;
    prop_oneof![
        5 => (key.clone(), 1_i64..30, 0_usize..300)
            .prop_map(|(first, count, text)| Op::Insert { first, count, text }),
        3 => key.clone().prop_map(|key| Op::Update { key }),
        3 => (key.clone(), key).prop_map(|(from, to)| Op::Delete { from, to }),
        5 => Just(Op::Savepoint),
        3 => (0_usize..6).prop_map(Op::RollbackTo),
        2 => (0_usize..6).prop_map(Op::Release),
        1 => Just(Op::Commit),
        1 => Just(Op::Flush),
    ]
}

type Model = BTreeMap<i64, Row>;

struct World {
    store: Arc<Store>,
    transaction: Transaction,
    committed: Model,
    model: Model,
    stack: Vec<(SavepointId, Model)>,
}

impl World {
    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert { first, count, text } => self.insert(first, count, text),
            Op::Update { key } => self.update(key),
            Op::Delete { from, to } => {
                for tree in [KEYED, PLAIN] {
                    let positions = self.positions(tree, from, to);
                    block_on(self.transaction.delete(tree, &positions)).unwrap();
                }
                self.model.retain(|key, _| *key < from || *key >= to);
            }
            Op::Savepoint => {
                let id = self.transaction.savepoint();
                self.stack.push((id, self.model.clone()));
            }
            Op::RollbackTo(at) => {
                if let Some((id, model)) = self.stack.get(at) {
                    self.transaction.rollback_to(*id).unwrap();
                    self.model.clone_from(model);
                    self.stack.truncate(at + 1);
                }
            }
            Op::Release(at) => {
                if let Some((id, _)) = self.stack.get(at) {
                    let id = *id;
                    self.transaction.release(id).unwrap();
                    assert!(self.transaction.release(id).is_err());
                    assert!(self.transaction.rollback_to(id).is_err());
                    self.stack.truncate(at);
                }
            }
            Op::Commit => {
                let next = self.store.begin();
                let done = std::mem::replace(&mut self.transaction, next);
                block_on(done.commit(Durability::Relaxed)).unwrap();
                self.transaction = self.store.begin();
                self.committed = self.model.clone();
                self.stack.clear();
            }
            Op::Flush => block_on(self.store.flush()).unwrap(),
        }
        for tree in [KEYED, PLAIN] {
            let expected: Vec<Row> = self.model.values().cloned().collect();
            let count = self.transaction.row_count(tree);
            assert!(count.is_none_or(|count| count == expected.len() as u64));
            assert_eq!(sorted_rows(&self.transaction, tree), expected);
        }
    }

    fn insert(&mut self, first: i64, count: i64, text: usize) {
        let row = |k| (k, Some(format!("{k}").repeat(text)), text as i32);
        let rows: Vec<Row> = (first..first + count).map(row).collect();
        let savepoint = self.transaction.savepoint();
        // The same statement writes twice, and is taken back as a whole.
        let answer = block_on(self.transaction.insert(PLAIN, &batch(&rows)))
            .and_then(|()| block_on(self.transaction.insert(KEYED, &batch(&rows))));
        match answer {
            Ok(()) => self.model.extend(rows.into_iter().map(|row| (row.0, row))),
            Err(InsertError::Duplicate { .. }) => {
                assert!(rows.iter().any(|row| self.model.contains_key(&row.0)));
                self.transaction.rollback_to(savepoint).unwrap();
            }
            Err(InsertError::Other(error)) => panic!("{error}"),
        }
        self.transaction.release(savepoint).unwrap();
    }

    fn update(&mut self, key: i64) {
        let Some(row) = self.model.get(&key) else {
            return;
        };
        // Half of the keys move, so that some run into others.
        let to = if key % 2 == 0 { key + 7 } else { key };
        let new = (to, row.1.clone(), row.2 + 1);
        let rows = [batch(std::slice::from_ref(&new))];
        let is_taken = to != key && self.model.contains_key(&to);
        for tree in [KEYED, PLAIN] {
            let positions = self.positions(tree, key, key + 1);
            match block_on(self.transaction.update(tree, &positions, &rows)) {
                Ok(()) => assert!(!is_taken),
                Err(InsertError::Duplicate { .. }) => {
                    assert!(is_taken && tree == KEYED);
                    // A failed update has not even deleted.
                    return;
                }
                Err(InsertError::Other(error)) => panic!("{error}"),
            }
        }
        self.model.remove(&key);
        self.model.insert(to, new);
    }

    fn positions(&self, tree: TreeId, from: i64, to: i64) -> Vec<RowPosition> {
        let compare = |op, key| ColumnPredicate {
            column: 0,
            test: PredicateTest::Compare(op, Value::Int8(key)),
        };
        let options = varve_types::ScanSpec {
            predicates: vec![compare(CompareOp::GtEq, from), compare(CompareOp::Lt, to)],
            ..everything(tree)
        };
        let rows = read(&self.transaction, options).unwrap();
        rows.into_iter().map(|(_, position)| position).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn a_rollback_returns_to_what_was_there(ops in vec(op(), 1..60)) {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        let rows = some_rows((0..KEYS).step_by(3));
        for tree in [KEYED, PLAIN] {
            insert(&store, tree, &rows);
        }
        block_on(store.flush()).unwrap();
        let model: Model = rows.into_iter().map(|row| (row.0, row)).collect();
        let mut world = World {
            transaction: store.begin(),
            store: store.clone(),
            committed: model.clone(),
            model,
            stack: Vec::new(),
        };
        for op in ops {
            world.apply(op);
        }
        world.apply(Op::Commit);
        drop(world.transaction);
        for tree in [KEYED, PLAIN] {
            let expected: Vec<Row> = world.committed.values().cloned().collect();
            assert_eq!(sorted_rows(&store.begin(), tree), expected);
        }
        // No page is left that nothing names: the second flush deletes what the first one retires.
        block_on(store.flush()).unwrap();
        block_on(store.flush()).unwrap();
        assert_eq!(intents(&kv), 0);
        let mut listed: Vec<u64> =
            store.state().version.all_runs().map(|run| run.id.0).collect();
        listed.sort_unstable();
        assert_eq!(stored_runs(&kv), listed);
        let again = open(&kv);
        for tree in [KEYED, PLAIN] {
            let expected: Vec<Row> = world.committed.values().cloned().collect();
            assert_eq!(sorted_rows(&again.begin(), tree), expected);
        }
    }
}

#[test]
fn the_catalog_is_taken_back() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..10));
    let mut transaction = store.begin();
    transaction.put_object(ObjectId(9), 1, *b"first");
    let outer = transaction.savepoint();
    transaction.drop_tree(KEYED).unwrap();
    let tree = transaction.new_tree_id();
    let inner = transaction.savepoint();
    transaction
        .create_tree(schema(tree, SortKey::RowId))
        .unwrap();
    block_on(transaction.insert(tree, &batch(&some_rows(0..500)))).unwrap();
    transaction.put_object(ObjectId(9), 2, *b"second");
    transaction.release(inner).unwrap();
    transaction.rollback_to(outer).unwrap();
    assert!(transaction.tree_schema(tree).is_none());
    assert_eq!(sorted_rows(&transaction, KEYED), some_rows(0..10));
    let objects = [(ObjectId(9), 1, Arc::from(*b"first"))];
    assert_eq!(transaction.objects(), objects);
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let transaction = open(&kv).begin();
    assert_eq!(transaction.objects(), objects);
    assert!(transaction.tree_schema(tree).is_none());
    assert_eq!(sorted_rows(&transaction, KEYED), some_rows(0..10));
}

#[test]
fn a_transaction_that_took_everything_back_commits_nothing() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, KEYED, &some_rows(0..10));
    let before = store.stats();
    let mut transaction = store.begin();
    let savepoint = transaction.savepoint();
    block_on(transaction.insert(KEYED, &batch(&some_rows(10..1000)))).unwrap();
    let all = ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Lt, Value::Int8(10)),
    };
    let positions = positions_where(&transaction, KEYED, all);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    transaction.rollback_to(savepoint).unwrap();
    assert_eq!(sorted_rows(&transaction, KEYED), some_rows(0..10));
    block_on(transaction.commit(Durability::Strict)).unwrap();
    let after = store.stats();
    assert_eq!(
        (before.last_commit, before.commits),
        (after.last_commit, after.commits)
    );
}

/// Statement after statement, each under its own savepoint: rows that ascend still go to one run
/// for each time that memory fills up, not for each statement.
#[test]
fn savepoints_of_statements_do_not_cut_runs_small() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let mut transaction = store.begin();
    for rows in some_rows(0..3000).chunks(20) {
        let savepoint = transaction.savepoint();
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
        transaction.release(savepoint).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
    assert_eq!(store.tree_storage(KEYED).unwrap().runs, 1);
    assert_eq!(sorted_rows(&store.begin(), KEYED), some_rows(0..3000));
}
