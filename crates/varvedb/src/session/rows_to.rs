//! Where the rows of a plan go.

use std::sync::Arc;

use varve_types::{Batch, MemoryAccount, Reservation, Result};

use super::stream::Outlet;

/// Takes the batches of a plan that runs.
pub(super) enum RowsTo<'a> {
    Kept(&'a mut KeptRows),
    Outlet(&'a Outlet),
}

/// Rows that are kept, within the memory limit.
pub(super) struct KeptRows {
    pub batches: Vec<Batch>,
    held: Reservation,
}

impl KeptRows {
    pub(super) fn new(account: Arc<dyn MemoryAccount>) -> KeptRows {
        KeptRows {
            batches: Vec::new(),
            held: Reservation::new(account),
        }
    }

    fn keep(&mut self, batch: Batch) -> Result<()> {
        let bytes = u64::try_from(batch.taken_over_bytes()).unwrap_or(u64::MAX);
        self.held.resize(self.held.bytes().saturating_add(bytes))?;
        self.batches.push(batch);
        Ok(())
    }
}

impl RowsTo<'_> {
    /// Takes a batch; whether more are wanted.
    pub(super) async fn take(&mut self, batch: Batch) -> Result<bool> {
        match self {
            RowsTo::Kept(kept) => kept.keep(batch).map(|()| true),
            RowsTo::Outlet(outlet) => Ok(outlet.give(batch).await),
        }
    }
}
