//! What reads of one row take in memory, in this process, after a warm-up: `cargo run --release -p
//! varve-store --example point_reads`.

#![expect(clippy::disallowed_methods, reason = "it measures")]

use std::sync::Arc;
use std::time::Instant;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_store::{Durability, Store, StoreSettings};
use varve_types::{
    Batch, Column, ColumnId, Env, LocalFuture, LogicalType, MemoryBudget, Result, SortKey,
    TreeColumn, TreeId, TreeSchema, Value,
};

/// Rows of the table; their keys are the even numbers.
const ROWS: i64 = 1_000_000;
const COLUMNS: [usize; 6] = [0, 1, 2, 3, 4, 5];
const TYPES: [LogicalType; 6] = [
    LogicalType::Int8,
    LogicalType::Text,
    LogicalType::Int4,
    LogicalType::Float8,
    LogicalType::Timestamp,
    LogicalType::Text,
];

struct Clock(Instant);

impl Env for Clock {
    fn now_us(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    fn random_u64(&self) -> u64 {
        self.monotonic_us()
    }

    fn slice_us(&self) -> u64 {
        50_000
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        block_on(task);
    }
}

fn schema(tree: TreeId) -> TreeSchema {
    let column = |(id, ty)| TreeColumn {
        id: ColumnId(id),
        ty,
        nullable: id != 1,
        missing: Value::Null,
    };
    TreeSchema {
        tree,
        version: 1,
        columns: (1..).zip(TYPES).map(column).collect(),
        key: SortKey::Columns(vec![0]),
    }
}

fn value(column: usize, key: i64) -> Value {
    match column {
        0 => Value::Int8(key),
        1 => Value::text(format!("customer {} of {key}", key % 1000)),
        2 => Value::Int4(i32::try_from(key % 997).unwrap_or(0)),
        3 => Value::Float8(key as f64 * 0.25),
        4 => Value::Timestamp(key * 1_000_000),
        _ => Value::text(match key % 3 {
            0 => "open",
            1 => "paid",
            _ => "sent",
        }),
    }
}

fn rows(keys: &[i64]) -> Batch {
    let column = |(at, ty)| {
        let values: Vec<Value> = keys.iter().map(|key| value(at, *key)).collect();
        Arc::new(Column::from_values(ty, &values))
    };
    let columns = (0..).zip(TYPES).map(column).collect();
    Batch::new(columns, keys.len())
}

async fn load(store: &Arc<Store>, tree: TreeId, keys: &[i64]) -> Result<()> {
    let mut transaction = store.begin();
    for keys in keys.chunks(1024) {
        let inserted = transaction.insert(tree, &rows(keys)).await;
        inserted.map_err(|error| varve_types::Error::internal(format!("{error:?}")))?;
    }
    transaction.commit(Durability::Relaxed).await?;
    Ok(())
}

/// The best of three rounds.
fn time(name: &str, count: u32, mut call: impl FnMut(i64)) {
    let round = |_| {
        let start = Instant::now();
        for i in 0..count {
            call(i64::from(i));
        }
        start.elapsed().as_nanos() / u128::from(count)
    };
    let best = (0..3).map(round).min().unwrap_or(0);
    println!("{name:50} {best:8} ns");
}

fn main() -> Result<()> {
    block_on(run())
}

async fn run() -> Result<()> {
    let env = Arc::new(Clock(Instant::now()));
    let memory = Arc::new(MemoryBudget::new(1 << 30));
    let settings = StoreSettings::native();
    let store = Store::open(Arc::new(MemoryKv::new()), env, memory, settings).await?;
    let mut transaction = store.begin();
    let tree = transaction.new_tree_id();
    transaction.create_tree(schema(tree))?;
    transaction.commit(Durability::Strict).await?;
    let keys: Vec<i64> = (0..ROWS).map(|key| key * 2).collect();
    for keys in keys.chunks(100_000) {
        load(&store, tree, keys).await?;
    }
    store.flush().await?;

    let get = |key: i64, columns: &[usize]| {
        let transaction = store.begin();
        let found = block_on(transaction.get(tree, &[Value::Int8(key)], columns, false));
        found.is_ok_and(|found| found.is_some())
    };
    let mut state = 7_u64;
    let mut random = |below: i64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33).cast_signed() % below
    };
    println!("Each read has a transaction of its own.");
    time("a transaction that does nothing", 200_000, |_| {
        drop(store.begin())
    });
    time("one key, 6 columns", 100_000, |_| {
        assert!(get(1234, &COLUMNS))
    });
    time("one key, 1 column", 100_000, |_| assert!(get(1234, &[2])));
    time("1,000 keys, 6 columns", 100_000, |i| {
        assert!(get(i % 1000 * 1998, &COLUMNS));
    });
    time("keys of 1M, 6 columns", 100_000, |_| {
        assert!(get(random(ROWS) * 2, &COLUMNS));
    });
    time("keys of 1M, 2 columns", 100_000, |_| {
        assert!(get(random(ROWS) * 2, &[0, 2]));
    });
    time("keys that are not there", 100_000, |_| {
        assert!(!get(random(ROWS) * 2 + 1, &COLUMNS));
    });

    let many = |odd: i64| -> Vec<Vec<Value>> {
        let keys = (0..1024).map(|i| i * 1952 + odd);
        keys.map(|key| vec![Value::Int8(key)]).collect()
    };
    let transaction = store.begin();
    for (name, keys) in [
        ("1,024 keys together that are not there", many(1)),
        ("1,024 keys together, 2 columns", many(0)),
    ] {
        time(name, 100, |_| {
            let found = block_on(transaction.lookup(tree, &keys, &[0, 2], false));
            assert!(found.is_ok());
        });
    }
    drop(transaction);

    let keys: Vec<i64> = (0..50_000).map(|key| key * 2 + 1).collect();
    load(&store, tree, &keys).await?;
    time("keys of the memtable, 6 columns", 100_000, |_| {
        assert!(get(random(50_000) * 2 + 1, &COLUMNS));
    });
    let stats = store.stats();
    println!(
        "groups {:?}\nrows   {:?}",
        stats.group_cache, stats.row_cache
    );
    Ok(())
}
