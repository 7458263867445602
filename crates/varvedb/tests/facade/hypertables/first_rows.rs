//! The first rows of an order: a sort tells the scan below what it does not want any more.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_kv::fault::SplitMix64;
use varve_types::Value;
use varvedb::Session;

use super::super::{open, rows, run};

/// Vectors that a query decodes.
fn decoded(session: &mut Session, sql: &str) -> u64 {
    let lines = rows(session, &format!("EXPLAIN (ANALYZE, STORAGE) {sql}"));
    let lines = lines.iter().flatten().filter_map(Value::str);
    let mut numbers = lines.filter_map(|line| {
        let (_, rest) = line.split_once("vectors decoded=")?;
        rest.split(' ').next()?.parse().ok()
    });
    numbers.next().unwrap()
}

/// T18.
#[test]
fn the_newest_rows_of_all_chunks_decode_few_vectors() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE m (time TIMESTAMP, host INT, v FLOAT8) WITH (tsdb.hypertable,
             tsdb.partition_column = 'time', tsdb.chunk_interval = '1 day')",
    );
    for day in 0..8 {
        run(
            &mut session,
            &format!(
                "INSERT INTO m SELECT TIMESTAMP '2026-01-01' + (i + 8640 * {day}) * INTERVAL '10 s',
                     i % 10, i FROM generate_series(0, 8639) i"
            ),
        );
        block_on(database.flush()).unwrap();
    }
    let newest = "SELECT * FROM m ORDER BY time DESC LIMIT 10";
    assert_eq!(rows(&mut session, newest).len(), 10);
    assert!(decoded(&mut session, newest) <= 3 * 2);
    let filtered = "SELECT * FROM m WHERE host = 3 ORDER BY time DESC, v LIMIT 10";
    assert!(decoded(&mut session, filtered) <= 3 * 2 + 2);
    let oldest = "SELECT v, time FROM m ORDER BY time LIMIT 5";
    assert_eq!(rows(&mut session, oldest)[4][0], Value::Float8(4.0));
    assert!(decoded(&mut session, oldest) <= 2 * 2);
    let last = "SELECT last(v, time), last(host, time), max(time)::TEXT FROM m WHERE host < 5";
    let expected = vec![
        Value::Float8(8634.0),
        Value::Int4(4),
        Value::text("2026-01-08 23:59:00"),
    ];
    assert_eq!(rows(&mut session, last), [expected]);
    assert!(decoded(&mut session, last) <= 3 * 2);
    let first = "SELECT first(v, time) FROM m";
    assert_eq!(rows(&mut session, first), [[Value::Float8(0.0)]]);
    assert!(decoded(&mut session, first) <= 2 * 2);
    let all = "SELECT * FROM m ORDER BY time + INTERVAL '0' DESC LIMIT 10";
    assert_eq!(rows(&mut session, all), rows(&mut session, newest));
    assert!(decoded(&mut session, all) > 100, "this one cannot know");
}

#[test]
fn the_first_rows_are_those_of_a_whole_sort() {
    let mut random = SplitMix64::new(3);
    for kind in [
        "WITH (tsdb.hypertable, tsdb.partition_column = 'at', tsdb.chunk_interval = 400)",
        "WITH (tsdb.hypertable, tsdb.partition_column = 'at', tsdb.chunk_interval = 400,
             tsdb.segmentby = 'k', tsdb.orderby = 'at DESC')",
        "",
    ] {
        let database = open(&Arc::new(MemoryKv::new()));
        let mut session = database.session();
        run(
            &mut session,
            &format!("CREATE TABLE t (at INT NOT NULL, k INT, v BIGINT) {kind}"),
        );
        for round in 0..40 {
            let from = random.up_to(3000);
            let rows_count = 1 + random.up_to(1500);
            run(
                &mut session,
                &format!(
                    "INSERT INTO t SELECT {from} + i % 700, CASE WHEN i % 11 = {round} % 11 THEN NULL
                     ELSE ({from} * 7919 + i * 31) % 2000 END, i FROM generate_series(0, {rows_count}) i"
                ),
            );
            if random.coin() {
                block_on(database.flush()).unwrap();
            }
            let gone = random.up_to(2000);
            run(
                &mut session,
                &format!("DELETE FROM t WHERE k BETWEEN {gone} AND {gone} + 40"),
            );
            let column = if random.coin() { "k" } else { "at" };
            let direction = if random.coin() { "DESC" } else { "ASC" };
            let nulls = if random.coin() { "FIRST" } else { "LAST" };
            let limit = 1 + random.up_to(60);
            let offset = random.up_to(5);
            let query = |key: &str| {
                format!(
                    "SELECT {column} FROM (SELECT at, k, v FROM t WHERE v % 3 <> 1) x
                     ORDER BY {key} {direction} NULLS {nulls}, v LIMIT {limit} OFFSET {offset}"
                )
            };
            let found = rows(&mut session, &query(column));
            let expected = rows(&mut session, &query(&format!("{column} + 0")));
            assert_eq!(found, expected, "{}", query(column));
            let ends = |key: &str| {
                format!(
                    "SELECT first({key}, {key}), min({key}) FROM t WHERE v % 5 = 2
                     UNION ALL SELECT last({key}, {key}), max({key}) FROM t WHERE v % 5 = 2"
                )
            };
            let found = rows(&mut session, &ends(column));
            let expected = rows(&mut session, &ends(&format!("({column} + 0)")));
            assert_eq!(found, expected, "{}", ends(column));
        }
    }
}

