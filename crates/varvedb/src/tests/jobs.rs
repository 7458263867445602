//! Background jobs as a database shows them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;

use crate::{Database, JobState, Options, SystemEnv};

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
