//! Hypertables: what comes in without SQL makes chunks too, dumps make them again, and two who
//! make the same chunk are one after the other.

mod continuous;
mod first_rows;
mod jobs;
mod segments;

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{Column, LogicalType, SqlState, Value};
use varvedb::{BulkLoadOptions, DumpOptions, Session};

use super::{fails, ints, open, rows, run};

const TABLE: &str = "CREATE TABLE t (at BIGINT, v INT) WITH (tsdb.hypertable, \
                     tsdb.partition_column = 'at', tsdb.chunk_interval = 10)";
const RANGES: &str = "SELECT range_start_integer FROM timescaledb_information.chunks ORDER BY 1";

fn copy(session: &mut Session, text: &str) {
    block_on(async {
        session.copy_begin("COPY t FROM STDIN").await.unwrap();
        session.copy_write(text.as_bytes()).await.unwrap();
        session.copy_finish().await.unwrap();
    });
}

/// A session of a database that the dump of another one made.
fn copied(session: &mut Session) -> Session {
    let script = dump(session);
    let mut copied = open(&Arc::new(MemoryKv::new())).session();
    run(&mut copied, &script);
    copied
}

fn dump(session: &mut Session) -> String {
    let mut script = Vec::new();
    let mut sink = |piece: &[u8]| {
        script.extend_from_slice(piece);
        Ok(())
    };
    let options = DumpOptions {
        inserts: true,
        ..DumpOptions::default()
    };
    block_on(session.dump(options, &mut sink)).unwrap();
    String::from_utf8(script).unwrap()
}

#[test]
fn copy_makes_chunks_alone_and_in_a_block() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(&mut session, TABLE);
    copy(&mut session, "-1\t1\n12\t2\n13\t3\n");
    assert_eq!(rows(&mut session, RANGES), ints(&[-10, 10]));
    run(&mut session, "BEGIN");
    copy(&mut session, "14\t1\n99\t2\n");
    assert_eq!(rows(&mut session, RANGES), ints(&[-10, 10, 90]));
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, RANGES), ints(&[-10, 10]));
    drop(session);
    let mut session = open(&kv).session();
    assert_eq!(rows(&mut session, RANGES), ints(&[-10, 10]));
}

#[test]
fn columns_that_are_loaded_make_chunks() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, TABLE);
    run(&mut session, "INSERT INTO t VALUES (5, 1)");
    let at: Vec<Value> = [3, 25, 38].map(Value::Int8).to_vec();
    let at = Arc::new(Column::from_values(LogicalType::Int8, &at));
    let v = Arc::new(Column::constant(LogicalType::Int4, &Value::Int4(7), 3));
    let options = BulkLoadOptions::default();
    block_on(database.direct_bulk_load("t", [vec![at, v]], options)).unwrap();
    assert_eq!(rows(&mut session, RANGES), ints(&[0, 20, 30]));
    assert_eq!(rows(&mut session, "SELECT count(*) FROM t"), ints(&[4]));
}

