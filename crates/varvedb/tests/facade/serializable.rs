//! SERIALIZABLE transactions: whoever writes must have read what is still so.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::SqlState;

use super::{ints, open, rows, run};

/// Two transactions run `a` and `b`, each a read and a write, side by side; tells whether the
/// second commit was refused.
fn conflicts(level: &str, a: [&str; 2], b: [&str; 2]) -> bool {
    let database = open(&Arc::new(MemoryKv::new()));
    let (mut one, mut two) = (database.session(), database.session());
    run(
        &mut one,
        "CREATE TABLE t (id INT PRIMARY KEY, n INT); CREATE INDEX ON t (n);
         INSERT INTO t VALUES (1, 10), (2, 20), (3, 30); CREATE TABLE u (x INT)",
    );
    for session in [&mut one, &mut two] {
        run(session, &format!("BEGIN ISOLATION LEVEL {level}"));
    }
    for (session, [read, write]) in [(&mut one, a), (&mut two, b)] {
        rows(session, read);
        if !write.is_empty() {
            run(session, write);
        }
    }
    run(&mut one, "COMMIT");
    match pollster::block_on(two.query("COMMIT", &[])) {
        Ok(_) => false,
        Err(error) => {
            assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
            true
        }
    }
}

#[test]
fn what_was_read_must_still_be_so() {
    const SUM: &str = "SELECT sum(n) FROM t";
    const COUNT: &str = "SELECT count(*) FROM t";
    const KEY: &str = "SELECT n FROM t WHERE id = 1";
    const ABSENT: &str = "SELECT n FROM t WHERE id = 9";
    const INDEX: &str = "SELECT n FROM t WHERE n = 10";
    let change = "UPDATE t SET n = 0 WHERE id = 1";
    let other = "UPDATE t SET n = 0 WHERE id = 2";
    let insert = "INSERT INTO t VALUES (9, 9)";
    let elsewhere = "INSERT INTO u VALUES (1)";
    for (a, b, expected) in [
        // Each writes what the other has read.
        ([SUM, change], [SUM, other], true),
        ([COUNT, insert], [COUNT, elsewhere], true),
        ([KEY, change], [KEY, elsewhere], true),
        ([ABSENT, insert], [ABSENT, elsewhere], true),
        ([KEY, change], [INDEX, elsewhere], true),
        // Who comes first has read what the second one changed: they are in that order.
        ([SUM, elsewhere], ["SELECT 1", change], false),
        // A snapshot needs no more.
        ([SUM, change], [SUM, ""], false),
        (
            ["SELECT 1", "INSERT INTO t VALUES (7, 7)"],
            ["SELECT 1", insert],
            false,
        ),
    ] {
        assert_eq!(conflicts("SERIALIZABLE", a, b), expected, "{a:?} {b:?}");
        assert!(!conflicts("REPEATABLE READ", a, b), "{a:?} {b:?}");
    }
}

#[test]
fn a_statement_on_its_own_runs_again() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(
        &mut session,
        "SET default_transaction_isolation = serializable",
    );
    run(
        &mut session,
        "CREATE TABLE t (n INT); INSERT INTO t VALUES (1)",
    );
    run(&mut session, "INSERT INTO t SELECT count(*) + 1 FROM t");
    assert_eq!(rows(&mut session, "SELECT count(*) FROM t"), ints(&[2]));
}
