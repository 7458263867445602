//! An app and what its table must hold.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

use pollster::block_on;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Kv, MemoryKv};
use varve_types::{Column, ColumnRef, Env, Error, LogicalType, Result, SqlState, Value};
use varvedb::{BulkLoadOptions, Database, Options, Session, SystemEnv};

use super::clock::Clock;
use super::steps::Step;
use crate::{rows, run};

/// What the table holds: versions by id. The other columns follow from these.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    pub(super) rows: BTreeMap<i64, i64>,
    next_id: i64,
    has_index: bool,
}

const COLUMNS: &str = "i, 0, i || '/' || 0, repeat(md5((i % 5)::text), 60),
     md5(i::text) || md5((-i)::text) || md5((i * 7)::text)";
/// Rows of which some column does not follow from id and version.
const TORN: &str = "SELECT count(*) FROM t WHERE b <> id || '/' || v
     OR (doc, noise) <> (repeat(md5((id % 5)::text), 60),
         md5(id::text) || md5((-id)::text) || md5((id * 7)::text))";

pub(super) struct App {
    pub(super) kv: Arc<FaultKv<MemoryKv>>,
    pub(super) clock: Arc<Clock>,
    pub(super) database: Database,
    pub(super) session: Session,
    pub(super) model: Model,
    pub(super) refused: u64,
}

impl App {
    pub(super) fn new(plan: FaultPlan, reserve_bytes: u64) -> App {
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
        let clock = Arc::new(Clock {
            now_us: AtomicU64::new(0),
            told: Mutex::default(),
            system: SystemEnv::new(),
        });
        let database = open(Arc::clone(&kv) as Arc<dyn Kv>, &clock, reserve_bytes);
        let mut session = database.session();
        run(
            &mut session,
            "CREATE TABLE t (id bigint PRIMARY KEY, v bigint, b text,
                 doc text STORAGE CONTENT_ADDRESSED, noise text)",
        );
        kv.set_plan(plan);
        App {
            kv,
            clock,
            database,
            session,
            model: Model::default(),
            refused: 0,
        }
    }

    /// Does a step, or nothing of it.
    pub(super) fn try_step(&mut self, step: Step) -> Result<()> {
        let mut model = self.model.clone();
        let first = model.next_id;
        let add = |model: &mut Model, count: i64| {
            model.rows.extend((first..first + count).map(|id| (id, 0)));
            model.next_id = first + count;
            let last = first + count - 1;
            format!(
                "INSERT INTO t SELECT {COLUMNS} FROM generate_series({first}::bigint, {last}) i"
            )
        };
        match step {
            Step::Insert(count) => {
                let sql = add(&mut model, count);
                self.execute(&sql)?;
            }
            Step::Load(count) => {
                add(&mut model, count);
                self.load(first, count)?;
            }
            Step::Update(rest) => {
                let changed = model.rows.iter_mut().filter(|(id, _)| **id % 7 == rest);
                changed.for_each(|(_, version)| *version += 1);
                let set = "UPDATE t SET v = v + 1, b = id || '/' || v + 1";
                self.execute(&format!("{set} WHERE id % 7 = {rest}"))?;
            }
            Step::Delete(rest) => {
                model.rows.retain(|id, _| id % 5 != rest);
                self.execute(&format!("DELETE FROM t WHERE id % 5 = {rest}"))?;
            }
            Step::Block(count, rest) => {
                model.rows.retain(|id, _| id % 5 != rest);
                let insert = add(&mut model, count);
                let delete = format!("DELETE FROM t WHERE id % 5 = {rest}");
                self.execute(&format!("BEGIN; {delete}; {insert}; COMMIT"))?;
            }
            Step::Index => {
                model.has_index = !model.has_index;
                self.execute(if model.has_index {
                    "CREATE INDEX t_v ON t (v)"
                } else {
                    "DROP INDEX t_v"
                })?;
            }
            Step::Checkpoint => self.execute("CHECKPOINT")?,
            Step::Vacuum => self.execute("VACUUM")?,
            // A job that finds the storage full is tried again when it is due again.
            Step::Jobs => block_on(self.database.run_jobs_until_idle())?,
        }
        self.model = model;
        Ok(())
    }

    pub(super) fn execute(&mut self, sql: &str) -> Result<()> {
        let done = block_on(self.session.execute_script(sql)).map(drop);
        if done.is_err() && sql.starts_with("BEGIN") {
            run(&mut self.session, "ROLLBACK");
        }
        done
    }

    fn load(&self, first: i64, count: i64) -> Result<()> {
        let select = format!(
            "SELECT {COLUMNS} FROM generate_series({first}::bigint, {}) i",
            first + count - 1
        );
        let mut session = self.database.session();
        let found = block_on(session.query(&select, &[]))?.rows();
        let types = [
            LogicalType::Int8,
            LogicalType::Int8,
            LogicalType::Text,
            LogicalType::Text,
            LogicalType::Text,
        ];
        let column = |(at, ty): (usize, LogicalType)| -> ColumnRef {
            let values: Vec<Value> = found
                .iter()
                .map(|row| match &row[at] {
                    Value::Int4(version) => Value::Int8(i64::from(*version)),
                    value => value.clone(),
                })
                .collect();
            Arc::new(Column::from_values(ty, &values))
        };
        let columns = types.into_iter().enumerate().map(column).collect();
        block_on(async {
            let mut load = self.database.bulk_load(
                "t",
                &["id", "v", "b", "doc", "noise"],
                BulkLoadOptions::default(),
            )?;
            load.append(columns).await?;
            load.finish().await.map(drop)
        })
    }

    /// Does a step; each time that the storage is full, what there is must be as before the step,
    /// and the app frees space as `free` tells.
    pub(super) fn step(&mut self, step: Step, free: fn(&mut App, u64)) {
        for attempt in 0.. {
            match self.try_step(step) {
                Ok(()) => return,
                Err(error) => self.meet(&error, step),
            }
            assert!(attempt < 6, "{step:?} is refused again and again");
            free(self, attempt);
        }
    }

    fn meet(&mut self, error: &Error, step: Step) {
        assert_eq!(error.state(), SqlState::DISK_FULL, "{step:?}: {error}");
        let hint = error.fields().hint.as_deref();
        assert!(
            hint.is_some_and(|hint| hint.contains("VACUUM")),
            "{error:?}"
        );
        self.refused += 1;
        assert_holds(&mut self.session, &self.model);
    }

    /// Deletes the rows of which the id has this remainder, by so many.
    pub(super) fn delete(&mut self, modulus: i64, rest: i64) -> Result<()> {
        self.execute(&format!("DELETE FROM t WHERE id % {modulus} = {rest}"))?;
        self.model.rows.retain(|id, _| id % modulus != rest);
        Ok(())
    }

    /// What there is, also when it is opened again, is sound and what it should be.
    pub(super) fn assert_sound(&mut self) {
        assert_holds(&mut self.session, &self.model);
        let found = block_on(self.database.check()).unwrap();
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let again: Arc<dyn Kv> = Arc::new(self.kv.inner().reopen());
        let again = open(again, &self.clock, 0);
        assert_holds(&mut again.session(), &self.model);
        let found = block_on(again.check()).unwrap();
        assert!(found.problems.is_empty(), "{:?}", found.problems);
        let told = self.clock.told.lock().unwrap();
        let in_turn = told.iter().zip([true, false].into_iter().cycle());
        assert!(
            in_turn
                .into_iter()
                .all(|(told, expected)| *told == expected),
            "{told:?}"
        );
        assert_eq!(
            told.last().copied().unwrap_or(false),
            self.database.is_storage_full()
        );
    }
}

