//! Encrypted databases: what opens them, what they leave on disk, and what damage is to them.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Durability, Entry, KeyRange, Kv, MemoryKv, Scan, ScanLimit, WriteBatch};
use varve_types::{Result, Value};

use super::{rows, run};
use crate::database::Database;
use crate::shared::options::Options;
use crate::{Encryption, SystemEnv};

const SECRET: &str = "nobody shall find this";

fn key(byte: u8) -> Option<Encryption> {
    Some(Encryption::key(&[byte; 32]))
}

fn passphrase(text: &str) -> Option<Encryption> {
    Some(Encryption::passphrase(text))
}

fn options(encryption: Option<Encryption>) -> Options {
    Options {
        encryption,
        ..Options::browser()
    }
}

fn open(kv: &MemoryKv, encryption: Option<Encryption>) -> Result<Database> {
    let kv: Arc<dyn Kv> = Arc::new(kv.reopen());
    block_on(Database::open(
        kv,
        Arc::new(SystemEnv::new()),
        options(encryption),
    ))
}

fn refused(kv: &MemoryKv, encryption: Option<Encryption>) -> (String, String) {
    let error = open(kv, encryption).err().unwrap();
    assert!(error.fields().hint.is_some(), "{error}");
    (error.state().code().to_owned(), error.message().to_owned())
}

fn entries(kv: &MemoryKv) -> Vec<Entry> {
    let all = Scan::forward(KeyRange::all(), ScanLimit::NONE);
    block_on(kv.scan(&all)).unwrap()
}

/// Rows in the log and in runs, and a word in the catalog.
fn fill(database: &Database) {
    let mut session = database.session();
    run(
        &mut session,
        "CREATE TABLE hidden_name (id int PRIMARY KEY, secret text)",
    );
    let insert = |from: i32| {
        format!(
            "INSERT INTO hidden_name SELECT n, '{SECRET} ' || n \
             FROM generate_series({from}, {from} + 999) AS n"
        )
    };
    run(&mut session, &insert(0));
    block_on(database.flush()).unwrap();
    run(&mut session, &insert(1000));
}

fn count(database: &Database) -> Vec<Vec<Value>> {
    rows(&mut database.session(), "SELECT count(*) FROM hidden_name")
}

fn holds(kv: &MemoryKv, text: &str) -> bool {
    let has = |(_, value): &Entry| {
        value
            .windows(text.len())
            .any(|part| part == text.as_bytes())
    };
    entries(kv).iter().any(has)
}

#[test]
fn no_text_of_the_database_is_stored_in_clear() {
    for (encryption, is_clear) in [(None, true), (key(1), false)] {
        let kv = MemoryKv::new();
        let database = open(&kv, encryption.clone()).unwrap();
        fill(&database);
        for text in [SECRET, "hidden_name", "VSTO", "VARVERUN"] {
            let is_expected = is_clear && text != "VARVERUN";
            assert_eq!(holds(&kv, text), is_expected, "{text}");
        }
        block_on(database.close()).unwrap();
        let again = open(&kv, encryption).unwrap();
        assert_eq!(count(&again), [[Value::Int8(2000)]]);
    }
}

#[test]
fn sorts_spill_ciphertext() {
    let kv = MemoryKv::new();
    let options = Options {
        memory_limit_bytes: 24 << 20,
        ..options(key(1))
    };
    let handle: Arc<dyn Kv> = Arc::new(kv.reopen());
    let opened = Database::open(handle, Arc::new(SystemEnv::new()), options);
    let database = block_on(opened).unwrap();
    let mut session = database.session();
    let sort = format!(
        "SELECT n, repeat('{SECRET}', 20) AS t FROM generate_series(1, 100000) AS n \
         ORDER BY t, n DESC"
    );
    let mut has_spilled = false;
    {
        let mut stream = block_on(session.stream(&sort, &[])).unwrap();
        while block_on(stream.next()).unwrap().is_some() {
            let scratch = entries(&kv)
                .into_iter()
                .any(|(key, _)| key.first() == Some(&b's'));
            has_spilled |= scratch;
            assert!(!holds(&kv, SECRET));
            if has_spilled {
                break;
            }
        }
    }
    assert!(has_spilled);
}

#[test]
fn each_wrong_key_is_refused_by_a_state_and_changes_nothing() {
    let kv = MemoryKv::new();
    block_on(open(&kv, passphrase("tea")).unwrap().close()).unwrap();
    let before = entries(&kv);
    let cases = [
        (None, "28000"),
        (passphrase("Tea"), "28P01"),
        (key(1), "28000"),
    ];
    for (encryption, state) in cases {
        assert_eq!(refused(&kv, encryption.clone()).0, state, "{encryption:?}");
        let handle: Arc<dyn Kv> = Arc::new(kv.reopen());
        let repaired = Database::repair(handle, Arc::new(SystemEnv::new()), options(encryption));
        assert_eq!(block_on(repaired).err().unwrap().state().code(), state);
    }
    assert_eq!(entries(&kv), before);
    let empty = open(&kv, passphrase("")).err().unwrap();
    assert_eq!(empty.state().code(), "22023");
    let plain = MemoryKv::new();
    block_on(open(&plain, None).unwrap().close()).unwrap();
    let before = entries(&plain);
    assert_eq!(refused(&plain, key(1)).0, "55000");
    assert_eq!(entries(&plain), before);
}

