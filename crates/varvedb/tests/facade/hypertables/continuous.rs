//! Continuous aggregates: in real time they are their query whatever happened before, and writers
//! and refreshes that do not know of each other exclude each other.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{Column, LogicalType, SqlState, Value};
use varvedb::{BulkLoadOptions, Database, Session};

use super::copied;
use crate::{fails, ints, open, rows, run};

const TABLES: &str = "CREATE TABLE t (id INT PRIMARY KEY, at BIGINT NOT NULL, v INT) WITH (\
                      tsdb.hypertable, tsdb.partition_column = 'at', tsdb.chunk_interval = 40);
    CREATE MATERIALIZED VIEW low WITH (tsdb.continuous, tsdb.materialized_only = false, \
        tsdb.chunk_interval = 50) AS \
        SELECT time_bucket(7, at) AS b, v % 2 AS k, sum(v) AS s, count(*) AS n FROM t GROUP BY 1, 2;
    CREATE MATERIALIZED VIEW high WITH (tsdb.continuous, tsdb.materialized_only = false) AS \
        SELECT time_bucket(30, b) AS b, sum(s) AS s, sum(n) AS n FROM low GROUP BY 1;
    CREATE TABLE names (k INT PRIMARY KEY, name TEXT);
    INSERT INTO names VALUES (0, 'even'), (1, 'odd');
    CREATE MATERIALIZED VIEW named WITH (tsdb.continuous, tsdb.materialized_only = false) AS \
        SELECT time_bucket(10, t.at) AS b, name, sum(v) AS s FROM t JOIN names ON k = v % 2 \
        GROUP BY 1, 2";
const LOW: &str = "SELECT time_bucket(7, at), v % 2, sum(v), count(*) FROM t GROUP BY 1, 2";
const HIGH: &str = "SELECT time_bucket(30, time_bucket(7, at)), sum(v), count(*) FROM t GROUP BY 1";
const NAMED: &str = "SELECT time_bucket(10, t.at), name, sum(v) FROM t JOIN names ON k = v % 2 \
                     GROUP BY 1, 2";

/// Numbers that look like chance, the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) % count).cast_signed()
    }

    fn time(&mut self) -> i64 {
        self.below(200) - 50
    }

    fn range(&mut self) -> (i64, i64) {
        let from = self.time();
        (from, from + self.below(60))
    }

    fn rows(&mut self) -> String {
        let rows = (0..=self.below(4)).map(|_| {
            let (id, at, v) = (self.below(60), self.time(), self.below(100));
            format!("({id}, {at}, {v})")
        });
        rows.collect::<Vec<_>>().join(", ")
    }

    fn change(&mut self) -> String {
        let (from, to) = self.range();
        match self.below(20) {
            0..5 => format!(
                "INSERT INTO t VALUES {} ON CONFLICT (id) DO NOTHING",
                self.rows()
            ),
            5..8 => format!(
                "INSERT INTO t SELECT DISTINCT ON (id) * FROM (VALUES {}) w(id, at, v) ON \
                 CONFLICT (id) DO UPDATE SET at = excluded.at, v = excluded.v",
                self.rows()
            ),
            8..10 => format!(
                "UPDATE t SET at = at + {} WHERE at BETWEEN {from} AND {to}",
                self.time()
            ),
            10 => format!("UPDATE t SET v = v + 1 WHERE at BETWEEN {from} AND {to}"),
            11 => format!("DELETE FROM t WHERE at BETWEEN {from} AND {to}"),
            12 => format!(
                "MERGE INTO t USING (SELECT DISTINCT ON (id) * FROM (VALUES {}) w(id, at, v)) w \
                 ON t.id = w.id WHEN MATCHED THEN UPDATE SET at = w.at WHEN NOT MATCHED THEN \
                 INSERT VALUES (w.id, w.at, w.v)",
                self.rows()
            ),
            14 if self.below(8) == 0 => "TRUNCATE t".to_owned(),
            15 => format!(
                "UPDATE names SET name = 'n{to}' WHERE k = {}",
                self.below(2)
            ),
            16 if self.below(2) == 0 => format!("DELETE FROM names WHERE k = {}", self.below(2)),
            16 => "INSERT INTO names VALUES (0, 'even'), (1, 'odd') ON CONFLICT DO NOTHING".into(),
            _ => self.refresh(),
        }
    }

    fn refresh(&mut self) -> String {
        let (name, width) = match self.below(3) {
            0 => ("low", 14),
            1 => ("named", 20),
            _ => ("high", 60),
        };
        let (from, to) = self.range();
        let from = match self.below(4) {
            0 => "NULL".to_owned(),
            _ => from.to_string(),
        };
        let to = match self.below(4) {
            0 => "NULL".to_owned(),
            _ => (to + width).to_string(),
        };
        let force = self.below(8) == 0;
        format!("CALL refresh_continuous_aggregate('{name}', {from}, {to}, force => {force})")
    }
}

