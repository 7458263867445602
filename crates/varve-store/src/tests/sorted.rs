//! Rows in the order of columns that they may share, told apart by hidden row ids.

use std::collections::BTreeSet;
use std::sync::Arc;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_types::{
    ColumnPredicate, CompareOp, KeyColumn, KeyOrder, PredicateTest, ScanSpec, Value,
    encode_ordered_key_value,
};

use super::properties::compare;
use super::{
    PLAIN, Row, batch, everything, insert, kept_apart, open, positions_where, read, rows_of,
    some_rows, sorted_by, sorted_rows, with_trees_as,
};
use crate::store::Store;
use crate::{BulkLoadOptions, Durability};

/// By the number, then the text: the greatest first, after NULLs.
pub(super) const BY_NUMBER: [KeyColumn; 2] = [
    KeyColumn {
        position: 2,
        order: KeyOrder {
            descending: false,
            nulls_first: false,
        },
    },
    KeyColumn {
        position: 1,
        order: KeyOrder {
            descending: true,
            nulls_first: true,
        },
    },
];

/// A store whose tree without a key is sorted, in partitions of so much of `k`.
fn store(kv: &MemoryKv, width: Option<i64>) -> Arc<Store> {
    let store = open(kv);
    with_trees_as(&store, |schema| match (schema.tree, width) {
        (PLAIN, None) => sorted_by(schema, &BY_NUMBER),
        (PLAIN, Some(width)) => sorted_by(kept_apart(schema, 1, width), &BY_NUMBER),
        _ => schema,
    });
    store
}

/// Many rows of few numbers, some of them the same in all that sorts them.
fn many(rows: i64) -> Vec<Row> {
    let row = |mut row: Row| {
        row.2 %= 5;
        row.1 = row.1.map(|text| text.chars().take(6).collect());
        row
    };
    let keys = (0..rows).map(|i| i * 7919 % rows);
    some_rows(keys).into_iter().map(row).collect()
}

fn key(row: &Row) -> Vec<u8> {
    let text = row.1.as_deref().map_or(Value::Null, Value::text);
    let mut bytes = Vec::new();
    for (value, column) in [Value::Int4(row.2), text].iter().zip(BY_NUMBER) {
        encode_ordered_key_value(value, column.order, &mut bytes);
    }
    bytes
}

fn check_order(store: &Arc<Store>, rows: &[Row]) {
    let mut sorted = rows.to_vec();
    sorted.sort();
    assert_eq!(sorted_rows(&store.begin(), PLAIN), sorted);
    for reverse in [false, true] {
        let scan = ScanSpec {
            ordered: true,
            reverse,
            ..everything(PLAIN)
        };
        let found = read(&store.begin(), scan).unwrap();
        let mut keys: Vec<Vec<u8>> = found.iter().map(|(row, _)| key(row)).collect();
        if reverse {
            keys.reverse();
        }
        assert!(keys.len() == rows.len() && keys.is_sorted());
    }
}

#[test]
fn rows_stand_in_their_order_wherever_they_are() {
    for width in [None, Some(300)] {
        let kv = MemoryKv::new();
        let store = store(&kv, width);
        let rows = many(3000);
        for start in [0, 750, 1500, 2250] {
            let end = start + 750;
            insert(&store, PLAIN, &rows[start..end]);
            check_order(&store, &rows[..end]);
            block_on(store.flush()).unwrap();
        }
        check_order(&store, &rows);
        block_on(store.vacuum(None, true)).unwrap();
        check_order(&store, &rows);
        let reopened = open(&kv);
        check_order(&reopened, &rows);
        assert!(block_on(reopened.check()).unwrap().is_sound());
    }
}

#[test]
fn a_load_sorts_what_it_is_given() {
    let kv = MemoryKv::new();
    let store = store(&kv, Some(1000));
    let rows = many(4000);
    let batches = rows.chunks(500).map(batch);
    let loaded = store.direct_bulk_load(PLAIN, batches, BulkLoadOptions::default());
    assert_eq!(block_on(loaded).unwrap().rows, 4000);
    check_order(&store, &rows);
}

/// Also NULLs are part of a key, and equal rows have keys of their own. The key may tell the
/// partition.
#[test]
fn rows_are_found_by_their_whole_key() {
    let whole = open(&MemoryKv::new());
    with_trees_as(&whole, |schema| match schema.tree {
        PLAIN => sorted_by(schema, &BY_NUMBER),
        _ => schema,
    });
    let apart = open(&MemoryKv::new());
    with_trees_as(&apart, |schema| match schema.tree {
        PLAIN => sorted_by(kept_apart(schema, 3, 2), &BY_NUMBER),
        _ => schema,
    });
    for store in [whole, apart] {
        all_are_found(&store);
    }
}

fn all_are_found(store: &Arc<Store>) {
    let rows = many(2500);
    insert(store, PLAIN, &rows[..2000]);
    block_on(store.flush()).unwrap();
    insert(store, PLAIN, &rows[2000..]);
    let transaction = store.begin();
    let mut scan = block_on(transaction.scan(ScanSpec::of(PLAIN, vec![0, 1, 2, 3]))).unwrap();
    let mut found = Vec::new();
    let mut keys = Vec::new();
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        let batch = batch.compact();
        let columns = batch.physical_columns();
        for (at, row) in rows_of(&batch).into_iter().enumerate() {
            keys.push(vec![
                columns[2].value(at),
                columns[1].value(at),
                columns[3].value(at),
            ]);
            found.push(row);
        }
    }
    drop(scan);
    assert!(keys.iter().any(|key| key[1].is_null()));
    for (key, row) in keys.iter().zip(&found) {
        let looked_up = block_on(transaction.get(PLAIN, key, &[0, 1, 2], false)).unwrap();
        assert_eq!(rows_of(&looked_up.unwrap()), std::slice::from_ref(row));
    }
    for (keys, rows) in keys.chunks(900).zip(found.chunks(900)) {
        let batches = block_on(transaction.lookup(PLAIN, keys, &[0, 1, 2], false)).unwrap();
        let mut looked_up: Vec<Row> = batches.iter().flat_map(rows_of).collect();
        let mut rows = rows.to_vec();
        rows.sort();
        looked_up.sort();
        assert_eq!(looked_up, rows);
    }
}