fn open(kv: Arc<dyn Kv>, clock: &Arc<Clock>, reserve_bytes: u64) -> Database {
    let mut options = Options::browser();
    options.store.memtable_bytes_max = 48 << 10;
    options.store.write_batch_bytes_max = 16 << 10;
    options.store.reserve_bytes = reserve_bytes;
    let clock: Arc<dyn Env> = Arc::clone(clock) as Arc<dyn Env>;
    block_on(Database::open(kv, clock, options)).unwrap()
}

pub(super) fn assert_holds(session: &mut Session, model: &Model) {
    let expected: Vec<Vec<Value>> = model
        .rows
        .iter()
        .map(|(id, v)| vec![Value::Int8(*id), Value::Int8(*v)])
        .collect();
    assert_eq!(rows(session, "SELECT id, v FROM t ORDER BY id"), expected);
    assert_eq!(rows(session, TORN), [[Value::Int8(0)]]);
    // By the index, where there is one.
    let first = model.rows.values().filter(|version| **version == 1).count() as i64;
    assert_eq!(
        rows(session, "SELECT count(*) FROM t WHERE v = 1"),
        [[Value::Int8(first)]]
    );
    let indexes = "SELECT count(*) FROM pg_indexes WHERE indexname = 't_v'";
    assert_eq!(
        rows(session, indexes),
        [[Value::Int8(i64::from(model.has_index))]]
    );
}
