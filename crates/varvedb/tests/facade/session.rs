//! Statements, parameters and transaction blocks.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, ints, open, rows, run, session};

const COUNT: &str = "SELECT count(*) FROM t";

#[test]
fn rows_come_back_after_a_reopen() {
    let kv = Arc::new(MemoryKv::new());
    {
        let mut session = open(&kv).session();
        run(
            &mut session,
            "CREATE TABLE t (id BIGINT PRIMARY KEY, name TEXT NOT NULL)",
        );
        run(&mut session, "INSERT INTO t VALUES (2, 'b'), (1, 'a')");
    }
    let database = open(&kv);
    let mut session = database.session();
    let expected = vec![
        vec![Value::Int8(1), Value::text("a")],
        vec![Value::Int8(2), Value::text("b")],
    ];
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY id"), expected);
    pollster::block_on(database.flush()).unwrap();
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY id"), expected);
    let mut session = open(&kv).session();
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY id"), expected);
}

#[test]
fn parameters_take_the_type_of_their_place() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id INT PRIMARY KEY, at DATE)");
    let insert = "INSERT INTO t VALUES ($1, $2)";
    let given = [Value::Float8(7.0), Value::text("2013-01-31")];
    let result = pollster::block_on(session.query(insert, &given)).unwrap();
    assert_eq!((result.command, result.affected_rows), ("INSERT", Some(1)));
    let found =
        pollster::block_on(session.query("SELECT at FROM t WHERE id = $1", &[Value::Int8(7)]));
    assert_eq!(found.unwrap().rows(), vec![vec![Value::Date(15736)]]);
    let cases: [(&[Value], SqlState); 3] = [
        (&[], SqlState::PROTOCOL_VIOLATION),
        (
            &[Value::Float8(1.5), Value::Null],
            SqlState::INVALID_TEXT_REPRESENTATION,
        ),
        (
            &[Value::Int8(1), Value::text("x")],
            SqlState::INVALID_DATETIME_FORMAT,
        ),
    ];
    for (given, state) in cases {
        let error = pollster::block_on(session.query(insert, given)).unwrap_err();
        assert_eq!(error.state(), state, "{given:?}");
    }
}

#[test]
fn whole_numbers_become_what_their_place_holds() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id BIGINT PRIMARY KEY, small INT, real DOUBLE PRECISION)",
    );
    let insert = "INSERT INTO t VALUES ($1, $2, $3)";
    for number in [i64::from(i32::MIN), -1, 0, i64::from(i32::MAX)] {
        let given = [number; 3].map(Value::Int8);
        pollster::block_on(session.query(insert, &given)).unwrap();
    }
    let large = (1_i64 << 53) + 1;
    let given = [Value::Int8(large), Value::Null, Value::Int8(large)];
    pollster::block_on(session.query(insert, &given)).unwrap();
    let same = "SELECT count(*) FROM t WHERE real = id AND (small = id OR small IS NULL)";
    assert_eq!(rows(&mut session, same), ints(&[5]));
    let given = [1, large, 1].map(Value::Int8);
    let error = pollster::block_on(session.query(insert, &given)).unwrap_err();
    assert_eq!(error.state(), SqlState::NUMERIC_VALUE_OUT_OF_RANGE);
}

#[test]
fn a_script_has_no_longest_text() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id BIGINT PRIMARY KEY, x TEXT)",
    );
    let filler = "é;".repeat(30_000);
    let insert = |id| format!("INSERT INTO t /*;*/ VALUES ({id}, $a$;{filler}'$a$);\n");
    let inserts: String = (1..=60).map(insert).collect();
    assert!(inserts.len() > 5 << 20);
    let body = "CREATE FUNCTION f() RETURNS bigint LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT count(*) FROM t; END;";

    let error = fails(&mut session, &format!("{inserts}{body} SELEC 1"));
    let place = inserts.chars().count() + body.len() + 2;
    assert_eq!(error.state(), SqlState::SYNTAX_ERROR);
    assert_eq!(error.position(), u32::try_from(place).ok());
    let error = fails(
        &mut session,
        &format!("{inserts}COMMIT; SELECT 1 FROM; SELECT 2"),
    );
    assert_eq!(error.state(), SqlState::SYNTAX_ERROR);
    assert_eq!(rows(&mut session, COUNT), ints(&[0]), "all is parsed first");
    fails(&mut session, &format!("{inserts}INSERT INTO t VALUES (7)"));
    assert_eq!(
        rows(&mut session, COUNT),
        ints(&[0]),
        "it is one transaction"
    );

    let results = pollster::block_on(session.execute_script(&format!("{inserts}{body}SELECT f()")));
    let results = results.unwrap();
    assert_eq!(results.len(), 62);
    assert_eq!(results[61].rows(), ints(&[60]));
    let long = format!("SELECT '{}'", "x".repeat(4 << 20));
    let error = fails(&mut session, &long);
    assert_eq!(error.state(), SqlState::PROGRAM_LIMIT_EXCEEDED);
    assert!(!session.in_transaction());
}

