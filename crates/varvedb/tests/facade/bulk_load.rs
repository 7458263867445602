//! Columns loaded into tables: names, types, NULLs; what the store checks is tested there.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{Column, ColumnRef, LogicalType, Result, SqlState, Value};
use varvedb::{BulkLoadOptions, BulkLoadReport, Database, Session, SystemEnv};

use super::phases::Ticks;
use super::{ints, open, rows, run};

fn database() -> (Database, Session) {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, x DOUBLE PRECISION NOT NULL);
         CREATE TABLE bare (name TEXT)",
    );
    (database, session)
}

fn integers(values: &[i32]) -> ColumnRef {
    let values: Vec<Value> = values.iter().copied().map(Value::Int4).collect();
    Arc::new(Column::from_values(LogicalType::Int4, &values))
}

fn doubles(values: &[Option<f64>]) -> ColumnRef {
    let value = |value: &Option<f64>| value.map_or(Value::Null, Value::Float8);
    let values: Vec<Value> = values.iter().map(value).collect();
    Arc::new(Column::from_values(LogicalType::Float8, &values))
}

fn texts(values: &[&str]) -> ColumnRef {
    let values: Vec<Value> = values.iter().copied().map(Value::text).collect();
    Arc::new(Column::from_values(LogicalType::Text, &values))
}

fn load(
    database: &Database,
    table: &str,
    names: &[&str],
    columns: Vec<ColumnRef>,
) -> Result<BulkLoadReport> {
    block_on(async {
        let mut load = database.bulk_load(table, names, BulkLoadOptions::default())?;
        load.append(columns).await?;
        load.finish().await
    })
}

#[test]
fn named_columns_in_any_order() {
    let (database, mut session) = database();
    let columns = vec![doubles(&[Some(2.5), Some(1.5)]), integers(&[7, 3])];
    let report = load(&database, "t", &["x", "id"], columns).unwrap();
    assert_eq!((report.rows, report.max_row_id), (2, Some(7)));
    let all = vec![integers(&[9]), texts(&["n"]), doubles(&[Some(0.0)])];
    let loaded = database.direct_bulk_load("t", [all], BulkLoadOptions::default());
    assert_eq!(block_on(loaded).unwrap().rows, 1);
    let found = rows(&mut session, "SELECT * FROM t ORDER BY id");
    let row = |id, name, x| vec![Value::Int4(id), name, Value::Float8(x)];
    let expected = [
        row(3, Value::Null, 1.5),
        row(7, Value::Null, 2.5),
        row(9, Value::text("n"), 0.0),
    ];
    assert_eq!(found, expected);
    let load = database.bulk_load("t", &["x", "id"], BulkLoadOptions::default());
    let load = load.unwrap();
    let given = [("x", LogicalType::Float8), ("id", LogicalType::Int4)];
    assert_eq!(load.columns(), given);
}

