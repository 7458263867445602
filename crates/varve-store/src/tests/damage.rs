//! Damaged bytes in storage: named, and no further than needed.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Durability, Key, Kv, MemoryKv, WriteBatch};
use varve_types::{Error, RunId, SqlState, Value};

use super::{
    KEYED, PLAIN, batch, everything, insert, open, open_with, read, small, some_rows, sorted_rows,
    with_trees,
};
use crate::error::StoreError;
use crate::format::keys;

/// A store with one run a tree: 1 is that of `KEYED`, 2 that of `PLAIN`; and a log.
fn filled() -> MemoryKv {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &some_rows(0..100));
    }
    block_on(store.flush()).unwrap();
    insert(&store, PLAIN, &some_rows(100..110));
    kv
}

/// Changes a stored value behind the store's back.
pub(super) fn damage(kv: &MemoryKv, key: &Key, how: impl FnOnce(&mut Vec<u8>)) {
    let value = block_on(kv.get_many(std::slice::from_ref(key))).unwrap();
    let mut value = value[0].as_ref().unwrap().to_vec();
    how(&mut value);
    let mut batch = WriteBatch::new();
    batch.put(key.clone(), value);
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
}

/// Changes a bit in the middle.
#[expect(clippy::ptr_arg, reason = "as `damage` takes it")]
pub(super) fn flip(value: &mut Vec<u8>) {
    let at = value.len() / 2;
    value[at] ^= 4;
}

fn refused(kv: &MemoryKv) -> StoreError {
    open_with(Arc::new(kv.reopen()), small()).unwrap_err()
}

#[test]
fn a_damaged_page_is_named_and_other_trees_are_read() {
    let kv = filled();
    damage(&kv, &keys::run_value(RunId(1), 0), flip);
    let store = open(&kv);
    let mut transaction = store.begin();
    let error = read(&transaction, everything(KEYED)).unwrap_err();
    assert_eq!(error.state(), SqlState::DATA_CORRUPTED);
    assert_eq!(
        error.message(),
        "page 0 of run 1 is corrupt: malformed checksum"
    );
    assert_eq!(
        Error::from(error.clone()).fields().detail.as_deref(),
        Some("The run belongs to tree 1.")
    );
    assert_eq!(sorted_rows(&transaction, PLAIN), some_rows(0..110));
    let twin = block_on(transaction.insert(KEYED, &batch(&some_rows([5])))).unwrap_err();
    assert_eq!(StoreError::from(twin), error);
    let key = [vec![Value::Int8(5)]];
    let lookup = block_on(transaction.lookup(KEYED, &key, &[0], false));
    assert_eq!(lookup.unwrap_err(), error);
    // What needs no page goes on.
    assert_eq!(transaction.row_count(KEYED), Some(100));
}

#[test]
fn a_missing_page_is_named() {
    let kv = filled();
    let mut batch = WriteBatch::new();
    batch.delete(keys::run_value(RunId(1), 0));
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    let error = read(&open(&kv).begin(), everything(KEYED)).unwrap_err();
    assert_eq!(error.message(), "page 0 of run 1 is missing");
}

#[test]
fn a_damaged_head_fails_its_tree_only_until_the_tree_is_dropped() {
    let kv = filled();
    damage(&kv, &keys::head(RunId(1)), flip);
    let store = open(&kv);
    let mut transaction = store.begin();
    let error = read(&transaction, everything(KEYED)).unwrap_err();
    assert_eq!(error.state(), SqlState::DATA_CORRUPTED);
    assert_eq!(
        error.message(),
        "head of run 1 is corrupt: malformed checksum"
    );
    assert_eq!(transaction.row_count(KEYED), None);
    assert_eq!(store.tree_storage(KEYED).unwrap_err(), error);
    assert_eq!(sorted_rows(&transaction, PLAIN), some_rows(0..110));
    transaction.drop_tree(KEYED).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    assert_eq!(super::crash::stored_runs(&kv), [2]);
    assert_eq!(sorted_rows(&open(&kv).begin(), PLAIN), some_rows(0..110));
}

#[test]
fn records_of_the_store_are_refused_by_name() {
    let cases = [
        (keys::epoch(), "the epoch is corrupt: malformed checksum"),
        (
            keys::manifest(),
            "the manifest is corrupt: malformed checksum",
        ),
        (keys::catalog(1), "catalog 1 is corrupt: malformed checksum"),
        (
            keys::log(varve_types::CommitSeq(4), 0),
            "part 0 of log record 4 is corrupt: malformed checksum",
        ),
    ];
    for (key, message) in cases {
        let kv = filled();
        damage(&kv, &key, flip);
        let error = refused(&kv);
        assert_eq!(
            (error.state().code(), &*error.message()),
            ("XX001", message)
        );
    }
}

#[test]
fn a_gap_in_the_log_is_refused() {
    let kv = filled();
    let store = open(&kv);
    insert(&store, PLAIN, &some_rows([200]));
    let mut batch = WriteBatch::new();
    batch.delete(keys::log(varve_types::CommitSeq(4), 0));
    block_on(kv.commit(batch, Durability::Strict)).unwrap();
    assert_eq!(refused(&kv).message(), "part 0 of log record 4 is missing");
}

#[test]
fn a_later_format_is_refused_before_anyone_is_fenced() {
    let kv = filled();
    let store = open(&kv);
    damage(&kv, &keys::manifest(), |value| value[4] = 9);
    let error = refused(&kv);
    assert_eq!(error.state(), SqlState::FEATURE_NOT_SUPPORTED);
    assert!(
        error
            .message()
            .starts_with("format_too_new: the manifest has format version 9")
    );
    insert(&store, PLAIN, &some_rows([200]));
}
