//! The process that is killed.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use pollster::block_on;
use varve_store::{BulkLoadOptions, Durability, Store, Transaction};
use varve_types::{RowPosition, Value};

use crate::workload::{DATA, JOURNAL, KEYS, Work, batch, open, schema, text, work};

/// Says something to the parent: once it is written, no kill takes it back.
fn say(what: &str, token: i64) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{what} {token}").unwrap();
    out.flush().unwrap();
}

/// Writes transactions until it is killed.
pub fn write(folder: &Path, first: i64) {
    let store = open(folder);
    if store.begin().tree_schema(JOURNAL).is_none() {
        let mut transaction = store.begin();
        for tree in [JOURNAL, DATA] {
            assert_eq!(transaction.new_tree_id(), tree);
            transaction.create_tree(schema(tree)).unwrap();
        }
        block_on(transaction.commit(Durability::Strict)).unwrap();
    }
    say("open", first);
    for token in first.. {
        let (work, strict) = work(token);
        if let Work::Load(count) = work {
            load(&store, token, count);
            continue;
        }
        let mut transaction = store.begin();
        let journal = batch(&[(token, token, String::new())]);
        block_on(transaction.insert(JOURNAL, &journal)).unwrap();
        write_rows(&mut transaction, token, work);
        let durability = if strict {
            Durability::Strict
        } else {
            Durability::Relaxed
        };
        say("commit", token);
        block_on(transaction.commit(durability)).unwrap();
        say("done", token);
        if token % 9 == 0 {
            say("flush", token);
            block_on(store.flush()).unwrap();
        } else if token % 9 == 4 {
            say("compaction", token);
            block_on(store.vacuum(None, token % 2 == 0)).unwrap();
        }
    }
}

/// A load writes one tree, so its token is journalled by a transaction of its own.
fn load(store: &Arc<Store>, token: i64, count: i64) {
    say("load", token);
    let rows = rows(token, count);
    let batches: Vec<_> = rows.chunks(700).map(batch).collect();
    block_on(store.direct_bulk_load(DATA, batches, BulkLoadOptions::default())).unwrap();
    say("loaded", token);
    let mut transaction = store.begin();
    let journal = batch(&[(token, token, String::new())]);
    block_on(transaction.insert(JOURNAL, &journal)).unwrap();
    say("commit", token);
    block_on(transaction.commit(Durability::Strict)).unwrap();
    say("done", token);
}

fn rows(token: i64, count: i64) -> Vec<(i64, i64, String)> {
    let row = |i| (token * KEYS + i, token, text(token, i));
    (0..count).map(row).collect()
}

fn write_rows(transaction: &mut Transaction, token: i64, work: Work) {
    match work {
        Work::Insert(count) | Work::Load(count) => {
            for rows in rows(token, count).chunks(500) {
                block_on(transaction.insert(DATA, &batch(rows))).unwrap();
            }
        }
        Work::Update(other) => {
            let found = rows_of(transaction, other, 0);
            let positions: Vec<RowPosition> = found.iter().map(|(_, at)| *at).collect();
            let rows: Vec<_> = found
                .into_iter()
                .map(|((key, text), _)| (key, token, text))
                .collect();
            let batches: Vec<_> = rows.chunks(1000).map(batch).collect();
            block_on(transaction.update(DATA, &positions, &batches)).unwrap();
        }
        Work::Delete(other) => {
            let found = rows_of(transaction, other, 1);
            let positions: Vec<RowPosition> = found.iter().map(|(_, at)| *at).collect();
            block_on(transaction.delete(DATA, &positions)).unwrap();
        }
    }
}

/// Keys, texts and positions of the rows of a transaction whose keys are odd or even.
fn rows_of(
    transaction: &Transaction,
    token: i64,
    remainder: i64,
) -> Vec<((i64, String), RowPosition)> {
    let all = crate::parent::scan(transaction, DATA);
    all.into_iter()
        .filter(|(row, _)| row.0 / KEYS == token && row.0 % 2 == remainder)
        .map(|((key, _, text), position)| ((key, text), position))
        .collect()
}

/// The value of a BIGINT column.
pub fn number(value: &Value) -> i64 {
    match value {
        Value::Int8(number) => *number,
        other => panic!("{other:?} is no number"),
    }
}
