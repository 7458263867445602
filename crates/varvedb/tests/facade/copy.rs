//! COPY: types, errors with line and column, all rows or none.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{Error, Result, SqlState, Value};
use varvedb::Session;

use super::{ints, open, rows, run};

const COUNT: &str = "SELECT count(*) FROM t";

fn table() -> Session {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT, at TIMESTAMPTZ, x DOUBLE PRECISION NOT NULL)",
    );
    session
}

fn copy(session: &mut Session, options: &str, text: &str) -> Result<u64> {
    pollster::block_on(async {
        session
            .copy_begin(&format!("COPY t FROM STDIN WITH (FORMAT csv{options})"))
            .await?;
        for chunk in text.as_bytes().chunks(7) {
            session.copy_write(chunk).await?;
        }
        Ok(session.copy_finish().await?.affected_rows.unwrap_or(0))
    })
}

#[test]
fn text_becomes_typed_rows() {
    let mut session = table();
    let text = "id;name;at;x\n1;\"a;\"\"b\";2013-01-01 05:00:00Z;1.5\n2;NA;NA;-3\n3;\"NA\";NA;0";
    let options = ", HEADER true, DELIMITER ';', NULL 'NA'";
    assert_eq!(copy(&mut session, options, text).unwrap(), 3);
    let expected = vec![
        vec![
            Value::Int4(1),
            Value::text("a;\"b"),
            Value::TimestampTz(1_357_016_400_000_000),
            Value::Float8(1.5),
        ],
        vec![
            Value::Int4(2),
            Value::Null,
            Value::Null,
            Value::Float8(-3.0),
        ],
        vec![
            Value::Int4(3),
            Value::text("NA"),
            Value::Null,
            Value::Float8(0.0),
        ],
    ];
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY id"), expected);
}

#[test]
fn a_marker_stands_for_the_default() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, name TEXT DEFAULT 'some', n INT DEFAULT 1 + 1)",
    );
    let text = "1,\\D,\\D\n2,\"\\D\",5\n3,x,\\D\n";
    assert_eq!(copy(&mut session, ", DEFAULT '\\D'", text).unwrap(), 3);
    let row = |id, name, n| vec![Value::Int4(id), Value::text(name), Value::Int4(n)];
    let expected = vec![row(1, "some", 2), row(2, "\\D", 5), row(3, "x", 2)];
    assert_eq!(rows(&mut session, "SELECT * FROM t ORDER BY id"), expected);
    let error = copy(&mut session, ", DEFAULT '\\D'", "\\D,a,1\n").unwrap_err();
    assert_eq!(error.message(), "unexpected default marker in COPY data");
    let fields = error.fields();
    let detail = Some("Column \"id\" has no default value.");
    assert_eq!(fields.detail.as_deref(), detail);
    let shown = Some("COPY t, line 1: \"\\D,a,1\"");
    assert_eq!(fields.context.as_deref(), shown);
}

#[test]
fn a_bad_line_is_named_and_leaves_nothing() {
    let bad_int = "COPY t, line 3, column id: \"x\"";
    let cases = [
        (
            "1,a,,1\n2,b,,2\nx,c,,3\n",
            SqlState::INVALID_TEXT_REPRESENTATION,
            bad_int,
        ),
        (
            "1,a,,1\n2,b,,\n",
            SqlState::NOT_NULL_VIOLATION,
            "COPY t, line 2: \"2,b,,\"",
        ),
        (
            "1,a,,1\n2,b\n",
            SqlState::BAD_COPY_FILE_FORMAT,
            "COPY t, line 2: \"2,b\"",
        ),
        (
            "1,a,,1\n2,b,,2,3\n",
            SqlState::BAD_COPY_FILE_FORMAT,
            "COPY t, line 2: \"2,b,,2,3\"",
        ),
        (
            "1,a,,1\n2,\"b,,2\n",
            SqlState::BAD_COPY_FILE_FORMAT,
            "COPY t, line 2: \"2,\"b,,2\n\"",
        ),
        (
            "1,a,,1\n1,b,,2\n",
            SqlState::UNIQUE_VIOLATION,
            "COPY t, the rows from line 1 on",
        ),
        (
            "3,a,,1\n2,b,,1\n1,c,,2\n2,d,,2\n",
            SqlState::UNIQUE_VIOLATION,
            "COPY t, the rows from line 1 on",
        ),
    ];
    for (text, state, context) in cases {
        let mut session = table();
        let error: Error = copy(&mut session, "", text).unwrap_err();
        assert_eq!(error.state(), state, "{text:?}");
        assert_eq!(error.fields().context.as_deref(), Some(context), "{text:?}");
        assert_eq!(rows(&mut session, COUNT), ints(&[0]), "{text:?}");
        assert_eq!(
            copy(&mut session, "", "1,a,,1\n").unwrap(),
            1,
            "the session goes on"
        );
    }
}

