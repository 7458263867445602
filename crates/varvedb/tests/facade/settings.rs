//! SET, SHOW and RESET, and what transactions do to them.

use varve_types::{SqlState, Value};
use varvedb::Session;

use super::{fails, rows, run, session};

fn show(session: &mut Session, name: &str) -> String {
    match &rows(session, &format!("SHOW {name}"))[0][0] {
        Value::Text(text) => text.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn settings_have_postgresql_s_spellings() {
    let mut session = session();
    let cases = [
        ("varve.durability", "'strict'", "strict"),
        ("Varve.Durability", "async", "async"),
        ("synchronous_commit", "on", "on"),
        ("synchronous_commit", "OFF", "off"),
        ("synchronous_commit", "local", "on"),
        ("application_name", "'My App'", "My App"),
        ("default_transaction_read_only", "1", "on"),
        ("default_transaction_read_only", "no", "off"),
        ("varve.memory_limit", "'64MB'", "64MB"),
        ("varve.plan_cache_entries", "7", "7"),
        ("client_encoding", "'utf-8'", "UTF8"),
        ("timezone", "'gmt'", "GMT"),
        ("timezone", "'europe/berlin'", "Europe/Berlin"),
        ("timezone", "-7.5", "<-07:30>+07:30"),
        ("datestyle", "German", "German, DMY"),
        ("datestyle", "'ISO, YMD'", "ISO, YMD"),
        ("intervalstyle", "ISO_8601", "iso_8601"),
    ];
    for (name, value, shown) in cases {
        run(&mut session, &format!("SET {name} = {value}"));
        assert_eq!(show(&mut session, name), shown, "{name}");
    }
    assert_eq!(show(&mut session, "varve.durability"), "strict");
    run(&mut session, "RESET ALL");
    assert_eq!(show(&mut session, "varve.durability"), "relaxed");
    assert_eq!(
        show(&mut session, "varve.memory_limit"),
        "64MB",
        "not of the session"
    );
    run(&mut session, "RESET varve.memory_limit");
    assert_eq!(show(&mut session, "varve.memory_limit"), "256MB");
    let all = pollster::block_on(session.query("SHOW ALL", &[])).unwrap();
    assert_eq!((all.fields.len(), all.command), (3, "SHOW"));
    let errors = [
        ("SHOW nothing", SqlState::UNDEFINED_OBJECT),
        ("SET varve.nothing = 1", SqlState::UNDEFINED_OBJECT),
        (
            "SET varve.durability = loose",
            SqlState::INVALID_PARAMETER_VALUE,
        ),
        (
            "SET synchronous_commit = 2",
            SqlState::INVALID_PARAMETER_VALUE,
        ),
        (
            "SET varve.memory_limit = '5 things'",
            SqlState::INVALID_PARAMETER_VALUE,
        ),
        (
            "SET varve.memory_limit = 5",
            SqlState::INVALID_PARAMETER_VALUE,
        ),
        (
            "SET server_version = 17",
            SqlState::CANT_CHANGE_RUNTIME_PARAM,
        ),
        (
            "SET client_encoding = latin1",
            SqlState::CANT_CHANGE_RUNTIME_PARAM,
        ),
    ];
    for (sql, state) in errors {
        assert_eq!(fails(&mut session, sql).state(), state, "{sql}");
    }
}

#[test]
fn what_is_set_in_a_block_ends_as_the_block_does() {
    let mut session = session();
    let durability = |session: &mut Session| show(session, "varve.durability");
    run(&mut session, "BEGIN");
    run(&mut session, "SET LOCAL varve.durability = strict");
    assert_eq!(durability(&mut session), "strict");
    run(&mut session, "COMMIT");
    assert_eq!(durability(&mut session), "relaxed");

    run(&mut session, "BEGIN");
    run(&mut session, "SET varve.durability = strict");
    run(&mut session, "SET LOCAL varve.durability = async");
    assert_eq!(durability(&mut session), "async");
    run(&mut session, "COMMIT");
    assert_eq!(durability(&mut session), "strict");

    for end in ["ROLLBACK", "SELECT nothing"] {
        run(&mut session, "BEGIN");
        run(&mut session, "SET varve.durability = async");
        let _ = pollster::block_on(session.query(end, &[]));
        run(&mut session, "ROLLBACK");
        assert_eq!(durability(&mut session), "strict");
    }
}

#[test]
fn outside_a_block_local_settings_are_a_warning() {
    let mut session = session();
    let cases = [
        ("SET LOCAL application_name = x", "SET LOCAL"),
        ("SET TRANSACTION READ ONLY", "SET TRANSACTION"),
        ("SET CONSTRAINTS ALL DEFERRED", "SET CONSTRAINTS"),
    ];
    for (sql, command) in cases {
        let result = pollster::block_on(session.query(sql, &[])).unwrap();
        let notice = &result.notices[0];
        assert_eq!(notice.severity, "WARNING");
        assert_eq!(notice.state, SqlState::NO_ACTIVE_SQL_TRANSACTION);
        let expected = format!("{command} can only be used in transaction blocks");
        assert_eq!(notice.message, expected);
    }
    assert_eq!(show(&mut session, "application_name"), "");
}

#[test]
fn a_statement_that_takes_too_long_is_stopped() {
    let mut session = session();
    run(&mut session, "SET statement_timeout = '30ms'");
    let endless = "SELECT count(*) FROM generate_series(1, 1000000000000) AS g(n) WHERE n < 0";
    let error = pollster::block_on(session.query(endless, &[])).unwrap_err();
    assert_eq!(error.state(), SqlState::QUERY_CANCELED);
    assert!(error.message().contains("statement timeout"), "{error}");
    let error = pollster::block_on(session.query("SELECT pg_sleep(100)", &[])).unwrap_err();
    assert_eq!(error.state(), SqlState::QUERY_CANCELED);
    run(&mut session, "SET statement_timeout = 0");
    let env = varvedb::SystemEnv::new();
    run(
        &mut session,
        "SELECT pg_sleep(0.01) FROM generate_series(1, 3)",
    );
    assert!(varve_types::Env::monotonic_us(&env) >= 30_000);
}

#[test]
fn a_pragma_says_that_nothing_comes_of_it() {
    let mut session = session();
    for (sql, told) in [
        ("PRAGMA journal_mode=WAL", "there is a log always"),
        ("PRAGMA busy_timeout(2000)", "40001"),
        ("PRAGMA main.auto_vacuum = 'full';", "in the background"),
        ("pragma synchronous = OFF", "synchronous_commit"),
        ("PRAGMA foreign_keys", "checked always"),
        ("PRAGMA cache_size = -2000", "kept in memory"),
    ] {
        let result = pollster::block_on(session.query(sql, &[])).unwrap();
        let notices: Vec<&str> = result.notices.iter().map(|n| n.message.as_str()).collect();
        assert!(
            matches!(notices.as_slice(), [notice] if notice.contains(told)),
            "{sql}: {notices:?}"
        );
    }
    let error = fails(&mut session, "PRAGMA user_version = 3");
    assert_eq!(error.state().code(), "0A000");
    assert!(error.fields().hint.is_some());
}
