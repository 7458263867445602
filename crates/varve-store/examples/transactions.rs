//! What writes take in memory, in this process, after a warm-up: `cargo run --release -p
//! varve-store --example transactions`.

use std::sync::Arc;
use std::time::Instant;

use pollster::block_on;
use varve_kv::MemoryKv;
use varve_store::{CommitDurability, KeyRange, ScanOptions, Store, StoreSettings};
use varve_types::{
    Batch, Column, ColumnId, ColumnPredicate, CompareOp, Env, LocalFuture, LogicalType,
    MemoryBudget, PredicateTest, Result, RowPosition, SortKey, TreeColumn, TreeId, TreeSchema,
    Value,
};

/// Rows of the table.
const ROWS: i64 = 1_000_000;

struct Clock(Instant);

#[expect(
    clippy::disallowed_methods,
    reason = "what is measured has an Env, the measure stands beside it"
)]
fn now() -> Instant {
    Instant::now()
}

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

/// Columns `id bigint primary key, customer bigint, amount double precision, status text`.
fn schema(tree: TreeId) -> TreeSchema {
    let types = [
        LogicalType::Int8,
        LogicalType::Int8,
        LogicalType::Float8,
        LogicalType::Text,
    ];
    let column = |(id, ty)| TreeColumn {
        id: ColumnId(id),
        ty,
        nullable: id != 1,
        missing: Value::Null,
    };
    TreeSchema {
        tree,
        version: 1,
        columns: (1..).zip(types).map(column).collect(),
        key: SortKey::Columns(vec![0]),
    }
}

fn rows(keys: &[i64], salt: i64) -> Batch {
    let column = |ty, value: &dyn Fn(i64) -> Value| {
        let values: Vec<Value> = keys.iter().map(|key| value(*key)).collect();
        Arc::new(Column::from_values(ty, &values))
    };
    let status = |key: i64| {
        Value::text(match key % 4 {
            0 => "new",
            1 => "paid",
            2 => "sent",
            _ => "done",
        })
    };
    let columns = vec![
        column(LogicalType::Int8, &Value::Int8),
        column(LogicalType::Int8, &|key| {
            Value::Int8(key * 31 % 9973 + salt)
        }),
        column(LogicalType::Float8, &|key| {
            Value::Float8((key % 10_000) as f64 / 100.0)
        }),
        column(LogicalType::Text, &status),
    ];
    Batch::new(columns, keys.len())
}

fn positions(batch: &Batch, at: usize) -> Vec<RowPosition> {
    let column = batch.column(at).into_iter();
    let values = column.flat_map(|column| (0..batch.rows()).map(move |row| column.value(row)));
    values
        .filter_map(|value| match value {
            Value::Int8(position) => Some(RowPosition(position.cast_unsigned())),
            _ => None,
        })
        .collect()
}

fn report(name: &str, start: Instant, count: i64, what: &str) {
    let us = start.elapsed().as_secs_f64() * 1e6;
    println!(
        "{name:40} {:9.3} us a {what}, {:10.0} a second",
        us / count as f64,
        count as f64 / us * 1e6
    );
}

fn main() -> Result<()> {
    block_on(run())
}

async fn run() -> Result<()> {
    let env: Arc<dyn Env> = Arc::new(Clock(now()));
    let memory = Arc::new(MemoryBudget::new(1 << 30));
    let kv = Arc::new(MemoryKv::new());
    let store = Store::open(kv, env, memory, StoreSettings::native()).await?;
    let tree = TreeId(1);
    let mut transaction = store.begin();
    transaction.new_tree_id();
    transaction.create_tree(schema(tree))?;
    let keys: Vec<i64> = (0..ROWS).collect();
    let start = now();
    for keys in keys.chunks(1024) {
        transaction.insert(tree, &rows(keys, 0)).await?;
    }
    transaction.commit(CommitDurability::Strict).await?;
    store.flush().await?;
    report("load in one transaction", start, ROWS, "row");

    single_inserts(&store, tree).await?;
    let mut next = ROWS + 1_000_000;
    let start = now();
    for _ in 0..200 {
        let keys: Vec<i64> = (next..next + 100).collect();
        next += 100;
        let mut transaction = store.begin();
        transaction.insert(tree, &rows(&keys, 0)).await?;
        transaction.commit(CommitDurability::Strict).await?;
    }
    report("insert of 100", start, 200, "transaction");
    updates(&store, tree).await?;
    deletes(&store, tree).await?;
    store.close().await
}

