//! Prepared statements, and the caches of syntax trees and plans.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{LogicalType, SqlState, Value};

use super::{fails, ints, open, rows, run, session};

fn counter(session: &mut varvedb::Session, cache: &str, counter: &str) -> i64 {
    let sql = format!("SELECT {counter} FROM varve_caches WHERE name = '{cache}'");
    match rows(session, &sql)[0][0] {
        Value::Int8(number) => number,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn a_prepared_statement_follows_its_table() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut a, mut b) = (database.session(), database.session());
    run(&mut a, "CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT)");
    let insert = pollster::block_on(a.prepare("INSERT INTO t VALUES ($1, $2)", &[])).unwrap();
    let get = "SELECT n FROM t WHERE id = $1";
    let get = pollster::block_on(a.prepare(get, &[Some(LogicalType::Int8)])).unwrap();
    assert_eq!(insert.parameter_types(), [LogicalType::Int8; 2]);
    assert_eq!(get.fields()[0].name, "n");
    let put = |session: &mut varvedb::Session, id: i64, n: i64| {
        let values = [Value::Int8(id), Value::Int8(n)];
        pollster::block_on(session.execute_prepared(&insert, &values))
    };
    put(&mut a, 1, 10).unwrap();
    put(&mut b, 2, 20).unwrap();
    let found = |session: &mut varvedb::Session, id: i64| {
        let found = pollster::block_on(session.execute_prepared(&get, &[Value::Int8(id)]));
        found.unwrap().rows()
    };
    assert_eq!(found(&mut b, 1), ints(&[10]));
    assert_eq!(found(&mut a, 2), ints(&[20]));
    assert_eq!(
        put(&mut a, 2, 0).unwrap_err().state(),
        SqlState::UNIQUE_VIOLATION
    );

    run(&mut b, "DROP TABLE t");
    let gone = pollster::block_on(a.execute_prepared(&get, &[Value::Int8(1)])).unwrap_err();
    assert_eq!(gone.state(), SqlState::UNDEFINED_TABLE);
    run(&mut b, "CREATE TABLE t (n INT, id BIGINT PRIMARY KEY)");
    assert_eq!(found(&mut a, 1), Vec::<Vec<Value>>::new());
    run(&mut b, "INSERT INTO t VALUES (7, 1)");
    assert_eq!(found(&mut a, 1), vec![vec![Value::Int4(7)]]);
}

#[test]
fn what_can_be_prepared() {
    let mut session = session();
    let begin = pollster::block_on(session.prepare("BEGIN", &[])).unwrap();
    pollster::block_on(session.execute_prepared(&begin, &[])).unwrap();
    assert!(session.in_transaction());
    let cases = [
        ("", SqlState::SYNTAX_ERROR),
        ("SELECT 1; SELECT 2", SqlState::SYNTAX_ERROR),
        ("SELECT $1 FROM nowhere", SqlState::UNDEFINED_TABLE),
    ];
    for (sql, state) in cases {
        run(&mut session, "ROLLBACK; BEGIN");
        let error = pollster::block_on(session.prepare(sql, &[])).unwrap_err();
        assert_eq!(error.state(), state, "{sql}");
        let error = pollster::block_on(session.prepare("SELECT 1", &[])).unwrap_err();
        assert_eq!(error.state(), SqlState::IN_FAILED_SQL_TRANSACTION, "{sql}");
    }
}

#[test]
fn plans_are_kept_until_their_tables_change() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, "CREATE TABLE a (id INT PRIMARY KEY)");
    run(&mut session, "CREATE TABLE b (id INT PRIMARY KEY)");
    let of_a = "SELECT * FROM a WHERE id = 1";
    for sql in [of_a, "SELECT * FROM b", of_a] {
        rows(&mut session, sql);
    }
    let hits = |session: &mut varvedb::Session| counter(session, "plan", "hits");
    let before = hits(&mut session);
    run(&mut session, "DROP TABLE a");
    run(&mut session, "CREATE TABLE a (n TEXT, id INT PRIMARY KEY)");
    rows(&mut session, of_a);
    assert_eq!(hits(&mut session), before + 1, "only of this question");
    rows(&mut session, "SELECT * FROM b");
    assert_eq!(hits(&mut session), before + 3, "b is what it was");
    rows(&mut session, of_a);
    let mut other = database.session();
    rows(&mut other, of_a);
    assert_eq!(hits(&mut other), before + 6, "shared by sessions");
}

#[test]
fn plans_of_changes_that_are_not_committed_do_not_outlive_them() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut a, mut b) = (database.session(), database.session());
    run(&mut a, "BEGIN");
    run(&mut a, "CREATE TABLE t (id INT PRIMARY KEY)");
    let prepared = pollster::block_on(a.prepare("SELECT * FROM t", &[])).unwrap();
    assert_eq!(rows(&mut a, "SELECT * FROM t"), ints(&[]));
    let unknown = fails(&mut b, "SELECT * FROM t");
    assert_eq!(unknown.state(), SqlState::UNDEFINED_TABLE);
    run(&mut a, "ROLLBACK");
    let unknown = fails(&mut a, "SELECT * FROM t");
    assert_eq!(unknown.state(), SqlState::UNDEFINED_TABLE);
    let unknown = pollster::block_on(a.execute_prepared(&prepared, &[])).unwrap_err();
    assert_eq!(unknown.state(), SqlState::UNDEFINED_TABLE);
}

#[test]
fn caches_are_bounded() {
    let mut session = session();
    let entries = |session: &mut varvedb::Session| counter(session, "plan", "entries");
    for n in 0..300 {
        rows(&mut session, &format!("SELECT {n}"));
    }
    assert_eq!(entries(&mut session), 256);
    assert_eq!(counter(&mut session, "plan", "evictions"), 300 + 2 - 256);
    let hits = counter(&mut session, "plan", "hits");
    rows(&mut session, "SELECT 299");
    rows(&mut session, "SELECT 0");
    assert_eq!(
        counter(&mut session, "plan", "hits"),
        hits + 2,
        "299, and the question"
    );
    run(&mut session, "SET varve.plan_cache_entries = 3");
    assert_eq!(entries(&mut session), 3);
    assert!(counter(&mut session, "parse", "entries") > 250);
}

#[test]
fn a_text_is_counted_once_each_time_it_is_run() {
    let mut session = session();
    run(&mut session, "CREATE TABLE once (id INT)");
    let counted = |session: &mut varvedb::Session, cache| counter(session, cache, "hits + misses");
    for cache in ["parse", "plan"] {
        counted(&mut session, cache);
    }
    for script in [
        "INSERT INTO once VALUES (1)",
        "INSERT INTO once VALUES (1)",
        "INSERT INTO once VALUES ('one')",
        "SELECT 1",
        "SELECT 1",
        "SELECT 1; SELECT 2",
        "SELECT 1; SELECT 2",
    ] {
        let before = counted(&mut session, "parse");
        let _result = pollster::block_on(session.execute_script(script));
        // The question is a text, too.
        let after = counted(&mut session, "parse");
        assert_eq!(after - before, 1 + 1, "{script}");
    }
}
