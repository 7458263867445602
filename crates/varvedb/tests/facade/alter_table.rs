//! ALTER TABLE beside other sessions, and after an opening.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::{SqlState, Value};

use super::{fails, open, rows, run};

#[test]
fn no_row_escapes_a_table_that_is_altered() {
    let changes = [
        "ALTER TABLE t ADD COLUMN c INT DEFAULT 1",
        "ALTER TABLE t ADD CHECK (n > 0)",
        "ALTER TABLE t ALTER n SET NOT NULL",
        "ALTER TABLE t DROP COLUMN n",
    ];
    for change in changes {
        for insert_first in [true, false] {
            let database = open(&Arc::new(MemoryKv::new()));
            let (mut first, mut second) = (database.session(), database.session());
            run(&mut first, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
            run(&mut first, "INSERT INTO t VALUES (1, 1)");
            run(&mut first, "BEGIN");
            run(&mut second, "BEGIN");
            run(&mut first, "INSERT INTO t VALUES (2, NULL), (3, -1)");
            run(&mut second, change);
            let (mut sooner, mut later) = match insert_first {
                true => (first, second),
                false => (second, first),
            };
            run(&mut sooner, "COMMIT");
            let refused = fails(&mut later, "COMMIT");
            assert_eq!(refused.state(), SqlState::SERIALIZATION_FAILURE, "{change}");
            let left = if insert_first { 3 } else { 1 };
            assert_eq!(rows(&mut later, "SELECT * FROM t").len(), left, "{change}");
        }
    }
}

#[test]
fn many_rows_are_written_anew() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(
        &mut session,
        "CREATE TABLE t (id INT, n INT);
         CREATE INDEX t_n ON t (n);
         INSERT INTO t SELECT n, n % 7 FROM generate_series(1, 40000) AS g (n);
         ALTER TABLE t ADD PRIMARY KEY (id), ADD COLUMN s TEXT DEFAULT 'x', ALTER n TYPE BIGINT;",
    );
    drop(session);
    let mut session = open(&kv).session();
    let sums = "SELECT count(*), sum(id), count(s) FROM t WHERE n = 3";
    let expected = vec![vec![
        Value::Int8(5714),
        Value::Int8(114_271_429),
        Value::Int8(5714),
    ]];
    assert_eq!(rows(&mut session, sums), expected);
    run(&mut session, "BEGIN");
    run(&mut session, "ALTER TABLE t DROP COLUMN n");
    run(&mut session, "ROLLBACK");
    assert_eq!(rows(&mut session, sums), expected);
}
