//! A storage that is full, as a browser's quota is: nothing is lost, and what frees space works.

use std::sync::Arc;

use varve_kv::fault::{FaultKv, FaultPlan};
use varve_kv::{Kv, MemoryKv};
use varve_types::{Error, SqlState, Value};
use varvedb::{Database, Options, Session, SystemEnv};

use super::{ints, rows, run};

const QUOTA_BYTES: u64 = 1 << 20;

fn open(kv: &Arc<FaultKv<MemoryKv>>) -> Database {
    let mut options = Options::browser();
    options.store.memtable_bytes_max = 128 << 10;
    options.store.reserve_bytes = 256 << 10;
    let kv: Arc<dyn Kv> = Arc::clone(kv) as Arc<dyn Kv>;
    let env = Arc::new(SystemEnv::new());
    pollster::block_on(Database::open(kv, env, options)).unwrap()
}

/// Inserts `count` rows from number `first` on, which no codec makes much smaller.
fn insert(session: &mut Session, first: i64, count: i64) -> Result<(), Error> {
    let sql = format!(
        "INSERT INTO t SELECT i, (SELECT string_agg(md5((i * 9 + j)::text), '') \
         FROM generate_series(1, 9) j) FROM generate_series({first}, {}) i",
        first + count - 1
    );
    pollster::block_on(session.execute_script(&sql)).map(drop)
}

/// Inserts until not one row fits; how many rows there are then.
fn fill(session: &mut Session, mut next: i64) -> i64 {
    for step in [200, 10, 1] {
        while next < 1_000_000 {
            match insert(session, next, step) {
                Ok(()) => next += step,
                Err(error) => {
                    assert_eq!(error.state(), SqlState::DISK_FULL, "{error}");
                    let hint = error.fields().hint.as_deref();
                    assert!(hint.is_some_and(|hint| hint.contains("VACUUM")));
                    break;
                }
            }
        }
    }
    next
}

#[test]
fn what_frees_space_works_and_then_all_goes_on() {
    let kv = FaultKv::new(MemoryKv::new(), FaultPlan::new(1).quota_bytes(QUOTA_BYTES));
    let kv = Arc::new(kv);
    let mut session = open(&kv).session();
    run(
        &mut session,
        "CREATE TABLE t (id bigint PRIMARY KEY, b text)",
    );
    run(&mut session, "CREATE TABLE other AS SELECT 0 AS round");
    let frees: [&[&str]; 4] = [
        &["DELETE FROM t", "VACUUM"],
        &["TRUNCATE t", "CHECKPOINT"],
        &["DELETE FROM t WHERE id % 10 > 0", "VACUUM", "DELETE FROM t"],
        &[
            "DROP TABLE t",
            "VACUUM",
            "CREATE TABLE t (id bigint PRIMARY KEY, b text)",
        ],
    ];
    for (round, frees) in (1..).zip(frees) {
        let count = fill(&mut session, 0);
        assert!(count > 1000, "round {round}: only {count} rows fit");
        if round % 2 == 0 {
            session = open(&kv).session();
        }
        let all = "SELECT count(*), count(b), max(id) + 1 FROM t";
        assert_eq!(rows(&mut session, all), [vec![Value::Int8(count); 3]]);
        for no_rows in [
            "INSERT INTO t SELECT * FROM t WHERE id < 0",
            "UPDATE t SET b = 'x' WHERE id < 0",
        ] {
            run(&mut session, no_rows);
        }
        for sql in frees {
            run(&mut session, sql);
        }
        run(&mut session, &format!("INSERT INTO other VALUES ({round})"));
        let kept = "SELECT count(*), max(round)::bigint + 1 FROM other";
        assert_eq!(rows(&mut session, kept), [vec![Value::Int8(round + 1); 2]]);
    }
    let again: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let env = Arc::new(SystemEnv::new());
    let again = pollster::block_on(Database::open(again, env, Options::browser())).unwrap();
    let kept = "SELECT count(*) FROM other";
    assert_eq!(rows(&mut again.session(), kept), ints(&[5]));
}
