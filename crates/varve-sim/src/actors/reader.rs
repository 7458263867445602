//! Holds snapshots while others write, and reads them in every way.

use varve_store::Transaction;

use crate::chance::Chance;
use crate::check::{check_all, journal};
use crate::executor::yield_now;
use crate::failure::Outcome;
use crate::model::Model;
use crate::world::Handle;

pub(crate) async fn read(handle: Handle, mut chance: Chance, times: u64) -> Outcome<()> {
    for _ in 0..times {
        let done = hold(&handle, &mut chance).await;
        handle.settle("reader", done);
    }
    Ok(())
}

/// What a new snapshot reads is what the model says.
pub(crate) async fn check_newest(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let (transaction, model) = begin(handle).await?;
    let trees = handle.world.ledger().all_trees();
    check_all(&transaction, &model, &trees, chance).await
}

/// A transaction, and what its snapshot must hold.
pub(crate) async fn begin(handle: &Handle) -> Outcome<(Transaction, Model)> {
    let answered = handle.world.ledger().newest(handle.number);
    let transaction = handle.store.begin();
    let seq = transaction.snapshot_seq().0;
    let journal = journal(&transaction).await?;
    let mut ledger = handle.world.ledger();
    let tokens = ledger.observe(handle.number, seq, answered, &journal)?;
    let model = ledger.model(&tokens);
    drop(ledger);
    Ok((transaction, model))
}

async fn hold(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    let (transaction, model) = begin(handle).await?;
    let trees = handle.world.ledger().all_trees();
    for _ in 0..=chance.below(3) {
        check_all(&transaction, &model, &trees, chance).await?;
        for _ in 0..chance.below(60) {
            yield_now().await;
        }
    }
    check_all(&transaction, &model, &trees, chance).await
}
