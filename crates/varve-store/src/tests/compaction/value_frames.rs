//! Values that are compressed one by one, run by run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use pollster::block_on;
use varve_codec::ZstdDictionary;
use varve_kv::MemoryKv;
use varve_types::{
    Column, ColumnData, ColumnId, Compression, Error, Failure, LocalFuture, Result, SortKey, TreeId,
};

use super::{KEYED, Row, batch, delete_where, insert, key, open, schema, sorted_rows};
use crate::catalog::Catalog;
use crate::store::Store;
use crate::tree::Tree;
use crate::{Pace, Rewrite, ValueFrame, ValueFrames, ValueFramesByColumn, ValueFramesSource};

/// A number of chance.
fn next(state: &mut u64) -> u64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// What all texts are made of.
fn pool() -> String {
    let mut state = 1;
    let number = |_| format!("{:x}", next(&mut state) % (1 << 24));
    (0..1000).map(number).collect()
}

/// Texts of three pieces of it: only what remembers all of it finds them.
fn texts(count: i64) -> Vec<Row> {
    let pool = pool();
    let text = |k: i64| {
        let mut state = k.cast_unsigned() << 20;
        let mut piece = || {
            let start = next(&mut state) as usize % (pool.len() - 200);
            pool.get(start..start + 100 + start % 100).unwrap()
        };
        [piece(), piece(), piece()].concat()
    };
    let row = |k: i64| (k, (k % 11 != 0).then(|| text(k)), (k / 1000 % 4) as i32);
    (0..count).map(row).collect()
}

/// By the last column: 0 stays raw until it is told otherwise, 1 has no dictionary, the others the
/// dictionary 7.
#[derive(Clone, Debug, Default)]
struct ByKind {
    leaves_none: Arc<AtomicBool>,
}

impl ValueFrames for ByKind {
    fn level(&self) -> u8 {
        3
    }

    fn reads(&self) -> &[ColumnId] {
        &[ColumnId(3)]
    }

    fn choose(&self, columns: &[&Column], rows: usize) -> Vec<ValueFrame> {
        let ColumnData::Int32(kinds) = columns[0].data() else {
            panic!("a plain column of integers");
        };
        let frame = |kind: &i32| match kind {
            0 if !self.leaves_none.load(Ordering::Relaxed) => ValueFrame::Raw,
            1 => ValueFrame::Alone,
            _ => ValueFrame::With(7),
        };
        assert_eq!(kinds.len(), rows);
        kinds.iter().map(frame).collect()
    }

    fn step_bytes_max(&self) -> usize {
        1 << 20
    }

    fn dictionary(&self, number: i32) -> Option<ZstdDictionary> {
        let text = pool();
        (number == 7).then(|| ZstdDictionary::new(text.as_bytes()).unwrap())
    }
}

impl ValueFramesSource for ByKind {
    fn of_tree(&self, tree: TreeId, _: Rewrite) -> LocalFuture<'_, Result<ValueFramesByColumn>> {
        assert_eq!(tree, KEYED);
        let frames: Arc<dyn ValueFrames> = Arc::new(self.clone());
        Box::pin(async { Ok(vec![(ColumnId(2), frames)]) })
    }
}

struct NoRest;

impl Pace for NoRest {
    fn rest(&self, _: u64) -> LocalFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}

/// Ends work at its first rest.
struct Cancels;

impl Pace for Cancels {
    fn rest(&self, _: u64) -> LocalFuture<'_, Result<()>> {
        Box::pin(async { Err(Error::failed(Failure::Canceled, "canceled")) })
    }
}

fn with_tree(store: &Store) {
    let mut schema = schema(KEYED, SortKey::Columns(vec![0]));
    schema.columns[1].storage.compression = Compression::ZstdValues;
    let mut state = store.state();
    let mut catalog = Catalog::clone(&state.catalog);
    let tree = Arc::new(Tree::new(schema).unwrap());
    catalog.trees.insert(KEYED, tree);
    state.catalog = Arc::new(catalog);
}

fn encodings(store: &Store) -> String {
    let storage = store.tree_storage(KEYED).unwrap();
    storage.columns[1].encodings.join(", ")
}

fn totals(store: &Store) -> Vec<(ValueFrame, u64)> {
    let mut totals: Vec<(ValueFrame, u64)> = store
        .value_frame_totals(KEYED)
        .unwrap()
        .into_iter()
        .map(|(column, totals)| {
            assert_eq!(column, ColumnId(2));
            assert!(totals.bytes.stored <= totals.bytes.raw);
            (totals.frame, totals.bytes.values)
        })
        .collect();
    totals.sort_unstable();
    totals
}