/// The keys of deleted rows, of which some columns are descending, go into the log.
#[test]
fn what_was_deleted_in_memory_stays_so() {
    let kv = MemoryKv::new();
    // So few that none of them is written out.
    let rows = many(12);
    {
        let store = store(&kv, None);
        insert(&store, PLAIN, &rows);
        let mut transaction = store.begin();
        let doomed = positions_where(&transaction, PLAIN, compare(CompareOp::Lt, 6));
        block_on(transaction.delete(PLAIN, &doomed)).unwrap();
        block_on(transaction.commit(Durability::Strict)).unwrap();
    }
    let rows: Vec<Row> = rows.into_iter().filter(|row| row.0 >= 6).collect();
    check_order(&open(&kv), &rows);
}

/// Row ids that the log has are not handed out again.
#[test]
fn equal_rows_get_ids_of_their_own_after_an_open() {
    let kv = MemoryKv::new();
    let rows = many(5);
    insert(&store(&kv, None), PLAIN, &rows);
    let store = open(&kv);
    insert(&store, PLAIN, &rows);
    check_order(&store, &[rows.clone(), rows].concat());
    let transaction = store.begin();
    let mut scan = block_on(transaction.scan(ScanSpec::of(PLAIN, vec![3]))).unwrap();
    let mut ids = BTreeSet::new();
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        let column = batch.column(0).unwrap();
        ids.extend((0..batch.rows()).map(|row| column.value(row).integer()));
    }
    assert_eq!(ids.len(), 10);
}

/// A row that is changed stands where it belongs then.
#[test]
fn a_changed_row_moves() {
    let kv = MemoryKv::new();
    let store = store(&kv, Some(300));
    let mut rows = many(1000);
    insert(&store, PLAIN, &rows);
    block_on(store.flush()).unwrap();
    let mut transaction = store.begin();
    let is = ColumnPredicate {
        column: 2,
        test: PredicateTest::Compare(CompareOp::Eq, Value::Int4(4)),
    };
    let found = read(
        &transaction,
        ScanSpec {
            predicates: vec![is],
            ..everything(PLAIN)
        },
    );
    let found = found.unwrap();
    let positions: Vec<_> = found.iter().map(|(_, position)| *position).collect();
    let change = |row: &Row| (row.0, row.1.clone(), -1);
    let changed: Vec<Row> = found.iter().map(|(row, _)| change(row)).collect();
    let changed = [batch(&changed)];
    block_on(transaction.update(PLAIN, &positions, &changed)).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    for row in &mut rows {
        if row.2 == 4 {
            *row = change(row);
        }
    }
    check_order(&store, &rows);
    block_on(store.vacuum(None, true)).unwrap();
    check_order(&store, &rows);
}

/// Rows with the same first key column, in the order of partitions: runs are read one after
/// another, with what is in memory between them.
#[test]
fn partitions_follow_each_other_behind_a_prefix() {
    for descending in [false, true] {
        let kv = MemoryKv::new();
        let store = open(&kv);
        let by_k = KeyColumn {
            position: 0,
            order: KeyOrder {
                descending,
                nulls_first: descending,
            },
        };
        let key = [BY_NUMBER[0], by_k];
        with_trees_as(&store, |schema| match schema.tree {
            PLAIN => sorted_by(kept_apart(schema, 1, 300), &key),
            _ => schema,
        });
        let mut rows = many(3000);
        insert(&store, PLAIN, &rows[..2500]);
        block_on(store.vacuum(None, true)).unwrap();
        check_prefix(&store, &rows[..2500], descending);
        insert(&store, PLAIN, &rows[2500..]);
        let mut transaction = store.begin();
        let doomed = positions_where(&transaction, PLAIN, compare(CompareOp::Gt, 2900));
        block_on(transaction.delete(PLAIN, &doomed)).unwrap();
        block_on(transaction.commit(Durability::Strict)).unwrap();
        rows.retain(|row| row.0 <= 2900);
        check_prefix(&store, &rows, descending);
    }
}

fn check_prefix(store: &Arc<Store>, rows: &[Row], descending: bool) {
    let mut wanted: Vec<i64> = rows
        .iter()
        .filter(|row| row.2 == 3)
        .map(|row| row.0)
        .collect();
    wanted.sort_unstable();
    for (reverse, limit_rows) in [
        (false, None),
        (true, None),
        (false, Some(7)),
        (true, Some(7)),
    ] {
        let scan = ScanSpec {
            predicates: vec![ColumnPredicate {
                column: 2,
                test: PredicateTest::Compare(CompareOp::Eq, Value::Int4(3)),
            }],
            ordered: true,
            reverse,
            limit_rows,
            ..everything(PLAIN)
        };
        let found = read(&store.begin(), scan).unwrap();
        let mut found: Vec<i64> = found.iter().map(|(row, _)| row.0).collect();
        let mut wanted = wanted.clone();
        if reverse != descending {
            wanted.reverse();
        }
        // A scan may give more than it has to.
        let rows = limit_rows.map_or(usize::MAX, |rows| rows as usize);
        wanted.truncate(rows);
        found.truncate(rows);
        assert_eq!(found, wanted, "{reverse} {limit_rows:?}");
    }
}