/// T30: the last point of each host, by an index, by the key of the table, and sorted.
#[test]
fn the_first_row_of_each_value_is_sought() {
    let mut random = SplitMix64::new(5);
    for kind in [
        "CREATE TABLE t (host INT, at INT NOT NULL, v INT); CREATE INDEX ON t (host, at DESC)",
        "CREATE TABLE t (host INT, at INT NOT NULL, v INT); CREATE INDEX ON t (host DESC, at) INCLUDE (v)",
        "CREATE TABLE t (host INT, at INT, v INT, PRIMARY KEY (host, at))",
        "CREATE TABLE t (host INT, at INT NOT NULL, v INT) WITH (tsdb.hypertable,
             tsdb.partition_column = 'at', tsdb.chunk_interval = 5000, tsdb.segmentby = 'host',
             tsdb.orderby = 'at DESC')",
        "CREATE TABLE t (host INT, at INT, v INT)",
    ] {
        let database = open(&Arc::new(MemoryKv::new()));
        let mut session = database.session();
        run(&mut session, kind);
        let may_be_null = !kind.contains("PRIMARY");
        for round in 0..12 {
            let from = 2000 * round;
            let host = match may_be_null {
                true => "nullif(i * 7919 % 23, 5)",
                false => "i * 7919 % 23",
            };
            let filled = format!(
                "INSERT INTO t SELECT {host}, i, i % 9 FROM generate_series({from}, {}) i",
                from + 1999
            );
            run(&mut session, &filled);
            if random.coin() {
                block_on(database.flush()).unwrap();
            }
            let gone = random.up_to(23);
            run(
                &mut session,
                &format!("DELETE FROM t WHERE host = {gone} AND at > {from}"),
            );
            for order in [
                "host, at DESC",
                "host DESC, at",
                "host, at",
                "host DESC, at DESC",
            ] {
                let query = |host: &str| {
                    format!(
                        "SELECT DISTINCT ON ({host}) * FROM t ORDER BY {}",
                        order.replace("host", host)
                    )
                };
                let found = rows(&mut session, &query("host"));
                let expected = rows(&mut session, &query("(host + 0)"));
                assert_eq!(found, expected, "{kind}: {}", query("host"));
            }
        }
    }
}

#[test]
fn the_last_points_decode_few_vectors() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (host INT, at INT, v INT);
         CREATE INDEX ON t (host, at DESC);
         INSERT INTO t SELECT i % 10, i, i FROM generate_series(1, 200000) i",
    );
    block_on(database.flush()).unwrap();
    block_on(database.run_jobs_until_idle()).unwrap();
    let last = "SELECT DISTINCT ON (host) * FROM t ORDER BY host, at DESC";
    assert_eq!(rows(&mut session, last).len(), 10);
    assert!(decoded(&mut session, last) < 10 * 10, "of 600");
    let many = "SELECT DISTINCT ON (at) * FROM t ORDER BY at";
    run(&mut session, "CREATE INDEX ON t (at)");
    assert_eq!(rows(&mut session, many).len(), 200_000);
}