#[test]
fn values_are_compressed_one_by_one_when_somebody_asks() {
    let store = open(&MemoryKv::new());
    with_tree(&store);
    let source = ByKind::default();
    store.set_value_frames_source(Arc::new(source.clone()));
    let mut rows = texts(4000);
    insert(&store, KEYED, &rows);
    block_on(store.flush()).unwrap();
    assert!(encodings(&store).ends_with("zstd values due"));
    let before = store.tree_storage(KEYED).unwrap().columns[1].stored_bytes;

    let due = block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap();
    assert_eq!(due.len(), 1);
    block_on(store.compress_values(KEYED, due[0], Arc::new(NoRest))).unwrap();
    let after = store.tree_storage(KEYED).unwrap().columns[1].stored_bytes;
    assert!(after < before, "{after} {before}");
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
    let kinds = totals(&store);
    assert_eq!(
        kinds
            .iter()
            .map(|(frame, _)| *frame)
            .collect::<Vec<ValueFrame>>(),
        [ValueFrame::Raw, ValueFrame::Alone, ValueFrame::With(7)]
    );
    let present = rows.iter().filter(|row| row.1.is_some()).count() as u64;
    assert_eq!(kinds.iter().map(|(_, values)| values).sum::<u64>(), present);
    assert_eq!(
        block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap(),
        []
    );

    // What is compressed is deleted and updated like any other.
    let mut changed = store.begin();
    delete_where(&mut changed, KEYED, key(varve_types::CompareOp::GtEq, 3000));
    block_on(changed.commit(crate::Durability::Strict)).unwrap();
    rows.truncate(3000);
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);

    // The clock went on.
    source.leaves_none.store(true, Ordering::Relaxed);
    let due = block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap();
    assert_eq!(due.len(), 1);
    block_on(store.compress_values(KEYED, due[0], Arc::new(NoRest))).unwrap();
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
    let frames: Vec<ValueFrame> = totals(&store).iter().map(|(frame, _)| *frame).collect();
    assert_eq!(frames, [ValueFrame::Alone, ValueFrame::With(7)]);
    assert_eq!(
        block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap(),
        []
    );
}

#[test]
fn merges_keep_values_compressed_and_a_store_opens_with_them() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_tree(&store);
    store.set_value_frames_source(Arc::new(ByKind::default()));
    let rows = texts(6000);
    for part in rows.chunks(3000) {
        insert(&store, KEYED, part);
        block_on(store.flush()).unwrap();
    }
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    for run in block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap() {
        block_on(store.compress_values(KEYED, run, Arc::new(NoRest))).unwrap();
    }
    insert(&store, KEYED, &texts(6010)[6000..]);
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    assert!(
        encodings(&store).contains("zstd values"),
        "{}",
        encodings(&store)
    );
    assert_eq!(sorted_rows(&store.begin(), KEYED), texts(6010));
    let check = block_on(store.check()).unwrap();
    assert!(check.problems.is_empty(), "{check:?}");
}

/// Rows of which nobody chose wait in a merge; what was compressed without a dictionary stays so.
#[test]
fn merges_tell_what_nobody_looked_at() {
    let store = open(&MemoryKv::new());
    with_tree(&store);
    let seen = Reasons::default();
    store.set_value_frames_source(Arc::new(seen.clone()));
    let rows = texts(3000);
    insert(&store, KEYED, &rows);
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    for run in block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap() {
        block_on(store.compress_values(KEYED, run, Arc::new(NoRest))).unwrap();
    }
    let mut changed = store.begin();
    delete_where(&mut changed, KEYED, key(varve_types::CompareOp::GtEq, 2000));
    block_on(changed.commit(crate::Durability::Strict)).unwrap();
    seen.0.lock().unwrap().clear();
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    assert_eq!(*seen.0.lock().unwrap(), [Rewrite::MergeCompressed]);
    // Over the others.
    insert(
        &store,
        KEYED,
        &[(-1, None, 0), (5000, Some("late".into()), 1)],
    );
    block_on(store.flush()).unwrap();
    seen.0.lock().unwrap().clear();
    block_on(store.vacuum(Some(KEYED), true)).unwrap();
    assert_eq!(*seen.0.lock().unwrap(), [Rewrite::Merge]);
}

/// Why it was asked.
#[derive(Clone, Debug, Default)]
struct Reasons(Arc<std::sync::Mutex<Vec<Rewrite>>>);

impl ValueFramesSource for Reasons {
    fn of_tree(&self, tree: TreeId, why: Rewrite) -> LocalFuture<'_, Result<ValueFramesByColumn>> {
        self.0.lock().unwrap().push(why);
        assert_eq!(tree, KEYED);
        let frames: Arc<dyn ValueFrames> = Arc::new(ByKind::default());
        Box::pin(async { Ok(vec![(ColumnId(2), frames)]) })
    }
}

