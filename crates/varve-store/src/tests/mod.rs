mod bulk_load;
mod compaction;
mod constraints;
mod content;
mod crash;
mod damage;
mod durability;
mod export;
mod flush;
mod golden;
mod group;
mod index;
mod integrity;
mod jobs;
mod known;
mod open;
mod ordered;
mod partition;
mod point;
mod properties;
mod reserve;
mod row_locks;
mod savepoints;
mod scan;
mod sorted;
mod spill;
mod untouched;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use pollster::block_on;
use varve_kv::{Kv, MemoryKv};
use varve_types::{
    Batch, Column, ColumnId, ColumnPredicate, Env, KeyColumn, LocalFuture, LogicalType,
    MemoryBudget, Partition, RowPosition, ScanSpec, SortKey, TreeColumn, TreeId, TreeSchema, Value,
};

use crate::error::Result;
use crate::store::Store;
use crate::{Durability, StoreSettings, Transaction};

/// A clock that goes on by itself, so that every pause yields sometimes.
#[derive(Default)]
pub(super) struct TestEnv(AtomicU64);

impl Env for TestEnv {
    fn now_us(&self) -> i64 {
        0
    }

    fn monotonic_us(&self) -> u64 {
        self.0.fetch_add(1000, Ordering::Relaxed)
    }

    fn random_u64(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }

    fn slice_us(&self) -> u64 {
        8000
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        let mut has_yielded = false;
        Box::pin(poll_fn(move |context| {
            if core::mem::replace(&mut has_yielded, true) {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        }))
    }

    fn sleep(&self, duration_us: u64) -> LocalFuture<'static, ()> {
        self.0.fetch_add(duration_us, Ordering::Relaxed);
        self.yield_now()
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        block_on(task);
    }
}

/// Work that goes on only when it is told to.
pub(super) struct Background {
    future: Pin<Box<dyn Future<Output = Result<()>>>>,
    answer: Option<Result<()>>,
}

impl Background {
    pub(super) fn new(future: impl Future<Output = Result<()>> + 'static) -> Background {
        Background {
            future: Box::pin(future),
            answer: None,
        }
    }

    pub(super) fn flush(store: &Arc<Store>) -> Background {
        let store = Arc::clone(store);
        Background::new(async move { store.flush().await })
    }

    /// Goes on up to the next place where it waits.
    pub(super) fn step(&mut self) {
        if self.answer.is_none()
            && let Poll::Ready(answer) = self
                .future
                .as_mut()
                .poll(&mut Context::from_waker(Waker::noop()))
        {
            self.answer = Some(answer);
        }
    }

    pub(super) fn steps(&mut self, count: usize) {
        (0..count).for_each(|_| self.step());
    }

    pub(super) fn is_done(&self) -> bool {
        self.answer.is_some()
    }

    /// Carries something else out, for which it goes on as well.
    pub(super) fn beside<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = pin!(other);
        loop {
            let mut context = Context::from_waker(Waker::noop());
            if let Poll::Ready(answer) = other.as_mut().poll(&mut context) {
                return answer;
            }
            self.step();
        }
    }

    pub(super) fn finish(mut self) -> Result<()> {
        loop {
            match self.answer.take() {
                Some(answer) => return answer,
                None => self.step(),
            }
        }
    }
}

/// Bounds so low that a few rows pass them.
pub(super) fn small() -> StoreSettings {
    StoreSettings {
        memtable_bytes_max: 16 << 10,
        log_values_max: 12,
        async_delay_us: 20_000,
        write_batch_bytes_max: 4 << 10,
        run_bytes_max: 64 << 10,
        page_cache_bytes_max: 64 << 10,
        group_cache_bytes_max: 32 << 10,
        row_cache_bytes_max: 4 << 10,
        scratch_bytes_max: 1 << 20,
        reserve_bytes: 0,
    }
}

pub(super) fn open_with(kv: Arc<dyn Kv>, settings: StoreSettings) -> Result<Arc<Store>> {
    let memory = Arc::new(MemoryBudget::new(64 << 20));
    block_on(Store::open(
        kv,
        Arc::new(TestEnv::default()),
        memory,
        settings,
    ))
}

pub(super) fn open(kv: &MemoryKv) -> Arc<Store> {
    open_with(Arc::new(kv.reopen()), small()).unwrap()
}

/// Keyed by `k`.
pub(super) const KEYED: TreeId = TreeId(1);
/// The same rows under hidden row ids.
pub(super) const PLAIN: TreeId = TreeId(2);

/// Columns `k bigint, t text, n integer`.
pub(super) fn schema(tree: TreeId, key: SortKey) -> TreeSchema {
    let types = [LogicalType::Int8, LogicalType::Text, LogicalType::Int4];
    let column = |(id, ty)| TreeColumn {
        id: ColumnId(id),
        ty,
        nullable: true,
        missing: Value::Null,
        storage: varve_types::ColumnStorage::default(),
    };
    TreeSchema {
        tree,
        version: 1,
        columns: (1..).zip(types).map(column).collect(),
        key,
        options: varve_types::TreeOptions::default(),
    }
}

