//! Moves rows from the memtable to runs, again and again.

use varve_types::SqlState;

use crate::chance::Chance;
use crate::executor::yield_now;
use crate::failure::{Outcome, Stop};
use crate::world::Handle;

pub(crate) async fn maintain(handle: Handle, mut chance: Chance, times: u64) -> Outcome<()> {
    for _ in 0..times {
        for _ in 0..chance.below(40) {
            yield_now().await;
        }
        if chance.one_in(2) {
            let done = flush(&handle).await;
            handle.world.note(|| format!("flush: {:?}", done.is_ok()));
            handle.settle("flush", done);
        } else {
            let full = chance.one_in(2);
            let done = vacuum(&handle, full).await;
            handle
                .world
                .note(|| format!("vacuum, full {full}: {:?}", done.is_ok()));
            handle.settle("vacuum", done);
        }
    }
    Ok(())
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