/// H14: there is no second phase.
#[test]
fn what_is_loaded_is_compressed_at_once() {
    let (database, mut session) = database();
    let ids: Vec<i32> = (0..100_000).collect();
    let names: Vec<String> = ids.iter().map(|id| format!("name {}", id % 1000)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let xs: Vec<Option<f64>> = ids
        .iter()
        .map(|id| Some(f64::from(id % 777) / 10.0))
        .collect();
    let columns = vec![integers(&ids), texts(&names), doubles(&xs)];
    load(&database, "t", &["id", "name", "x"], columns).unwrap();
    let bytes = |session: &mut Session| -> i64 {
        let bytes = "SELECT sum(stored_bytes)::bigint FROM varve_storage WHERE table_name = 't'";
        rows(session, bytes)[0][0].integer().unwrap()
    };
    let loaded = bytes(&mut session);
    run(&mut session, "COMPRESS t");
    let compressed = bytes(&mut session);
    assert!(compressed > 1000, "{compressed}");
    assert!(
        (loaded - compressed).abs() * 20 <= compressed,
        "{loaded} {compressed}"
    );
}

#[test]
fn ids_are_handed_out() {
    let (database, mut session) = database();
    for expected in [2, 4] {
        let columns = vec![texts(&["a", "b"]), doubles(&[Some(1.0), Some(2.0)])];
        let options = BulkLoadOptions::default();
        let loaded = database.direct_bulk_load_auto_id("t", [columns], options);
        assert_eq!(block_on(loaded).unwrap().max_row_id, Some(expected));
    }
    let found = rows(&mut session, "SELECT id::bigint FROM t ORDER BY id");
    let expected: Vec<Vec<Value>> = (1..=4).map(|id| ints(&[id]).remove(0)).collect();
    assert_eq!(found, expected);
    let options = BulkLoadOptions::default();
    let loaded = database.direct_bulk_load_auto_id("bare", [vec![texts(&["a"])]], options);
    assert_eq!(block_on(loaded).unwrap().rows, 1);
    assert_eq!(
        rows(&mut session, "SELECT name FROM bare"),
        [[Value::text("a")]]
    );
}

/// H15.
#[test]
fn what_the_table_forbids_is_named() {
    let (database, mut session) = database();
    run(&mut session, "INSERT INTO t VALUES (5, 'five', 5)");
    let one = || doubles(&[Some(1.0)]);
    type Case = (
        &'static str,
        &'static [&'static str],
        Vec<ColumnRef>,
        SqlState,
        Option<&'static str>,
    );
    let cases: Vec<Case> = vec![
        ("u", &[], vec![], SqlState::UNDEFINED_TABLE, None),
        ("t", &["y"], vec![], SqlState::UNDEFINED_COLUMN, None),
        ("t", &["x", "x"], vec![], SqlState::DUPLICATE_COLUMN, None),
        (
            "t",
            &["id", "x"],
            vec![integers(&[1]), doubles(&[None])],
            SqlState::NOT_NULL_VIOLATION,
            Some("x"),
        ),
        (
            "t",
            &["x"],
            vec![one()],
            SqlState::NOT_NULL_VIOLATION,
            Some("id"),
        ),
        (
            "t",
            &["id", "x"],
            vec![one(), one()],
            SqlState::DATATYPE_MISMATCH,
            Some("id"),
        ),
        (
            "t",
            &["id", "x"],
            vec![integers(&[1, 2]), one()],
            SqlState::INVALID_PARAMETER_VALUE,
            Some("x"),
        ),
        (
            "t",
            &["id", "x"],
            vec![integers(&[1])],
            SqlState::INVALID_PARAMETER_VALUE,
            None,
        ),
        (
            "t",
            &["id", "x"],
            vec![integers(&[5]), one()],
            SqlState::UNIQUE_VIOLATION,
            None,
        ),
    ];
    for (table, names, columns, state, column) in cases {
        let error = load(&database, table, names, columns).unwrap_err();
        assert_eq!(error.state(), state, "{error}");
        assert_eq!(error.fields().column.as_deref(), column, "{error}");
        if state == SqlState::UNIQUE_VIOLATION {
            let detail = error.fields().detail.as_deref();
            assert_eq!(detail, Some("Key (id)=(5) already exists."));
            assert_eq!(error.fields().constraint.as_deref(), Some("t_pkey"));
        }
    }
    assert_eq!(rows(&mut session, "SELECT count(*) FROM t"), ints(&[1]));
}

