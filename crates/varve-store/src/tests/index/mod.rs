//! Three indexes of a table, maintained as a facade would, against a model.

mod crash;

use std::collections::BTreeMap;
use std::sync::Arc;

use pollster::block_on;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use varve_kv::MemoryKv;
use varve_types::{
    Batch, Column, ColumnId, ColumnPredicate, CompareOp, IndexKey, IndexState, KeyColumn, KeyOrder,
    LogicalType, PredicateTest, ScanSpec, SortKey, SqlState, TreeColumn, TreeId, TreeSchema,
    Uniqueness, Value,
};

use super::{KEYED, PLAIN, Row, batch, everything, open, read, with_trees};
use crate::store::Store;
use crate::{Durability, InsertError, Transaction};

/// Unique on `t`.
const BY_TEXT: TreeId = TreeId(11);
/// On `n DESC NULLS FIRST, t`; `n` is NULL where it is a multiple of 5.
const BY_NUMBER: TreeId = TreeId(12);
/// On `n` where it is even, with `t`.
const EVEN: TreeId = TreeId(13);

type Model = BTreeMap<i64, Row>;

fn index(tree: TreeId, own: &[(LogicalType, u8)], include: Option<LogicalType>) -> TreeSchema {
    let types = own
        .iter()
        .map(|(ty, _)| *ty)
        .chain([LogicalType::Int8])
        .chain(include);
    let orders = own.iter().map(|(_, code)| *code).chain([0]);
    TreeSchema {
        tree,
        version: 1,
        columns: (1..)
            .zip(types)
            .map(|(id, ty)| TreeColumn {
                id: ColumnId(id),
                ty,
                nullable: true,
                missing: Value::Null,
                storage: varve_types::ColumnStorage::default(),
            })
            .collect(),
        key: SortKey::Index(IndexKey {
            of: KEYED,
            columns: orders
                .enumerate()
                .map(|(position, code)| KeyColumn {
                    position,
                    order: KeyOrder::from_code(code).unwrap(),
                })
                .collect(),
            own_columns: own.len(),
            uniqueness: if tree == BY_TEXT {
                Uniqueness::NullsDistinct
            } else {
                Uniqueness::None
            },
            state: IndexState::Valid,
        }),
        options: varve_types::TreeOptions::default(),
    }
}

fn schemas() -> [TreeSchema; 3] {
    let (text, number) = (LogicalType::Text, LogicalType::Int4);
    [
        index(BY_TEXT, &[(text, 0)], None),
        index(BY_NUMBER, &[(number, 3), (text, 0)], None),
        index(EVEN, &[(number, 0)], Some(text)),
    ]
}

fn text_of(row: &Row) -> Value {
    row.1
        .as_ref()
        .map_or(Value::Null, |text| Value::text(text.as_str()))
}

fn number_of(row: &Row) -> Value {
    if row.2 % 5 == 0 {
        Value::Null
    } else {
        Value::Int4(row.2)
    }
}

/// The entry of a row, if the index has one.
fn entry(tree: TreeId, row: &Row) -> Option<Vec<Value>> {
    let key = Value::Int8(row.0);
    match tree {
        BY_TEXT => Some(vec![text_of(row), key]),
        BY_NUMBER => Some(vec![number_of(row), text_of(row), key]),
        _ if row.2 % 2 == 0 => Some(vec![Value::Int4(row.2), key, text_of(row)]),
        _ => None,
    }
}

fn entries(schema: &TreeSchema, rows: &[Row]) -> Batch {
    let entries: Vec<_> = rows
        .iter()
        .filter_map(|row| entry(schema.tree, row))
        .collect();
    let columns = schema.columns.iter().enumerate();
    let columns = columns.map(|(at, column)| {
        Arc::new(Column::from_values(
            column.ty,
            entries.iter().map(|entry| &entry[at]),
        ))
    });
    Batch::new(columns.collect(), entries.len())
}

