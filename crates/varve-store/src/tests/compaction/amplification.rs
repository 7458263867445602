//! How much is written for what is changed, and how much is kept of it.

use std::sync::Arc;
use std::time::Instant;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_kv::fault::SplitMix64;
use varve_types::{MemoryBudget, RowPosition, Value};

use crate::store::Store;
use crate::tests::{KEYED, TestEnv, batch, some_rows, with_trees};
use crate::{Durability, StoreSettings};

fn open(settings: StoreSettings) -> Arc<Store> {
    let memory = Arc::new(MemoryBudget::new(128 << 20));
    let env = Arc::new(TestEnv::default());
    block_on(Store::open(
        Arc::new(MemoryKv::new()),
        env,
        memory,
        settings,
    ))
    .unwrap()
}

fn is_full() -> bool {
    std::env::var("VARVEDB_TESTS").is_ok_and(|tests| tests == "full")
}

/// What a store does beside commits.
fn tend(store: &Arc<Store>) {
    block_on(store.run_jobs_until_idle()).unwrap();
}

fn fill(store: &Arc<Store>, rows: i64) {
    let mut transaction = store.begin();
    for first in (0..rows).step_by(1024) {
        let rows = some_rows(first..(first + 1024).min(rows));
        block_on(transaction.insert(KEYED, &batch(&rows))).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
    block_on(store.flush()).unwrap();
}

/// A million single-row updates of a million rows with `VARVEDB_TESTS=full`, else fewer of fewer,
/// with a memtable as much smaller.
#[test]
fn random_updates_write_ten_times_their_rows_at_most() {
    let (rows, part) = if is_full() {
        (1_000_000, 1)
    } else {
        (20_000, 50)
    };
    let settings = StoreSettings::browser();
    let settings = StoreSettings {
        memtable_bytes_max: settings.memtable_bytes_max / part,
        run_bytes_max: settings.run_bytes_max / part,
        write_batch_bytes_max: settings.write_batch_bytes_max / part,
        ..settings
    };
    let store = open(settings);
    with_trees(&store);
    fill(&store, rows);
    tend(&store);
    let before = store.stats();
    let started = Instant::now();
    let mut chance = SplitMix64::new(3);
    let mut flushes = before.flushes;
    for i in 0..rows {
        let k = chance.up_to(rows.cast_unsigned() - 1).cast_signed();
        let mut transaction = store.begin();
        let keys = [vec![Value::Int8(k)]];
        let found = block_on(transaction.lookup(KEYED, &keys, &[0], true)).unwrap();
        let Value::Int8(position) = found[0].column(1).unwrap().value(0) else {
            panic!("{found:?}");
        };
        let mut row = some_rows([k]);
        row[0].1 = Some(format!(
            "what customer {} ordered in shop {}",
            k % 1009,
            i % 97
        ));
        row[0].2 = i as i32;
        let positions = [RowPosition(position.cast_unsigned())];
        block_on(transaction.update(KEYED, &positions, &[batch(&row)])).unwrap();
        block_on(transaction.commit(Durability::Relaxed)).unwrap();
        if store.stats().flushes != flushes {
            flushes = store.stats().flushes;
            tend(&store);
        }
    }
    block_on(store.flush()).unwrap();
    tend(&store);
    let took = started.elapsed();
    let after = store.stats();
    let row_bytes = after.row_bytes - before.row_bytes;
    let written = after.written_bytes - before.written_bytes;
    let storage = store.tree_storage(KEYED).unwrap();
    eprintln!(
        "{rows} updates of {row_bytes} bytes in {took:?}: written {written} ({:.2}), of that runs {} \
         and compactions {}; {} flushes, {} compactions; {} runs, {} bytes, {} of {} rows dead",
        written as f64 / row_bytes as f64,
        after.run_bytes_written - before.run_bytes_written,
        after.compaction_bytes_written - before.compaction_bytes_written,
        after.flushes - before.flushes,
        after.compactions - before.compactions,
        storage.runs,
        storage.total_bytes,
        storage.deleted_rows,
        storage.rows + storage.deleted_rows,
    );
    assert_eq!(storage.rows, rows.cast_unsigned());
    assert!(storage.deleted_rows * 2 < storage.rows);
    assert!(storage.runs < 20);
    assert!(written <= 10 * row_bytes, "{written} {row_bytes}");
}

/// How fast runs are merged: prints it.
#[test]
fn runs_over_each_other_are_merged() {
    let rows = if is_full() { 2_000_000 } else { 20_000 };
    for (name, layers) in [("apart", false), ("over each other", true)] {
        let store = open(StoreSettings::native());
        with_trees(&store);
        for layer in 0..4 {
            let mut transaction = store.begin();
            let key = |i: i64| {
                if layers {
                    i * 4 + layer
                } else {
                    layer * rows / 4 + i
                }
            };
            for first in (0..rows / 4).step_by(1024) {
                let keys = (first..(first + 1024).min(rows / 4)).map(key);
                block_on(transaction.insert(KEYED, &batch(&some_rows(keys)))).unwrap();
            }
            block_on(transaction.commit(Durability::Strict)).unwrap();
            block_on(store.flush()).unwrap();
        }
        let started = Instant::now();
        block_on(store.vacuum(None, true)).unwrap();
        let took = started.elapsed();
        let storage = store.tree_storage(KEYED).unwrap();
        eprintln!(
            "{rows} rows of four runs {name}: {took:?}, {} runs",
            storage.runs
        );
        assert_eq!(storage.rows, rows.cast_unsigned());
        assert_eq!(storage.runs, 1);
    }
}
