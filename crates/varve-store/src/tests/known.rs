//! What scans tell of rows in place of giving them.

use std::sync::Arc;

use pollster::block_on;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use varve_kv::MemoryKv;
use varve_types::{
    Batch, ColumnPredicate, ColumnSummary, CompareOp, PredicateTest, ScanSpec, Summary, Value,
    Wanted,
};

use super::{KEYED, PLAIN, Row, batch, insert, open_with, positions_where, small, with_trees};
use crate::{StoreSettings, Transaction};

const WANTED: [Wanted; 3] = [
    Wanted {
        sum: true,
        extremes: true,
    },
    Wanted {
        sum: false,
        extremes: true,
    },
    Wanted {
        sum: true,
        extremes: false,
    },
];

/// What is to be known of the rows of a batch, by looking at each.
fn slow(batch: &Batch) -> Summary {
    let column = |(at, wanted): (usize, &Wanted)| {
        let column = batch.column(at).unwrap();
        let values = (0..batch.rows()).map(|row| column.value(row));
        let values: Vec<Value> = values.filter(|value| !value.is_null()).collect();
        let extreme = |wanted: core::cmp::Ordering| {
            let better = |a: Value, b: Value| if b.compare(&a) == Some(wanted) { b } else { a };
            values.iter().cloned().reduce(better)
        };
        let sum = values.iter().filter_map(Value::integer).map(i128::from);
        let extremes =
            extreme(core::cmp::Ordering::Less).zip(extreme(core::cmp::Ordering::Greater));
        ColumnSummary {
            present: values.len() as u64,
            sum: if wanted.sum { sum.sum() } else { 0 },
            extremes: extremes.filter(|_| wanted.extremes),
        }
    };
    Summary {
        rows: batch.rows() as u64,
        columns: WANTED.iter().enumerate().map(column).collect(),
    }
}

/// What a scan gives and what it tells, together, and how many rows it only tells of.
fn summed(
    transaction: &Transaction,
    predicates: &[ColumnPredicate],
    wanted: Option<Vec<Wanted>>,
    tree: varve_types::TreeId,
) -> (Summary, u64) {
    let spec = ScanSpec {
        predicates: predicates.to_vec(),
        wanted,
        ..ScanSpec::of(tree, vec![0, 1, 2])
    };
    let mut scan = block_on(transaction.scan(spec)).unwrap();
    let mut summary = Summary::default();
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        summary.merge(slow(&batch.compact()));
    }
    let known = scan.known();
    let rows = known.rows;
    if rows > 0 {
        summary.merge(known);
    }
    (summary, rows)
}

/// Rows in whose vectors texts are short, long, or not there.
fn rows(keys: core::ops::Range<i64>) -> Vec<Row> {
    let text = |k: i64| match k / 1500 % 3 {
        0 => None,
        1 => Some(format!("text {}", k % 40)),
        _ => Some(format!("a text that is too long for a bound {k}")),
    };
    keys.map(|k| (k, text(k), (k / 700) as i32 - 3)).collect()
}

fn compare(column: usize, op: CompareOp, value: Value) -> ColumnPredicate {
    ColumnPredicate {
        column,
        test: PredicateTest::Compare(op, value),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_summary_is_that_of_the_rows(
        deleted in proptest::collection::vec(0..9000i64, 0..4),
        own_deleted in proptest::collection::vec(0..9000i64, 0..3),
        op in 0..6usize,
        key in 0..9000i64,
        number in -4..10i32,
        which in 0..8usize,
        is_null: bool,
        in_memory in 0..50i64,
        is_keyed: bool,
    ) {
        let tree = if is_keyed { KEYED } else { PLAIN };
        let settings = StoreSettings { memtable_bytes_max: 8 << 20, ..small() };
        let store = open_with(Arc::new(MemoryKv::new()), settings).unwrap();
        with_trees(&store);
        insert(&store, tree, &rows(0..9000));
        block_on(store.flush()).unwrap();
        let delete = |transaction: &mut Transaction, keys: &[i64]| {
            for key in keys {
                let test = compare(0, CompareOp::Eq, Value::Int8(*key));
                let positions = positions_where(transaction, tree, test);
                block_on(transaction.delete(tree, &positions)).unwrap();
            }
        };
        let mut transaction = store.begin();
        delete(&mut transaction, &deleted);
        block_on(transaction.commit(crate::Durability::Strict)).unwrap();
        insert(&store, tree, &rows(9000..9000 + in_memory));
        let mut transaction = store.begin();
        delete(&mut transaction, &own_deleted);
        block_on(transaction.insert(tree, &batch(&rows(9100..9110)))).unwrap();

        let ops = [CompareOp::Eq, CompareOp::NotEq, CompareOp::Lt, CompareOp::LtEq,
            CompareOp::Gt, CompareOp::GtEq];
        let null = if is_null { PredicateTest::IsNull } else { PredicateTest::IsNotNull };
        let tests = [
            compare(0, ops[op], Value::Int8(key)),
            compare(2, ops[op], Value::Int4(number)),
            ColumnPredicate { column: 1, test: null },
        ];
        let tests = tests.into_iter().enumerate().filter(|(at, _)| which >> at & 1 == 1);
        let tests: Vec<ColumnPredicate> = tests.map(|(_, test)| test).collect();
        let (expected, known) = summed(&transaction, &tests, None, tree);
        prop_assert_eq!(known, 0);
        let (found, known) = summed(&transaction, &tests, Some(WANTED.to_vec()), tree);
        prop_assert_eq!(found, expected);
        // Texts that are cut leave a third of the vectors to be read.
        prop_assert!(!tests.is_empty() || known > 0);
    }
}