pub(super) fn with_indexes(store: &Arc<Store>) {
    with_trees(store);
    let mut transaction = store.begin();
    for schema in schemas() {
        transaction.create_tree(schema).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
}

/// Replaces rows: `old` by `new`. Only entries that change are written.
pub(super) fn write(
    transaction: &mut Transaction,
    old: &[Row],
    new: &[Row],
) -> Result<(), InsertError> {
    let keys: Vec<Vec<Value>> = old.iter().map(|row| vec![Value::Int8(row.0)]).collect();
    let found = block_on(transaction.lookup(KEYED, &keys, &[0], true))?;
    let mut positions = Vec::new();
    for batch in found {
        let column = batch.column(1).unwrap();
        positions.extend((0..batch.rows()).map(|row| match column.value(row) {
            Value::Int8(position) => varve_types::RowPosition(position.cast_unsigned()),
            other => panic!("{other:?}"),
        }));
    }
    assert_eq!(positions.len(), old.len());
    block_on(transaction.update(KEYED, &positions, &[batch(new)]))?;
    for schema in schemas() {
        let keeps = |row: &Row, others: &[Row]| {
            others
                .iter()
                .any(|other| entry(schema.tree, other) == entry(schema.tree, row))
        };
        let gone: Vec<Row> = old.iter().filter(|row| !keeps(row, new)).cloned().collect();
        let added: Vec<Row> = new.iter().filter(|row| !keeps(row, old)).cloned().collect();
        let added = entries(&schema, &added);
        block_on(transaction.index_delete(schema.tree, &entries(&schema, &gone)))?;
        block_on(transaction.index_insert(schema.tree, &added))?;
        block_on(transaction.index_check_unique(schema.tree, &added))?;
    }
    Ok(())
}

/// The entries of an index, in its order.
fn expected(schema: &TreeSchema, model: &Model) -> Vec<Vec<Value>> {
    let mut found: Vec<(Vec<u8>, Vec<Value>)> = Vec::new();
    let SortKey::Index(key) = &schema.key else {
        panic!()
    };
    for values in model.values().filter_map(|row| entry(schema.tree, row)) {
        let mut bytes = Vec::new();
        for column in &key.columns {
            let value = &values[column.position];
            varve_types::encode_ordered_key_value(value, column.order, &mut bytes);
        }
        found.push((bytes, values));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.into_iter().map(|(_, values)| values).collect()
}

fn scan(transaction: &Transaction, options: ScanSpec) -> Vec<Vec<Value>> {
    let mut scan = block_on(transaction.scan(options)).unwrap();
    assert!(scan.is_key_ordered());
    let mut rows = Vec::new();
    while let Some(batch) = block_on(scan.next_batch()).unwrap() {
        let columns: Vec<_> = (0..batch.width())
            .map(|at| batch.column(at).unwrap())
            .collect();
        for row in 0..batch.rows() {
            rows.push(columns.iter().map(|column| column.value(row)).collect());
        }
    }
    rows
}

fn whole(schema: &TreeSchema) -> ScanSpec {
    ScanSpec::of(schema.tree, (0..schema.columns.len()).collect())
}

fn check(transaction: &Transaction, model: &Model) {
    let mut rows = read(transaction, everything(KEYED)).unwrap();
    rows.sort();
    assert!(rows.iter().map(|(row, _)| row).eq(model.values()));
    for schema in schemas() {
        let mut expected = expected(&schema, model);
        assert_eq!(scan(transaction, whole(&schema)), expected);
        for op in [CompareOp::Eq, CompareOp::Gt, CompareOp::LtEq] {
            let leading = expected
                .get(expected.len() / 2)
                .map(|entry| entry[0].clone());
            let Some(value) = leading.filter(|value| !value.is_null()) else {
                continue;
            };
            let test = PredicateTest::Compare(op, value);
            let options = ScanSpec {
                predicates: vec![ColumnPredicate {
                    column: 0,
                    test: test.clone(),
                }],
                reverse: op == CompareOp::Gt,
                ..whole(&schema)
            };
            let found = scan(transaction, options);
            let mut passing: Vec<_> = expected
                .iter()
                .filter(|entry| test.accepts(&entry[0]))
                .cloned()
                .collect();
            if op == CompareOp::Gt {
                passing.reverse();
            }
            assert_eq!(found, passing);
        }
        // A test of an included column counts for the newest entry only.
        let last = schema.columns.len() - 1;
        let options = ScanSpec {
            predicates: vec![ColumnPredicate {
                column: last,
                test: PredicateTest::IsNull,
            }],
            ..whole(&schema)
        };
        expected.retain(|entry| entry[last].is_null());
        assert_eq!(scan(transaction, options), expected);
    }
}

#[derive(Clone, Debug)]
enum Op {
    /// Rows from a key on get these texts and numbers, or vanish.
    Write {
        first: i64,
        count: i64,
        text: u8,
        number: i32,
    },
    Delete {
        first: i64,
        count: i64,
    },
    Commit,
    Rollback,
    Flush,
    Vacuum,
    Reopen,
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => (0_i64..60, 1_i64..50, any::<u8>(), 0_i32..40)
            .prop_map(|(first, count, text, number)| Op::Write { first, count, text, number }),
        3 => (0_i64..60, 1_i64..30).prop_map(|(first, count)| Op::Delete { first, count }),
        5 => Just(Op::Commit),
        1 => Just(Op::Rollback),
        2 => Just(Op::Flush),
        1 => Just(Op::Vacuum),
        1 => Just(Op::Reopen),
    ]
}

/// Texts that are often the same as those of other keys.
pub(super) fn new_row(key: i64, text: u8, number: i32) -> Row {
    let text = match text % 4 {
        0 => None,
        1 => Some(format!("{key}")),
        2 => Some(format!(
            "{} and more {}",
            key,
            "x".repeat(usize::from(text))
        )),
        _ => Some(format!("{}", key / 2 + i64::from(text / 64))),
    };
    (key, text, number + (key % 3) as i32)
}

fn has_duplicate(model: &Model) -> bool {
    let mut texts: Vec<&String> = model.values().filter_map(|row| row.1.as_ref()).collect();
    texts.sort();
    texts.windows(2).any(|pair| pair[0] == pair[1])
}

fn run(ops: Vec<Op>) {
    let kv = MemoryKv::new();
    let mut store = open(&kv);
    with_indexes(&store);
    let mut committed = Model::new();
    let mut model = committed.clone();
    let mut transaction = store.begin();
    for op in ops {
        let (old, new) = match op {
            Op::Write {
                first,
                count,
                text,
                number,
            } => (
                first..first + count,
                (first..first + count)
                    .map(|key| new_row(key, text, number))
                    .collect(),
            ),
            Op::Delete { first, count } => (first..first + count, Vec::new()),
            Op::Commit => {
                block_on(transaction.commit(Durability::Strict)).unwrap();
                committed.clone_from(&model);
                transaction = store.begin();
                check(&transaction, &model);
                continue;
            }
            Op::Rollback => {
                block_on(transaction.rollback()).unwrap();
                model.clone_from(&committed);
                transaction = store.begin();
                continue;
            }
            Op::Vacuum => {
                block_on(store.vacuum(None, false)).unwrap();
                for tree in [BY_TEXT, BY_NUMBER, EVEN] {
                    assert_settled(&store, tree);
                }
                check(&transaction, &model);
                continue;
            }
            Op::Flush => {
                block_on(store.flush()).unwrap();
                check(&transaction, &model);
                continue;
            }
            Op::Reopen => {
                drop(transaction);
                block_on(store.close()).unwrap();
                store = open(&kv);
                model.clone_from(&committed);
                transaction = store.begin();
                check(&transaction, &model);
                continue;
            }
        };
        let old: Vec<Row> = model.range(old).map(|(_, row)| row.clone()).collect();
        let mut after = model.clone();
        for row in &old {
            after.remove(&row.0);
        }
        after.extend(new.iter().map(|row: &Row| (row.0, row.clone())));
        match write(&mut transaction, &old, &new) {
            Ok(()) => {
                assert!(!has_duplicate(&after));
                model = after;
                check(&transaction, &model);
            }
            Err(InsertError::Duplicate { index, .. }) => {
                assert_eq!(index, Some(BY_TEXT));
                assert!(has_duplicate(&after));
                block_on(transaction.rollback()).unwrap();
                model.clone_from(&committed);
                transaction = store.begin();
            }
            Err(InsertError::Other(error)) => panic!("{error}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn indexes_follow_their_table(ops in vec(op(), 1..40)) {
        run(ops);
    }
}

#[test]
fn of_two_who_insert_a_unique_key_the_second_fails() {
    let store = open(&MemoryKv::new());
    with_indexes(&store);
    let row = |key: i64| (key, Some("same".to_owned()), 1);
    let (mut first, mut second) = (store.begin(), store.begin());
    write(&mut first, &[], &[row(1)]).unwrap();
    write(&mut second, &[], &[row(2)]).unwrap();
    block_on(first.commit(Durability::Strict)).unwrap();
    let error = block_on(second.commit(Durability::Strict)).unwrap_err();
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
    // Run again, it sees why.
    let mut second = store.begin();
    let error = write(&mut second, &[], &[row(2)]).unwrap_err();
    let key = vec![Value::text("same")];
    assert_eq!(
        error,
        InsertError::Duplicate {
            index: Some(BY_TEXT),
            key
        }
    );
    // Whoever moves the key elsewhere makes room, in one transaction.
    let mut third = store.begin();
    write(&mut third, &[row(1)], &[row(3)]).unwrap();
    block_on(third.commit(Durability::Strict)).unwrap();
}

#[test]
fn a_large_transaction_spills_its_entries() {
    let kv = MemoryKv::new();
    let store = open(&kv);
    with_indexes(&store);
    let rows = |offset: i64| -> Vec<Row> {
        (0..3000)
            .map(|key| new_row(key, 2, (key + offset) as i32 % 40))
            .collect()
    };
    let mut transaction = store.begin();
    for chunk in rows(0).chunks(500) {
        write(&mut transaction, &[], chunk).unwrap();
    }
    for (old, new) in rows(0).chunks(500).zip(rows(1).chunks(500)) {
        write(&mut transaction, old, new).unwrap();
    }
    let model: Model = rows(1).into_iter().map(|row| (row.0, row)).collect();
    check(&transaction, &model);
    block_on(transaction.commit(Durability::Strict)).unwrap();
    check(&store.begin(), &model);
    // Entries of later commits are newer than those of the spilled runs.
    let mut transaction = store.begin();
    let model: Model = rows(2).into_iter().map(|row| (row.0, row)).collect();
    for (old, new) in rows(1).chunks(500).zip(rows(2).chunks(500)) {
        write(&mut transaction, old, new).unwrap();
    }
    block_on(transaction.commit(Durability::Strict)).unwrap();
    check(&store.begin(), &model);
    block_on(store.flush()).unwrap();
    block_on(store.close()).unwrap();
    check(&open(&kv).begin(), &model);
}

fn building(schema: &TreeSchema) -> TreeSchema {
    let mut schema = schema.clone();
    let SortKey::Index(key) = &mut schema.key else {
        panic!()
    };
    key.state = IndexState::Building;
    schema
}

#[test]
fn an_index_is_built_while_others_write() {
    for flush in [false, true] {
        let kv = MemoryKv::new();
        let store = open(&kv);
        with_trees(&store);
        let mut model = Model::new();
        let rows: Vec<Row> = (0..200).map(|key| new_row(key, 1, key as i32)).collect();
        super::insert(&store, KEYED, &rows);
        model.extend(rows.into_iter().map(|row| (row.0, row)));
        let mut unaware = store.begin();
        block_on(unaware.insert(KEYED, &batch(&[new_row(1000, 1, 1)]))).unwrap();
        let mut transaction = store.begin();
        for schema in schemas() {
            transaction.create_tree(building(&schema)).unwrap();
        }
        block_on(transaction.commit(Durability::Strict)).unwrap();
        let error = block_on(unaware.commit(Durability::Strict)).unwrap_err();
        assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
        let scan_error = block_on(store.begin().scan(whole(&schemas()[0]))).unwrap_err();
        assert_eq!(
            scan_error.state(),
            SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE
        );

        // Before the snapshot of the build, and between it and its commit.
        let mut change = |keys: std::ops::Range<i64>, text: u8| {
            let mut writer = store.begin();
            let old: Vec<Row> = model
                .range(keys.clone())
                .map(|(_, row)| row.clone())
                .collect();
            let new: Vec<Row> = keys.skip(10).map(|key| new_row(key, text, 7)).collect();
            write(&mut writer, &old, &new).unwrap();
            block_on(writer.commit(Durability::Strict)).unwrap();
            for row in old {
                model.remove(&row.0);
            }
            model.extend(new.into_iter().map(|row| (row.0, row)));
            if flush {
                block_on(store.flush()).unwrap();
            }
        };
        change(0..50, 2);
        let mut build = store.begin();
        change(30..120, 6);
        let seen = super::sorted_rows(&build, KEYED);
        for schema in schemas() {
            for rows in seen.chunks(64) {
                let entries = entries(&schema, rows);
                block_on(build.index_backfill(schema.tree, &entries)).unwrap();
            }
        }
        change(110..130, 10);
        block_on(build.commit(Durability::Strict)).unwrap();
        let mut publish = store.begin();
        change(20..40, 1);
        block_on(publish.index_check_all_unique(BY_TEXT)).unwrap();
        publish.set_index_valid(BY_TEXT).unwrap();
        let error = block_on(publish.commit(Durability::Strict)).unwrap_err();
        assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
        let mut publish = store.begin();
        for schema in schemas() {
            block_on(publish.index_check_all_unique(schema.tree)).unwrap();
            publish.set_index_valid(schema.tree).unwrap();
        }
        block_on(publish.commit(Durability::Strict)).unwrap();
        check(&store.begin(), &model);
        block_on(store.close()).unwrap();
        check(&open(&kv).begin(), &model);
    }
}

#[test]
fn who_wrote_before_a_unique_index_was_filled_commits_no_duplicate() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let row = |key: i64| (key, Some("same".to_owned()), 1);
    super::insert(&store, KEYED, &[row(1)]);
    let [mut schema, ..] = schemas();
    if let SortKey::Index(index) = &mut schema.key {
        index.state = IndexState::Building;
    }
    let mut create = store.begin();
    create.create_tree(schema.clone()).unwrap();
    block_on(create.commit(Durability::Strict)).unwrap();

    let mut writer = store.begin();
    let twin = entries(&schema, &[row(2)]);
    block_on(writer.insert(KEYED, &batch(&[row(2)]))).unwrap();
    block_on(writer.index_insert(BY_TEXT, &twin)).unwrap();
    // Nothing is known yet of the row that was there before the index.
    block_on(writer.index_check_unique(BY_TEXT, &twin)).unwrap();
    let mut fill = store.begin();
    block_on(fill.index_backfill(BY_TEXT, &entries(&schema, &[row(1)]))).unwrap();
    block_on(fill.commit(Durability::Strict)).unwrap();
    let mut publish = store.begin();
    block_on(publish.index_check_all_unique(BY_TEXT)).unwrap();
    publish.set_index_valid(BY_TEXT).unwrap();
    block_on(publish.commit(Durability::Strict)).unwrap();

    let error = block_on(writer.commit(Durability::Strict)).unwrap_err();
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn a_build_finds_duplicates() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let row = |key: i64| (key, Some("same".to_owned()), 1);
    super::insert(&store, KEYED, &[row(1), row(2)]);
    let mut transaction = store.begin();
    let [schema, ..] = schemas();
    transaction.create_tree(schema.clone()).unwrap();
    let all = entries(&schema, &[row(1), row(2)]);
    block_on(transaction.index_insert(BY_TEXT, &all)).unwrap();
    let found = block_on(transaction.index_check_all_unique(BY_TEXT)).unwrap_err();
    let key = vec![Value::text("same")];
    assert_eq!(
        found,
        InsertError::Duplicate {
            index: Some(BY_TEXT),
            key
        }
    );
}

#[test]
fn an_index_made_in_a_block_knows_each_row_or_is_not_made() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let [schema, ..] = schemas();
    let mut block = store.begin();
    block.create_tree(schema.clone()).unwrap();
    super::insert(&store, KEYED, &[(1, None, 1)]);
    let error = block_on(block.commit(Durability::Strict)).unwrap_err();
    assert_eq!(error.state(), SqlState::SERIALIZATION_FAILURE);
}

#[test]
fn rows_without_a_key_are_found_by_row_id() {
    let store = open(&MemoryKv::new());
    with_trees(&store);
    let mut transaction = store.begin();
    let rows: Vec<Row> = (0..10).map(|key| new_row(key, 1, 1)).collect();
    let first = transaction.new_row_ids(10);
    let ids: Vec<Value> = (first..first + 10).map(Value::Int8).collect();
    let mut columns = batch(&rows).physical_columns().to_vec();
    columns.push(Arc::new(Column::from_values(LogicalType::Int8, &ids)));
    block_on(transaction.insert(PLAIN, &Batch::new(columns, 10))).unwrap();
    block_on(transaction.insert(PLAIN, &batch(&[new_row(77, 1, 1)]))).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    for flushed in [false, true] {
        if flushed {
            block_on(store.flush()).unwrap();
        }
        let transaction = store.begin();
        let keys = [vec![Value::Int8(first + 4)], vec![Value::Int8(first + 10)]];
        let found = block_on(transaction.lookup(PLAIN, &keys, &[0, 3], false)).unwrap();
        let found: Vec<Value> = found
            .iter()
            .flat_map(|batch| {
                let columns = [0, 1].map(|at| batch.column(at).unwrap());
                (0..batch.rows())
                    .flat_map(move |row| columns.clone().map(|column| column.value(row)))
            })
            .collect();
        let expected = [4, first + 4, 77, first + 10].map(Value::Int8);
        assert_eq!(found, expected);
    }
}

/// No entry of an index hides another one, or must tell when it was written.
fn assert_settled(store: &Store, tree: TreeId) {
    let state = store.state();
    let shape = &state.catalog.trees.get(&tree).unwrap();
    for run in state.version.runs(tree) {
        let head = run.head().unwrap();
        let entry = head.columns()[shape.entry_column().unwrap()].id;
        let zone = &head.stats()[head.column_position(entry).unwrap()].zone;
        assert_eq!(zone.max, Some(Value::Int8(0)));
        assert_eq!(run.entries_seq.0, 0);
    }
}

/// Loads rows and the entries of all indexes.
fn load(store: &Arc<Store>, rows: &[Row]) -> Result<u64, InsertError> {
    let mut load = store.bulk_load(KEYED, crate::BulkLoadOptions::default())?;
    for rows in rows.chunks(700) {
        block_on(load.append(&batch(rows)))?;
        for schema in schemas() {
            block_on(load.append_entries(schema.tree, &entries(&schema, rows)))?;
        }
    }
    Ok(block_on(load.finish())?.rows)
}

#[test]
fn loaded_rows_have_their_entries() {
    let store = open(&MemoryKv::new());
    with_indexes(&store);
    let row = |k: i64| {
        let text = (k % 11 != 0).then(|| format!("text {}", k.wrapping_mul(7919) % 100_003));
        (k, text, (k % 977) as i32)
    };
    let mut model = Model::new();
    // Few rows are compared one by one, many by reading the index.
    for keys in [0..50, 50..20_000, 20_000..20_100] {
        let rows: Vec<Row> = keys.map(row).collect();
        assert_eq!(load(&store, &rows), Ok(rows.len() as u64));
        model.extend(rows.iter().map(|row| (row.0, row.clone())));
        check(&store.begin(), &model);
    }
    // A text that is there, by a load that would also give a key twice.
    let twin = |key| (key, Some("text 7919".to_owned()), 2);
    let taken = InsertError::Duplicate {
        index: Some(BY_TEXT),
        key: vec![Value::text("text 7919")],
    };
    assert_eq!(load(&store, &[twin(90_000)]), Err(taken.clone()));
    let many: Vec<Row> = (60_000..80_000).map(row).chain([twin(200_000)]).collect();
    assert_eq!(load(&store, &many), Err(taken));
    let same_key = InsertError::Duplicate {
        index: None,
        key: vec![Value::Int8(300_000)],
    };
    let twice = [row(300_000), row(299_999), row(300_000)];
    assert_eq!(load(&store, &twice), Err(same_key));
    check(&store.begin(), &model);
    // Deletes and updates meet loaded entries as any others.
    let mut transaction = store.begin();
    let old: Vec<Row> = (100..120).map(row).collect();
    let new: Vec<Row> = old.iter().map(|row| (row.0, None, row.2 + 1)).collect();
    write(&mut transaction, &old, &new).unwrap();
    block_on(transaction.commit(Durability::Strict)).unwrap();
    model.extend(new.iter().map(|row| (row.0, row.clone())));
    check(&store.begin(), &model);
}