#[test]
fn a_store_that_must_exist_is_not_made_by_its_key() {
    let kv = MemoryKv::new();
    let options = Options {
        must_exist: true,
        ..options(key(1))
    };
    let handle: Arc<dyn Kv> = Arc::new(kv.reopen());
    let opened = Database::open(handle, Arc::new(SystemEnv::new()), options);
    assert_eq!(block_on(opened).err().unwrap().state().code(), "58P01");
    assert_eq!(entries(&kv), []);
}

#[test]
fn the_key_changes_and_the_data_stay() {
    let kv = MemoryKv::new();
    let database = open(&kv, key(1)).unwrap();
    fill(&database);
    let is_value = |(key, _): &Entry| !key.eq_ignore_ascii_case(b"encryption");
    let values = || -> Vec<Entry> { entries(&kv).into_iter().filter(is_value).collect() };
    let before = values();
    let tea = Encryption::passphrase("tea");
    block_on(database.change_encryption_key(&tea)).unwrap();
    assert_eq!(values(), before);
    let mut session = database.session();
    run(&mut session, "INSERT INTO hidden_name VALUES (-1, 'after')");
    drop(session);
    block_on(database.close()).unwrap();
    assert_eq!(refused(&kv, key(1)).0, "28000");
    let again = open(&kv, passphrase("tea")).unwrap();
    assert_eq!(count(&again), [[Value::Int8(2001)]]);
    let plain = open(&MemoryKv::new(), None).unwrap();
    let refused = block_on(plain.change_encryption_key(&tea));
    assert_eq!(refused.unwrap_err().state().code(), "55000");
}

#[test]
fn a_tampered_value_is_corruption_which_repair_puts_right() {
    let kv = MemoryKv::new();
    let database = open(&kv, key(1)).unwrap();
    fill(&database);
    block_on(database.flush()).unwrap();
    block_on(database.close()).unwrap();
    drop(database);
    let stored = entries(&kv);
    let pages: Vec<&Entry> = stored.iter().filter(|(key, _)| key[0] == b'r').collect();
    let [first, .., last] = pages.as_slice() else {
        panic!("{} pages", pages.len());
    };
    let mut batch = WriteBatch::new();
    batch.put(first.0.clone(), last.1.clone());
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let database = open(&kv, key(1)).unwrap();
    let read = "SELECT sum(length(secret)) FROM hidden_name";
    let error = block_on(database.session().query(read, &[])).err().unwrap();
    assert_eq!(error.state().code(), "XX001", "{error}");
    assert!(error.message().contains("page 0 of run"), "{error}");
    let report = block_on(database.check()).unwrap();
    assert!(!report.problems.is_empty());
    block_on(database.close()).unwrap();
    let handle: Arc<dyn Kv> = Arc::new(kv.reopen());
    let repaired = Database::repair(handle, Arc::new(SystemEnv::new()), options(key(1)));
    let (database, report) = block_on(repaired).unwrap();
    assert_eq!(report.tables.len(), 1);
    assert!(!holds(&kv, SECRET));
    let kept = report.tables[0].rows_kept;
    assert_eq!(count(&database), [[Value::Int8(kept.cast_signed() + 1000)]]);
}

/// An export is the same with and without encryption, and in clear; its copy is encrypted by the
/// key that the import is given.
#[test]
fn an_export_is_in_clear_and_its_copy_has_a_key_of_its_own() {
    let kv = MemoryKv::new();
    let database = open(&kv, key(1)).unwrap();
    fill(&database);
    let file = export(&database);
    assert!(file.windows(11).any(|part| part == b"hidden_name"));
    for encryption in [None, key(2), passphrase("another")] {
        let copy = MemoryKv::new();
        let env = Arc::new(SystemEnv::new());
        let imported = async {
            let kv = Arc::new(copy.reopen());
            let mut import = Database::import(kv, env, options(encryption.clone())).await?;
            import.write(&file).await?;
            import.finish().await
        };
        let imported = block_on(imported).unwrap();
        assert_eq!(count(&imported), [[Value::Int8(2000)]]);
        assert!(export(&imported) == file);
        assert_eq!(holds(&copy, "hidden_name"), encryption.is_none());
        drop(imported);
        assert_eq!(
            count(&open(&copy, encryption).unwrap()),
            [[Value::Int8(2000)]]
        );
    }
}

fn export(database: &Database) -> Vec<u8> {
    let mut export = block_on(database.export(None)).unwrap();
    let mut file = Vec::new();
    while let Some(chunk) = block_on(export.next_chunk()).unwrap() {
        file.extend(chunk);
    }
    file
}