/// Rows of one query that another lacks, and the other way round.
fn differences(session: &mut Session, one: &str, other: &str) -> Vec<Vec<Value>> {
    let sql = format!("(({one}) EXCEPT ({other})) UNION ALL (({other}) EXCEPT ({one}))");
    let mut found = rows(session, &sql);
    let count = |of: &str| format!("SELECT count(*) FROM ({of}) x");
    if rows(session, &count(one)) != rows(session, &count(other)) {
        found.push(vec![Value::text("another number of rows")]);
    }
    found
}

fn check(session: &mut Session, what: &str) {
    for (name, query) in [("low", LOW), ("high", HIGH), ("named", NAMED)] {
        let found = differences(session, &format!("SELECT * FROM {name}"), query);
        assert_eq!(found, Vec::<Vec<Value>>::new(), "{name} after {what}");
    }
}

#[test]
fn in_real_time_an_aggregate_is_its_query_after_any_changes() {
    for seed in 1..6_u64 {
        let mut session = open(&Arc::new(MemoryKv::new())).session();
        run(&mut session, TABLES);
        let mut chance = Chance(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut done = Vec::new();
        for _ in 0..60 {
            let change = chance.change();
            done.push(change.clone());
            let shown = format!("seed {seed}: {}", done.join(";\n"));
            match chance.below(6) {
                0 => {
                    run(&mut session, "BEGIN");
                    run(&mut session, &chance.change());
                    run(&mut session, &change);
                    check(&mut session, &shown);
                    run(&mut session, "ROLLBACK");
                }
                1 => {
                    let second = chance.change();
                    done.push(second.clone());
                    run(&mut session, &format!("BEGIN; {change}; {second}; COMMIT"));
                }
                _ => run(&mut session, &change),
            }
            check(&mut session, &shown);
        }
        run(
            &mut session,
            "CALL refresh_continuous_aggregate('low', NULL, NULL);
             CALL refresh_continuous_aggregate('high', NULL, NULL);
             CALL refresh_continuous_aggregate('named', NULL, NULL);
             ALTER MATERIALIZED VIEW named SET (tsdb.materialized_only);
             ALTER MATERIALIZED VIEW low SET (tsdb.materialized_only);
             ALTER MATERIALIZED VIEW high SET (tsdb.materialized_only)",
        );
        check(&mut session, &done.join(";\n"));
        assert_eq!(rows(&mut session, INVALID), ints(&[0, 0]));
        let named = "SELECT invalid_ranges FROM timescaledb_information.continuous_aggregates \
                     WHERE view_name = 'named'";
        assert_eq!(rows(&mut session, named), ints(&[0]));
    }
}

const INVALID: &str = "SELECT invalid_ranges FROM timescaledb_information.continuous_aggregates \
                       WHERE view_name IN ('low', 'high') ORDER BY view_name DESC";
const REFRESH: &str = "CALL refresh_continuous_aggregate('low', NULL, NULL)";

fn with_rows() -> Database {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, TABLES);
    run(
        &mut session,
        "INSERT INTO t SELECT i, i, i FROM generate_series(0, 27) i",
    );
    run(&mut session, REFRESH);
    database
}

