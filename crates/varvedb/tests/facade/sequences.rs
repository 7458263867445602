//! Sequences across sessions, rollbacks and openings.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, ints, open, rows, run};

#[test]
fn no_value_is_given_twice() {
    let kv = Arc::new(MemoryKv::new());
    let mut seen = Vec::new();
    let mut take = |session: &mut varvedb::Session, sql: &str| {
        for row in rows(session, sql) {
            let [Value::Int4(value)] = row.as_slice() else {
                panic!("{row:?}");
            };
            assert!(!seen.contains(value), "{value} in {seen:?}");
            seen.push(*value);
        }
    };
    let insert = "INSERT INTO t (n) VALUES (1), (2), (3) RETURNING id";
    for round in 0..3 {
        let database = open(&kv);
        let (mut first, mut second) = (database.session(), database.session());
        if round == 0 {
            run(&mut first, "CREATE TABLE t (id SERIAL PRIMARY KEY, n INT)");
        }
        for _ in 0..15 {
            take(&mut first, insert);
            take(&mut second, insert);
            run(&mut first, "BEGIN");
            take(&mut first, insert);
            take(&mut second, insert);
            run(&mut first, "ROLLBACK");
        }
        // The database is dropped without being closed.
    }
    assert_eq!(seen.len(), 3 * 15 * 4 * 3);
}

#[test]
fn sessions_have_their_own_last_values() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut first, mut second) = (database.session(), database.session());
    run(&mut first, "CREATE SEQUENCE s");
    assert_eq!(rows(&mut first, "SELECT nextval('s')"), ints(&[1]));
    assert_eq!(rows(&mut second, "SELECT nextval('s')"), ints(&[2]));
    assert_eq!(rows(&mut first, "SELECT currval('s')"), ints(&[1]));
    assert_eq!(rows(&mut second, "SELECT lastval()"), ints(&[2]));
    // A plan is bound anew when another sequence has the name.
    run(&mut second, "DROP SEQUENCE s");
    let missing = fails(&mut first, "SELECT nextval('s')");
    assert_eq!(missing.state(), SqlState::UNDEFINED_TABLE);
    run(&mut second, "CREATE SEQUENCE s START 7");
    assert_eq!(rows(&mut first, "SELECT nextval('s')"), ints(&[7]));
}

#[test]
fn a_file_without_the_column_gets_the_next_values() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    let table = "CREATE TABLE t (id BIGSERIAL PRIMARY KEY, n INT CHECK (n < 10))";
    run(&mut session, table);
    let copy = |session: &mut varvedb::Session, text: &[u8]| {
        let copy = "COPY t (n) FROM STDIN WITH (FORMAT csv)";
        pollster::block_on(session.copy_begin(copy))?;
        pollster::block_on(session.copy_write(text))?;
        pollster::block_on(session.copy_finish())
    };
    copy(&mut session, b"5\n6\n").unwrap();
    assert_eq!(rows(&mut session, "SELECT id FROM t"), ints(&[1, 2]));
    let state = copy(&mut session, b"50\n").unwrap_err().state();
    assert_eq!(state, SqlState::CHECK_VIOLATION);
    run(&mut session, "INSERT INTO t (n) VALUES (7)");
    assert_eq!(rows(&mut session, "SELECT max(id) > 2 FROM t").len(), 1);
}
