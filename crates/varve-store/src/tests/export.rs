//! Exports and imports: equal rows, equal bytes, and nothing half-way.

use std::sync::{Arc, Mutex, OnceLock};

use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};
use varve_kv::fault::{CallFault, FaultKv, FaultPlan};
use varve_kv::{Durability, Kv, KvError, MemoryKv};
use varve_types::{
    ColumnPredicate, CompareOp, MemoryBudget, PredicateTest, RunId, SqlState, Value,
};

use super::crash::{intents, stored_runs};
use super::damage::{damage, flip};
use super::index::{with_indexes, write};
use super::{
    Background, KEYED, PLAIN, Row, TestEnv, batch, content_addressed, insert, open, open_with,
    positions_where, small, some_rows, sorted_rows, with_trees, with_trees_as,
};
use crate::compaction::{Effort, Extent};
use crate::error::Result;
use crate::format::keys;
use crate::store::Store;
use crate::{BulkLoadOptions, JobControl, KnownContents, StoreError, StoreImport};

/// Runs with deletion vectors, and rows and deletes that are not in runs yet.
fn filled() -> MemoryKv {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_trees(&store);
    for tree in [KEYED, PLAIN] {
        insert(&store, tree, &some_rows(0..3000));
    }
    block_on(store.flush()).unwrap();
    delete_below(&store, 10);
    block_on(store.flush()).unwrap();
    delete_below(&store, 20);
    insert(&store, PLAIN, &some_rows([7000]));
    insert(&store, KEYED, &some_rows([7000]));
    kv
}

