//! Compares everything that a transaction reads with a model.

use std::collections::BTreeSet;

use varve_store::Transaction;
use varve_types::{
    ColumnPredicate, CompareOp, KeyRange, PredicateTest, RowPosition, ScanSpec, TreeId, Value,
};

use crate::chance::Chance;
use crate::data::{
    COLUMNS, JOURNAL, KEYS_PER_TOKEN, Row, everything, journal_key, key_of, order_of, rows_of,
    scan, scan_where,
};
use crate::failure::{Outcome, broken};
use crate::ledger::Token;
use crate::model::{Model, Rows, Tree};

/// The transactions that a snapshot includes by its own account.
pub(crate) async fn journal(transaction: &Transaction) -> Outcome<BTreeSet<Token>> {
    let rows = scan_where(transaction, JOURNAL, Vec::new()).await?;
    let tokens = rows.into_iter().filter_map(|(row, _)| {
        let token = row.k / KEYS_PER_TOKEN;
        (journal_key(token) == row.k).then_some(token)
    });
    Ok(tokens.collect())
}

/// Every tree, read in one way or another.
pub(crate) async fn check_all(
    transaction: &Transaction,
    model: &Model,
    trees: &BTreeSet<TreeId>,
    chance: &mut Chance,
) -> Outcome<()> {
    for id in trees {
        let is_there = transaction.tree_schema(*id).is_some();
        match model.trees.get(id) {
            Some(tree) if is_there => check_tree(transaction, *id, tree, chance).await?,
            None if is_there => check_index(transaction, *id, model, chance).await?,
            None if !model.indexes.contains_key(id) => {}
            _ => return broken(format!("tree {id} is there: {is_there}")),
        }
    }
    Ok(())
}

async fn check_index(
    transaction: &Transaction,
    id: TreeId,
    model: &Model,
    chance: &mut Chance,
) -> Outcome<()> {
    let index = model.indexes.get(&id);
    match index.and_then(|index| Some((index, model.rows(index.of)?))) {
        Some((index, rows)) => index.check(transaction, id, rows, chance).await,
        None => broken(format!("tree {id} is there")),
    }
}

/// One tree: all rows, then one more way of reading it.
pub(crate) async fn check_tree(
    transaction: &Transaction,
    id: TreeId,
    tree: &Tree,
    chance: &mut Chance,
) -> Outcome<()> {
    check_scan(transaction, id, tree, chance).await?;
    match chance.below(5) {
        4 => check_keys(transaction, id, tree, chance).await,
        0 => check_count(transaction, id, &tree.rows),
        1 => check_lookup(transaction, id, tree, chance).await,
        2 => check_range(transaction, id, &tree.rows, chance).await,
        _ => check_fetch(transaction, id, chance).await,
    }
}

async fn check_scan(
    transaction: &Transaction,
    id: TreeId,
    tree: &Tree,
    chance: &mut Chance,
) -> Outcome<()> {
    let options = ScanSpec {
        reverse: chance.one_in(2),
        ordered: chance.one_in(3),
        ..everything(id)
    };
    check_rows(transaction, id, tree, options).await
}

/// Rows in key order between those of two rows.
async fn check_keys(
    transaction: &Transaction,
    id: TreeId,
    tree: &Tree,
    chance: &mut Chance,
) -> Outcome<()> {
    let all: Vec<&Row> = tree.rows.values().collect();
    let mut bound = || {
        let row = chance.pick(&all)?;
        order_of(tree.kind, row)
    };
    let range = KeyRange {
        from: bound(),
        to: bound(),
    };
    let options = ScanSpec {
        range,
        ordered: chance.one_in(2),
        reverse: chance.one_in(2),
        ..everything(id)
    };
    check_rows(transaction, id, tree, options).await
}

async fn check_rows(
    transaction: &Transaction,
    id: TreeId,
    tree: &Tree,
    options: ScanSpec,
) -> Outcome<()> {
    let key = |row: &Row| order_of(tree.kind, row);
    let range = options.range.clone();
    let is_wanted = |row: &&Row| {
        let key = key(row);
        range.from.is_none() && range.to.is_none()
            || key.is_some_and(|key| {
                range.from.as_ref().is_none_or(|from| *from <= key)
                    && range.to.as_ref().is_none_or(|to| key < *to)
            })
    };
    let (ordered, reverse) = (options.ordered, options.reverse);
    let scanned = scan(transaction, options).await?;
    let mut found: Vec<Row> = scanned.rows.into_iter().map(|(row, _)| row).collect();
    if ordered && !scanned.is_key_ordered {
        return broken(format!("a scan of tree {id} is not in order as asked"));
    }
    if scanned.is_key_ordered {
        let mut keys: Vec<Vec<u8>> = found.iter().filter_map(key).collect();
        if reverse {
            keys.reverse();
        }
        let are_unique = tree.kind.has_key();
        if !keys.is_sorted_by(|a, b| a < b || a == b && !are_unique) {
            return broken(format!("tree {id} is scanned out of order"));
        }
    }
    found.sort();
    compare(id, "a scan", &found, tree.rows.values().filter(is_wanted))
}

