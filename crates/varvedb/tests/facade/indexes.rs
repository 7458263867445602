//! Indexes on expressions through imports, reopening, and builds beside writers.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{Column, ColumnRef, LogicalType, SqlState, Value};
use varvedb::{BulkLoadOptions, Database, Session};

use super::{fails, ints, open, rows, run};

const TABLE: &str = "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, v INT);
    CREATE UNIQUE INDEX lowered ON t (lower(name));
    CREATE INDEX ratio ON t ((100 / v)) WHERE v IS NOT NULL";

fn table() -> (Arc<MemoryKv>, Database, Session) {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let mut session = database.session();
    run(&mut session, TABLE);
    (kv, database, session)
}

fn column<T>(ty: LogicalType, values: &[T], value: impl Fn(&T) -> Value) -> ColumnRef {
    let values: Vec<Value> = values.iter().map(value).collect();
    Arc::new(Column::from_values(ty, &values))
}

/// Rows of `t` with these names and values; ids count from `first`.
fn columns(first: i32, names: &[&str], v: &[Option<i32>]) -> Vec<ColumnRef> {
    let ids: Vec<i32> = (first..).take(names.len()).collect();
    vec![
        column(LogicalType::Int4, &ids, |id| Value::Int4(*id)),
        column(LogicalType::Text, names, |name| Value::text(*name)),
        column(LogicalType::Int4, v, |v| v.map_or(Value::Null, Value::Int4)),
    ]
}

fn assert_found(session: &mut Session, expected: &[(&str, &[i64])]) {
    for (condition, ids) in expected {
        let sql = format!("SELECT id::bigint FROM t WHERE {condition} ORDER BY id");
        assert_eq!(rows(session, &sql), ints(ids), "{condition}");
    }
}

#[test]
fn a_bulk_load_fills_them_or_fails() {
    let (kv, database, mut session) = table();
    let load = |columns| {
        let load = database.direct_bulk_load("t", [columns], BulkLoadOptions::default());
        block_on(load)
    };
    let good = columns(1, &["Ada", "Bob", "Cid"], &[Some(5), None, Some(50)]);
    assert_eq!(load(good).unwrap().rows, 3);
    let refused = [
        (columns(4, &["ADA"], &[None]), SqlState::UNIQUE_VIOLATION),
        (
            columns(4, &["x", "X"], &[None, None]),
            SqlState::UNIQUE_VIOLATION,
        ),
        (columns(4, &["x"], &[Some(0)]), SqlState::DIVISION_BY_ZERO),
    ];
    for (columns, state) in refused {
        assert_eq!(load(columns).unwrap_err().state(), state);
    }
    let found: &[(&str, &[i64])] = &[
        ("lower(name) = 'ada'", &[1]),
        ("lower(name) = 'x'", &[]),
        ("v IS NOT NULL AND 100 / v = 20", &[1]),
        ("v IS NOT NULL AND 100 / v < 20", &[3]),
        ("lower(name) >= 'a'", &[1, 2, 3]),
    ];
    assert_found(&mut session, found);
    drop(session);
    drop(database);
    let reopened = open(&kv);
    let mut session = reopened.session();
    assert_found(&mut session, found);
    let error = fails(&mut session, "INSERT INTO t VALUES (9, 'BOB', 1)");
    let detail = error.fields().detail.clone();
    assert_eq!(
        detail.as_deref(),
        Some("Key (lower(name))=(bob) already exists.")
    );
}

#[test]
fn copy_fills_them_or_fails() {
    for block in ["", "BEGIN"] {
        let (_, _, mut session) = table();
        run(&mut session, block);
        let mut copy = |text: &str| {
            block_on(async {
                session
                    .copy_begin("COPY t FROM STDIN WITH (FORMAT csv)")
                    .await?;
                session.copy_write(text.as_bytes()).await?;
                session.copy_finish().await
            })
        };
        copy("1,Ada,5\n2,Bob,\n").unwrap();
        if block.is_empty() {
            let refused = [
                ("3,BOB,1\n", SqlState::UNIQUE_VIOLATION),
                ("3,c,1\n4,d,0\n", SqlState::DIVISION_BY_ZERO),
            ];
            for (text, state) in refused {
                assert_eq!(copy(text).unwrap_err().state(), state);
            }
        }
        let found: &[(&str, &[i64])] = &[
            ("lower(name) = 'bob'", &[2]),
            ("lower(name) >= 'a'", &[1, 2]),
            ("v IS NOT NULL AND 100 / v = 20", &[1]),
        ];
        assert_found(&mut session, found);
    }
}

