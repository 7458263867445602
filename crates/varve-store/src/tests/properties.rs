//! Random operations against ordered maps, with crashes and snapshots held across everything.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use varve_kv::MemoryKv;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, RowPosition, ScanSpec, Value};

use super::{
    Background, KEYED, PLAIN, Row, batch, content_addressed, everything, kept_apart, open_with,
    positions_where, read, rows_of, small, sorted_by, sorted_rows, with_trees_as,
};
use crate::partition::RunPlace;
use crate::store::Store;
use crate::{Durability, InsertError, SavepointId, Transaction};

const KEYS: i64 = 80;
/// Transactions below never spill.
const SPILL_BYTES: usize = 7000;

type Model = BTreeMap<i64, Row>;

#[derive(Clone, Debug)]
enum Op {
    Insert {
        session: usize,
        first: i64,
        count: i64,
        step: i64,
        text: usize,
    },
    Update {
        session: usize,
        key: i64,
        moved: bool,
    },
    Delete {
        session: usize,
        from: i64,
        to: i64,
    },
    Commit {
        session: usize,
        strict: bool,
    },
    Rollback {
        session: usize,
    },
    Savepoint {
        session: usize,
    },
    RollbackTo {
        session: usize,
    },
    Check {
        session: usize,
        key: i64,
    },
    Hold,
    Flush,
    Compact {
        full: bool,
    },
    /// Begins a flush, or goes on with it.
    FlushSteps {
        count: usize,
    },
    Jobs,
    Reopen,
    Crash,
}

fn op() -> impl Strategy<Value = Op> {
    let session = 0_usize..2;
    let key = 0..KEYS;
    prop_oneof![
        6 => (session.clone(), key.clone(), 1_i64..40, 1_i64..4, 0_usize..400).prop_map(
            |(session, first, count, step, text)| Op::Insert { session, first, count, step, text }
        ),
        3 => (session.clone(), key.clone(), any::<bool>())
            .prop_map(|(session, key, moved)| Op::Update { session, key, moved }),
        3 => (session.clone(), key.clone(), key.clone())
            .prop_map(|(session, from, to)| Op::Delete { session, from, to }),
        5 => (session.clone(), any::<bool>())
            .prop_map(|(session, strict)| Op::Commit { session, strict }),
        1 => session.clone().prop_map(|session| Op::Rollback { session }),
        1 => session.clone().prop_map(|session| Op::Savepoint { session }),
        1 => session.clone().prop_map(|session| Op::RollbackTo { session }),
        2 => (session, key).prop_map(|(session, key)| Op::Check { session, key }),
        1 => Just(Op::Hold),
        1 => Just(Op::Flush),
        1 => any::<bool>().prop_map(|full| Op::Compact { full }),
        4 => (1_usize..12).prop_map(|count| Op::FlushSteps { count }),
        1 => Just(Op::Jobs),
        1 => Just(Op::Reopen),
        1 => Just(Op::Crash),
    ]
}

/// A transaction and what it should see.
struct Session {
    transaction: Transaction,
    model: Model,
    /// Rows of the snapshot that it deleted.
    deleted: BTreeSet<i64>,
    /// What it ever put into its buffers, roughly: past a bound it spills, and conflicts with runs
    /// are found by key range.
    inserted_bytes: usize,
    /// A savepoint, and what there was at it.
    savepoint: Option<(SavepointId, Model, BTreeSet<i64>)>,
}

struct World {
    kv: Arc<FaultKv<MemoryKv>>,
    store: Arc<Store>,
    /// What commit number `i` left, for every commit that still stands.
    history: BTreeMap<u64, Model>,
    /// Keys that each commit wrote, and whether conflicts with it may be found by range.
    written: BTreeMap<u64, (BTreeSet<i64>, bool)>,
    strict: u64,
    sessions: [Option<Session>; 2],
    held: Vec<(Transaction, Model)>,
    /// A flush that is under way.
    flush: Option<Background>,
    is_kept_apart: bool,
}