#[test]
fn a_writer_behind_the_watermark_and_a_refresh_that_moves_it_exclude_each_other() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut other, "INSERT INTO t VALUES (100, 36, 1)");
    // The refresh comes first.
    run(&mut one, "BEGIN; INSERT INTO t VALUES (101, 37, 2)");
    run(&mut other, REFRESH);
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    // The rows come first.
    run(&mut other, "INSERT INTO t VALUES (102, 47, 1)");
    run(&mut one, "BEGIN");
    run(&mut one, REFRESH);
    run(&mut other, "INSERT INTO t VALUES (103, 48, 3)");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    check(&mut one, "conflicts");
    run(&mut one, REFRESH);
    assert_eq!(
        rows(
            &mut one,
            "SELECT sum(n)::bigint FROM _timescaledb_internal._materialized_hypertable_2"
        ),
        ints(&[31])
    );
}

#[test]
fn a_refresh_that_was_announced_does_not_meet_writers() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    run(
        &mut other,
        "INSERT INTO t VALUES (100, 36, 1), (101, 75, 1)",
    );
    run(
        &mut one,
        "CALL _timescaledb_functions.announce_refresh('low', 70)",
    );
    check(&mut one, "an announcement");
    run(&mut one, "BEGIN");
    run(
        &mut one,
        "CALL refresh_continuous_aggregate('low', NULL, 70)",
    );
    run(
        &mut other,
        "INSERT INTO t VALUES (102, 37, 3), (103, 76, 4)",
    );
    run(&mut one, "COMMIT");
    check(&mut one, "a refresh");
    assert_eq!(rows(&mut one, INVALID), ints(&[1, 0]));
    // Whoever began before the announcement does not know of it.
    run(&mut one, "BEGIN; INSERT INTO t VALUES (104, 77, 2)");
    run(
        &mut other,
        "CALL _timescaledb_functions.announce_refresh('low', NULL)",
    );
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn a_writer_of_a_joined_table_and_a_refresh_that_moves_the_line_exclude_each_other() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    let refresh = "CALL refresh_continuous_aggregate('named', NULL, NULL)";
    run(&mut one, "BEGIN");
    run(&mut one, refresh);
    run(&mut other, "UPDATE names SET name = 'x' WHERE k = 0");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    run(&mut one, refresh);
    check(&mut one, "a refresh");
    run(&mut other, "BEGIN; TRUNCATE names");
    check(&mut other, "no names");
    run(&mut other, "ROLLBACK");
    block_on(async {
        other.copy_begin("COPY names FROM STDIN").await.unwrap();
        other.copy_write(b"2\ttwo\n").await.unwrap();
        other.copy_finish().await.unwrap();
    });
    check(&mut other, "a copy");
}

#[test]
fn whoever_began_to_write_before_an_aggregate_was_made_fails() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    let create = "CREATE MATERIALIZED VIEW late WITH (tsdb.continuous) AS SELECT \
                  time_bucket(7, at) b, count(*) n FROM t GROUP BY 1";
    run(&mut one, "BEGIN; INSERT INTO t VALUES (100, 3, 1)");
    run(&mut other, create);
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    run(&mut one, "DROP MATERIALIZED VIEW late");
    run(&mut one, "BEGIN");
    run(&mut one, create);
    run(&mut other, "INSERT INTO t VALUES (100, 3, 1)");
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn a_writer_below_the_watermark_does_not_meet_a_refresh() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut one, "INSERT INTO t VALUES (100, 3, 1)");
    run(&mut one, "BEGIN");
    run(&mut one, REFRESH);
    run(&mut other, "BEGIN; INSERT INTO t VALUES (101, 4, 1)");
    run(&mut one, "COMMIT");
    run(&mut other, "COMMIT");
    assert_eq!(rows(&mut one, INVALID), ints(&[1, 0]));
    check(&mut one, "both");
    // Two writers do not meet either.
    run(&mut one, "BEGIN; INSERT INTO t VALUES (102, 5, 1)");
    run(&mut other, "INSERT INTO t VALUES (103, 5, 1)");
    run(&mut one, "COMMIT");
    check(&mut one, "two writers");
}

