//! Background jobs as a database shows them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_store::{Job, JobControl, Store, StoreError};
use varve_types::{LocalFuture, Value};

use crate::JobState;
use crate::SystemEnv;
use crate::database::Database;
use crate::shared::options::Options;

fn opened() -> Database {
    let mut options = Options::browser();
    options.store.memtable_bytes_max = 64 << 10;
    let env = Arc::new(SystemEnv::new());
    let database = block_on(Database::open(Arc::new(MemoryKv::new()), env, options)).unwrap();
    let mut session = database.session();
    block_on(session.query("CREATE TABLE t (id int PRIMARY KEY, x text)", &[])).unwrap();
    database
}

fn fill(database: &Database, from: i32, to: i32) {
    let mut session = database.session();
    for first in (from..to).step_by(100) {
        let rows = (first..first + 100).map(|id| format!("({id}, 'text of row {id}')"));
        let rows = rows.collect::<Vec<_>>().join(", ");
        block_on(session.query(&format!("INSERT INTO t VALUES {rows}"), &[])).unwrap();
    }
}

#[test]
fn the_view_of_jobs_tells_of_a_flush() {
    let database = opened();
    fill(&database, 0, 3000);
    block_on(database.run_jobs_until_idle()).unwrap();
    let jobs = database.jobs();
    assert_eq!(jobs[0].kind, "flush");
    assert!(jobs.iter().all(|job| job.state == JobState::Done));
    let mut session = database.session();
    let sql = "SELECT id, kind, object, state, progress, started > '2020-01-01', error
        FROM varve_jobs ORDER BY id LIMIT 1";
    let found = block_on(session.query(sql, &[])).unwrap();
    let row = found.rows().remove(0);
    let words: Vec<String> = row.iter().map(|value| format!("{value:?}")).collect();
    assert_eq!(words.len(), 7);
    assert!(
        words[1].contains("flush") && words[3].contains("done"),
        "{words:?}"
    );
    assert!(
        words[4].contains('1') && words[5].contains("true"),
        "{words:?}"
    );
}

#[test]
fn a_thread_runs_jobs_until_the_last_handle_is_gone() {
    for close in [false, true] {
        let database = opened();
        let thread = database.spawn_jobs().unwrap();
        let mut rows = 0;
        while !database
            .jobs()
            .iter()
            .any(|job| job.state == JobState::Done)
        {
            fill(&database, rows, rows + 500);
            rows += 500;
        }
        if close {
            block_on(database.close()).unwrap();
        }
        drop(database);
        thread.join().unwrap();
    }
}

/// Has nothing to do.
struct Idle;

impl Job for Idle {
    fn kind(&self) -> &'static str {
        "idle"
    }

    fn run<'a>(
        &'a mut self,
        _: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<(), StoreError>> {
        Box::pin(control.step())
    }
}

#[test]
fn statements_give_orders_to_jobs() {
    let database = opened();
    let mut session = database.session();
    let mut rows = |sql: &str| block_on(session.query(sql, &[])).unwrap().rows();
    let job = |id: i64| Value::Int8(id);
    let yes = Value::Boolean(true);
    for _ in 0..2 {
        database.shared.store.add_job(Box::new(Idle));
    }
    let states = "SELECT id, state FROM varve_jobs ORDER BY id";
    let state = |id, state: &str| vec![job(id), Value::text(state)];
    // An order goes to the jobs of the chosen rows alone.
    let pause = "SELECT id, varve_pause_job(id) FROM varve_jobs WHERE id > 1";
    assert_eq!(rows(pause), [[job(2), yes.clone()]]);
    assert_eq!(rows(states), [state(1, "queued"), state(2, "paused")]);
    assert_eq!(rows("SELECT varve_resume_job(2)"), [[yes.clone()]]);
    assert_eq!(rows(states), [state(1, "queued"), state(2, "queued")]);
    assert_eq!(rows("SELECT varve_cancel_job(1)"), [[yes]]);
    assert_eq!(rows(states), [state(1, "cancelled"), state(2, "queued")]);
    let others = "SELECT varve_cancel_job(1), varve_pause_job(77), varve_resume_job(NULL)";
    let no = Value::Boolean(false);
    assert_eq!(rows(others), [[no.clone(), no, Value::Null]]);
    // Nothing is done before a statement runs, nor by telling how it would.
    assert!(!rows("EXPLAIN SELECT varve_cancel_job(2)").is_empty());
    assert_eq!(rows(states), [state(1, "cancelled"), state(2, "queued")]);
}
