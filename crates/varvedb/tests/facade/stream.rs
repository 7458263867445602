//! Rows that are pulled batch by batch.

use pollster::block_on;
use varve_types::Value;
use varvedb::Session;

use super::{fails, ints, rows, run, session};

/// The batches of a statement as numbers of rows, pulled to the end.
fn pulled(session: &mut Session, sql: &str) -> Vec<usize> {
    block_on(async {
        let mut stream = session.stream(sql, &[]).await.unwrap();
        let mut counts = Vec::new();
        while let Some(batch) = stream.next().await.unwrap() {
            counts.push(batch.rows());
        }
        counts
    })
}

#[test]
fn rows_come_in_batches_and_are_those_of_the_query() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id INT PRIMARY KEY, v TEXT)");
    run(
        &mut session,
        "INSERT INTO t SELECT g, 'v' || g FROM generate_series(1, 5000) g",
    );
    let sql = "SELECT id, v FROM t WHERE id > $1 ORDER BY id";
    let parameters = [Value::Int4(10)];
    let whole = block_on(session.query(sql, &parameters)).unwrap();
    let (fields, batches, ended) = block_on(async {
        let mut stream = session.stream(sql, &parameters).await.unwrap();
        let fields = stream.fields();
        let mut batches = Vec::new();
        while let Some(batch) = stream.next().await.unwrap() {
            batches.push(batch);
        }
        assert!(stream.next().await.unwrap().is_none());
        (fields, batches, stream.finish().await.unwrap())
    });
    assert_eq!(fields, whole.fields);
    assert!(batches.len() > 1);
    assert_eq!(ended.command, "SELECT");
    assert_eq!(ended.fields, whole.fields);
    let streamed = varvedb::ResultSet { batches, ..ended };
    assert_eq!(streamed.rows(), whole.rows());
}

#[test]
fn only_a_batch_is_in_memory() {
    let mut session = session();
    run(&mut session, "SET varve.memory_limit = '64MB'");
    let sql = "SELECT repeat('x', 10000000 + g) FROM generate_series(1, 200) g";
    assert_eq!(fails(&mut session, sql).state().code(), "53200");
    let count: usize = pulled(&mut session, sql).iter().sum();
    assert_eq!(count, 200);
}

#[test]
fn what_was_not_pulled_is_not_computed() {
    let mut session = session();
    run(&mut session, "BEGIN");
    run(&mut session, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(&mut session, "INSERT INTO t VALUES (1)");
    let result = block_on(async {
        let sql = "SELECT 1 / (100000 - g) FROM generate_series(1, 1000000) g";
        let mut stream = session.stream(sql, &[]).await.unwrap();
        assert!(stream.next().await.unwrap().is_some());
        stream.finish().await
    });
    assert_eq!(result.unwrap().command, "SELECT");
    // The block goes on.
    assert_eq!(rows(&mut session, "SELECT id::int8 FROM t"), ints(&[1]));
    run(&mut session, "COMMIT");
    assert_eq!(rows(&mut session, "SELECT id::int8 FROM t"), ints(&[1]));
}

#[test]
fn an_error_comes_behind_the_rows_before_it() {
    let mut session = session();
    run(&mut session, "BEGIN");
    let (count, error) = block_on(async {
        let sql = "SELECT 1 / (100000 - g) FROM generate_series(1, 1000000) g";
        let mut stream = session.stream(sql, &[]).await.unwrap();
        let mut count = 0;
        loop {
            match stream.next().await {
                Ok(Some(batch)) => count += batch.rows(),
                Ok(None) => panic!("no error"),
                Err(error) => {
                    assert!(stream.next().await.unwrap().is_none());
                    break (count, error);
                }
            }
        }
    });
    assert!((1..100_000).contains(&count), "{count}");
    assert_eq!(error.state().code(), "22012");
    assert_eq!(fails(&mut session, "SELECT 1").state().code(), "25P02");
    run(&mut session, "ROLLBACK");
    let unknown = block_on(session.stream("SELECT * FROM nowhere", &[])).map(drop);
    assert_eq!(unknown.unwrap_err().state().code(), "42P01");
}

#[test]
fn a_dropped_stream_fails_its_block_and_nothing_else() {
    let mut session = session();
    let sql = "SELECT g FROM generate_series(1, 100000) g";
    for block in [false, true] {
        if block {
            run(&mut session, "BEGIN");
        }
        block_on(async {
            let mut stream = session.stream(sql, &[]).await.unwrap();
            assert!(stream.next().await.unwrap().is_some());
        });
        if block {
            assert_eq!(fails(&mut session, "SELECT 1").state().code(), "25P02");
            run(&mut session, "ROLLBACK");
        }
        assert_eq!(rows(&mut session, "SELECT 1::int8"), ints(&[1]));
    }
}

#[test]
fn every_statement_may_be_asked_so() {
    let mut session = session();
    run(&mut session, "CREATE TABLE t (id INT PRIMARY KEY)");
    let insert = "INSERT INTO t SELECT generate_series(1, 3000) RETURNING id";
    assert_eq!(pulled(&mut session, insert).iter().sum::<usize>(), 3000);
    assert!(pulled(&mut session, "DELETE FROM t WHERE id > 2990").is_empty());
    run(&mut session, "PREPARE p AS SELECT id FROM t ORDER BY id");
    let counts = pulled(&mut session, "EXECUTE p");
    assert_eq!(counts.iter().sum::<usize>(), 2990);
    assert!(counts.len() > 1);
    assert!(!pulled(&mut session, "EXPLAIN SELECT id FROM t").is_empty());
    assert!(pulled(&mut session, "BEGIN").is_empty());
    assert!(pulled(&mut session, "").is_empty());
    run(&mut session, "COMMIT");
    run(&mut session, "BEGIN READ ONLY");
    let locked = block_on(session.stream("SELECT id FROM t FOR UPDATE", &[])).map(drop);
    assert_eq!(locked.unwrap_err().state().code(), "25006");
}
