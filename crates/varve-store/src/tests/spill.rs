//! Transactions larger than the memtable.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::{Kv, MemoryKv};
use varve_types::Value;

use super::crash::{intents, stored_runs};
use super::{
    KEYED, PLAIN, batch, everything, insert, open, read, rows_of, some_rows, sorted_rows,
    with_trees,
};
use crate::{Durability, InsertError};

#[test]
fn ordered_rows_make_one_run() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let rows = some_rows(0..5000);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &rows);
        let storage = store.tree_storage(tree).unwrap();
        assert_eq!(
            (storage.runs, storage.rows, storage.memtable_rows),
            (1, 5000, 0)
        );
        assert_eq!(storage.columns.len(), 3);
        assert!(storage.columns.iter().all(|column| column.stored_bytes > 0));
        assert_eq!(storage.columns[0].encodings, ["delta"]);
    }
    assert_eq!(intents(&kv), 0);
    let transaction = open(&kv).begin();
    assert_eq!(sorted_rows(&transaction, KEYED), rows);
    let scan = block_on(transaction.scan(everything(KEYED))).unwrap();
    assert!(scan.is_key_ordered());
}

#[test]
fn the_same_rows_make_the_same_bytes() {
    let dump = || {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        insert(&store, KEYED, &some_rows((0..3000).rev()));
        insert(&store, PLAIN, &some_rows(0..500));
        block_on(store.flush()).unwrap();
        let all = varve_kv::KeyRange::all();
        block_on(kv.scan(&varve_kv::Scan::forward(all, varve_kv::ScanLimit::NONE))).unwrap()
    };
    assert_eq!(dump(), dump());
}

#[test]
fn own_rows_are_read_and_checked_whether_spilled_or_not() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let mut transaction = store.begin();
    let rows = some_rows(0..2000);
    for part in rows.chunks(200) {
        block_on(transaction.insert(KEYED, &batch(part))).unwrap();
        assert_eq!(
            transaction.row_count(KEYED),
            Some(part.last().unwrap().0 as u64 + 1)
        );
    }
    for key in [0, 777, 1999] {
        let twin = some_rows([key]);
        assert_eq!(
            block_on(transaction.insert(KEYED, &batch(&twin))),
            Err(InsertError::Duplicate {
                index: None,
                key: vec![Value::Int8(key)]
            })
        );
    }
    assert_eq!(sorted_rows(&transaction, KEYED), rows);
    let keys = [vec![Value::Int8(1234)], vec![Value::Int8(5555)]];
    let found = block_on(transaction.lookup(KEYED, &keys, &[0, 1, 2], false)).unwrap();
    assert_eq!(
        found.iter().flat_map(rows_of).collect::<Vec<_>>(),
        some_rows([1234])
    );
    let all = read(&transaction, everything(KEYED)).unwrap();
    let some: Vec<_> = all
        .iter()
        .filter(|(row, _)| row.0 % 3 == 0)
        .map(|(_, at)| *at)
        .collect();
    block_on(transaction.delete(KEYED, &some)).unwrap();
    // A deleted key may come back.
    block_on(transaction.insert(KEYED, &batch(&some_rows([3])))).unwrap();
    let expected: Vec<_> = rows
        .into_iter()
        .filter(|row| row.0 % 3 != 0 || row.0 == 3)
        .collect();
    assert_eq!(sorted_rows(&transaction, KEYED), expected);
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
    assert_eq!(sorted_rows(&open(&kv).begin(), KEYED), expected);
}

#[test]
fn a_rollback_leaves_no_page() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    let mut transaction = store.begin();
    block_on(transaction.insert(PLAIN, &batch(&some_rows(0..1000)))).unwrap();
    assert_eq!(sorted_rows(&transaction, PLAIN).len(), 1000);
    assert_eq!((intents(&kv), stored_runs(&kv).len()), (1, 1));
    block_on(transaction.rollback()).unwrap();
    assert_eq!((intents(&kv), stored_runs(&kv).len()), (0, 0));
    // One that is dropped is cleaned up by a later flush.
    let mut transaction = store.begin();
    block_on(transaction.insert(PLAIN, &batch(&some_rows(0..1000)))).unwrap();
    assert_eq!(sorted_rows(&transaction, PLAIN).len(), 1000);
    drop(transaction);
    assert_eq!(intents(&kv), 1);
    block_on(store.flush()).unwrap();
    assert_eq!((intents(&kv), stored_runs(&kv).len()), (0, 0));
}

#[test]
fn the_pages_of_a_killed_process_are_swept() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    insert(&store, PLAIN, &some_rows(0..10));
    let mut transaction = store.begin();
    block_on(transaction.insert(PLAIN, &batch(&some_rows(0..1000)))).unwrap();
    assert_eq!(sorted_rows(&transaction, PLAIN).len(), 1010);
    assert_eq!(intents(&kv), 1);
    let kv: Arc<dyn Kv> = Arc::new(kv.reopen());
    let store = super::open_with(kv.clone(), super::small()).unwrap();
    assert_eq!((intents(&*kv), stored_runs(&*kv).len()), (0, 0));
    assert_eq!(sorted_rows(&store.begin(), PLAIN), some_rows(0..10));
    drop(transaction);
}

/// Ten times what memory holds is inserted, changed and deleted, with savepoints in between.
#[test]
fn a_transaction_larger_than_memory_keeps_within_its_bound() {
    let kv = MemoryKv::new();
    let memory = Arc::new(varve_types::MemoryBudget::new(2 << 20));
    let settings = crate::StoreSettings {
        memtable_bytes_max: 256 << 10,
        write_batch_bytes_max: 256 << 10,
        page_cache_bytes_max: 512 << 10,
        ..crate::StoreSettings::browser()
    };
    let env = Arc::new(super::TestEnv::default());
    let store: Arc<dyn Kv> = Arc::new(kv.reopen());
    let store = block_on(crate::store::Store::open(store, env, memory, settings)).unwrap();
    with_trees(&store);
    let count = 60_000;
    let mut transaction = store.begin();
    for rows in some_rows(0..count).chunks(1000) {
        let savepoint = transaction.savepoint();
        block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
        transaction.release(savepoint).unwrap();
    }
    let before = transaction.savepoint();
    let third = |transaction: &crate::Transaction| {
        let all = read(transaction, everything(KEYED)).unwrap();
        let all = all.into_iter().filter(|(row, _)| row.0 % 3 == 0);
        all.unzip::<_, _, Vec<_>, Vec<_>>()
    };
    for round in 0..2 {
        let (rows, positions) = third(&transaction);
        let rows: Vec<_> = rows.into_iter().map(|(k, t, _)| (k, t, round)).collect();
        let batches: Vec<_> = rows.chunks(1000).map(batch).collect();
        block_on(transaction.update(KEYED, &positions, &batches)).unwrap();
    }
    let (_, positions) = third(&transaction);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    assert_eq!(transaction.row_count(KEYED), Some(count as u64 * 2 / 3));
    transaction.rollback_to(before).unwrap();
    assert_eq!(transaction.row_count(KEYED), Some(count as u64));
    let (_, positions) = third(&transaction);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    let expected = some_rows((0..count).filter(|k| k % 3 != 0));
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
    drop(store);
    assert_eq!(intents(&kv), 0);
    let store = super::open_with(Arc::new(kv.reopen()), super::small()).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), expected);
}
