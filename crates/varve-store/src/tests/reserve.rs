//! A full storage below a store that keeps space for what frees some.

use std::sync::Arc;

use pollster::block_on;
use varve_kv::fault::{CallFault, FaultKv, FaultPlan, SplitMix64};
use varve_kv::{Kv, KvError, MemoryKv};
use varve_types::{CompareOp, SqlState};

use super::crash::intents;
use super::{
    KEYED, PLAIN, Row, batch, open_with, positions_where, small, some_rows, sorted_rows, with_trees,
};
use crate::error::Result;
use crate::format::keys;
use crate::store::Store;
use crate::{Durability, StoreSettings};

type FaultyKv = FaultKv<MemoryKv>;

fn settings() -> StoreSettings {
    StoreSettings {
        memtable_bytes_max: 16 << 10,
        reserve_bytes: 64 << 10,
        ..small()
    }
}

fn faulty() -> Arc<FaultyKv> {
    Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)))
}

fn has_reserve(kv: &FaultyKv) -> bool {
    let found = block_on(kv.inner().get_many(&[keys::reserve()])).unwrap();
    found.iter().all(Option::is_some)
}

fn insert(store: &Arc<Store>, rows: &[Row]) -> Result<()> {
    let mut transaction = store.begin();
    block_on(transaction.insert(KEYED, &batch(rows)))?;
    block_on(transaction.commit(Durability::Strict)).map(drop)
}

