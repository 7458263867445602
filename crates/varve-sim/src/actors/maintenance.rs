//! Moves rows from the memtable to runs, again and again.

use crate::chance::Chance;
use crate::executor::yield_now;
use crate::failure::{Outcome, Stop};
use crate::world::Handle;

pub(crate) async fn maintain(handle: Handle, mut chance: Chance, times: u64) -> Outcome<()> {
    for _ in 0..times {
        for _ in 0..chance.below(40) {
            yield_now().await;
        }
        let done = flush(&handle).await;
        handle.world.note(|| format!("flush: {:?}", done.is_ok()));
        handle.settle("flush", done);
    }
    Ok(())
}

/// A flush makes durable what was committed before it.
pub(crate) async fn flush(handle: &Handle) -> Outcome<()> {
    let last = handle.store.stats().last_commit;
    handle.store.flush().await.map_err(Stop::from)?;
    handle.world.ledger().promise(last);
    Ok(())
}