impl World {
    fn new(seed: u64, has_content: bool, is_kept_apart: bool, is_sorted: bool) -> World {
        let kv = Arc::new(FaultKv::new(
            MemoryKv::new(),
            FaultPlan::new(seed).yields_max(1),
        ));
        let store = open_with(kv.clone(), small()).unwrap();
        with_trees_as(&store, |schema| {
            let schema = match has_content {
                true => content_addressed(schema),
                false => schema,
            };
            let schema = match (is_sorted, schema.tree) {
                (true, PLAIN) => sorted_by(schema, &super::sorted::BY_NUMBER),
                _ => schema,
            };
            // Of one tree by what it is sorted by, of the other by what changes.
            match (is_kept_apart, schema.tree) {
                (false, _) => schema,
                (true, KEYED) => kept_apart(schema, 3, 60),
                (true, _) => kept_apart(schema, 1, 30),
            }
        });
        let last = store.stats().last_commit;
        World {
            kv,
            store,
            history: [(last, Model::new())].into(),
            written: BTreeMap::new(),
            strict: last,
            sessions: [None, None],
            held: Vec::new(),
            flush: None,
            is_kept_apart,
        }
    }

    fn newest(&self) -> Model {
        self.history.last_key_value().unwrap().1.clone()
    }

    fn session(&mut self, i: usize) -> &mut Session {
        if self.sessions[i].is_none() {
            self.sessions[i] = Some(Session {
                transaction: self.store.begin(),
                model: self.newest(),
                deleted: BTreeSet::new(),
                inserted_bytes: 0,
                savepoint: None,
            });
        }
        self.sessions[i].as_mut().unwrap()
    }

    fn apply(&mut self, op: Op) {
        match op {
            Op::Insert {
                session,
                first,
                count,
                step,
                text,
            } => {
                let keys = (0..count).map(|i| (first + i * step) % (KEYS * 2));
                let rows: Vec<Row> = keys
                    .map(|k| {
                        (
                            k,
                            (k % 9 != 0).then(|| format!("{}", k % 4).repeat(text / 40 * 80)),
                            text as i32,
                        )
                    })
                    .collect();
                self.insert(session, &rows);
            }
            Op::Update {
                session,
                key,
                moved,
            } => self.update(session, key, moved),
            Op::Delete { session, from, to } => self.delete(session, from, to),
            Op::Commit { session, strict } => self.commit(session, strict),
            Op::Rollback { session } => {
                if let Some(session) = self.sessions[session].take() {
                    self.run(session.transaction.rollback()).unwrap();
                }
            }
            Op::Savepoint { session } => {
                let session = self.session(session);
                let id = session.transaction.savepoint();
                session.savepoint = Some((id, session.model.clone(), session.deleted.clone()));
            }
            Op::RollbackTo { session } => {
                let session = self.session(session);
                if let Some((id, model, deleted)) = session.savepoint.clone() {
                    session.transaction.rollback_to(id).unwrap();
                    (session.model, session.deleted) = (model, deleted);
                }
            }
            Op::Check { session, key } => {
                let session = self.session(session);
                check(&session.transaction, &session.model, key);
            }
            Op::Hold => self.held.push((self.store.begin(), self.newest())),
            Op::Flush => {
                let store = Arc::clone(&self.store);
                self.run(store.flush()).unwrap();
                self.strict = self.store.stats().last_commit;
            }
            Op::Compact { full } => {
                let store = Arc::clone(&self.store);
                self.run(store.vacuum(None, full)).unwrap();
                self.strict = self.store.stats().last_commit;
            }
            Op::FlushSteps { count } => {
                let store = &self.store;
                let flush = self.flush.get_or_insert_with(|| Background::flush(store));
                flush.steps(count);
                if flush.is_done() {
                    self.flush.take().map(Background::finish).unwrap().unwrap();
                }
            }
            Op::Jobs => {
                let store = Arc::clone(&self.store);
                self.run(store.run_jobs_until_idle()).unwrap();
            }
            Op::Reopen => self.reopen(),
            Op::Crash => {
                self.drop_all();
                block_on(self.kv.crash()).unwrap();
                self.reopen();
                let last = self.store.stats().last_commit;
                assert!(last >= self.strict, "{last} {}", self.strict);
                self.history.retain(|seq, _| *seq <= last);
                self.strict = last;
            }
        }
    }

    fn insert(&mut self, session: usize, rows: &[Row]) {
        let mut flush = self.flush.take();
        self.insert_beside(session, rows, &mut flush);
        self.flush = flush;
    }

    fn insert_beside(&mut self, session: usize, rows: &[Row], flush: &mut Option<Background>) {
        let current = self.session(session);
        let mut keys = BTreeSet::new();
        let fresh = |k: &i64| !current.model.contains_key(k);
        let new = rows.iter().all(|row| keys.insert(row.0) && fresh(&row.0));
        match beside(flush, current.transaction.insert(KEYED, &batch(rows))) {
            Ok(()) => {
                assert!(new);
                beside(flush, current.transaction.insert(PLAIN, &batch(rows))).unwrap();
                current
                    .model
                    .extend(rows.iter().map(|row| (row.0, row.clone())));
                current.inserted_bytes += rows.iter().map(row_bytes).sum::<usize>();
            }
            Err(InsertError::Duplicate { key, .. }) => {
                assert!(!new);
                let [Value::Int8(key)] = key[..] else {
                    panic!("{key:?}")
                };
                let twice = rows.iter().filter(|row| row.0 == key).count() > 1;
                assert!(twice || current.model.contains_key(&key));
                // A failed statement fails its transaction.
                self.sessions[session] = None;
            }
            Err(InsertError::Other(error)) => panic!("{error}"),
        }
    }