/// Deletes the rows below a key.
fn delete_below(store: &Arc<Store>, key: i64) {
    let mut transaction = store.begin();
    let below = super::properties::compare(CompareOp::Lt, key);
    let positions = positions_where(&transaction, KEYED, below);
    block_on(transaction.delete(KEYED, &positions)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
}

/// Rows that no codec makes small.
fn noise(keys: core::ops::Range<i64>) -> Vec<Row> {
    let mut random = SplitMix64::new(keys.start.cast_unsigned());
    let mut text = || Some((0..8).map(|_| format!("{:x}", random.next_u64())).collect());
    keys.map(|key| (key, text(), 0)).collect()
}

/// Inserts in ever smaller steps until not one row fits; all rows then.
fn fill(store: &Arc<Store>) -> Vec<Row> {
    let mut rows: Vec<Row> = sorted_rows(&store.begin(), KEYED);
    for step in [64, 8, 1] {
        loop {
            let next = rows.last().map_or(0, |row| row.0 + 1);
            let more = noise(next..next + step);
            match insert(store, &more) {
                Ok(()) => rows.extend(more),
                Err(error) => {
                    assert_eq!(error.state(), SqlState::DISK_FULL, "{error}");
                    break;
                }
            }
            assert!(rows.len() < 100_000);
        }
    }
    rows
}

#[test]
fn what_frees_space_works_on_a_full_storage() {
    let kv = faulty();
    kv.set_quota_bytes(Some(256 << 10));
    let mut store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    for round in 0..6 {
        let rows = fill(&store);
        assert!(rows.len() > 100, "round {round}: {}", rows.len());
        if round % 2 == 1 {
            drop(store);
            store = open_with(kv.clone(), settings()).unwrap();
        }
        assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
        let half = rows[rows.len() - rows.len() / 10].0;
        delete_below(&store, half);
        block_on(store.vacuum(None, false)).unwrap();
        let left: Vec<Row> = rows.into_iter().filter(|row| row.0 >= half).collect();
        assert_eq!(sorted_rows(&store.begin(), KEYED), left);
        if round % 3 == 0 {
            delete_below(&store, i64::MAX);
            block_on(store.vacuum(None, true)).unwrap();
        }
        let mut other = store.begin();
        block_on(other.insert(PLAIN, &batch(&some_rows([round])))).unwrap();
        block_on(other.commit(Durability::Strict)).unwrap();
        assert_eq!(intents(&*kv), 0);
    }
    let again: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let again = open_with(again, settings()).unwrap();
    assert_eq!(sorted_rows(&again.begin(), PLAIN), some_rows(0..6));
    assert_eq!(
        sorted_rows(&again.begin(), KEYED),
        sorted_rows(&store.begin(), KEYED)
    );
}

#[test]
fn a_small_store_and_one_without_scratch_space_keep_nothing() {
    let kv = faulty();
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    insert(&store, &some_rows(0..10)).unwrap();
    assert!(!has_reserve(&kv));
    insert(&store, &noise(100..900)).unwrap();
    insert(&store, &some_rows(10..20)).unwrap();
    assert!(has_reserve(&kv));
    let none = StoreSettings {
        scratch_bytes_max: 0,
        ..settings()
    };
    let store = open_with(kv.clone(), none).unwrap();
    insert(&store, &some_rows(20..30)).unwrap();
    assert!(!has_reserve(&kv));
}

#[test]
fn an_open_takes_the_reserve_of_a_full_storage() {
    let kv = faulty();
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    insert(&store, &noise(0..500)).unwrap();
    insert(&store, &noise(500..501)).unwrap();
    assert!(has_reserve(&kv));
    kv.fault_in(2, CallFault::Fail(KvError::StorageFull));
    let again = open_with(kv.clone(), settings()).unwrap();
    assert_eq!(sorted_rows(&again.begin(), KEYED).len(), 501);
}

/// The first attempt may have taken the space that the second one lacks.
#[test]
fn a_commit_whose_answer_was_lost_before_the_storage_was_full_is_in_doubt() {
    let kv = faulty();
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    kv.fault_in(1, CallFault::LoseAnswer);
    kv.fault_in(2, CallFault::Fail(KvError::StorageFull));
    let error = insert(&store, &some_rows(0..1)).unwrap_err();
    assert_eq!(error.state(), SqlState::IO_ERROR, "{error}");
    let error = insert(&store, &some_rows(1..2)).unwrap_err();
    assert_eq!(error.state(), SqlState::IO_ERROR, "{error}");
    let again: Arc<dyn Kv> = Arc::new(kv.inner().reopen());
    let again = open_with(again, settings()).unwrap();
    assert_eq!(sorted_rows(&again.begin(), KEYED), some_rows(0..1));
}

/// The calls of the backend and the answer of a single row.
fn calls_of_insert(kv: &FaultyKv, store: &Arc<Store>, key: i64) -> (u64, bool) {
    let before = kv.calls();
    let done = insert(store, &some_rows([key]));
    if let Err(error) = &done {
        assert_eq!(error.state(), SqlState::DISK_FULL, "{error}");
    }
    (kv.calls() - before, done.is_ok())
}

#[test]
fn a_full_storage_is_not_asked_for_each_row() {
    let kv = faulty();
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    let rows = noise(0..900);
    insert(&store, &rows).unwrap();
    insert(&store, &some_rows([1000])).unwrap();
    assert!(has_reserve(&kv));
    assert!(!store.is_storage_full());
    kv.set_quota_bytes(Some(0));
    assert_eq!(calls_of_insert(&kv, &store, 1001), (1, false));
    assert!(store.is_storage_full() && store.stats().storage_full);
    assert_eq!(calls_of_insert(&kv, &store, 1002), (0, false));
    let mut replacing = store.begin();
    let at = positions_where(
        &replacing,
        KEYED,
        super::properties::compare(CompareOp::Eq, 1),
    );
    let replaced = block_on(replacing.update_same_keys(KEYED, &at, &[batch(&some_rows([1]))]));
    assert!(replaced.is_err());
    // Reading goes on, and so do deletions: these in the reserve.
    assert_eq!(sorted_rows(&store.begin(), KEYED).len(), 901);
    kv.set_quota_bytes(Some(kv.inner().bytes()));
    delete_below(&store, 2);
    assert!(store.is_storage_full() && !has_reserve(&kv));
    assert_eq!(calls_of_insert(&kv, &store, 1002), (0, false));
    // Others free space: it is seen after a while. The reserve comes first.
    kv.set_quota_bytes(None);
    block_on(store.env.sleep(1_000_000));
    assert_eq!(calls_of_insert(&kv, &store, 1002), (3, true));
    assert!(!store.is_storage_full() && has_reserve(&kv));
    assert!(block_on(kv.inner().get_many(&[keys::look()])).unwrap()[0].is_none());
}

/// Commits of others are not refused for one that is larger than what is left.
#[test]
fn a_commit_that_is_too_large_by_itself_does_not_fill_the_storage() {
    let kv = faulty();
    let settings = StoreSettings {
        memtable_bytes_max: 4 << 20,
        ..settings()
    };
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    insert(&store, &noise(0..500)).unwrap();
    block_on(store.flush()).unwrap();
    insert(&store, &some_rows([1000])).unwrap();
    assert!(has_reserve(&kv));
    kv.set_quota_bytes(Some(kv.inner().bytes() + (32 << 10)));
    let error = insert(&store, &noise(2000..3000)).unwrap_err();
    assert_eq!(error.state(), SqlState::DISK_FULL, "{error}");
    assert!(!store.is_storage_full());
    insert(&store, &some_rows([1001])).unwrap();
}

/// Nobody need come with rows: whoever runs the jobs looks, ever more seldom.
#[test]
fn the_job_runner_looks_for_room() {
    let kv = faulty();
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    insert(&store, &noise(0..500)).unwrap();
    insert(&store, &some_rows([1000])).unwrap();
    kv.set_quota_bytes(Some(0));
    insert(&store, &some_rows([1001])).unwrap_err();
    assert!(store.is_storage_full());
    let looks = |after_us: u64| {
        let before = kv.calls();
        let now_us = store.env.monotonic_us() + after_us;
        let was_due = block_on(store.look_for_room_if_due(now_us));
        assert_eq!(was_due, kv.calls() > before);
        was_due
    };
    assert!(!looks(0) && looks(1_000_000));
    assert!(!looks(1_000_000) && looks(2_000_000));
    kv.set_quota_bytes(None);
    assert!(!looks(3_000_000) && looks(4_000_000));
    assert!(!store.is_storage_full() && has_reserve(&kv));
    assert!(!looks(u64::MAX / 2));
}

#[test]
fn freed_space_is_seen_at_once() {
    let kv = faulty();
    kv.set_quota_bytes(Some(256 << 10));
    let store = open_with(kv.clone(), settings()).unwrap();
    with_trees(&store);
    fill(&store);
    assert!(store.is_storage_full());
    delete_below(&store, i64::MAX);
    assert!(store.is_storage_full());
    block_on(store.vacuum(None, true)).unwrap();
    assert!(!store.is_storage_full());
    insert(&store, &some_rows([1])).unwrap();
}
