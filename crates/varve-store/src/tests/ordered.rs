//! Ordered scans and key ranges against a sort of everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};
use varve_kv::MemoryKv;
use varve_kv::fault::{FaultKv, FaultPlan};
use varve_types::{
    ColumnPredicate, CompareOp, KeyRange, PredicateTest, ScanSpec, Value, encode_key_value,
};

use super::{KEYED, Row, batch, everything, insert, open_with, read, some_rows, with_trees};
use crate::{Durability, StoreSettings};

fn key_bytes(key: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_key_value(&Value::Int8(key), &mut bytes);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_order_of_sources_reads_in_key_order(
        // First key, number of rows, distance; whether a flush or a delete of the key follows.
        writes in vec((0_i64..3000, 1_i64..1500, 1_i64..9, 0_u8..4), 1..7),
        own in 0_usize..3,
        reverse: bool,
        from in 0_i64..9000,
        to in 0_i64..9000,
        bounds in 0_u8..4,
        limit in 0_u64..3000,
        tested: bool,
    ) {
        let store = open_with(Arc::new(MemoryKv::new()), StoreSettings::browser()).unwrap();
        with_trees(&store);
        let mut model: BTreeMap<i64, Row> = BTreeMap::new();
        let mut transaction = store.begin();
        let kept_open = writes.len().saturating_sub(own);
        for (i, (first, count, step, after)) in writes.into_iter().enumerate() {
            let keys = (0..count).map(|n| first + n * step);
            let keys: Vec<i64> = keys.filter(|key| !model.contains_key(key)).collect();
            let rows = some_rows(keys);
            model.extend(rows.iter().map(|row| (row.0, row.clone())));
            for rows in rows.chunks(1024) {
                block_on(transaction.insert(KEYED, &batch(rows))).unwrap();
            }
            if after == 1 {
                let doomed = read(&transaction, everything(KEYED)).unwrap();
                let doomed = doomed.into_iter().filter(|(row, _)| row.0 % 3 == 0);
                let doomed: Vec<_> = doomed.map(|(_, position)| position).collect();
                block_on(transaction.delete(KEYED, &doomed)).unwrap();
                model.retain(|key, _| key % 3 != 0);
            }
            if i < kept_open {
                block_on(transaction.commit(Durability::Relaxed)).unwrap();
                if after >= 2 {
                    block_on(store.flush()).unwrap();
                }
                transaction = store.begin();
            }
        }
        let passes = |row: &Row| !tested || row.2 < 600;
        let in_range = |key: i64| {
            (bounds & 1 == 0 || key >= from) && (bounds & 2 == 0 || key < to)
        };
        let expected = model.values().filter(|row| in_range(row.0) && passes(row));
        let mut expected: Vec<Row> = expected.cloned().collect();
        if reverse {
            expected.reverse();
        }
        let test = PredicateTest::Compare(CompareOp::Lt, Value::Int4(600));
        let options = ScanSpec {
            range: KeyRange {
                from: (bounds & 1 == 1).then(|| key_bytes(from)),
                to: (bounds & 2 == 2).then(|| key_bytes(to)),
            },
            predicates: if tested {
                vec![ColumnPredicate { column: 2, test }]
            } else {
                Vec::new()
            },
            ordered: true,
            reverse,
            ..everything(KEYED)
        };
        let rows = read(&transaction, options.clone()).unwrap();
        let positions: Vec<_> = rows.iter().map(|(_, position)| *position).collect();
        let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
        prop_assert_eq!(&rows, &expected);
        let fetched = block_on(transaction.fetch(KEYED, &positions, &[0, 1, 2])).unwrap();
        let fetched: Vec<Row> = fetched.iter().flat_map(super::rows_of).collect();
        prop_assert_eq!(&fetched, &expected);
        // A limit gives at least as many of the first rows, or all.
        let options = ScanSpec { limit_rows: Some(limit), ..options };
        let first = read(&transaction, options).unwrap();
        let first: Vec<Row> = first.into_iter().map(|(row, _)| row).collect();
        prop_assert_eq!(&first[..], &expected[..first.len()]);
        assert!(first.len() as u64 >= limit.min(expected.len() as u64));
    }

    #[test]
    fn predicates_of_the_key_bound_the_keys(
        ops in vec((0_usize..8, -5_i64..1005), 1..4),
        flushed: bool,
        reverse: bool,
    ) {
        let store = open_with(Arc::new(MemoryKv::new()), StoreSettings::browser()).unwrap();
        with_trees(&store);
        insert(&store, KEYED, &some_rows((0..500).map(|n| n * 2)));
        if flushed {
            block_on(store.flush()).unwrap();
        }
        insert(&store, KEYED, &some_rows((0..500).map(|n| n * 2 + 1)));
        let compare = |op, key| PredicateTest::Compare(op, Value::Int8(key));
        let predicates: Vec<ColumnPredicate> = ops.iter().map(|(op, key)| ColumnPredicate {
            column: 0,
            test: match op {
                0 => compare(CompareOp::Eq, *key),
                1 => compare(CompareOp::NotEq, *key),
                2 => compare(CompareOp::Lt, *key),
                3 => compare(CompareOp::LtEq, *key),
                4 => compare(CompareOp::Gt, *key),
                5 => compare(CompareOp::GtEq, *key),
                6 => PredicateTest::In([3, 40, 7].map(|n| Value::Int8(key + n)).to_vec()),
                _ => PredicateTest::IsNotNull,
            },
        }).collect();
        let options = ScanSpec {
            predicates: predicates.clone(),
            ordered: true,
            reverse,
            ..everything(KEYED)
        };
        let rows = read(&store.begin(), options).unwrap();
        let keys: Vec<i64> = rows.into_iter().map(|(row, _)| row.0).collect();
        let passes = |key: &i64| {
            predicates.iter().all(|predicate| predicate.test.accepts(&Value::Int8(*key)))
        };
        let mut expected: Vec<i64> = (0..1000).filter(passes).collect();
        if reverse {
            expected.reverse();
        }
        prop_assert_eq!(keys, expected);
    }
}

#[test]
fn a_range_reads_nothing_outside_of_it() {
    let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(1)));
    let settings = StoreSettings {
        page_cache_bytes_max: 0,
        ..StoreSettings::browser()
    };
    let store = open_with(kv.clone(), settings).unwrap();
    with_trees(&store);
    insert(&store, KEYED, &some_rows((0..100_000).map(|n| n * 2)));
    block_on(store.flush()).unwrap();
    insert(&store, KEYED, &some_rows((0..100_000).map(|n| n * 2 + 1)));
    block_on(store.flush()).unwrap();
    let transaction = store.begin();
    // Range, rows, most calls: of each run index, key columns of the edge, columns of the output.
    let cases = [
        (500_000, 600_000, 0, 0),
        (77_777, 77_787, 10, 6),
        (150_000, 150_001, 1, 6),
        (10, 5, 0, 0),
    ];
    for (from, to, rows, calls_max) in cases {
        for reverse in [false, true] {
            let before = kv.calls();
            let options = ScanSpec {
                range: KeyRange {
                    from: Some(key_bytes(from)),
                    to: Some(key_bytes(to)),
                },
                ordered: true,
                reverse,
                ..everything(KEYED)
            };
            assert_eq!(read(&transaction, options).unwrap().len(), rows);
            let calls = kv.calls() - before;
            assert!(calls <= calls_max, "{calls} {from}");
        }
    }
}