pub(super) type Row = (i64, Option<String>, i32);

pub(super) fn batch(rows: &[Row]) -> Batch {
    let k: Vec<Value> = rows.iter().map(|row| Value::Int8(row.0)).collect();
    let t: Vec<Value> = rows
        .iter()
        .map(|row| {
            row.1
                .as_ref()
                .map_or(Value::Null, |t| Value::text(t.as_str()))
        })
        .collect();
    let n: Vec<Value> = rows.iter().map(|row| Value::Int4(row.2)).collect();
    let columns = [
        Column::from_values(LogicalType::Int8, &k),
        Column::from_values(LogicalType::Text, &t),
        Column::from_values(LogicalType::Int4, &n),
    ];
    Batch::new(columns.map(Arc::new).into(), rows.len())
}

pub(super) fn rows_of(batch: &Batch) -> Vec<Row> {
    let columns = [0, 1, 2].map(|i| batch.column(i).unwrap());
    let row = |at| {
        let (Value::Int8(k), Value::Int4(n)) = (columns[0].value(at), columns[2].value(at)) else {
            panic!("{columns:?}");
        };
        (k, columns[1].str_at(at).map(str::to_owned), n)
    };
    (0..batch.rows()).map(row).collect()
}

/// A store with both trees, committed.
pub(super) fn with_trees(store: &Arc<Store>) {
    with_trees_as(store, |schema| schema);
}

/// Both trees, with something else in their schemas.
pub(super) fn with_trees_as(store: &Arc<Store>, change: impl Fn(TreeSchema) -> TreeSchema) {
    let mut transaction = store.begin();
    for (tree, key) in [(KEYED, SortKey::Columns(vec![0])), (PLAIN, SortKey::RowId)] {
        assert_eq!(transaction.new_tree_id(), tree);
        transaction.create_tree(change(schema(tree, key))).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
}

/// The schema with content-addressed texts.
pub(super) fn content_addressed(mut schema: TreeSchema) -> TreeSchema {
    schema.columns[1].storage.mode = varve_types::StorageMode::ContentAddressed;
    schema.options.content_bytes_min = 64;
    schema
}

/// The schema with rows kept apart by a column.
pub(super) fn kept_apart(mut schema: TreeSchema, column: u32, width: i64) -> TreeSchema {
    schema.options.partition = Some(Partition {
        column: ColumnId(column),
        width,
    });
    schema
}

/// The schema with rows in the order of some columns, which they may share.
pub(super) fn sorted_by(mut schema: TreeSchema, key: &[KeyColumn]) -> TreeSchema {
    schema.key = SortKey::Sorted(key.to_vec());
    schema
}

pub(super) fn everything(tree: TreeId) -> ScanSpec {
    ScanSpec {
        with_position: true,
        ..ScanSpec::of(tree, vec![0, 1, 2])
    }
}

/// Rows with their positions, in the order of the scan.
pub(super) fn read(
    transaction: &Transaction,
    options: ScanSpec,
) -> Result<Vec<(Row, RowPosition)>> {
    let mut scan = block_on(transaction.scan(options))?;
    let mut all = Vec::new();
    while let Some(batch) = block_on(scan.next_batch())? {
        assert!(!batch.is_empty() && batch.rows() <= 1024);
        let positions = batch.column(3).unwrap();
        for (at, row) in rows_of(&batch).into_iter().enumerate() {
            let Value::Int8(position) = positions.value(at) else {
                panic!("{positions:?}");
            };
            all.push((row, RowPosition(position.cast_unsigned())));
        }
    }
    Ok(all)
}

/// The rows of a tree, sorted.
pub(super) fn sorted_rows(transaction: &Transaction, tree: TreeId) -> Vec<Row> {
    let rows = read(transaction, everything(tree)).unwrap();
    let mut rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
    rows.sort();
    rows
}

pub(super) fn positions_where(
    transaction: &Transaction,
    tree: TreeId,
    predicate: ColumnPredicate,
) -> Vec<RowPosition> {
    let options = ScanSpec {
        predicates: vec![predicate],
        ..everything(tree)
    };
    let rows = read(transaction, options).unwrap();
    rows.into_iter().map(|(_, position)| position).collect()
}

pub(super) fn insert(store: &Arc<Store>, tree: TreeId, rows: &[Row]) {
    let mut transaction = store.begin();
    for rows in rows.chunks(1024) {
        block_on(transaction.insert(tree, &batch(rows))).unwrap();
    }
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
}

/// Rows with keys of a range.
pub(super) fn some_rows(keys: impl IntoIterator<Item = i64>) -> Vec<Row> {
    let row = |k: i64| {
        let text = (k % 7 != 0).then(|| format!("text {} of {k}", k % 5));
        (k, text, (k % 1000) as i32)
    };
    keys.into_iter().map(row).collect()
}