fn delete_below(store: &Arc<Store>, key: i64) {
    let mut transaction = store.begin();
    for tree in [KEYED, PLAIN] {
        let low = ColumnPredicate {
            column: 0,
            test: PredicateTest::Compare(CompareOp::Lt, Value::Int8(key)),
        };
        let positions = positions_where(&transaction, tree, low);
        block_on(transaction.delete(tree, &positions)).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
}

fn export(store: &Arc<Store>) -> Vec<u8> {
    export_since(store, None).0
}

/// An export that goes on step by step.
fn exporting_to(store: &Arc<Store>, file: &Arc<Mutex<Vec<u8>>>) -> Background {
    let (store, file) = (Arc::clone(store), Arc::clone(file));
    Background::new(async move {
        let mut export = store.export(None).await?;
        while let Some(chunk) = export.next_chunk().await? {
            file.lock().unwrap().extend(chunk);
        }
        Ok(())
    })
}

fn export_since(store: &Arc<Store>, since: Option<&KnownContents>) -> (Vec<u8>, KnownContents) {
    let mut export = block_on(store.export(since)).unwrap();
    let mut bytes = Vec::new();
    while let Some(chunk) = block_on(export.next_chunk()).unwrap() {
        assert!(chunk.len() <= 1 << 20);
        bytes.extend(chunk);
    }
    (bytes, export.contents().clone())
}

fn import_into(kv: Arc<dyn Kv>, bytes: &[u8], piece: usize) -> Result<()> {
    let memory = Arc::new(MemoryBudget::new(64 << 20));
    let env = Arc::new(TestEnv::default());
    let mut import = block_on(StoreImport::begin(kv, env, memory, small()))?;
    for piece in bytes.chunks(piece) {
        block_on(import.write(piece))?;
    }
    block_on(import.finish())
}

fn imported(bytes: &[u8]) -> MemoryKv {
    let kv = MemoryKv::new();
    import_into(Arc::new(kv.reopen()), bytes, 777).unwrap();
    kv
}

fn refusal(bytes: &[u8]) -> StoreError {
    let kv = MemoryKv::new();
    let error = import_into(Arc::new(kv.reopen()), bytes, 4096).unwrap_err();
    assert_is_empty(&kv);
    error
}

/// Nothing is left in storage but what an open writes.
fn assert_is_empty(kv: &MemoryKv) {
    assert_eq!((intents(kv), stored_runs(kv)), (0, Vec::new()));
    assert_eq!(open(kv).begin().objects().len(), 0);
    assert!(open(kv).state().catalog.trees.is_empty());
}

fn rows(store: &Arc<Store>) -> [Vec<Row>; 2] {
    let transaction = store.begin();
    [KEYED, PLAIN].map(|tree| sorted_rows(&transaction, tree))
}

#[test]
fn an_import_has_the_rows_and_gives_the_same_export() {
    let store = open(&filled());
    let file = export(&store);
    let kv = imported(&file);
    let copy = open(&kv);
    assert_eq!(rows(&copy), rows(&store));
    assert_eq!(rows(&copy)[0], some_rows((20..3000).chain([7000])));
    assert!(block_on(copy.check()).unwrap().is_sound());
    assert!(export(&copy) == file);
    let ids = |store: &Arc<Store>| store.begin().new_tree_id();
    assert_eq!(ids(&copy), ids(&store));
    // The copy is a store like any other.
    insert(&copy, KEYED, &some_rows([8000]));
    delete_below(&copy, 30);
    block_on(copy.flush()).unwrap();
    drop(copy);
    let copy = open(&kv);
    assert_eq!(rows(&copy)[0], some_rows((30..3000).chain([7000, 8000])));
}

#[test]
fn an_export_of_an_unchanged_store_is_the_same_bytes() {
    let kv = filled();
    let store = open(&kv);
    let file = export(&store);
    assert!(export(&store) == file);
    // A transaction that was given up has taken ids, and left nothing.
    let mut transaction = store.begin();
    block_on(transaction.insert(PLAIN, &batch(&some_rows(0..10)))).unwrap();
    transaction.new_tree_id();
    block_on(transaction.rollback()).unwrap();
    assert!(export(&store) == file);
    drop(store);
    assert!(export(&open(&kv)) == file);
    // Read in one piece or byte by byte.
    for piece in [1, 13, usize::MAX] {
        let copy = MemoryKv::new();
        import_into(Arc::new(copy.reopen()), &file, piece).unwrap();
        assert!(export(&open(&copy)) == file);
    }
}

#[test]
fn an_empty_store_is_exported_too() {
    let file = export(&open(&MemoryKv::new()));
    assert!(export(&open(&imported(&file))) == file);
}

#[test]
fn indexes_come_along() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_indexes(&store);
    let row = |key: i64| (key, Some(format!("text {key}")), key as i32 % 90);
    let all: Vec<Row> = (0..600).map(row).collect();
    for part in all.chunks(60) {
        let mut transaction = store.begin();
        write(&mut transaction, &[], part).unwrap();
        block_on(transaction.commit(Durability::Relaxed)).unwrap();
    }
    let mut transaction = store.begin();
    write(&mut transaction, &all[..200], &[]).unwrap();
    block_on(transaction.commit(Durability::Relaxed)).unwrap();
    let file = export(&store);
    let copy = open(&imported(&file));
    assert_eq!(sorted_rows(&copy.begin(), KEYED), all[200..]);
    assert!(export(&copy) == file);
    // Its entries are found: a text that is there is refused, one that was deleted is not.
    let mut transaction = copy.begin();
    let again = |row: &Row| [(row.0 + 10_000, row.1.clone(), row.2)];
    write(&mut transaction, &[], &again(&all[100])).unwrap();
    assert!(write(&mut transaction, &[], &again(&all[300])).is_err());
}

#[test]
fn content_comes_along_that_was_published_since() {
    let long = |k: i64| (k, Some(format!("{k}").repeat(100)), 0);
    let all: Vec<Row> = (10..30).map(long).collect();
    for head_start in 0..40 {
        let plan = FaultPlan::new(head_start).yields_max(2);
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
        let store = open_with(kv, small()).unwrap();
        with_trees_as(&store, content_addressed);
        insert(&store, KEYED, &all);
        let file = Arc::new(Mutex::new(Vec::new()));
        let mut exporting = exporting_to(&store, &file);
        exporting.steps(head_start as usize);
        // The flush of the export may find the same values published.
        let loading = store.direct_bulk_load(PLAIN, [batch(&all)], BulkLoadOptions::default());
        exporting.beside(loading).unwrap();
        exporting.finish().unwrap();
        let copy = open(&imported(&file.lock().unwrap()));
        assert_eq!(rows(&copy)[0], all, "{head_start}");
        let report = block_on(copy.check()).unwrap();
        assert!(report.is_sound(), "{report:?}");
    }
}

