//! Transactions that compete with those of other writers.

use varve_store::{BulkLoadOptions, CommitDurability, InsertError, Transaction};

use crate::actors::reader::begin;
use crate::actors::statements::{Statements, row};
use crate::chance::Chance;
use crate::check::check_all;
use crate::data::{JOURNAL, Kind, Row, batch, journal_key};
use crate::executor::yield_now;
use crate::failure::{Outcome, broken, has_surely_failed};
use crate::model::Delta;
use crate::world::Handle;

pub(crate) async fn write(handle: Handle, mut chance: Chance, transactions: u64) -> Outcome<()> {
    for _ in 0..transactions {
        let done = if chance.one_in(8) {
            load(&handle, &mut chance).await
        } else {
            transaction(&handle, &mut chance).await
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
    let (transaction, model) = begin(handle).await?;
    let snapshot = transaction.snapshot_seq().0;
    let token = world.ledger().begin(handle.number, snapshot);
    world.note(|| format!("transaction {token} begins at {snapshot}"));
    let mut statements = Statements::new(transaction, model, token);
    statements.add_to_journal().await?;
    for _ in 0..chance.below(5) {
        let saved = chance.one_in(3).then(|| statements.save());
        let what = statements.run_one(chance).await?;
        world.note(|| format!("transaction {token}: {what}"));
        if let Some(saved) = saved {
            if statements.must_roll_back || chance.one_in(2) {
                statements.come_back(saved)?;
                world.note(|| format!("transaction {token} takes it back"));
            } else if chance.one_in(2) {
                statements.transaction.release(saved.savepoint)?;
            }
        }
        if statements.must_roll_back {
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
    let durability = match chance.below(6) {
        0..2 => CommitDurability::Strict,
        2 => CommitDurability::Async,
        _ => CommitDurability::Relaxed,
    };
    world.ledger().ask(token, statements.delta);
    let answer = statements.transaction.commit(durability).await;
    world.note(|| format!("transaction {token}, {durability:?}: {answer:?}"));
    match answer {
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

/// Rows for the journal, beside the token, straight into runs.
async fn load(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let world = &handle.world;
    let (transaction, _) = begin(handle).await?;
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
    world.ledger().ask(token, delta);
    let answer = load_rows(transaction, &rows, chance).await;
    world.note(|| format!("load {token}: {answer:?}"));
    match answer {
        Ok(()) => {
            world.ledger().load(token, handle.store.stats().last_commit);
            Ok(())
        }
        Err(InsertError::Other(error)) => {
            if has_surely_failed(&error) {
                world.ledger().fail(token);
            }
            Err(error.into())
        }
        Err(InsertError::Duplicate { key, .. }) => {
            broken(format!("a loaded key is a duplicate: {key:?}"))
        }
    }
}

async fn load_rows(
    transaction: Transaction,
    rows: &[Row],
    chance: &mut Chance,
) -> Result<(), InsertError> {
    let options = BulkLoadOptions {
        batch_rows: 1 + chance.index(50),
        sync_at_end: true,
    };
    let mut load = transaction.into_bulk_load(JOURNAL, options)?;
    for rows in rows.chunks(1 + chance.index(60)) {
        load.append(&batch(rows)).await?;
    }
    load.finish().await?;
    Ok(())
}