#[test]
fn of_two_refreshes_of_the_same_buckets_one_fails() {
    let database = with_rows();
    let (mut one, mut other) = (database.session(), database.session());
    run(&mut one, "INSERT INTO t VALUES (100, 3, 1)");
    run(&mut one, "BEGIN");
    run(&mut one, REFRESH);
    run(&mut other, REFRESH);
    let error = fails(&mut one, "COMMIT");
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    check(&mut one, "two refreshes");
    let result = block_on(one.execute_script(REFRESH)).unwrap();
    let notices = result.iter().flat_map(|result| &result.notices);
    let texts: Vec<&str> = notices.map(|notice| notice.message.as_str()).collect();
    assert_eq!(
        texts,
        ["continuous aggregate \"low\" is already up-to-date"]
    );
}

#[test]
fn columns_that_are_loaded_and_copied_are_noted() {
    let database = with_rows();
    let mut session = database.session();
    let column = |ty, value: Value| Arc::new(Column::constant(ty, &value, 1));
    let id = column(LogicalType::Int4, Value::Int4(200));
    let at = column(LogicalType::Int8, Value::Int8(2));
    let v = column(LogicalType::Int4, Value::Int4(7));
    let options = BulkLoadOptions::default();
    block_on(database.direct_bulk_load("t", [vec![id, at, v]], options)).unwrap();
    check(&mut session, "a load");
    assert_eq!(rows(&mut session, INVALID), ints(&[1, 0]));
    for around in [["", ""], ["BEGIN", "COMMIT"]] {
        run(&mut session, around[0]);
        block_on(async {
            session.copy_begin("COPY t FROM STDIN").await.unwrap();
            let row = format!("{}\t9\t1\n", 300 + around[0].len());
            session.copy_write(row.as_bytes()).await.unwrap();
            session.copy_finish().await.unwrap();
        });
        run(&mut session, around[1]);
        check(&mut session, "a copy");
    }
}

#[test]
fn a_dump_makes_aggregates_again_one_after_the_other() {
    let database = with_rows();
    let mut session = database.session();
    run(
        &mut session,
        "CREATE MATERIALIZED VIEW empty WITH (tsdb.continuous) AS SELECT time_bucket(5, at) b, \
         count(*) FROM t GROUP BY 1 WITH NO DATA;
         CALL refresh_continuous_aggregate('high', NULL, NULL);
         CREATE INDEX ON low (k, b)",
    );
    let mut copied = copied(&mut session);
    let facts = "SELECT view_name::text, materialized_only, watermark, invalid_ranges, \
                 view_definition FROM timescaledb_information.continuous_aggregates ORDER BY 1";
    assert_eq!(rows(&mut copied, facts), rows(&mut session, facts));
    let classes = "SELECT relname::text, relkind::text, reloptions::text FROM pg_class \
                   WHERE relkind IN ('m', 'i') ORDER BY 1";
    assert_eq!(rows(&mut copied, classes), rows(&mut session, classes));
    check(&mut copied, "a dump");
}

#[test]
fn aggregates_are_there_after_the_database_was_opened_again() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(&mut session, TABLES);
    run(
        &mut session,
        "INSERT INTO t SELECT i, i, i FROM generate_series(0, 27) i",
    );
    run(&mut session, REFRESH);
    run(&mut session, "INSERT INTO t VALUES (100, 3, 1)");
    drop(session);
    let mut session = open(&kv).session();
    assert_eq!(rows(&mut session, INVALID), ints(&[1, 0]));
    check(&mut session, "an opening");
    run(&mut session, "DROP MATERIALIZED VIEW low CASCADE");
    run(&mut session, "INSERT INTO t VALUES (101, 3, 1)");
    let left = "SELECT relname::text FROM pg_class WHERE relname LIKE '\\_%'";
    assert_eq!(rows(&mut session, left), Vec::<Vec<Value>>::new());
}