    fn update(&mut self, session: usize, key: i64, moved: bool) {
        let mut flush = self.flush.take();
        self.update_beside(session, key, moved, &mut flush);
        self.flush = flush;
    }

    fn update_beside(
        &mut self,
        session: usize,
        key: i64,
        moved: bool,
        flush: &mut Option<Background>,
    ) {
        let session = self.session(session);
        let Some(row) = session.model.remove(&key) else {
            return;
        };
        let to = if moved { key + KEYS * 2 } else { key };
        if session.model.contains_key(&to) {
            session.model.insert(key, row);
            return;
        }
        let new = (to, row.1.map(|text| text + "!"), row.2 + 1);
        let bytes = row_bytes(&new);
        for tree in [KEYED, PLAIN] {
            let positions = positions_where(&session.transaction, tree, equal(key));
            assert_eq!(positions.len(), 1);
            let rows = [batch(std::slice::from_ref(&new))];
            beside(flush, session.transaction.update(tree, &positions, &rows)).unwrap();
        }
        session.model.insert(to, new);
        session.deleted.insert(key);
        session.inserted_bytes += bytes;
    }

    fn delete(&mut self, session: usize, from: i64, to: i64) {
        let is_kept_apart = self.is_kept_apart;
        let session = self.session(session);
        let doomed: Vec<i64> = if from < to {
            session.model.range(from..to).map(|(key, _)| *key).collect()
        } else {
            vec![]
        };
        for tree in [KEYED, PLAIN] {
            if is_kept_apart && tree == PLAIN {
                let gone = block_on(session.transaction.delete_range(tree, from..to));
                assert_eq!(gone.unwrap(), doomed.len() as u64);
                continue;
            }
            let positions = read(
                &session.transaction,
                ScanSpec {
                    predicates: vec![compare(CompareOp::GtEq, from), compare(CompareOp::Lt, to)],
                    ..everything(tree)
                },
            )
            .unwrap();
            let positions: Vec<RowPosition> = positions.into_iter().map(|(_, at)| at).collect();
            assert_eq!(positions.len(), doomed.len());
            block_on(session.transaction.delete(tree, &positions)).unwrap();
            block_on(session.transaction.delete(tree, &positions)).unwrap();
        }
        for key in doomed {
            session.model.remove(&key);
            session.deleted.insert(key);
        }
    }

    fn commit(&mut self, session: usize, strict: bool) {
        let Some(session) = self.sessions[session].take() else {
            return;
        };
        let snapshot = session.transaction.snapshot_seq().0;
        let before = &self.history[&snapshot];
        let mut written: BTreeSet<i64> = session.model.keys().copied().collect();
        written.retain(|key| before.get(key) != session.model.get(key));
        written.extend(
            session
                .deleted
                .iter()
                .filter(|key| before.contains_key(key)),
        );
        let since = self.written.range(snapshot + 1..);
        let conflict = since
            .clone()
            .any(|(_, (other, _))| !other.is_disjoint(&written));
        let by_range =
            session.inserted_bytes > SPILL_BYTES || since.clone().any(|(_, (_, large))| *large);
        let durability = if strict {
            Durability::Strict
        } else {
            Durability::Relaxed
        };
        match self.run(session.transaction.commit(durability)) {
            Ok(seq) if seq.0 == snapshot => assert!(written.is_empty()),
            Ok(seq) => {
                assert!(!conflict);
                let mut newest = self.newest();
                for key in &written {
                    match session.model.get(key) {
                        Some(row) => drop(newest.insert(*key, row.clone())),
                        None => drop(newest.remove(key)),
                    }
                }
                self.history.insert(seq.0, newest);
                self.written
                    .insert(seq.0, (written, session.inserted_bytes > SPILL_BYTES));
                if strict {
                    self.strict = seq.0;
                }
            }
            Err(error) => {
                assert_eq!(error.state().code(), "40001", "{error}");
                assert!(conflict || by_range);
            }
        }
    }