#[test]
fn rows_appear_at_once_and_together() {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let (mut writer, mut reader) = (database.session(), database.session());
    run(&mut writer, "CREATE TABLE t (id INT PRIMARY KEY)");
    let text: String = (0..5000).map(|i| format!("{i}\n")).collect();
    pollster::block_on(async {
        let copy = "COPY t FROM STDIN WITH (FORMAT csv)";
        writer.copy_begin(copy).await.unwrap();
        writer.copy_write(text.as_bytes()).await.unwrap();
    });
    assert_eq!(rows(&mut reader, COUNT), ints(&[0]));
    pollster::block_on(writer.copy_finish()).unwrap();
    assert_eq!(rows(&mut reader, COUNT), ints(&[5000]));
    // Nothing waits to be written once more.
    assert_eq!(database.stats().memtable_bytes, 0);

    run(&mut writer, "BEGIN; INSERT INTO t VALUES (-1)");
    pollster::block_on(async {
        let copy = "COPY t FROM STDIN WITH (FORMAT csv)";
        writer.copy_begin(copy).await.unwrap();
        writer.copy_write(b"5001\n5000\n").await.unwrap();
        writer.copy_finish().await.unwrap();
    });
    assert_eq!(rows(&mut writer, COUNT), ints(&[5003]));
    run(&mut writer, "ROLLBACK");
    assert_eq!(rows(&mut reader, COUNT), ints(&[5000]));
}

#[test]
fn an_aborted_import_leaves_nothing_and_others_wait() {
    let mut session = table();
    pollster::block_on(async {
        session
            .copy_begin("COPY t FROM STDIN WITH (FORMAT csv)")
            .await
            .unwrap();
        session.copy_write(b"1,a,,1\n").await.unwrap();
        let refused = session.query(COUNT, &[]).await.unwrap_err();
        assert_eq!(refused.state(), SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE);
        session.copy_abort().await.unwrap();
    });
    assert_eq!(rows(&mut session, COUNT), ints(&[0]));
}

#[test]
fn a_large_import_in_any_order_is_complete() {
    for step in [1, 7919] {
        let mut session = table();
        let n = 100_000u64;
        let line = |i: u64| format!("{},name {i},2013-01-01,{i}.5\n", i * step % n);
        let text: String = (0..n).map(line).collect();
        assert_eq!(copy(&mut session, "", &text).unwrap(), n);
        let answer = rows(
            &mut session,
            "SELECT count(*), min(id), max(id), sum(x) FROM t",
        );
        let sum = (0..n).map(|i| i as f64 + 0.5).sum();
        let expected = vec![
            Value::Int8(100_000),
            Value::Int4(0),
            Value::Int4(99_999),
            Value::Float8(sum),
        ];
        assert_eq!(answer, vec![expected]);
        let found = rows(&mut session, "SELECT name FROM t WHERE id = 7919");
        let name = if step == 1 { "name 7919" } else { "name 1" };
        assert_eq!(found, vec![vec![Value::text(name)]]);
        let error = copy(&mut session, "", "99999,again,,1\n").unwrap_err();
        assert_eq!(error.state(), SqlState::UNIQUE_VIOLATION);
    }
}

/// The bytes that a COPY gives.
fn copied(session: &mut Session, sql: &str) -> Vec<u8> {
    let result = pollster::block_on(session.query(sql, &[])).unwrap();
    let copied = result.copied.unwrap();
    copied.chunks().collect::<Vec<_>>().concat()
}

fn load(session: &mut Session, sql: &str, bytes: &[u8]) -> Result<u64> {
    pollster::block_on(async {
        session.copy_begin(sql).await?;
        for chunk in bytes.chunks(5) {
            session.copy_write(chunk).await?;
        }
        Ok(session.copy_finish().await?.affected_rows.unwrap_or(0))
    })
}

