//! Several statements in one call.

use std::sync::Arc;

use varve_kv::MemoryKv;
use varve_types::SqlState;

use super::{ints, open, rows, run};

const COUNT: &str = "SELECT count(*) FROM t";

/// H20.
#[test]
fn all_or_nothing_and_which_one_failed() {
    let database = open(&Arc::new(MemoryKv::new()));
    let mut session = database.session();
    run(&mut session, "CREATE TABLE t (id BIGINT PRIMARY KEY)");
    let batch = [
        "INSERT INTO t VALUES (1), (2)",
        "",
        "UPDATE t SET id = id + 10",
        "SELECT 1",
        "DELETE FROM t WHERE id = 11",
    ];
    assert_eq!(
        pollster::block_on(session.execute_batch(&batch)).unwrap(),
        5
    );
    assert_eq!(rows(&mut session, "SELECT id FROM t"), ints(&[12]));
    let cases = [
        ("INSERT INTO t VALUES (3), (12)", SqlState::UNIQUE_VIOLATION),
        ("SELEC", SqlState::SYNTAX_ERROR),
        ("COMMIT", SqlState::ACTIVE_SQL_TRANSACTION),
        ("SAVEPOINT s", SqlState::ACTIVE_SQL_TRANSACTION),
        ("VACUUM", SqlState::ACTIVE_SQL_TRANSACTION),
    ];
    for (sql, state) in cases {
        let batch = ["INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)", sql];
        let failed = pollster::block_on(session.execute_batch(&batch)).unwrap_err();
        assert_eq!((failed.index, failed.error.state()), (2, state), "{sql}");
        assert!(!session.in_transaction());
        assert_eq!(rows(&mut session, COUNT), ints(&[1]), "{sql}");
    }
    let none: [&str; 0] = [];
    assert_eq!(pollster::block_on(session.execute_batch(&none)).unwrap(), 0);
}