#[test]
fn a_dropped_index_leaves_the_expressions_of_others() {
    let (_, _, mut session) = table();
    run(
        &mut session,
        "INSERT INTO t VALUES (1, 'Ada', 5), (2, 'Bob', 10);
         CREATE INDEX sums ON t ((v + id), lower(name));
         DROP INDEX ratio; DROP INDEX lowered;
         INSERT INTO t VALUES (3, 'ADA', 0)",
    );
    let found: &[(&str, &[i64])] = &[
        ("v + id = 6", &[1]),
        ("v + id = 3 AND lower(name) = 'ada'", &[3]),
        ("lower(name) = 'ada'", &[1, 3]),
    ];
    assert_found(&mut session, found);
}

/// Rows are written while indexes are built; then each index tells what a scan tells.
#[test]
fn builds_beside_writers() {
    const ROWS: i32 = 3_000;
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, v INT)",
    );
    let names: Vec<String> = (0..ROWS).map(|id| format!("N{id}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let v: Vec<Option<i32>> = (0..ROWS).map(|id| (id % 7 > 0).then_some(id % 7)).collect();
    let load = columns(0, &names, &v);
    let load = database.direct_bulk_load("t", [load], BulkLoadOptions::default());
    block_on(load).unwrap();
    std::thread::scope(|scope| {
        let writer = |offset: i32| {
            let database = &database;
            move || {
                let mut session = database.session();
                for step in 0..60 {
                    let id = step * 37 % ROWS + offset;
                    let statements = [
                        format!("UPDATE t SET v = v + 1 WHERE id = {id}"),
                        format!("UPDATE t SET name = 'M{id}' WHERE id = {}", id + 10),
                        format!("DELETE FROM t WHERE id = {}", id + 20),
                        format!(
                            "INSERT INTO t VALUES ({}, 'n{step}x{offset}', 3)",
                            ROWS + id
                        ),
                    ];
                    for sql in statements {
                        // What conflicts with the build or another writer is tried again.
                        loop {
                            match block_on(session.execute_script(&sql)) {
                                Err(error) if error.state() == SqlState::SERIALIZATION_FAILURE => {}
                                done => break done.map(|_| ()).unwrap(),
                            }
                        }
                    }
                }
            }
        };
        scope.spawn(writer(0));
        scope.spawn(writer(1_000));
        for sql in [
            "CREATE INDEX tens ON t ((v * 10) DESC)",
            "CREATE UNIQUE INDEX lowered ON t (lower(name), id)",
            "CREATE INDEX part ON t ((60 / v)) WHERE v > 0",
        ] {
            loop {
                match block_on(session.execute_script(sql)) {
                    Err(error) if error.state() == SqlState::SERIALIZATION_FAILURE => {}
                    done => break done.map(|_| ()).unwrap(),
                }
            }
        }
    });
    // The same conditions, once in a form that no index has.
    let pairs = [
        ("v * 10 = 30", "10 * v = 30"),
        ("v * 10 > 50", "10 * v > 50"),
        ("v * 10 IS NULL", "v IS NULL"),
        ("lower(name) < 'n1'", "lower(name || '') < 'n1'"),
        ("v > 0 AND 60 / v = 20", "v = 3"),
    ];
    for (indexed, plain) in pairs {
        let count = |session: &mut Session, condition| {
            let sql = format!("SELECT count(*), sum(id) FROM t WHERE {condition}");
            rows(session, &sql)
        };
        let (found, expected) = (count(&mut session, indexed), count(&mut session, plain));
        assert_eq!(found, expected, "{indexed}");
        let plan = format!(
            "{:?}",
            rows(
                &mut session,
                &format!("EXPLAIN SELECT id FROM t WHERE {indexed}")
            )
        );
        assert!(plan.contains("Index"), "{plan}");
    }
    assert_eq!(block_on(database.check()).unwrap().problems, []);
}

/// First rows by an index are those of a sort, whatever was changed since a flush.
#[test]
fn first_rows_by_an_index_are_those_of_a_sort() {
    const ROWS: i32 = 5_000;
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, v INT);
         CREATE INDEX by_v ON t (v);
         CREATE INDEX by_name ON t (lower(name) DESC, v NULLS FIRST)",
    );
    let names: Vec<String> = (0..ROWS).map(|id| format!("N{}", id % 50)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let v: Vec<Option<i32>> = (0..ROWS)
        .map(|id| (id % 11 > 0).then_some(id * 7_919 % 1_000))
        .collect();
    let load = columns(0, &names, &v);
    let load = database.direct_bulk_load("t", [load], BulkLoadOptions::default());
    block_on(load).unwrap();
    // Each order with its form that no index has.
    let orders = [
        ("id", "id + 0", ""),
        ("id DESC", "id + 0 DESC", "WHERE id < 3000"),
        ("v, id", "v + 0, id", ""),
        ("v DESC, id DESC", "v + 0 DESC, id DESC", ""),
        ("v, id", "v + 0, id", "WHERE v > 500"),
        (
            "v DESC NULLS LAST, id DESC",
            "v + 0 DESC, id DESC",
            "WHERE v IS NOT NULL",
        ),
        (
            "v NULLS FIRST, id",
            "v + 0 NULLS FIRST, id",
            "WHERE lower(name) = 'n7'",
        ),
        (
            "lower(name), v DESC NULLS LAST, id DESC",
            "lower(name || ''), v DESC NULLS LAST, id DESC",
            "",
        ),
    ];
    let limits = ["LIMIT 1", "LIMIT 10 OFFSET 3", "LIMIT 1500", "LIMIT 3000"];
    let check = |session: &mut Session| {
        for (indexed, plain, condition) in orders {
            for limit in limits {
                let mut ask = |order, lock| {
                    let sql = format!(
                        "SELECT id, name, v FROM t {condition} ORDER BY {order} {limit} {lock}"
                    );
                    rows(session, &sql)
                };
                let expected = ask(plain, "");
                assert!(!expected.is_empty());
                for lock in ["", "FOR SHARE"] {
                    assert_eq!(
                        ask(indexed, lock),
                        expected,
                        "{indexed} {condition} {limit}"
                    );
                }
            }
        }
        for (indexed, plain) in [
            ("max(v), 1", "max(v + 0), 1"),
            ("min(lower(name)), 1", "min(lower(name || '')), 1"),
        ] {
            for condition in ["", "WHERE v < 300", "WHERE id < 0"] {
                let mut ask = |what| rows(session, &format!("SELECT {what} FROM t {condition}"));
                assert_eq!(ask(indexed), ask(plain), "{indexed} {condition}");
            }
        }
    };
    check(&mut session);
    run(
        &mut session,
        "UPDATE t SET v = v + 1 WHERE id > 2500 AND v < 100;
         DELETE FROM t WHERE v IS NULL AND id < 1000;
         INSERT INTO t VALUES (-1, 'N7', NULL), (-2, NULL, 5), (9000, 'x', 5000)",
    );
    check(&mut session);
    block_on(database.flush()).unwrap();
    run(
        &mut session,
        "BEGIN; UPDATE t SET name = 'n7', v = -v WHERE id < 200",
    );
    check(&mut session);
    run(&mut session, "ROLLBACK");
    check(&mut session);
}

