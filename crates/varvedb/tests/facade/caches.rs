//! The sizes of caches, and loads that pass them by.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};
use varvedb::Session;

use super::{fails, open, rows, run, session};

fn number(session: &mut Session, sql: &str) -> i64 {
    match rows(session, sql)[0][0] {
        Value::Int8(number) => number,
        ref other => panic!("{other:?}"),
    }
}

fn of_cache(session: &mut Session, cache: &str, what: &str) -> i64 {
    let sql = format!("SELECT {what} FROM varve_caches WHERE name = '{cache}'");
    number(session, &sql)
}

fn statistic(session: &mut Session, name: &str) -> i64 {
    let sql = format!("SELECT value::bigint FROM varve_statistics WHERE name = '{name}'");
    number(session, &sql)
}

/// B4.
#[test]
fn sizes_take_effect_at_once() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (id bigint PRIMARY KEY, s text)",
    );
    let fill = "INSERT INTO t SELECT g, 'line ' || g FROM generate_series(1, 5000) g";
    run(&mut session, fill);
    pollster::block_on(database.flush()).unwrap();
    for (cache, first) in [("page", "80MB"), ("group", "32MB"), ("row", "8MB")] {
        for sql in [
            "SELECT * FROM t WHERE s > ''",
            "SELECT s FROM t WHERE id = 7",
        ] {
            rows(&mut session, sql);
        }
        assert!(of_cache(&mut session, cache, "entries") > 0, "{cache}");
        let setting = format!("varve.{cache}_cache_bytes");
        let shown = |session: &mut Session| rows(session, &format!("SHOW {setting}"));
        assert_eq!(shown(&mut session), [[Value::text(first)]]);
        run(&mut session, &format!("SET {setting} = 0"));
        for what in ["entries", "bytes", "capacity"] {
            assert_eq!(of_cache(&mut session, cache, what), 0, "{cache} {what}");
        }
        assert!(of_cache(&mut session, cache, "evictions") > 0, "{cache}");
        rows(&mut session, "SELECT s FROM t WHERE id = 7");
        assert_eq!(of_cache(&mut session, cache, "entries"), 0, "{cache}");
        run(&mut session, &format!("SET {setting} = '3 MB'"));
        assert_eq!(
            of_cache(&mut session, cache, "capacity"),
            3 << 20,
            "{cache}"
        );
        let error = fails(&mut session, &format!("SET {setting} = 'many'"));
        assert_eq!(error.state(), SqlState::INVALID_PARAMETER_VALUE);
        run(&mut session, &format!("RESET {setting}"));
        assert_eq!(shown(&mut session), [[Value::text(first)]]);
    }
    run(&mut session, "SET varve.plan_cache_entries = 9");
    assert_eq!(of_cache(&mut session, "plan", "capacity"), 9);
    assert_eq!(of_cache(&mut session, "parse", "capacity"), 512);
}

#[test]
fn rows_that_are_loaded_in_bulk_need_no_log() {
    let mut session = session();
    run(
        &mut session,
        "CREATE TABLE t (id bigint PRIMARY KEY, s text CHECK (s <> 'line 31000'))",
    );
    run(&mut session, "CREATE UNIQUE INDEX lines ON t (s)");
    let rows_of = |first: i64, last: i64| {
        format!("INSERT INTO t SELECT g, 'line ' || g FROM generate_series({first}, {last}) g")
    };
    let written = |session: &mut Session| {
        let of_log = statistic(session, "written_bytes") - statistic(session, "run_bytes_written");
        (of_log, statistic(session, "runs"))
    };
    let before = written(&mut session);
    run(&mut session, &rows_of(1, 10_000));
    let logged = written(&mut session);
    assert_eq!(logged.1, before.1, "in the memtable");
    assert!(logged.0 - before.0 > 100_000);

    run(&mut session, "SET bulk_load_mode = true");
    assert_eq!(
        rows(&mut session, "SHOW bulk_load_mode"),
        [[Value::text("on")]]
    );
    run(&mut session, &rows_of(10_001, 20_000));
    let loaded = written(&mut session);
    assert!(loaded.1 > logged.1, "in runs");
    assert!(loaded.0 - logged.0 < 20_000, "{}", loaded.0 - logged.0);

    for (first, last, state) in [
        (22_000, 32_000, SqlState::CHECK_VIOLATION),
        (19_999, 29_999, SqlState::UNIQUE_VIOLATION),
    ] {
        let error = fails(&mut session, &rows_of(first, last));
        assert_eq!(error.state(), state);
    }
    run(&mut session, "BEGIN; DELETE FROM t WHERE id <= 5");
    run(&mut session, &rows_of(20_001, 30_000));
    run(
        &mut session,
        "SAVEPOINT a; UPDATE t SET s = s || '!' WHERE id > 20000; ROLLBACK TO a",
    );
    assert_eq!(number(&mut session, "SELECT count(*) FROM t"), 29_995);
    run(&mut session, "COMMIT; INSERT INTO t VALUES (1, 'one')");
    let sum = "SELECT sum(id)::bigint FROM t WHERE s = 'one' OR s LIKE 'line %'";
    let all: i64 = (1..=30_000).sum();
    assert_eq!(number(&mut session, sum), all - (1..=5).sum::<i64>() + 1);
    run(&mut session, "RESET ALL");
    assert_eq!(
        rows(&mut session, "SHOW bulk_load_mode"),
        [[Value::text("off")]]
    );
}
