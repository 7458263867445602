//! A full disk: what frees space works, and then all goes on. `VARVE_ROUNDS` says how often.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a failure fails the test"
)]

use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use varve_damagefuzz::small_disk::{rounds, small_disk};
use varve_kv_rocksdb::{RocksKv, RocksOptions};
use varve_types::{Error, SqlState, Value};
use varvedb::{Database, Options, Session, SystemEnv};

fn run(session: &mut Session, sql: &str) -> Result<Vec<Vec<Value>>, Error> {
    Ok(block_on(session.query(sql, &[]))?.rows())
}

fn must(session: &mut Session, sql: &str) -> Vec<Vec<Value>> {
    run(session, sql).unwrap_or_else(|error| panic!("{sql}: {error:?}"))
}

/// Inserts until the disk is full; how many rows went in.
fn fill(session: &mut Session, first: u64) -> u64 {
    let mut next = first;
    loop {
        let sql = format!(
            "INSERT INTO t SELECT i, md5(i::text) || md5((i + 1)::text) || md5((i + 2)::text) \
             FROM generate_series({next}, {}) i",
            next + 19_999
        );
        match run(session, &sql) {
            Ok(_) => next += 20_000,
            Err(error) => {
                assert_eq!(error.state(), SqlState::DISK_FULL, "{error:?}");
                return next - first;
            }
        }
        assert!(next < 5_000_000, "the disk is not small");
    }
}

fn reopened(folder: &Path, database: Option<Database>) -> Database {
    if let Some(database) = database {
        let _ = block_on(database.close());
    }
    let kv = RocksKv::open(folder, &RocksOptions::default()).unwrap();
    let options = Options {
        memory_limit_bytes: 64 << 20,
        ..Options::native()
    };
    block_on(Database::open(
        Arc::new(kv),
        Arc::new(SystemEnv::new()),
        options,
    ))
    .unwrap()
}

#[test]
fn what_frees_space_works_and_then_all_goes_on() {
    let Some(disk) = small_disk("what_frees_space_works_and_then_all_goes_on") else {
        return;
    };
    let rounds = u64::from(rounds(5));
    let folder = disk.join("store");
    let _ = std::fs::remove_dir_all(&folder);
    let mut database = reopened(&folder, None);
    let mut session = database.session();
    must(
        &mut session,
        "CREATE TABLE t (id bigint PRIMARY KEY, b text)",
    );
    must(&mut session, "CREATE TABLE other AS SELECT 1 AS a");
    for round in 0..rounds {
        let rows = fill(&mut session, 0);
        println!("round {round}: {rows} rows");
        assert!(rows >= 20_000, "round {round}: only {rows} rows fit");
        if round % 3 == 1 {
            drop(session);
            database = reopened(&folder, Some(database));
            session = database.session();
        }
        let count = must(&mut session, "SELECT count(*) FROM t");
        assert_eq!(count, [[Value::Int8(rows.cast_signed())]]);
        let frees: &[&str] = match round % 5 {
            0 => &["DELETE FROM t", "VACUUM"],
            1 => &["TRUNCATE t", "CHECKPOINT"],
            2 => &[
                "DELETE FROM t WHERE id % 2 = 0",
                "VACUUM",
                "DELETE FROM t",
                "VACUUM FULL",
            ],
            3 => &[
                "DELETE FROM t WHERE id % 10 > 0",
                "CHECKPOINT",
                "VACUUM",
                "DELETE FROM t",
                "VACUUM",
            ],
            _ => &[
                "DROP TABLE t",
                "VACUUM",
                "CREATE TABLE t (id bigint PRIMARY KEY, b text)",
            ],
        };
        for sql in frees {
            must(&mut session, sql);
        }
        must(&mut session, "INSERT INTO other VALUES (1)");
    }
    let count = must(&mut session, "SELECT count(*) FROM other");
    assert_eq!(count, [[Value::Int8(rounds.cast_signed() + 1)]]);
}