#[test]
fn lists_of_parameters_and_long_lists_are_points() {
    const ROWS: i32 = 3_000;
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, v INT);
         CREATE INDEX by_v ON t (v)",
    );
    let names: Vec<&str> = (0..ROWS).map(|_| "x").collect();
    let v: Vec<Option<i32>> = (0..ROWS)
        .map(|id| (id % 9 > 0).then_some(id % 700))
        .collect();
    let load = columns(0, &names, &v);
    let load = database.direct_bulk_load("t", [load], BulkLoadOptions::default());
    block_on(load).unwrap();
    let parameters = [
        Value::Int4(7),
        Value::Null,
        Value::Int4(2_999),
        Value::Int4(7),
    ];
    let sql = "SELECT id::bigint FROM t WHERE id IN ($1, $2, $3, $4, 5) ORDER BY id";
    let found = block_on(session.query(sql, &parameters)).unwrap().rows();
    assert_eq!(found, ints(&[5, 7, 2_999]));
    let sql = "SELECT id::bigint FROM t WHERE v IN ($1, $2) AND id < 800 ORDER BY id";
    let found = block_on(session.query(sql, &parameters[..2]))
        .unwrap()
        .rows();
    assert_eq!(found, ints(&[7, 707]));
    let found = block_on(session.query(sql, &[Value::Null, Value::Null])).unwrap();
    assert_eq!(found.row_count(), 0);
    // Fewer and more values than are read one by one.
    for values in [200, 300, 1_100, 2_500] {
        for column in ["id", "v"] {
            let list: Vec<String> = (0..values).map(|n| (n * 3 % 4_000).to_string()).collect();
            let list = list.join(", ");
            let mut ask = |column: &str| {
                let sql = format!("SELECT id FROM t WHERE {column} IN ({list}) ORDER BY id");
                rows(&mut session, &sql)
            };
            let plain = ask(&format!("{column} + 0"));
            assert!(plain.len() > 100);
            assert_eq!(ask(column), plain, "{values} {column}");
        }
    }
}

