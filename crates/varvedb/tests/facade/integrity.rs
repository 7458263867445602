//! Checking, repairing, and databases that ought to be there.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Direction, Durability, KeyRange, Kv, MemoryKv, Scan, ScanLimit, WriteBatch};
use varve_types::SqlState;
use varvedb::{Database, Options, SystemEnv};

use super::{open, rows, run};

fn filled() -> Arc<MemoryKv> {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE tea (id BIGINT PRIMARY KEY, name TEXT);
         INSERT INTO tea VALUES (1, 'black'), (2, 'green')",
    );
    block_on(database.flush()).unwrap();
    kv
}

/// Damages the last value in the order of keys: a page.
fn damage_page(kv: &MemoryKv) {
    let scan = Scan {
        range: KeyRange::all(),
        limit: ScanLimit::entries(1),
        direction: Direction::Reverse,
    };
    let (key, value) = block_on(kv.scan(&scan)).unwrap().remove(0);
    let mut value = value.to_vec();
    *value.last_mut().unwrap() ^= 1;
    let mut batch = WriteBatch::new();
    batch.put(key, value);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
}

#[test]
fn damage_is_told_by_table_and_a_repair_makes_the_rest_readable() {
    let kv = filled();
    let sound = block_on(open(&kv).check()).unwrap();
    assert_eq!((sound.rows, sound.problems.len()), (2, 0));
    damage_page(&kv);
    let damaged = block_on(open(&kv).check()).unwrap();
    assert_eq!(damaged.problems[0].table.as_deref(), Some("tea"));
    let env = Arc::new(SystemEnv::new());
    let repaired = Database::repair(kv.clone(), env, Options::browser());
    let (database, report) = block_on(repaired).unwrap();
    let table = &report.tables[0];
    assert_eq!(table.table.as_deref(), Some("tea"));
    // A small run is one value.
    assert_eq!((table.rows_kept, table.rows_lost), (0, 2));
    assert!(block_on(database.check()).unwrap().problems.is_empty());
    let mut session = database.session();
    assert_eq!(rows(&mut session, "SELECT * FROM tea").len(), 0);
    run(&mut session, "INSERT INTO tea VALUES (1, 'black')");
    block_on(database.drop_quarantined()).unwrap();
}

#[test]
fn indexes_are_made_anew_by_a_repair() {
    let kv = Arc::new(MemoryKv::new());
    let database = open(&kv);
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE tea (id BIGINT PRIMARY KEY, name TEXT UNIQUE);
         INSERT INTO tea VALUES (1, 'black'), (2, 'green')",
    );
    block_on(database.flush()).unwrap();
    // The last run is that of the index.
    damage_page(&kv);
    let damaged = block_on(open(&kv).check()).unwrap();
    assert_eq!(damaged.problems[0].table.as_deref(), Some("tea"));
    let env = Arc::new(SystemEnv::new());
    let repaired = Database::repair(kv.clone(), env, Options::browser());
    let (database, _) = block_on(repaired).unwrap();
    assert!(block_on(database.check()).unwrap().problems.is_empty());
    let mut session = database.session();
    let found = rows(&mut session, "SELECT id FROM tea WHERE name = 'green'");
    assert_eq!(found.len(), 1);
    let again = block_on(session.query("INSERT INTO tea VALUES (3, 'green')", &[]));
    assert_eq!(again.unwrap_err().state(), SqlState::UNIQUE_VIOLATION);
}

#[test]
fn a_database_that_must_exist_is_not_made() {
    let options = || Options {
        must_exist: true,
        ..Options::browser()
    };
    let kv = Arc::new(MemoryKv::new());
    let opened = Database::open(kv.clone(), Arc::new(SystemEnv::new()), options());
    let Err(error) = block_on(opened) else {
        panic!("an empty store was opened");
    };
    assert_eq!(error.state(), SqlState::UNDEFINED_FILE);
    assert!(error.message().starts_with("evicted: "));
    let opened = Database::open(filled(), Arc::new(SystemEnv::new()), options());
    assert!(block_on(opened).is_ok());
}