#[test]
fn rows_go_out_and_come_back_in_every_format() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    let columns = "(id int, b bool, s smallint, l bigint, f real, d double precision, \
                   n numeric, t text, y bytea, day date, c time, at timestamp, z timestamptz, \
                   i interval, u uuid, j jsonb)";
    run(
        &mut session,
        &format!("CREATE TABLE a {columns}; CREATE TABLE b {columns}"),
    );
    run(
        &mut session,
        "INSERT INTO a VALUES
         (1, true, -2, 3000000000, 1.5, -0.25, 12345.6780, E'a\\tb\\\\ \"q\"\\n', '\\x00ff',
          '1999-12-31', '13:14:15.5', '2001-02-03 04:05:06', '2001-02-03 04:05:06Z',
          '1 mon 2 days 3 hours', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{\"a\": [1]}'),
         (2, null, null, null, null, null, -0.00010000, '', null, 'infinity', null, '-infinity',
          null, null, null, 'null'),
         (3, false, 0, 0, 0, 'NaN', 100000000, '\\N', '', null, null, null, null, null, null, null),
         (4, null, null, null, null, null, 'NaN', null, null, null, null, null, null, null, null, null)",
    );
    let before = rows(&mut session, "SELECT * FROM a ORDER BY id");
    for options in [
        "",
        "(format csv, header)",
        "(format binary)",
        "(delimiter '|', null '-')",
    ] {
        let bytes = copied(&mut session, &format!("COPY a TO STDOUT {options}"));
        let copy = format!("COPY b FROM STDIN {options}");
        assert_eq!(load(&mut session, &copy, &bytes).unwrap(), 4, "{options}");
        let after = rows(&mut session, "SELECT * FROM b ORDER BY id");
        assert_eq!(format!("{after:?}"), format!("{before:?}"), "{options}");
        run(&mut session, "TRUNCATE b");
    }
    let bytes = copied(
        &mut session,
        "COPY (SELECT 1::int, null::int) TO STDOUT (FORMAT binary)",
    );
    let rest = b"\0\x02\0\0\0\x04\0\0\0\x01\xff\xff\xff\xff\xff\xff";
    assert_eq!(
        bytes,
        [b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", &rest[..]].concat()
    );
    let damaged = [
        (0, "COPY file signature not recognized"),
        (22, "unexpected EOF in COPY data"),
    ];
    for (at, message) in damaged {
        let mut bad = bytes.clone();
        bad[at] ^= 0x41;
        let error = load(&mut session, "COPY b (id, s) FROM STDIN BINARY", &bad).unwrap_err();
        assert_eq!(error.message(), message);
    }
}

/// What PostgreSQL's binary format can say, and a type does not hold.
#[test]
fn binary_values_out_of_range_are_refused() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(
        &mut session,
        "CREATE TABLE w (d date, t time, s timestamp, z timestamptz(0))",
    );
    let mut copied = |column: &str, value: &[u8]| {
        let length = u32::try_from(value.len()).unwrap().to_be_bytes();
        let header = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
        let bytes = [header, &b"\0\x01"[..], &length, value, b"\xff\xff"].concat();
        let copy = format!("COPY w ({column}) FROM STDIN BINARY");
        load(&mut session, &copy, &bytes)
    };
    let day_us = 86_400_000_000_i64;
    for (column, value, message) in [
        ("d", &(i32::MAX - 1).to_be_bytes()[..], "date out of range"),
        ("d", &(i32::MIN + 1).to_be_bytes(), "date out of range"),
        ("t", &(day_us + 1).to_be_bytes(), "time out of range"),
        ("t", &(-1_i64).to_be_bytes(), "time out of range"),
        ("s", &(i64::MAX - 1).to_be_bytes(), "timestamp out of range"),
        ("z", &(i64::MIN + 1).to_be_bytes(), "timestamp out of range"),
    ] {
        let error = copied(column, value).unwrap_err();
        assert_eq!(error.state(), SqlState::DATETIME_FIELD_OVERFLOW);
        assert_eq!(error.message(), message);
    }
    assert_eq!(copied("d", &i32::MAX.to_be_bytes()).unwrap(), 1);
    assert_eq!(copied("z", &1_500_000_i64.to_be_bytes()).unwrap(), 1);
    let after = rows(&mut session, "SELECT d::text, z::text FROM w ORDER BY d");
    let expected = [
        vec![Value::text("infinity"), Value::Null],
        vec![Value::Null, Value::text("2000-01-01 00:00:02+00")],
    ];
    assert_eq!(after, expected);
}

#[test]
fn rows_are_left_out_by_a_condition() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(
        &mut session,
        "CREATE TABLE t (a int, b text DEFAULT 'x', CHECK (a < 10))",
    );
    let copy = "COPY t (a) FROM STDIN WHERE a % 2 = 0 AND b = 'x'";
    assert_eq!(
        load(&mut session, copy, b"1\n2\n13\n4\n\\.\nrubbish\n").unwrap(),
        2
    );
    assert_eq!(copied(&mut session, "COPY t TO STDOUT"), b"2\tx\n4\tx\n");
    let error = load(&mut session, copy, b"1\n2\n14\n").unwrap_err();
    assert_eq!(error.state(), SqlState::CHECK_VIOLATION);
    assert_eq!(
        error.fields().context.as_deref(),
        Some("COPY t, line 3: \"14\"")
    );
}