#[test]
fn a_script_is_one_transaction() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    let error = fails(
        &mut session,
        "INSERT INTO t VALUES (1); INSERT INTO t VALUES (1)",
    );
    assert_eq!(error.state(), SqlState::UNIQUE_VIOLATION);
    assert_eq!(
        error.fields().detail.as_deref(),
        Some("Key (id)=(1) already exists.")
    );
    assert_eq!(rows(&mut session, COUNT), ints(&[0]));
    assert!(!session.in_transaction());
    let script = "INSERT INTO t VALUES (1); COMMIT; INSERT INTO t VALUES (2); SELECT nothing";
    fails(&mut session, script);
    assert_eq!(rows(&mut session, "SELECT id FROM t"), ints(&[1]));
    run(
        &mut session,
        "INSERT INTO t VALUES (3); BEGIN; INSERT INTO t VALUES (4)",
    );
    assert!(session.in_transaction());
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, COUNT), ints(&[1]));
}

#[test]
fn a_failed_block_accepts_only_its_end() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    run(&mut session, "BEGIN");
    run(&mut session, "INSERT INTO t VALUES (1)");
    assert_eq!(
        fails(&mut session, "SELECT 1 / 0").state(),
        SqlState::DIVISION_BY_ZERO
    );
    let refused = fails(&mut session, COUNT);
    assert_eq!(refused.state(), SqlState::IN_FAILED_SQL_TRANSACTION);
    let end = pollster::block_on(session.query("COMMIT", &[])).unwrap();
    assert_eq!(end.command, "ROLLBACK");
    assert_eq!(rows(&mut session, COUNT), ints(&[0]));
}

#[test]
fn two_sessions_see_their_own_snapshots_and_conflict() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut a, mut b) = (database.session(), database.session());
    run(
        &mut a,
        "CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT); INSERT INTO t VALUES (1, 0)",
    );
    run(&mut a, "BEGIN");
    run(&mut a, "UPDATE t SET n = 1");
    assert_eq!(rows(&mut b, "SELECT n FROM t"), ints(&[0]));
    run(&mut b, "UPDATE t SET n = 2");
    assert_eq!(rows(&mut a, "SELECT n FROM t"), ints(&[1]));
    assert_eq!(
        fails(&mut a, "COMMIT").state(),
        SqlState::SERIALIZATION_FAILURE
    );
    assert_eq!(rows(&mut a, "SELECT n FROM t"), ints(&[2]));
}

#[test]
fn a_stale_handle_is_fenced_off() {
    let kv = Arc::new(MemoryKv::new());
    let mut first = open(&kv).session();
    run(&mut first, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    let mut second = open(&kv).session();
    assert_eq!(
        fails(&mut first, "INSERT INTO t VALUES (1)").state(),
        SqlState::OBJECT_IN_USE
    );
    run(&mut second, "INSERT INTO t VALUES (2)");
    assert_eq!(rows(&mut second, "SELECT id FROM t"), ints(&[2]));
}

#[test]
fn a_raised_flag_cancels_one_statement() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    session.cancel_flag().raise();
    assert_eq!(
        rows(&mut session, COUNT),
        ints(&[0]),
        "a flag raised before does not count"
    );
}

#[test]
fn several_statements_do_not_fit_one_query() {
    let mut session = session();
    let error = pollster::block_on(session.query("SELECT 1; SELECT 2", &[])).unwrap_err();
    assert_eq!(error.state(), SqlState::SYNTAX_ERROR);
    let empty = pollster::block_on(session.query(" ; ", &[])).unwrap();
    assert_eq!((empty.command, empty.row_count()), ("", 0));
}

