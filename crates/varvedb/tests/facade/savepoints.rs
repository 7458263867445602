//! Savepoints, and what they bring back.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, ints, open, rows, run, session};

const IDS: &str = "SELECT id FROM t ORDER BY id";

#[test]
fn a_failed_block_goes_on_from_a_savepoint() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    run(&mut session, "BEGIN");
    run(&mut session, "INSERT INTO t VALUES (1)");
    run(&mut session, "SAVEPOINT a");
    run(&mut session, "INSERT INTO t VALUES (2)");
    let twice = fails(&mut session, "INSERT INTO t VALUES (3), (4), (1)");
    assert_eq!(twice.state(), SqlState::UNIQUE_VIOLATION);
    for refused in ["SAVEPOINT b", "RELEASE a", IDS] {
        let state = fails(&mut session, refused).state();
        assert_eq!(state, SqlState::IN_FAILED_SQL_TRANSACTION, "{refused}");
    }
    run(&mut session, "ROLLBACK TO a");
    assert_eq!(rows(&mut session, IDS), ints(&[1]));
    run(&mut session, "INSERT INTO t VALUES (5)");
    run(&mut session, "SAVEPOINT a");
    run(&mut session, "DELETE FROM t");
    run(&mut session, "ROLLBACK TO SAVEPOINT a");
    run(&mut session, "RELEASE a");
    run(&mut session, "COMMIT");
    assert_eq!(rows(&mut session, IDS), ints(&[1, 5]));
}

#[test]
fn names_are_those_of_postgresql() {
    let mut session = session();
    let unknown = SqlState::INVALID_SAVEPOINT_SPECIFICATION;
    let no_block = SqlState::NO_ACTIVE_SQL_TRANSACTION;
    for sql in ["SAVEPOINT a", "RELEASE a", "ROLLBACK TO a"] {
        assert_eq!(fails(&mut session, sql).state(), no_block, "{sql}");
        let script = format!("SELECT 1; {sql}");
        assert_eq!(fails(&mut session, &script).state(), no_block, "{sql}");
    }
    for sql in ["RELEASE b", "ROLLBACK TO b"] {
        run(&mut session, "BEGIN; SAVEPOINT a");
        let error = fails(&mut session, sql);
        let expected = "savepoint \"b\" does not exist";
        assert_eq!((error.state(), error.message()), (unknown, expected));
        run(&mut session, "ROLLBACK TO a");
        run(&mut session, "SAVEPOINT b; SAVEPOINT c; RELEASE b");
        assert_eq!(fails(&mut session, "RELEASE c").state(), unknown);
        run(&mut session, "ROLLBACK");
    }
    run(&mut session, "BEGIN");
    fails(&mut session, "SELECT nothing");
    assert_eq!(fails(&mut session, "ROLLBACK TO a").state(), unknown);
    run(&mut session, "ROLLBACK");
}

#[test]
fn tables_come_and_go_with_savepoints() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id BIGINT PRIMARY KEY); INSERT INTO t VALUES (1)",
    );
    run(&mut session, "BEGIN; SAVEPOINT a; DROP TABLE t");
    run(
        &mut session,
        "CREATE TABLE t (name TEXT); INSERT INTO t VALUES ('x')",
    );
    assert_eq!(
        rows(&mut session, "SELECT * FROM t"),
        vec![vec![Value::text("x")]]
    );
    run(&mut session, "ROLLBACK TO a");
    assert_eq!(rows(&mut session, "SELECT * FROM t"), ints(&[1]));
    run(&mut session, "INSERT INTO t VALUES (2); COMMIT");
    assert_eq!(rows(&mut session, IDS), ints(&[1, 2]));
}

#[test]
fn settings_come_back() {
    let mut session = session();
    let durability = |session: &mut varvedb::Session| rows(session, "SHOW varve.durability");
    let is = |name: &str| vec![vec![Value::text(name)]];
    run(&mut session, "BEGIN");
    run(&mut session, "SET varve.durability = async");
    run(&mut session, "SAVEPOINT s");
    run(&mut session, "SET varve.durability = relaxed");
    run(&mut session, "ROLLBACK TO s");
    assert_eq!(durability(&mut session), is("async"));
    run(&mut session, "COMMIT");
    assert_eq!(durability(&mut session), is("async"));
}

#[test]
fn in_a_block_an_error_undoes_the_batch_only() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    run(&mut session, "BEGIN");
    run(&mut session, "INSERT INTO t VALUES (1)");
    let failing = ["INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (1)"];
    let failed = pollster::block_on(session.execute_batch(&failing)).unwrap_err();
    assert_eq!(failed.index, 1);
    let fine = ["INSERT INTO t VALUES (3)", "INSERT INTO t VALUES (4)"];
    assert_eq!(pollster::block_on(session.execute_batch(&fine)).unwrap(), 2);
    assert_eq!(
        rows(&mut session, "SELECT id FROM t ORDER BY id"),
        ints(&[1, 3, 4])
    );
    fails(&mut session, "SELECT nothing");
    let failed = pollster::block_on(session.execute_batch(&fine)).unwrap_err();
    assert_eq!(failed.error.state(), SqlState::IN_FAILED_SQL_TRANSACTION);
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, IDS), ints(&[]));
}