fn check_count(transaction: &Transaction, id: TreeId, rows: &Rows) -> Outcome<()> {
    match transaction.row_count(id) {
        Some(count) if count == rows.len() as u64 => Ok(()),
        // Nobody else uses the transaction, so nothing of it is being written out.
        count => broken(format!(
            "tree {id} counts {count:?} rows, not {}",
            rows.len()
        )),
    }
}

async fn check_lookup(
    transaction: &Transaction,
    id: TreeId,
    tree: &Tree,
    chance: &mut Chance,
) -> Outcome<()> {
    let all: Vec<&Row> = tree.rows.values().collect();
    let mut wanted: BTreeSet<Row> = BTreeSet::new();
    for _ in 0..4 {
        wanted.extend(chance.pick(&all).map(|row| Row::clone(row)));
    }
    let mut keys: Vec<Vec<Value>> = wanted
        .iter()
        .filter_map(|row| key_of(tree.kind, row))
        .collect();
    let Some(shape) = keys.first().cloned() else {
        return Ok(());
    };
    // A key that no row has: numbers of rows are not negative.
    let absent = shape.into_iter().map(|value| match value {
        Value::Int8(_) => Value::Int8(-5),
        other => other,
    });
    keys.push(absent.collect());
    let batches = transaction.lookup(id, &keys, &COLUMNS, false).await?;
    let mut found = Vec::new();
    for batch in &batches {
        found.extend(rows_of(batch)?);
    }
    found.sort();
    compare(id, "a lookup", &found, wanted.iter())
}

async fn check_range(
    transaction: &Transaction,
    id: TreeId,
    rows: &Rows,
    chance: &mut Chance,
) -> Outcome<()> {
    let all: Vec<i64> = rows.keys().copied().collect();
    let bound = chance.pick(&all).copied().unwrap_or(0);
    let above = ColumnPredicate {
        column: 0,
        test: PredicateTest::Compare(CompareOp::Gt, Value::Int8(bound)),
    };
    let found = scan_where(transaction, id, vec![above]).await?;
    let mut found: Vec<Row> = found.into_iter().map(|(row, _)| row).collect();
    found.sort();
    let wanted = rows.range(bound.saturating_add(1)..);
    compare(id, "a scan of a range", &found, wanted.map(|(_, row)| row))
}

async fn check_fetch(transaction: &Transaction, id: TreeId, chance: &mut Chance) -> Outcome<()> {
    let all = scan_where(transaction, id, Vec::new()).await?;
    let mut wanted: Vec<(Row, RowPosition)> = Vec::new();
    for _ in 0..5 {
        wanted.extend(chance.pick(&all).cloned());
    }
    let positions: Vec<RowPosition> = wanted.iter().map(|(_, at)| *at).collect();
    let batches = transaction.fetch(id, &positions, &COLUMNS).await?;
    let mut found = Vec::new();
    for batch in &batches {
        found.extend(rows_of(batch)?);
    }
    compare(id, "a fetch", &found, wanted.iter().map(|(row, _)| row))
}

fn compare<'a>(
    id: TreeId,
    how: &str,
    found: &[Row],
    wanted: impl Iterator<Item = &'a Row>,
) -> Outcome<()> {
    let wanted: Vec<&Row> = wanted.collect();
    if found.iter().eq(wanted.iter().copied()) {
        return Ok(());
    }
    let missing = wanted.iter().filter(|row| !found.contains(row));
    let missing: Vec<String> = missing.take(5).map(|row| brief(row)).collect();
    let extra = found.iter().filter(|row| !wanted.contains(row));
    let extra: Vec<String> = extra.take(5).map(brief).collect();
    broken(format!(
        "{how} of tree {id} gives {} rows, not {}; missing {missing:?}, extra {extra:?}",
        found.len(),
        wanted.len()
    ))
}

fn brief(row: &Row) -> String {
    let text: Option<String> = row.t.as_ref().map(|text| text.chars().take(12).collect());
    format!("{} {text:?} {}", row.k, row.n)
}