    /// Carries something out that may wait for the flush under way.
    fn run<T>(&mut self, work: impl Future<Output = T>) -> T {
        beside(&mut self.flush, work)
    }

    fn drop_all(&mut self) {
        self.flush = None;
        self.sessions = [None, None];
        self.held.clear();
    }

    fn reopen(&mut self) {
        self.drop_all();
        self.store = open_with(self.kv.clone(), small()).unwrap();
        self.written.clear();
    }
}

/// Carries something out that may wait for a flush.
fn beside<T>(flush: &mut Option<Background>, work: impl Future<Output = T>) -> T {
    match flush {
        Some(flush) => flush.beside(work),
        None => block_on(work),
    }
}

/// What a row takes in the buffers of both trees, roughly.
fn row_bytes(row: &Row) -> usize {
    2 * (row.1.as_ref().map_or(0, String::len) + 130)
}

pub(super) fn compare(op: CompareOp, key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(op, Value::Int8(key)),
    }
}

pub(super) fn equal(key: i64) -> ColumnPredicate {
    compare(CompareOp::Eq, key)
}

/// Every way of reading agrees with the model.
fn check(transaction: &Transaction, model: &Model, key: i64) {
    let expected: Vec<Row> = model.values().cloned().collect();
    for tree in [KEYED, PLAIN] {
        let rows = transaction.row_count(tree);
        assert!(
            rows.is_none_or(|rows| rows == expected.len() as u64),
            "{rows:?}"
        );
        assert_eq!(sorted_rows(transaction, tree), expected);
        assert_eq!(transaction.row_count(tree), Some(expected.len() as u64));
        let all = read(transaction, everything(tree)).unwrap();
        let mut chosen: Vec<(Row, RowPosition)> = all.into_iter().step_by(3).collect();
        chosen.reverse();
        chosen.extend(chosen.first().cloned());
        let positions: Vec<RowPosition> = chosen.iter().map(|(_, at)| *at).collect();
        let fetched = block_on(transaction.fetch(tree, &positions, &[0, 1, 2])).unwrap();
        let fetched: Vec<Row> = fetched.iter().flat_map(rows_of).collect();
        assert_eq!(
            fetched,
            chosen.into_iter().map(|(row, _)| row).collect::<Vec<_>>()
        );
        let above = ScanSpec {
            predicates: vec![compare(CompareOp::Gt, key)],
            reverse: true,
            ..everything(tree)
        };
        let mut above: Vec<Row> = read(transaction, above)
            .unwrap()
            .into_iter()
            .map(|(row, _)| row)
            .collect();
        above.sort();
        let from = model.range(key + 1..).map(|(_, row)| row.clone());
        assert_eq!(above, from.collect::<Vec<_>>());
    }
    let scan = block_on(transaction.scan(everything(KEYED))).unwrap();
    if scan.is_key_ordered() {
        let keys = read(transaction, everything(KEYED)).unwrap();
        assert!(keys.is_sorted_by(|a, b| a.0.0 < b.0.0));
    }
    let keys: Vec<Vec<Value>> = (key..key + 5).map(|key| vec![Value::Int8(key)]).collect();
    let found = block_on(transaction.lookup(KEYED, &keys, &[0, 1, 2], true)).unwrap();
    let mut found: Vec<Row> = found.iter().flat_map(rows_of).collect();
    found.sort();
    let expected = model.range(key..key + 5).map(|(_, row)| row.clone());
    assert_eq!(found, expected.collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn a_store_is_an_ordered_map_with_snapshots(
        seed: u64,
        has_content: bool,
        is_kept_apart: bool,
        is_sorted: bool,
        ops in vec(op(), 1..100),
    ) {
        let mut world = World::new(seed, has_content, is_kept_apart, is_sorted);
        for op in ops {
            world.apply(op);
            for (transaction, model) in &world.held {
                let model: Vec<Row> = model.values().cloned().collect();
                assert_eq!(sorted_rows(transaction, KEYED), model);
            }
        }
        let newest = world.newest();
        check(&world.store.begin(), &newest, 10);
        for session in world.sessions.iter().flatten() {
            check(&session.transaction, &session.model, 20);
        }
        world.drop_all();
        world.reopen();
        check(&world.store.begin(), &newest, 30);
        let report = block_on(world.store.check()).unwrap();
        assert!(report.is_sound(), "{report:?}");
        let state = world.store.state();
        for run in state.version.all_runs() {
            let tree = state.catalog.tree(run.tree).unwrap();
            assert_ne!(tree.place(run.head().unwrap()), RunPlace::Several);
        }
    }
}
