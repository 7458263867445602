//! Moves rows from the memtable to runs, again and again, and writes runs anew.

use std::sync::Arc;

use varve_store::Pace;
use varve_types::{LocalFuture, Result, SqlState};

use crate::chance::Chance;
use crate::executor::yield_now;
use crate::failure::{Outcome, Stop};
use crate::world::Handle;

pub(crate) async fn maintain(handle: Handle, mut chance: Chance, times: u64) -> Outcome<()> {
    for _ in 0..times {
        for _ in 0..chance.below(40) {
            yield_now().await;
        }
        let full = chance.one_in(2);
        let (what, done) = match chance.below(3) {
            0 => ("flush", flush(&handle).await),
            1 => ("vacuum", vacuum(&handle, full).await),
            _ => (
                "compression of values",
                compress_values(&handle, &mut chance).await,
            ),
        };
        handle.world.note(|| format!("{what}: {:?}", done.is_ok()));
        handle.settle(what, done);
    }
    Ok(())
}

/// Compresses the values that wait for it, in all trees.
async fn compress_values(handle: &Handle, chance: &mut Chance) -> Outcome<()> {
    flush(handle).await?;
    let trees = handle.world.ledger().all_trees();
    for tree in trees {
        let due = handle
            .store
            .values_due(tree, Arc::new(Yields::default()))
            .await?;
        for run in due {
            let pace = Arc::new(Yields {
                is_over: chance.one_in(2),
            });
            handle.store.compress_values(tree, run, pace).await?;
        }
    }
    Ok(())
}

/// Lets others go on.
#[derive(Default)]
struct Yields {
    /// Whether there is time for no more than one group of a run.
    is_over: bool,
}

impl Pace for Yields {
    fn rest(&self, _: u64) -> LocalFuture<'_, Result<()>> {
        Box::pin(async {
            yield_now().await;
            Ok(())
        })
    }

    fn is_bounded(&self) -> bool {
        self.is_over
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

/// Compaction, after a flush. A tree may be dropped under it.
async fn vacuum(handle: &Handle, full: bool) -> Outcome<()> {
    let last = handle.store.stats().last_commit;
    match handle.store.vacuum(None, full).await {
        Err(error) if error.state() == SqlState::QUERY_CANCELED => return Ok(()),
        answer => answer?,
    }
    handle.world.ledger().promise(handle.number, last);
    Ok(())
}

/// A flush makes durable what was committed before it.
pub(crate) async fn flush(handle: &Handle) -> Outcome<()> {
    let last = handle.store.stats().last_commit;
    handle.store.flush().await.map_err(Stop::from)?;
    handle.world.ledger().promise(handle.number, last);
    Ok(())
}
