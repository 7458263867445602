//! Transactions that compete with those of other writers.

use varve_store::Durability;

use crate::actors::reader::begin;
use crate::actors::statements::Statements;
use crate::chance::Chance;
use crate::check::check_all;
use crate::executor::yield_now;
use crate::failure::{Outcome, has_surely_failed};
use crate::world::Handle;

pub(crate) async fn write(handle: Handle, mut chance: Chance, transactions: u64) -> Outcome<()> {
    for _ in 0..transactions {
        let done = transaction(&handle, &mut chance).await;
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
        let what = statements.run_one(chance).await?;
        world.note(|| format!("transaction {token}: {what}"));
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
    let durability = if chance.one_in(3) {
        Durability::Strict
    } else {
        Durability::Relaxed
    };
    world.ledger().ask(token, statements.delta);
    let answer = statements.transaction.commit(durability).await;
    world.note(|| format!("transaction {token}, {durability:?}: {answer:?}"));
    match answer {
        Ok(seq) => {
            let mut ledger = world.ledger();
            ledger.commit(token, seq.0)?;
            if durability == Durability::Strict {
                ledger.promise(seq.0);
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
