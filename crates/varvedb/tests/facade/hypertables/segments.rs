//! Hypertables whose rows are sorted: what is read of them, however rows came in, and what dumps
//! and other transactions make of it.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{Column, LogicalType, SqlState, Value};
use varvedb::{BulkLoadOptions, Session};

use super::super::{fails, ints, open, rows, run};
use super::{copied, copy};

/// Of ten devices in the order of time, in chunks of 10,000.
const ROWS: &str = "INSERT INTO m SELECT i, 'd' || i % 10, i FROM generate_series(0, 29999) i";
const TABLE: &str = "CREATE TABLE m (at BIGINT, device TEXT, v INT) WITH (tsdb.hypertable, \
                     tsdb.partition_column = 'at', tsdb.chunk_interval = 10000)";
const SORT: &str = "ALTER TABLE m SET (tsdb.segmentby = 'device', tsdb.orderby = 'at DESC')";

/// How many vectors a query decodes.
fn decoded(session: &mut Session, query: &str) -> u64 {
    let sql = format!("EXPLAIN (ANALYZE, STORAGE) {query}");
    let lines = rows(session, &sql).into_iter().flatten();
    let lines: Vec<String> = lines.map(|line| format!("{line:?}")).collect();
    let line = lines.iter().find(|line| line.contains("vectors decoded="));
    let (_, rest) = line.unwrap().split_once("vectors decoded=").unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn a_condition_on_segments_reads_their_vectors_only() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(&mut session, TABLE);
    run(&mut session, ROWS);
    run(&mut session, "COMPRESS m");
    let of_device = "SELECT v FROM m WHERE device = 'd3'";
    let newest = "SELECT v FROM m WHERE device = 'd3' ORDER BY at DESC LIMIT 3";
    // All vectors of both columns, of three chunks.
    assert_eq!(decoded(&mut session, of_device), 60);
    let first = rows(&mut session, newest);
    run(&mut session, SORT);
    run(&mut session, "COMPRESS m");
    // 1,000 rows of each chunk, which lie in two vectors.
    assert_eq!(decoded(&mut session, of_device), 12);
    // Of the newest chunk a vector of each column.
    assert_eq!(decoded(&mut session, newest), 3);
    assert_eq!(rows(&mut session, newest), first);
    run(&mut session, "ALTER TABLE m SET (tsdb.segmentby = '')");
    run(&mut session, "COMPRESS m");
    let (newest, oldest) = (
        "SELECT v FROM m ORDER BY at DESC LIMIT 10",
        "SELECT v FROM m ORDER BY at LIMIT 10",
    );
    for query in [newest, oldest] {
        assert_eq!(decoded(&mut session, query), 2, "{query}");
    }
}

#[test]
fn rows_are_sorted_however_they_come_in() {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (at BIGINT, v INT, PRIMARY KEY (at, v)) WITH (tsdb.hypertable, \
         tsdb.partition_column = 'at', tsdb.chunk_interval = 10, tsdb.segmentby = 'v')",
    );
    run(&mut session, "INSERT INTO t VALUES (5, 2), (4, 1)");
    copy(&mut session, "-1\t1\n12\t2\n13\t1\n");
    let load = |at: [i64; 3]| {
        let at = at.map(Value::Int8);
        let at = Arc::new(Column::from_values(LogicalType::Int8, &at));
        let v = Arc::new(Column::constant(LogicalType::Int4, &Value::Int4(2), 3));
        let options = BulkLoadOptions::default();
        block_on(database.direct_bulk_load("t", [vec![at, v]], options))
    };
    load([3, 38, 25]).unwrap();
    // The key is an index, and as unique as before.
    let error = load([26, 38, 27]).unwrap_err();
    assert_eq!(error.state(), SqlState::UNIQUE_VIOLATION);
    drop(session);
    drop(database);
    let mut session = open(&kv).session();
    let sorted = "SELECT at FROM t WHERE v = 2 ORDER BY at DESC LIMIT 9";
    let wanted = ints(&[38, 25, 12, 5, 3]);
    assert_eq!(rows(&mut session, sorted), wanted);
    run(&mut session, "COMPRESS t");
    assert_eq!(rows(&mut session, sorted), wanted);
}

#[test]
fn a_dump_sorts_the_copy() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(&mut session, TABLE);
    run(
        &mut session,
        "ALTER TABLE m SET (tsdb.orderby = 'v NULLS FIRST, at DESC NULLS LAST');
         CREATE TABLE w (\"When\" DATE, \"The, \"\"Device\" INT, x INT,
             CONSTRAINT of_w PRIMARY KEY (\"The, \"\"Device\", \"When\"))
             WITH (tsdb.hypertable, tsdb.partition_column = '\"When\"', tsdb.orderby = 'x');
         CREATE TABLE refers (a INT, b DATE, FOREIGN KEY (a, b) REFERENCES w);
         CREATE TABLE bare (at BIGINT, d INT, UNIQUE (d, at)) WITH (tsdb.hypertable,
             tsdb.partition_column = 'at', tsdb.chunk_interval = 10, tsdb.segmentby = '');
         INSERT INTO m VALUES (1, 'a', 2), (2, NULL, NULL);
         INSERT INTO w VALUES ('2026-01-01', 1, 2);
         INSERT INTO refers VALUES (1, '2026-01-01');",
    );
    let mut copied = copied(&mut session);
    for query in [
        "SELECT hypertable::text, segmentby, orderby FROM \
         timescaledb_information.hypertable_compression_settings ORDER BY 1",
        "SELECT relname::text, reloptions::text FROM pg_class WHERE reloptions IS NOT NULL \
         ORDER BY 1",
        "SELECT conname::text, contype::text, pg_get_constraintdef(oid) FROM pg_constraint \
         ORDER BY 1",
        "SELECT * FROM m ORDER BY at",
    ] {
        let found = rows(&mut session, query);
        assert!(found.len() > 1, "{query}");
        assert_eq!(rows(&mut copied, query), found);
    }
}

#[test]
fn an_order_and_rows_that_come_meanwhile_exclude_each_other() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut one, TABLE);
    run(&mut one, "INSERT INTO m VALUES (1, 'a', 1)");
    run(&mut one, "BEGIN");
    run(&mut one, SORT);
    run(&mut other, "INSERT INTO m VALUES (2, 'a', 2)");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    run(&mut one, "BEGIN; INSERT INTO m VALUES (3, 'a', 3)");
    run(&mut other, SORT);
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    let sum = "SELECT sum(at)::BIGINT FROM m";
    assert_eq!(rows(&mut one, sum), ints(&[3]));
    // Two who change one row: the second fails.
    run(&mut one, "BEGIN; UPDATE m SET v = 7 WHERE at = 1");
    run(&mut other, "UPDATE m SET device = 'b' WHERE at = 1");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    assert_eq!(rows(&mut one, "SELECT count(*) FROM m"), ints(&[2]));
}