/// While others commit between any two steps of an export, it is the state after one commit.
#[test]
fn an_export_is_of_one_moment() {
    for seed in 0..40_u64 {
        let plan = FaultPlan::new(seed).yields_max(2);
        let kv = Arc::new(FaultKv::new(MemoryKv::new(), plan));
        let store = open_with(kv, small()).unwrap();
        with_trees(&store);
        insert(&store, KEYED, &some_rows(0..400));
        if seed % 2 == 0 {
            block_on(store.flush()).unwrap();
        }
        let mut states = vec![rows(&store)[0].clone()];
        let file = Arc::new(Mutex::new(Vec::new()));
        let mut exporting = exporting_to(&store, &file);
        for key in 0..300 {
            exporting.steps(seed as usize % 4);
            if exporting.is_done() {
                break;
            }
            // Replaces a row: a state in between lacks it, or has it twice.
            let mut transaction = store.begin();
            let position = positions_where(&transaction, KEYED, equals(key));
            let row: Row = (key, Some(format!("new {}", "x".repeat(500))), 0);
            block_on(transaction.update(KEYED, &position, &[batch(&[row])])).unwrap();
            exporting
                .beside(transaction.commit(Durability::Relaxed))
                .unwrap();
            if key % 40 == 39 {
                exporting.beside(store.flush()).unwrap();
            }
            states.push(rows(&store)[0].clone());
        }
        exporting.finish().unwrap();
        let file = file.lock().unwrap().clone();
        let copy = open(&imported(&file));
        let found = &rows(&copy)[0];
        assert!(states.contains(found), "{seed} {}", found.len());
        assert!(block_on(copy.check()).unwrap().is_sound());
        assert!(export(&copy) == file, "{seed}");
    }
}

fn equals(key: i64) -> ColumnPredicate {
    ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Eq, Value::Int8(key)),
    }
}

/// Merging runs while they are exported takes nothing away from the export.
#[test]
fn what_is_merged_meanwhile_stays_for_the_export() {
    let store = open(&filled());
    let expected = rows(&store);
    let mut exporting = block_on(store.export(None)).unwrap();
    delete_below(&store, 500);
    let mut control = JobControl::of_request(&store);
    block_on(store.compact(
        &Extent::All,
        &Effort::full(small().run_bytes_max),
        &mut control,
    ))
    .unwrap();
    block_on(store.flush()).unwrap();
    let mut file = Vec::new();
    while let Some(chunk) = block_on(exporting.next_chunk()).unwrap() {
        file.extend(chunk);
    }
    assert_eq!(rows(&open(&imported(&file))), expected);
}

#[test]
fn later_exports_hold_what_is_new() {
    let kv = filled();
    let store = open(&kv);
    let (first, known) = export_since(&store, None);
    let (nothing, _) = export_since(&store, Some(&known));
    assert!(nothing.len() < first.len() / 5, "{}", nothing.len());
    delete_below(&store, 40);
    insert(&store, KEYED, &some_rows(9000..9100));
    let (second, later) = export_since(&store, Some(&known));
    assert!(
        second.len() < first.len() / 3,
        "{} {}",
        second.len(),
        first.len()
    );
    // Runs are merged, and a table goes.
    let mut control = JobControl::of_request(&store);
    block_on(store.compact(
        &Extent::All,
        &Effort::full(small().run_bytes_max),
        &mut control,
    ))
    .unwrap();
    let mut transaction = store.begin();
    transaction.drop_tree(PLAIN).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    insert(&store, KEYED, &some_rows([9500]));
    let (third, _) = export_since(&store, Some(&later));
    let whole = export(&store);
    // One by one, or all in one stream.
    let copy = MemoryKv::new();
    for file in [&first, &nothing, &second, &third] {
        import_into(Arc::new(copy.reopen()), file, 5000).unwrap();
    }
    assert!(export(&open(&copy)) == whole);
    let copy = imported(&[first.clone(), second.clone(), third.clone()].concat());
    assert!(export(&open(&copy)) == whole);
    let listed = open(&copy).state().manifest.runs.len();
    assert_eq!(stored_runs(&copy).len(), listed);
    // They are also the beginning of the export.
    let read = KnownContents::read(&second).unwrap().unwrap();
    assert_eq!(read, later);
    assert_eq!(
        KnownContents::read(&later.to_bytes().unwrap())
            .unwrap()
            .unwrap(),
        later
    );
    assert_eq!(KnownContents::read(&second[..40]).unwrap(), None);

    // Without what it goes on from, nothing is imported.
    let copy = imported(&first);
    let refused = |kv: &MemoryKv, file: &[u8]| {
        let error = import_into(Arc::new(kv.reopen()), file, 5000).unwrap_err();
        assert_eq!(error.state(), SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE);
        error.message()
    };
    assert!(refused(&copy, &third).contains("goes on from one at commit"));
    assert_eq!(refused(&copy, &first), "the store is not empty");
    assert!(export(&open(&copy)) == first);
    assert!(
        refusal(&second)
            .message()
            .ends_with("and the store is empty")
    );
    insert(&open(&copy), KEYED, &some_rows([9999]));
    refused(&copy, &second);
}

