//! What a scan costs where nothing changed, while much of the rest of the table did.

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{ColumnPredicate, CompareOp, PredicateTest, ScanSpec, Value};

use super::{KEYED, PLAIN, batch, insert, open_with, some_rows, with_trees};
use crate::{Durability, StoreSettings};

fn compare(op: CompareOp, key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(op, Value::Int8(key)),
    }
}

/// With `VARVEDB_TESTS=full` a million rows change.
#[test]
fn scans_of_untouched_ranges_read_the_same_pages_and_decode_the_same_vectors() {
    let is_full = std::env::var("VARVEDB_TESTS").is_ok_and(|tests| tests == "full");
    let changed: i64 = if is_full { 1_000_000 } else { 20_000 };
    let untouched: i64 = 20_000;
    let settings = StoreSettings {
        memtable_bytes_max: 1 << 20,
        run_bytes_max: 1 << 20,
        // Indexes are read from their pages each time, so that they count.
        group_cache_bytes_max: 0,
        ..StoreSettings::browser()
    };
    let store = open_with(std::sync::Arc::new(MemoryKv::new()), settings).unwrap();
    with_trees(&store);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &some_rows(0..untouched + changed));
    }
    block_on(store.flush()).unwrap();
    let cost = |tree, reverse| {
        let transaction = store.begin();
        let counters = || {
            let stats = store.stats();
            let pages = stats.page_cache;
            (pages.hits + pages.misses, stats.vectors_decoded)
        };
        let before = counters();
        let options = ScanSpec {
            predicates: vec![
                compare(CompareOp::GtEq, 5000),
                compare(CompareOp::Lt, 15_000),
            ],
            reverse,
            ..super::everything(tree)
        };
        assert_eq!(super::read(&transaction, options).unwrap().len(), 10_000);
        let after = counters();
        (after.0 - before.0, after.1 - before.1)
    };
    let all = || {
        [(KEYED, false), (KEYED, true), (PLAIN, false)].map(|(tree, reverse)| cost(tree, reverse))
    };
    // What was parsed of pages is kept for the next scan.
    let all = || {
        all();
        all()
    };
    let expected = all();
    // One transaction each, as large as it gets, and some deletes.
    for first in (untouched..untouched + changed).step_by(4096) {
        let keys = first..(first + 4096).min(untouched + changed);
        let mut transaction = store.begin();
        for tree in [KEYED, PLAIN] {
            let range = ScanSpec {
                predicates: vec![
                    compare(CompareOp::GtEq, keys.start),
                    compare(CompareOp::Lt, keys.end),
                ],
                ..super::everything(tree)
            };
            let positions = super::read(&transaction, range).unwrap();
            let positions: Vec<_> = positions.into_iter().map(|(_, at)| at).collect();
            let (updated, deleted) = positions.split_at(positions.len() - 7);
            let rows = some_rows(keys.clone().take(updated.len()));
            let rows: Vec<_> = rows.chunks(1024).map(batch).collect();
            block_on(transaction.update(tree, updated, &rows)).unwrap();
            block_on(transaction.delete(tree, deleted)).unwrap();
        }
        block_on(transaction.commit(Durability::Relaxed)).unwrap();
    }
    assert_eq!(all(), expected, "deletions, and rows in the memtable");
    block_on(store.flush()).unwrap();
    assert_eq!(all(), expected, "folded deletions, and rows in other runs");
}
