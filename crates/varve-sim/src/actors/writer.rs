//! Transactions that compete with those of other writers.

use varve_store::{BulkLoadOptions, CommitDurability, InsertError, Transaction};

use varve_types::{SqlState, TreeId};

use crate::actors::reader::begin;
use crate::actors::statements::{INDEXES_MAX, Statements, row};
use crate::chance::Chance;
use crate::check::check_all;
use crate::data::{JOURNAL, Kind, Row, batch, journal_key};
use crate::executor::yield_now;
use crate::failure::{Outcome, Stop, broken, has_surely_failed};
use crate::index::Index;
use crate::ledger::{RowLocks, Token};
use crate::model::Delta;
use crate::world::Handle;

/// Where memtables are at least so large, some rows are.
const LARGE_FROM_BYTES: u64 = 256 << 10;

pub(crate) async fn write(handle: Handle, mut chance: Chance, transactions: u64) -> Outcome<()> {
    for _ in 0..transactions {
        let done = match chance.below(16) {
            0..2 => load(&handle, &mut chance).await,
            2..4 => build_index(&handle, &mut chance).await,
            _ => transaction(&handle, &mut chance).await,
        };
        handle.settle("writer", done);
        for _ in 0..chance.below(4) {
            yield_now().await;
        }
    }
    Ok(())
}

async fn transaction(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let world = &handle.world;
    let mut statements = begin_statements(handle).await?;
    let token = statements.token;
    for _ in 0..chance.below(5) {
        let saved = chance.one_in(3).then(|| statements.save());
        let what = statements.run_one(chance).await?;
        world.note(|| format!("transaction {token}: {what}"));
        let must_fail = statements.must_roll_back || statements.has_twins;
        if let Some(saved) = saved {
            if must_fail || chance.one_in(2) {
                statements.come_back(saved)?;
                world.note(|| format!("transaction {token} takes it back"));
            } else if chance.one_in(2) {
                statements.transaction.release(saved.savepoint)?;
            }
        }
        if statements.must_roll_back || statements.has_twins {
            break;
        }
        if chance.one_in(6) {
            let trees = world.ledger().all_trees();
            check_all(&statements.transaction, &statements.model, &trees, chance).await?;
        }
    }
    if statements.must_roll_back || chance.one_in(8) {
        world.ledger().fail(token);
        if chance.one_in(2) {
            statements.transaction.rollback().await?;
        }
        world.note(|| format!("transaction {token} is rolled back"));
        return Ok(());
    }
    commit(handle, token, statements, chance).await
}

async fn commit(
    handle: &Handle,
    token: Token,
    statements: Statements,
    chance: &mut Chance,
) -> Outcome<()> {
    let world = &handle.world;
    let durability = match chance.below(6) {
        0..2 => CommitDurability::Strict,
        2 => CommitDurability::Async,
        _ => CommitDurability::Relaxed,
    };
    world
        .ledger()
        .ask(token, statements.delta, statements.row_locks);
    let answer = statements.transaction.commit(durability).await;
    world.note(|| format!("transaction {token}, {durability:?}: {answer:?}"));
    match answer {
        Ok(_) if statements.has_twins => broken("a commit left two rows with one key"),
        Err(error) if statements.has_twins && error.state() == SqlState::UNIQUE_VIOLATION => {
            world.ledger().fail(token);
            Ok(())
        }
        Ok(seq) => {
            let mut ledger = world.ledger();
            ledger.commit(token, seq.0, durability == CommitDurability::Async)?;
            if durability == CommitDurability::Strict {
                ledger.promise(handle.number, seq.0);
            }
            Ok(())
        }
        Err(error) => {
            if has_surely_failed(&error) {
                world.ledger().fail(token);
            }
            Err(error.into())
        }
    }
}

/// An index of a tree that others write to: made, filled, and valid, each in a commit of its own,
/// or one that a crash left half-way, completed.
async fn build_index(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let world = &handle.world;
    let mut statements = begin_statements(handle).await?;
    let unfinished = statements.model.indexes.iter();
    let unfinished = unfinished.filter(|(id, index)| !index.is_valid && world.may_build(**id));
    let unfinished = unfinished.map(|(id, _)| *id).next();
    let id = match unfinished {
        Some(id) => id,
        None => {
            let trees: Vec<TreeId> = statements.model.trees.keys().copied().collect();
            let Some(tree) = chance.pick(&trees).copied() else {
                return broken("there is no tree");
            };
            if statements.model.indexes.len() >= INDEXES_MAX {
                world.ledger().fail(statements.token);
                return Ok(());
            }
            let id = statements.transaction.new_tree_id();
            let index = Index::any(tree, false, chance);
            statements.transaction.create_tree(index.schema(id))?;
            statements.set_index(id, Some(index));
            world.note(|| format!("begins to build {id}: {index:?}"));
            world.may_build(id);
            commit(handle, statements.token, statements, chance).await?;
            id
        }
    };
    fill_index(handle, id, chance).await?;
    for _ in 0..5 {
        let mut statements = begin_statements(handle).await?;
        let token = statements.token;
        let Some(index) = statements.model.indexes.get(&id).copied() else {
            world.ledger().fail(token);
            return Ok(());
        };
        let answer = statements.transaction.index_check_all_unique(id).await;
        let complete = Index {
            is_valid: true,
            ..index
        };
        if statements.is_duplicate(complete, answer)? {
            statements.transaction.drop_tree(id)?;
            statements.set_index(id, None);
        } else {
            statements.transaction.set_index_valid(id)?;
            statements.set_index(id, Some(complete));
        }
        world.note(|| format!("completes index {id}"));
        match commit(handle, token, statements, chance).await {
            Err(Stop::Refused(error)) if error.state() == SqlState::SERIALIZATION_FAILURE => {}
            done => return done,
        }
    }
    Ok(())
}

