//! Temporary relations belong to one session and go with it.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, open, rows, run};

#[test]
fn sessions_do_not_see_each_other_s() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut first, mut second) = (database.session(), database.session());
    run(&mut first, "CREATE TEMP TABLE t (a INT)");
    run(&mut second, "CREATE TEMP TABLE t (a INT, b INT)");
    run(&mut first, "INSERT INTO t VALUES (1)");
    run(&mut second, "INSERT INTO t VALUES (2, 3)");
    let sum = "SELECT sum(a) FROM t";
    assert_eq!(rows(&mut first, sum), vec![vec![Value::Int8(1)]]);
    assert_eq!(rows(&mut second, sum), vec![vec![Value::Int8(2)]]);
    let mut third = database.session();
    let missing = fails(&mut third, "SELECT * FROM t");
    assert_eq!(missing.state(), SqlState::UNDEFINED_TABLE);
}

#[test]
fn nothing_is_left_of_a_session() {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let objects = |database: &crate::Database| database.shared.store.begin().objects().len();
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE kept (a INT); CREATE TEMP TABLE t (a SERIAL PRIMARY KEY, b INT UNIQUE);
         CREATE TEMP VIEW v AS SELECT * FROM t; INSERT INTO t (b) VALUES (1), (2);",
    );
    assert_eq!(objects(&database), 4);
    drop(session);
    let mut session = database.session();
    run(&mut session, "CREATE TEMP TABLE u (a INT)");
    assert_eq!(objects(&database), 2);
    drop(session);
    drop(database);
    assert_eq!(objects(&open(&kv)), 1);
}