#[test]
fn a_key_shows_labels_of_enumerations() {
    let kv = Arc::new(MemoryKv::default());
    let database = open(&kv);
    let mut session = database.session();
    run(&mut session, "CREATE TYPE mood AS ENUM ('sad', 'ok')");
    run(&mut session, "CREATE TABLE m (id int PRIMARY KEY, m mood)");
    run(&mut session, "INSERT INTO m VALUES (1, 'ok'), (2, 'ok')");
    let detail = |error: varve_types::Error| error.fields().detail.clone();
    let built = fails(&mut session, "CREATE UNIQUE INDEX ON m (m)");
    assert_eq!(
        detail(built).as_deref(),
        Some("Key (m)=(ok) is duplicated.")
    );
    run(&mut session, "DELETE FROM m WHERE id = 2");
    run(&mut session, "CREATE UNIQUE INDEX ON m (m)");
    let added = fails(&mut session, "INSERT INTO m VALUES (3, 'ok')");
    assert_eq!(
        detail(added).as_deref(),
        Some("Key (m)=(ok) already exists.")
    );
}

#[test]
fn a_definition_that_is_too_long_is_refused_and_harms_nothing() {
    let kv = Arc::new(MemoryKv::new());
    let long = "x".repeat(70_000);
    {
        let mut session = open(&kv).session();
        run(&mut session, "CREATE TABLE t (id INT PRIMARY KEY, v TEXT)");
        run(&mut session, "INSERT INTO t VALUES (1, 'a')");
        let index = format!("CREATE INDEX ON t (id) WHERE v = '{long}'");
        assert_eq!(fails(&mut session, &index).state().code(), "54000");
        let list: Vec<String> = (0..70_000).map(|number| number.to_string()).collect();
        let index = format!("CREATE INDEX ON t (v) WHERE id IN ({})", list.join(", "));
        assert_eq!(fails(&mut session, &index).state().code(), "54000");
        run(&mut session, &format!("COMMENT ON TABLE t IS '{long}'"));
    }
    let mut session = open(&kv).session();
    assert_eq!(rows(&mut session, "SELECT id::int8 FROM t"), ints(&[1]));
    let comment = "SELECT length(obj_description('t'::regclass, 'pg_class'))::int8";
    assert_eq!(rows(&mut session, comment), ints(&[70_000]));
}