#[test]
fn a_cancel_ends_the_compression_of_a_run() {
    let store = open(&MemoryKv::new());
    with_tree(&store);
    store.set_value_frames_source(Arc::new(ByKind::default()));
    let rows = texts(20_000);
    insert(&store, KEYED, &rows);
    block_on(store.flush()).unwrap();
    let due = block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap();
    let error = block_on(store.compress_values(KEYED, due[0], Arc::new(Cancels))).unwrap_err();
    assert_eq!(error.failure(), Some(Failure::Canceled));
    assert_eq!(
        block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap(),
        due
    );
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
}

/// Has no time.
struct InParts;

impl Pace for InParts {
    fn rest(&self, _: u64) -> LocalFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    fn is_bounded(&self) -> bool {
        true
    }

    fn is_over(&self) -> bool {
        true
    }
}

/// A store with one run of so many rows whose values wait.
fn with_waiting(kv: &MemoryKv, count: i64) -> (Arc<Store>, Vec<Row>) {
    let store = open(kv);
    let mut created = store.begin();
    assert_eq!(created.new_tree_id(), KEYED);
    let mut schema = schema(KEYED, SortKey::Columns(vec![0]));
    schema.columns[1].storage.compression = Compression::ZstdValues;
    created.create_tree(schema).unwrap();
    block_on(created.commit(crate::Durability::Strict)).unwrap();
    store.set_value_frames_source(Arc::new(ByKind::default()));
    let rows = texts(count);
    let mut inserted = store.begin();
    for rows in rows.chunks(1000) {
        block_on(inserted.insert(KEYED, &batch(rows))).unwrap();
    }
    block_on(inserted.write_out()).unwrap();
    block_on(inserted.commit(crate::Durability::Strict)).unwrap();
    (store, rows)
}

/// Compresses a part of the one run that waits; whether some of it is left.
fn part(store: &Arc<Store>) -> bool {
    let due = block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap();
    assert_eq!(due.len(), 1);
    block_on(store.compress_values(KEYED, due[0], Arc::new(InParts))).unwrap()
}

fn assert_sound(store: &Arc<Store>, rows: &[Row]) {
    assert_eq!(sorted_rows(&store.begin(), KEYED), rows);
    let check = block_on(store.check()).unwrap();
    assert!(check.problems.is_empty(), "{check:?}");
}

#[test]
fn a_run_is_compressed_in_parts_where_the_time_is_over() {
    let kv = MemoryKv::new();
    let (store, rows) = with_waiting(&kv, 20_000);
    let reader = store.begin();
    let mut parts = 1;
    while part(&store) {
        parts += 1;
        assert_sound(&store, &rows);
    }
    assert!(parts > 2, "{parts}");
    let wait = block_on(store.values_due(KEYED, Arc::new(NoRest))).unwrap();
    assert_eq!(wait, []);
    assert_eq!(sorted_rows(&reader, KEYED), rows);
    drop(reader);
    assert_sound(&store, &rows);
    let present = rows.iter().filter(|row| row.1.is_some()).count() as u64;
    assert_eq!(
        totals(&store).iter().map(|(_, values)| values).sum::<u64>(),
        present
    );
    drop(store);
    assert_sound(&open(&kv), &rows);
}

/// Transactions that began before a part was written find its rows, and those that are left.
#[test]
fn rows_of_a_run_in_parts_are_deleted_once() {
    let kv = MemoryKv::new();
    let (store, mut rows) = with_waiting(&kv, 20_000);
    let ends = |last: i64| {
        let mut changed = store.begin();
        delete_where(&mut changed, KEYED, key(varve_types::CompareOp::Lt, 5));
        delete_where(&mut changed, KEYED, key(varve_types::CompareOp::GtEq, last));
        changed
    };
    let (first, second) = (ends(19_990), ends(19_980));
    let early = ends(19_999);
    block_on(early.commit(crate::Durability::Relaxed)).unwrap();
    assert!(part(&store));
    let late = block_on(first.commit(crate::Durability::Strict));
    let conflict = late.unwrap_err();
    assert_eq!(conflict.failure(), Some(Failure::Conflict));
    rows.retain(|row| (5..19_999).contains(&row.0));
    assert_sound(&store, &rows);
    drop(second);

    let mut changed = store.begin();
    delete_where(&mut changed, KEYED, key(varve_types::CompareOp::Lt, 10));
    delete_where(
        &mut changed,
        KEYED,
        key(varve_types::CompareOp::GtEq, 19_900),
    );
    assert!(part(&store));
    let again = ends(19_950);
    block_on(changed.commit(crate::Durability::Strict)).unwrap();
    let late = block_on(again.commit(crate::Durability::Strict));
    assert_eq!(late.unwrap_err().failure(), Some(Failure::Conflict));
    rows.retain(|row| (10..19_900).contains(&row.0));
    assert_sound(&store, &rows);
    drop(store);
    let store = open(&kv);
    store.set_value_frames_source(Arc::new(ByKind::default()));
    assert_sound(&store, &rows);
    while part(&store) {}
    assert_sound(&store, &rows);
}
