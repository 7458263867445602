//! Foreign keys across sessions, in COPY and after an opening.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::SqlState;

use super::{fails, ints, open, rows, run, session};

const TABLES: &str = "CREATE TABLE p (id INT PRIMARY KEY, n INT);
    CREATE TABLE c (id INT PRIMARY KEY, pid INT REFERENCES p);
    CREATE TABLE d (pid INT REFERENCES p DEFERRABLE INITIALLY DEFERRED);
    INSERT INTO p VALUES (1, 0), (2, 0);";

#[test]
fn nobody_takes_a_row_away_that_another_refers_to() {
    let changes = [
        "DELETE FROM p WHERE id = 1",
        "UPDATE p SET id = 7 WHERE id = 1",
        "TRUNCATE p, c, d",
    ];
    for change in changes {
        for insert in ["INSERT INTO c VALUES (1, 1)", "INSERT INTO d VALUES (1)"] {
            for insert_first in [true, false] {
                let database = open(&Arc::new(MemoryKv::new()));
                let (mut first, mut second) = (database.session(), database.session());
                run(&mut first, TABLES);
                run(&mut first, "BEGIN");
                run(&mut second, "BEGIN");
                run(&mut first, insert);
                run(&mut second, change);
                let (mut sooner, mut later) = match insert_first {
                    true => (first, second),
                    false => (second, first),
                };
                run(&mut sooner, "COMMIT");
                let truncated = change.starts_with("TRUNCATE");
                if truncated && insert_first {
                    // It takes the new row along.
                    run(&mut later, "COMMIT");
                } else {
                    let refused = fails(&mut later, "COMMIT");
                    assert_eq!(refused.state(), SqlState::SERIALIZATION_FAILURE, "{change}");
                }
                let orphans = "SELECT pid FROM c WHERE pid NOT IN (SELECT id FROM p)";
                assert!(rows(&mut later, orphans).is_empty(), "{change}");
            }
        }
    }
}

#[test]
fn copies_are_checked_and_keys_are_kept() {
    let kv = Arc::new(MemoryKv::new());
    let mut session = open(&kv).session();
    run(&mut session, TABLES);
    let mut copy = |text: &str| {
        pollster::block_on(async {
            session.copy_begin("COPY c FROM STDIN (FORMAT csv)").await?;
            session.copy_write(text.as_bytes()).await?;
            session.copy_finish().await
        })
    };
    let error = copy("1,1\n2,9\n").unwrap_err();
    assert_eq!(error.state(), SqlState::FOREIGN_KEY_VIOLATION);
    assert_eq!(copy("1,1\n2,\n").unwrap().affected_rows, Some(2));
    drop(session);
    let database = open(&kv);
    let mut session = database.session();
    let error = fails(&mut session, "INSERT INTO c VALUES (3, 9)");
    assert_eq!(error.state(), SqlState::FOREIGN_KEY_VIOLATION);
    let error = fails(&mut session, "DELETE FROM p");
    assert_eq!(error.state(), SqlState::FOREIGN_KEY_VIOLATION);
    assert_eq!(rows(&mut session, "SELECT * FROM c").len(), 2);
    assert!(database.bulk_load("c", &[], Default::default()).is_err());
}

#[test]
fn more_keys_than_are_kept_are_checked_all_the_same() {
    let mut session = open(&Arc::new(MemoryKv::new())).session();
    run(
        &mut session,
        "CREATE TABLE t (id INT PRIMARY KEY, up INT REFERENCES t);
         INSERT INTO t SELECT n, n / 2 + 1 FROM generate_series(1, 70000) AS g (n);",
    );
    let error = fails(
        &mut session,
        "INSERT INTO t SELECT n, n + 1 FROM generate_series(70001, 140100) AS g (n)",
    );
    assert_eq!(error.state(), SqlState::FOREIGN_KEY_VIOLATION);
    let error = fails(&mut session, "DELETE FROM t WHERE id < 69000");
    assert_eq!(error.state(), SqlState::FOREIGN_KEY_VIOLATION);
    run(&mut session, "DELETE FROM t");
}

#[test]
fn a_long_chain_goes_in_few_readings() {
    let mut session = session();
    let script =
        "CREATE TABLE chain (id int PRIMARY KEY, above bigint REFERENCES chain ON DELETE CASCADE);
        INSERT INTO chain SELECT g, nullif(g - 1, 0) FROM generate_series(1, 30000) g;
        INSERT INTO chain SELECT g, 40001 + g % 3 FROM generate_series(40001, 40100) g;
        SET statement_timeout = '20s'";
    run(&mut session, script);
    let cases = [
        ("DELETE FROM chain WHERE id = 15000", 14_999 + 100),
        ("DELETE FROM chain WHERE id = 40002", 14_999),
        ("DELETE FROM chain WHERE id = 1", 0),
    ];
    for (sql, left) in cases {
        run(&mut session, sql);
        assert_eq!(
            rows(&mut session, "SELECT count(*) FROM chain"),
            ints(&[left]),
            "{sql}"
        );
    }
}