/// Two stores that go on from the same export number their runs alike.
#[test]
fn known_contents_of_another_store_leaves_nothing_out() {
    let store = open(&filled());
    let (first, _) = export_since(&store, None);
    let other = open(&imported(&first));
    insert(&store, KEYED, &some_rows(9000..9100));
    insert(&other, KEYED, &some_rows(8000..8100));
    let (_, known) = export_since(&store, None);
    let (file, _) = export_since(&other, Some(&known));
    let copy = imported(&export(&store));
    import_into(Arc::new(copy.reopen()), &file, 5000).unwrap();
    assert_eq!(rows(&open(&copy)), rows(&other));
}

#[test]
fn a_store_in_use_is_not_imported_into() {
    let file = export(&open(&filled()));
    let kv = filled();
    let before = rows(&open(&kv));
    let error = import_into(Arc::new(kv.reopen()), &file, 5000).unwrap_err();
    assert_eq!(error.message(), "the store is not empty");
    assert_eq!(rows(&open(&kv)), before);
}

#[test]
fn damage_is_not_exported() {
    let kv = filled();
    block_on(open(&kv).flush()).unwrap();
    for (key, name) in [
        (keys::run_value(RunId(1), 0), "page 0 of run 1"),
        (keys::head(RunId(2)), "head of run 2"),
    ] {
        let kv = kv.reopen();
        damage(&kv, &key, flip);
        let exported = async {
            let store = open(&kv);
            let mut export = store.export(None).await?;
            while export.next_chunk().await?.is_some() {}
            Ok::<(), StoreError>(())
        };
        let error = block_on(exported).unwrap_err();
        assert_eq!(error.state(), SqlState::DATA_CORRUPTED);
        assert!(error.message().contains(name), "{error}");
        damage(&kv, &key, flip);
    }
}

/// A fault at every call of an import: the store is empty after it, or whole.
#[test]
fn any_call_of_an_import_may_fail() {
    let store = open(&filled());
    let (first, known) = export_since(&store, None);
    delete_below(&store, 40);
    insert(&store, KEYED, &some_rows(9000..9100));
    let (second, _) = export_since(&store, Some(&known));
    let whole = [export(&store), first.clone()];
    let both = [first, second].concat();
    for fault in [
        CallFault::Fail(KvError::StorageFull),
        CallFault::LoseAnswer,
        CallFault::Close,
    ] {
        for call in 1.. {
            let kv = Arc::new(FaultKv::new(MemoryKv::new(), FaultPlan::new(call)));
            for later in call..call + 200 {
                kv.fault_in(later, fault.clone());
                if matches!(fault, CallFault::LoseAnswer) {
                    break;
                }
            }
            let answer = import_into(kv.clone(), &both, 3000);
            let is_done = kv.calls() < call;
            // A write is repeated after a lost answer, a read is not.
            let may_be_repeated = matches!(fault, CallFault::LoseAnswer);
            assert!(answer.is_ok() == is_done || may_be_repeated, "{call}");
            let after = kv.inner().reopen();
            if answer.is_ok() {
                assert!(export(&open(&after)) == whole[0]);
            } else if open(&after).state().manifest.number == 0 {
                assert_is_empty(&after);
            } else {
                let found = export(&open(&after));
                assert!(whole.contains(&found), "{call}");
                assert_eq!(intents(&after), 0);
            }
            if is_done {
                assert!(call > 12, "{call}");
                break;
            }
        }
    }
}