#[test]
fn a_large_transaction_spills_and_is_all_or_nothing() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(
        &mut session,
        "CREATE TABLE t (id BIGINT PRIMARY KEY, note TEXT)",
    );
    run(&mut session, "BEGIN");
    let note = "x".repeat(20_000);
    for id in 0..400 {
        let insert = "INSERT INTO t VALUES ($1, $2)";
        let given = [Value::Int8(id * 7 % 400), Value::text(note.as_str())];
        pollster::block_on(session.query(insert, &given)).unwrap();
    }
    let twice = "INSERT INTO t VALUES (5, '')";
    assert_eq!(rows(&mut session, COUNT), ints(&[400]));
    assert_eq!(
        fails(&mut session, twice).state(),
        SqlState::UNIQUE_VIOLATION
    );
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, COUNT), ints(&[0]));
}

#[test]
fn now_is_the_time_at_which_the_block_began() {
    let mut session = session();
    run(&mut session, "BEGIN");
    let first = rows(&mut session, "SELECT now()");
    let later = rows(&mut session, "SELECT now()");
    assert_eq!(first, later);
    run(&mut session, "COMMIT");
    assert_ne!(rows(&mut session, "SELECT now()"), first);
}

#[test]
fn of_two_that_lock_a_row_the_second_fails() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut a, mut b) = (database.session(), database.session());
    run(
        &mut a,
        "CREATE TABLE t (id BIGINT PRIMARY KEY, n BIGINT); INSERT INTO t VALUES (1, 0), (2, 0)",
    );
    run(&mut a, "CREATE TABLE log (id BIGINT PRIMARY KEY)");
    let select_for = |kind: &str| format!("SELECT n FROM t WHERE id = 1 FOR {kind}");
    for (number, (first, second, conflict)) in (0..).zip([
        (select_for("UPDATE"), select_for("UPDATE"), true),
        (select_for("SHARE"), select_for("UPDATE"), true),
        (select_for("SHARE"), select_for("SHARE"), false),
        (
            select_for("SHARE"),
            "UPDATE t SET n = n + 1".to_owned(),
            true,
        ),
        (select_for("UPDATE"), "SELECT n FROM t".to_owned(), false),
    ]) {
        run(&mut a, "BEGIN");
        run(&mut b, "BEGIN");
        rows(&mut a, &first);
        run(&mut b, &second);
        for (session, own) in [(&mut a, 0), (&mut b, 1)] {
            let id = number * 2 + own;
            run(session, &format!("INSERT INTO log VALUES ({id})"));
        }
        run(&mut a, "COMMIT");
        let end = pollster::block_on(b.query("COMMIT", &[]));
        let state = end.map_err(|error| error.state());
        match conflict {
            true => assert_eq!(
                state.err(),
                Some(SqlState::SERIALIZATION_FAILURE),
                "{second}"
            ),
            false => assert!(state.is_ok(), "{first} {second}"),
        }
    }
    run(&mut a, "BEGIN READ ONLY");
    let error = fails(&mut a, &select_for("SHARE"));
    assert_eq!(error.state(), SqlState::READ_ONLY_SQL_TRANSACTION);
}

#[test]
fn explain_tells_the_pages_of_a_statement() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (x int8 PRIMARY KEY)");
    run(
        &mut session,
        "INSERT INTO t SELECT generate_series(1, 1000)",
    );
    run(&mut session, "CHECKPOINT");
    let mut pages = || {
        let sql = "EXPLAIN (ANALYZE, BUFFERS) SELECT count(*) FROM t WHERE x % 2 = 0";
        let lines = rows(&mut session, sql);
        let Some(Value::Text(line)) = lines.iter().map(|line| &line[0]).find(
            |line| matches!(line, Value::Text(text) if text.starts_with("Buffers: shared hit=")),
        ) else {
            panic!("{lines:?}")
        };
        let numbers = line.split(|c: char| !c.is_ascii_digit());
        let numbers = numbers.filter_map(|number| number.parse::<u64>().ok());
        let numbers: Vec<u64> = numbers.collect();
        (numbers[0], numbers[1])
    };
    let (_, read) = pages();
    assert!(read > 0, "the first time they are read");
    let (hit, read) = pages();
    assert!(hit > 0, "then caches have them");
    assert_eq!(read, 0);
}