#[test]
fn several_threads_write_the_same_bytes() {
    let stored = |threads| {
        let kv = Arc::new(MemoryKv::new());
        let env = Arc::new(varvedb::SystemEnv::with_threads(threads));
        let opened = Database::open(kv.clone(), env, varvedb::Options::native());
        let database = block_on(opened).unwrap();
        run(
            &mut database.session(),
            "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, x DOUBLE PRECISION NOT NULL)",
        );
        let rows = 0..100_000;
        let names: Vec<String> = rows.clone().map(|i| format!("name {}", i % 777)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ids: Vec<i32> = rows.clone().collect();
        let xs: Vec<Option<f64>> = rows.map(|i| Some(f64::from(i) / 8.0)).collect();
        let columns = vec![integers(&ids), texts(&names), doubles(&xs)];
        let loaded = database.direct_bulk_load("t", [columns], BulkLoadOptions::default());
        let report = block_on(loaded).unwrap();
        let all = varve_kv::Scan::forward(varve_kv::KeyRange::all(), varve_kv::ScanLimit::NONE);
        let mut stored = block_on(varve_kv::Kv::scan(&*kv, &all)).unwrap();
        // Epochs differ by chance; large values are pages.
        stored.retain(|(_, value)| value.len() > 1000);
        (report.bytes, stored)
    };
    assert_eq!(stored(1), stored(3));
}

#[test]
fn compress_writes_the_same_bytes_with_several_workers() {
    let stored = |command: &str| {
        let kv = Arc::new(MemoryKv::new());
        let env = Arc::new(varvedb::SystemEnv::with_threads(1));
        let opened = Database::open(kv.clone(), env, varvedb::Options::native());
        let database = block_on(opened).unwrap();
        let mut session = database.session();
        run(
            &mut session,
            "CREATE TABLE t (id int PRIMARY KEY, name text, x float8, note text COMPRESSION lz4);
             INSERT INTO t SELECT i, 'name ' || i % 777, i / 8.0, md5(i::text)
             FROM generate_series(1, 60000) i;
             DELETE FROM t WHERE id % 3 = 0",
        );
        let done = block_on(session.query(command, &[])).unwrap();
        assert!(done.notices.is_empty(), "{:?}", done.notices);
        let all = varve_kv::Scan::forward(varve_kv::KeyRange::all(), varve_kv::ScanLimit::NONE);
        let mut stored = block_on(varve_kv::Kv::scan(&*kv, &all)).unwrap();
        // Epochs differ by chance; large values are pages.
        stored.retain(|(_, value)| value.len() > 1000);
        assert!(stored.len() > 6, "{}", stored.len());
        stored
    };
    let one = stored("COMPRESS t WITH (workers = 1)");
    for command in [
        "COMPRESS t WITH (workers = 2)",
        "VACUUM (COMPRESS, PARALLEL 3) t",
    ] {
        assert_eq!(stored(command), one, "{command}");
    }
}

#[test]
fn workers_that_there_are_not_are_told_of() {
    let kv = Arc::new(MemoryKv::new());
    let env = Arc::new(Ticks(AtomicU64::new(0), SystemEnv::new()));
    let opened = Database::open(kv, env, varvedb::Options::browser());
    let mut session = block_on(opened).unwrap().session();
    let notices = |session: &mut Session, sql: &str| {
        let result = block_on(session.query(sql, &[])).unwrap();
        let texts = result.notices.iter().map(|notice| notice.message.clone());
        texts.collect::<Vec<String>>()
    };
    assert_eq!(
        notices(&mut session, "COMPRESS WITH (workers = 2)"),
        ["2 workers are asked for, and there is one thread here"]
    );
    assert!(notices(&mut session, "VACUUM (COMPRESS, PARALLEL 1)").is_empty());
}

#[test]
fn indexes_have_what_is_loaded() {
    let (database, mut session) = database();
    run(
        &mut session,
        "CREATE UNIQUE INDEX t_name ON t (name); CREATE INDEX t_x ON t (x DESC);
         CREATE INDEX bare_name ON bare (name)",
    );
    let many: Vec<String> = (0..30_000)
        .map(|i| format!("name {}", i * 7 % 30_000))
        .collect();
    let names: Vec<&str> = many.iter().map(String::as_str).collect();
    let xs: Vec<Option<f64>> = (0..30_000).map(|i| Some(f64::from(i % 100))).collect();
    let columns = vec![texts(&names), doubles(&xs)];
    let options = BulkLoadOptions::default();
    let loaded = database.direct_bulk_load_auto_id("t", [columns], options);
    assert_eq!(block_on(loaded).unwrap().rows, 30_000);
    let loaded = database.direct_bulk_load("bare", [vec![texts(&names)]], options);
    assert_eq!(block_on(loaded).unwrap().rows, 30_000);
    let asked = [
        ("SELECT count(*) FROM t WHERE x = 7", 300),
        ("SELECT id::bigint FROM t WHERE name = 'name 7'", 2),
        ("SELECT count(*) FROM bare WHERE name = 'name 29999'", 1),
    ];
    for (sql, answer) in asked {
        assert_eq!(rows(&mut session, sql), ints(&[answer]), "{sql}");
    }
    let taken = vec![
        integers(&[40_000]),
        texts(&["name 9"]),
        doubles(&[Some(0.0)]),
    ];
    let error = load(&database, "t", &[], taken).unwrap_err();
    assert_eq!(error.fields().constraint.as_deref(), Some("t_name"));
    let error = block_on(async {
        session.copy_begin("COPY t FROM STDIN CSV").await?;
        session.copy_write(b"50000,new,1\n50001,name 3,1\n").await?;
        session.copy_finish().await
    });
    let error = error.unwrap_err();
    assert_eq!(error.fields().constraint.as_deref(), Some("t_name"));
    assert_eq!(
        rows(&mut session, "SELECT count(*) FROM t"),
        ints(&[30_000])
    );
    run(&mut session, "DELETE FROM t WHERE name = 'name 9'");
    let free = vec![
        integers(&[40_000]),
        texts(&["name 9"]),
        doubles(&[Some(0.0)]),
    ];
    assert_eq!(load(&database, "t", &[], free).unwrap().rows, 1);
}

#[test]
fn bytes_that_wait_to_be_sorted_are_booked() {
    let (database, mut session) = database();
    run(
        &mut session,
        "CREATE TABLE b (id INT PRIMARY KEY, data BYTEA)",
    );
    let value = Value::Bytea(vec![7; 1 << 20].into());
    let values = [value.clone(), value.clone(), value];
    let data = Arc::new(Column::from_values(LogicalType::Bytea, &values));
    block_on(async {
        let options = BulkLoadOptions::default();
        let mut load = database.bulk_load("b", &["id", "data"], options).unwrap();
        let before = database.memory_used_bytes();
        load.append(vec![integers(&[3, 2, 1]), data]).await.unwrap();
        assert!(database.memory_used_bytes() - before >= 3 << 20);
        assert_eq!(load.finish().await.unwrap().rows, 3);
    });
}