async fn single_inserts(store: &Arc<Store>, tree: TreeId) -> Result<()> {
    let levels = [
        ("strict", CommitDurability::Strict),
        ("relaxed", CommitDurability::Relaxed),
        ("async", CommitDurability::Async),
    ];
    let count = 20_000;
    let mut next = ROWS;
    for (name, durability) in levels {
        let batches: Vec<Batch> = (next..next + count).map(|key| rows(&[key], 0)).collect();
        next += count;
        let start = now();
        for batch in &batches {
            let mut transaction = store.begin();
            transaction.insert(tree, batch).await?;
            transaction.commit(durability).await?;
        }
        report(&format!("insert, {name}"), start, count, "row");
    }
    Ok(())
}

/// Transactions that change 1,000 rows by key, found and read before.
async fn updates(store: &Arc<Store>, tree: TreeId) -> Result<()> {
    let mut random = 1_u64;
    for (name, same_keys) in [("update", false), ("update of same keys", true)] {
        let mut spent = [0.0; 3];
        let start = now();
        let count = 100;
        for round in 0..count {
            let mut transaction = store.begin();
            let mut keys: Vec<i64> = (0..1000)
                .map(|_| {
                    random = random
                        .wrapping_mul(6_364_136_223_846_793_005)
                        .wrapping_add(1);
                    (random >> 33).cast_signed() % ROWS
                })
                .collect();
            keys.sort_unstable();
            keys.dedup();
            let wanted: Vec<Vec<Value>> = keys.iter().map(|key| vec![Value::Int8(*key)]).collect();
            let mark = now();
            let found = transaction
                .lookup(tree, &wanted, &[0, 1, 2, 3], true)
                .await?;
            spent[0] += mark.elapsed().as_secs_f64();
            let mark = now();
            let at: Vec<RowPosition> = found.iter().flat_map(|batch| positions(batch, 4)).collect();
            let new = rows(&keys, round);
            if same_keys {
                transaction.update_same_keys(tree, &at, &[new]).await?;
            } else {
                transaction.update(tree, &at, &[new]).await?;
            }
            spent[1] += mark.elapsed().as_secs_f64();
            let mark = now();
            transaction.commit(CommitDurability::Strict).await?;
            spent[2] += mark.elapsed().as_secs_f64();
        }
        report(name, start, count * 1000, "row");
        let [lookup, write, commit] = spent.map(|seconds| seconds * 1e6 / (count * 1000) as f64);
        println!("    lookup {lookup:.3}, write {write:.3}, commit {commit:.3} us a row");
    }
    Ok(())
}

async fn deletes(store: &Arc<Store>, tree: TreeId) -> Result<()> {
    let count = 200;
    let mut spent = [0.0; 3];
    let start = now();
    for round in 0..count {
        let mark = now();
        let from = round * 4000;
        let compare = |op, key| ColumnPredicate {
            column: 0,
            test: PredicateTest::Compare(op, Value::Int8(key)),
        };
        let mut transaction = store.begin();
        let options = ScanOptions {
            tree,
            columns: vec![0],
            predicates: vec![
                compare(CompareOp::GtEq, from),
                compare(CompareOp::Lt, from + 150),
            ],
            with_position: true,
            reverse: false,
            limit_rows: None,
            range: KeyRange::default(),
            ordered: false,
        };
        let mut scan = transaction.scan(options).await?;
        let mut doomed = Vec::new();
        while let Some(batch) = scan.next().await? {
            doomed.extend(positions(&batch, 1));
        }
        drop(scan);
        assert_eq!(doomed.len(), 150);
        spent[0] += mark.elapsed().as_secs_f64();
        let mark = now();
        transaction.delete(tree, &doomed).await?;
        spent[1] += mark.elapsed().as_secs_f64();
        let mark = now();
        transaction.commit(CommitDurability::Strict).await?;
        spent[2] += mark.elapsed().as_secs_f64();
    }
    report("delete of 150 by range", start, count, "transaction");
    let [scan, delete, commit] = spent.map(|seconds| seconds * 1e6 / count as f64);
    println!("    scan {scan:.1}, delete {delete:.1}, commit {commit:.1} us a transaction");
    Ok(())
}