#[test]
fn a_torn_export_is_refused_and_leaves_nothing() {
    let file = export(&open(&filled()));
    for end in (0..file.len())
        .step_by(file.len() / 97)
        .chain([file.len() - 1])
    {
        let error = refusal(&file[..end]);
        assert_eq!(error.state(), SqlState::DATA_CORRUPTED);
        assert_eq!(error.message(), "the export is damaged: it ends too early");
    }
    let longer = [file, b"VEXP".to_vec()].concat();
    let kv = MemoryKv::new();
    assert!(import_into(Arc::new(kv), &longer, 5000).is_err());
    let mut later = export(&open(&MemoryKv::new()));
    later[4] = 2;
    assert_eq!(
        refusal(&later).message(),
        "format_too_new: the export has format version 2; this VarveDB reads version 1"
    );
    assert_eq!(
        refusal(b"PK\x03\x04 a zip file").message(),
        "this is no export of a store"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_changed_export_is_refused_and_leaves_nothing(at in any::<u64>(), bit in 0..8_u8) {
        let mut file = small_file();
        let at = (at % file.len() as u64) as usize;
        file[at] ^= 1 << bit;
        refusal(&file);
    }

    /// With checksums that fit, what the records say is checked too.
    #[test]
    fn records_that_were_made_up_are_refused(
        records in vec((1..=7_u8, vec(any::<u8>(), 0..40)), 0..6), from in 0..6_usize,
    ) {
        let mut known = records_of(&small_file());
        known.truncate(from);
        known.extend(records);
        let kv = MemoryKv::new();
        let answer = import_into(Arc::new(kv.reopen()), &framed(&known), 100);
        // An export of nothing is easily made up.
        prop_assert!(answer.is_err() || stored_runs(&kv).is_empty());
    }

    /// What is made up with sense, such as another number of a commit, is a store like any other.
    #[test]
    fn a_record_that_was_changed_with_its_checksum_is_refused_or_opens(
        record in any::<usize>(), at in any::<usize>(), value in any::<u8>(), cut in any::<bool>(),
    ) {
        let mut known = records_of(&small_file());
        let record = record % known.len();
        let payload = &mut known[record].1;
        if !payload.is_empty() {
            let at = at % payload.len();
            match cut {
                true => payload.truncate(at),
                false => payload[at] = value,
            }
        }
        let kv = MemoryKv::new();
        if import_into(Arc::new(kv.reopen()), &framed(&known), 1 << 20).is_ok() {
            let store = open(&kv);
            block_on(store.check()).unwrap();
            insert(&store, KEYED, &some_rows([9000]));
            block_on(store.flush()).unwrap();
        } else {
            assert_is_empty(&kv);
        }
    }

    /// Records of a sound export in another order, or not all of them.
    #[test]
    fn records_must_come_in_their_order(
        from in 0..8_usize, to in 0..8_usize, copies in any::<bool>(),
    ) {
        let mut known = records_of(&small_file());
        let (from, to) = (from % known.len(), to % known.len());
        let moved = known[from].clone();
        if !copies {
            known.remove(from);
        }
        known.insert(to.min(known.len()), moved);
        // What follows a whole export is not part of it.
        if !known.starts_with(&records_of(&small_file())) {
            refusal(&framed(&known));
        }
    }
}

fn small_file() -> Vec<u8> {
    static FILE: OnceLock<Vec<u8>> = OnceLock::new();
    let made = || {
        let store = open(&MemoryKv::new());
        with_trees(&store);
        insert(&store, KEYED, &some_rows(0..50));
        block_on(store.flush()).unwrap();
        delete_below(&store, 10);
        export(&store)
    };
    FILE.get_or_init(made).clone()
}

/// Kinds and payloads.
fn records_of(file: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let mut records = Vec::new();
    let mut rest = &file[8..];
    while !rest.is_empty() {
        let length = u32::from_le_bytes(rest[9..13].try_into().unwrap()) as usize;
        records.push((rest[8], rest[13..13 + length].to_vec()));
        rest = &rest[13 + length..];
    }
    records
}

fn framed(records: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"VEXP\x01\0\0\0".to_vec();
    let mut checksum = 0;
    for (kind, payload) in records {
        let mut record = vec![*kind];
        record.extend((payload.len() as u32).to_le_bytes());
        record.extend(payload);
        checksum = xxhash_rust::xxh3::xxh3_64_with_seed(&record, checksum);
        file.extend(checksum.to_le_bytes());
        file.extend(record);
    }
    file
}

#[test]
fn the_framing_is_what_the_test_knows() {
    assert!(framed(&records_of(&small_file())) == small_file());
}