#[test]
fn a_dump_makes_the_hypertable_again() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(&mut session, TABLE);
    run(
        &mut session,
        "CREATE FUNCTION newest() RETURNS BIGINT LANGUAGE sql STABLE AS 'SELECT max(at) FROM t';
         SELECT set_integer_now_func('t', 'newest');
         SELECT add_retention_policy('t', BIGINT '100', initial_start => '2100-01-01 00:00+00');
         CREATE FUNCTION works(job_id int, config jsonb) RETURNS void LANGUAGE sql AS 'SELECT';
         CREATE FUNCTION checks(config jsonb) RETURNS void LANGUAGE sql AS 'SELECT';
         SELECT alter_job(add_job('works', '1 day', '{\"a\": \"it''s\"}', '2100-01-01 00:00+00',
             check_config => 'checks', timezone => 'Europe/Berlin', job_name => 'Works'),
             scheduled => false, max_retries => 3);
         CREATE TABLE w (\"When\" DATE, v INT) WITH (tsdb.hypertable, compression = lz4,
             tsdb.partition_column = '\"When\"', tsdb.chunk_interval = '2 days',
             tsdb.columnstore = false);
         INSERT INTO t SELECT i, i FROM generate_series(1, 30) i;
         SELECT add_compression_policy('t', BIGINT '50', schedule_interval => '2 hours');
         INSERT INTO w VALUES ('2026-01-01', 1)",
    );
    let jobs = "SELECT x::text FROM (SELECT application_name, schedule_interval, max_retries, \
                scheduled, fixed_schedule, config, initial_start, hypertable_name, check_name, \
                timezone FROM timescaledb_information.jobs) x ORDER BY 1";
    let jobs_before = rows(&mut session, jobs);
    assert_eq!(jobs_before.len(), 3);
    let facts = "SELECT hypertable_name::text, column_name::text, time_interval, \
                 integer_interval, integer_now_func::text FROM timescaledb_information.dimensions \
                 ORDER BY 1";
    let before = rows(&mut session, facts);
    let mut copied = copied(&mut session);
    assert_eq!(rows(&mut copied, facts), before);
    assert_eq!(rows(&mut copied, jobs), jobs_before);
    assert!(!dump(&mut session).contains("_timescaledb"));
    assert_eq!(
        rows(&mut copied, RANGES).len(),
        rows(&mut session, RANGES).len()
    );
    assert_eq!(rows(&mut copied, "SELECT count(*) FROM t"), ints(&[30]));
    let relation = "SELECT reloptions::text FROM pg_class WHERE relname = 'w'";
    assert_eq!(rows(&mut copied, relation), rows(&mut session, relation));
}

#[test]
fn of_two_who_make_a_chunk_the_second_waits_or_fails() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut one, TABLE);
    run(&mut one, "BEGIN; INSERT INTO t VALUES (1, 1)");
    run(&mut other, "INSERT INTO t VALUES (2, 2)");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    // Where the chunk is there, they do not meet.
    run(&mut one, "BEGIN; INSERT INTO t VALUES (3, 3)");
    run(&mut other, "INSERT INTO t VALUES (4, 4)");
    run(&mut one, "COMMIT");
    assert_eq!(rows(&mut one, RANGES), ints(&[0]));
    assert_eq!(rows(&mut one, "SELECT count(*) FROM t"), ints(&[3]));
}

#[test]
fn rows_that_come_into_a_chunk_and_its_drop_exclude_each_other() {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut one, TABLE);
    run(&mut one, "INSERT INTO t VALUES (1, 1), (11, 2)");
    let drop_first = "SELECT drop_chunks('t', 10)";
    // The drop comes first.
    run(&mut one, "BEGIN; INSERT INTO t VALUES (2, 2)");
    run(&mut other, drop_first);
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    assert_eq!(rows(&mut one, RANGES), ints(&[10]));
    // The rows come first.
    run(&mut one, "INSERT INTO t VALUES (3, 3)");
    run(&mut one, "BEGIN");
    run(&mut one, drop_first);
    run(&mut other, "INSERT INTO t VALUES (4, 4)");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    assert_eq!(rows(&mut one, "SELECT count(*) FROM t"), ints(&[3]));
    // Other chunks do not matter.
    run(&mut one, "BEGIN");
    run(&mut one, drop_first);
    run(&mut other, "INSERT INTO t VALUES (12, 4)");
    run(&mut one, "COMMIT");
    assert_eq!(rows(&mut one, "SELECT count(*) FROM t"), ints(&[2]));
    assert_eq!(rows(&mut one, RANGES), ints(&[10]));
}

#[test]
fn keys_are_not_handed_out_for_a_hypertable() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE k (id BIGINT PRIMARY KEY, at BIGINT) WITH (tsdb.hypertable, \
         tsdb.partition_column = 'at', tsdb.chunk_interval = 10)",
    );
    let at = Arc::new(Column::from_values(LogicalType::Int8, &[Value::Int8(25)]));
    let options = BulkLoadOptions::default();
    let loaded = block_on(database.direct_bulk_load_auto_id("k", [vec![at]], options));
    let error = loaded.unwrap_err();
    assert_eq!(error.state(), SqlState::FEATURE_NOT_SUPPORTED);
    assert_eq!(rows(&mut session, "SELECT count(*) FROM k"), ints(&[0]));
}