/// Adds the entries of all rows of a snapshot; who reads can see no difference.
async fn fill_index(handle: &Handle, id: TreeId, chance: &mut Chance) -> Outcome<()> {
    let (mut transaction, model) = begin(handle).await?;
    let index = model.indexes.get(&id);
    let Some((index, rows)) = index.and_then(|index| Some((index, model.rows(index.of)?))) else {
        return Ok(());
    };
    let rows: Vec<&Row> = rows.values().collect();
    for rows in rows.chunks(1 + chance.index(60)) {
        let entries = index.entries(rows.iter().copied());
        transaction.index_backfill(id, &entries).await?;
    }
    let seq = transaction.snapshot_seq().0;
    let answer = transaction.commit(CommitDurability::Strict).await;
    handle
        .world
        .note(|| format!("fills {id} at {seq}: {answer:?}"));
    answer?;
    Ok(())
}

/// A transaction that writes.
async fn begin_statements(handle: &Handle) -> Outcome<Statements> {
    let world = &handle.world;
    let (transaction, model) = begin(handle).await?;
    let snapshot = transaction.snapshot_seq().0;
    let token = world.ledger().begin(handle.number, snapshot);
    world.note(|| format!("transaction {token} begins at {snapshot}"));
    let is_large = world.settings.memtable_bytes_max >= LARGE_FROM_BYTES;
    let mut statements = Statements::new(transaction, model, token, is_large);
    statements.add_to_journal().await?;
    Ok(statements)
}

/// Rows for the journal, beside the token, straight into runs.
async fn load(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let world = &handle.world;
    let (transaction, mut model) = begin(handle).await?;
    let snapshot = transaction.snapshot_seq().0;
    let token = world.ledger().begin(handle.number, snapshot);
    let count = chance.between(1, 120);
    let mut rows: Vec<Row> = (0..=count)
        .map(|i| row(Kind::Keyed, journal_key(token) + i, chance))
        .collect();
    if chance.one_in(2) {
        rows.reverse();
    }
    let mut delta = Delta::default();
    for row in &rows {
        delta.put(JOURNAL, row.clone());
    }
    world.note(|| format!("load {token} of {count} rows begins at {snapshot}"));
    world.ledger().ask(token, delta.clone(), RowLocks::new());
    let indexes: Vec<_> = model.indexes_of(JOURNAL).collect();
    model.apply([&delta].into_iter());
    let journal = model.rows(JOURNAL).cloned().unwrap_or_default();
    let must_fail = |(_, index): &(TreeId, Index)| index.is_violated(journal.values());
    let answer = load_rows(transaction, &rows, &indexes, chance).await;
    world.note(|| format!("load {token}: {answer:?}"));
    match answer {
        Ok(()) => {
            if indexes
                .iter()
                .any(|index| index.1.is_valid && must_fail(index))
            {
                return broken("a load left a unique index with duplicates");
            }
            world.ledger().load(token, handle.store.stats().last_commit);
            Ok(())
        }
        Err(InsertError::Other(error)) => {
            if has_surely_failed(&error) {
                world.ledger().fail(token);
            }
            Err(error.into())
        }
        Err(InsertError::Duplicate { index, .. })
            if indexes
                .iter()
                .any(|(id, of)| index == Some(*id) && must_fail(&(*id, *of))) =>
        {
            world.ledger().fail(token);
            Ok(())
        }
        Err(InsertError::Duplicate { key, .. }) => {
            broken(format!("a loaded key is a duplicate: {key:?}"))
        }
    }
}

async fn load_rows(
    transaction: Transaction,
    rows: &[Row],
    indexes: &[(TreeId, Index)],
    chance: &mut Chance,
) -> Result<(), InsertError> {
    let options = BulkLoadOptions {
        batch_rows: 1 + chance.index(50),
        sync_at_end: true,
    };
    let mut load = transaction.into_bulk_load(JOURNAL, options)?;
    for rows in rows.chunks(1 + chance.index(60)) {
        load.append(&batch(rows)).await?;
        for (id, index) in indexes {
            load.append_entries(*id, &index.entries(rows)).await?;
        }
    }
    load.finish().await?;
    Ok(())
}
