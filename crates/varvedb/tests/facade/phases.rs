//! The phases of statements, as a tracer and the statistics tell them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use varve_kv::MemoryKv;
use varve_types::{Env, LocalFuture, Value};
use varvedb::{Database, Options, Phase, Session, SystemEnv, Tracer};

use super::{rows, run};

/// A clock that goes on by a microsecond each time that it is looked at.
pub(super) struct Ticks(pub AtomicU64, pub SystemEnv);

impl Env for Ticks {
    fn now_us(&self) -> i64 {
        self.1.now_us()
    }

    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn random_u64(&self) -> u64 {
        self.1.random_u64()
    }

    fn slice_us(&self) -> u64 {
        self.1.slice_us()
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        self.1.yield_now()
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        self.1.spawn(task);
    }
}

#[derive(Debug, Default)]
struct Told(Mutex<Vec<(Phase, u64, u64)>>);

impl Tracer for Told {
    fn phase_ended(&self, phase: Phase, elapsed_us: u64, rows: u64) {
        self.0.lock().unwrap().push((phase, elapsed_us, rows));
    }
}

struct Traced {
    session: Session,
    told: Arc<Told>,
    env: Arc<Ticks>,
}

impl Traced {
    fn new() -> Traced {
        let told = Arc::new(Told::default());
        let env = Arc::new(Ticks(AtomicU64::new(0), SystemEnv::new()));
        let options = Options {
            tracer: Some(Arc::clone(&told) as Arc<dyn Tracer>),
            ..Options::browser()
        };
        let opened = Database::open(Arc::new(MemoryKv::new()), env.clone(), options);
        let session = pollster::block_on(opened).unwrap().session();
        Traced { session, told, env }
    }

    /// The phases of a call with their rows, whose times are all of its time.
    fn phases(&mut self, sql: &str) -> Vec<(Phase, u64)> {
        self.told.0.lock().unwrap().clear();
        let before = self.env.0.load(Ordering::Relaxed);
        let _result = pollster::block_on(self.session.execute_script(sql));
        let wall = self.env.0.load(Ordering::Relaxed) - before;
        let told = self.told.0.lock().unwrap();
        let sum: u64 = told.iter().map(|(_, elapsed_us, _)| elapsed_us).sum();
        // The first look at the clock is none of them.
        assert_eq!(sum + 1, wall, "{sql}");
        told.iter()
            .map(|(phase, _, rows)| (*phase, *rows))
            .collect()
    }
}

/// H31.
#[test]
fn phases_are_all_of_the_time() {
    use Phase::{Begin, Commit, Execute, Parse, Plan};
    let mut traced = Traced::new();
    run(&mut traced.session, "CREATE TABLE t (id int PRIMARY KEY)");
    for (sql, expected) in [
        (
            "INSERT INTO t VALUES (1), (2), (3)",
            vec![(Parse, 0), (Begin, 0), (Plan, 0), (Execute, 3), (Commit, 0)],
        ),
        (
            "SELECT * FROM t WHERE id > 1",
            vec![(Parse, 0), (Begin, 0), (Plan, 0), (Execute, 2), (Commit, 0)],
        ),
        ("BEGIN", vec![(Parse, 0), (Begin, 0)]),
        ("DELETE FROM t", vec![(Parse, 0), (Plan, 0), (Execute, 3)]),
        ("COMMIT", vec![(Parse, 0), (Commit, 0)]),
        ("SET DateStyle = 'ISO'", vec![(Parse, 0), (Execute, 0)]),
    ] {
        assert_eq!(traced.phases(sql), expected, "{sql}");
    }
}

#[test]
fn statistics_add_phases_up() {
    let mut traced = Traced::new();
    let session = &mut traced.session;
    let value = |session: &mut Session, name: &str| {
        let sql = format!("SELECT value::bigint FROM varve_statistics WHERE name = '{name}'");
        match rows(session, &sql)[0][0] {
            Value::Int8(value) => value,
            ref other => panic!("{other:?}"),
        }
    };
    let before = value(session, "statement_rows");
    rows(session, "SELECT * FROM generate_series(1, 1000)");
    assert_eq!(value(session, "statement_rows") - before, 1 + 1000);
    let before = value(session, "statements");
    assert_eq!(value(session, "statements") - before, 1);
    for phase in Phase::ALL {
        let name = format!("{}_us", phase.name());
        let before = value(session, &name);
        rows(session, "SELECT 1");
        assert!(value(session, &name) > before, "{name}");
    }
}

#[test]
fn explain_analyze_tells_phases() {
    let mut traced = Traced::new();
    let lines = rows(&mut traced.session, "EXPLAIN ANALYZE SELECT 1");
    let lines = lines.iter().map(|row| match &row[0] {
        Value::Text(line) => line.split(" Time: ").next().unwrap_or_default().to_owned(),
        other => panic!("{other:?}"),
    });
    let lines: Vec<String> = lines.collect();
    let phases = ["Parsing", "Begin", "Planning", "Execution"];
    assert_eq!(lines[lines.len() - 4..], phases);
}
