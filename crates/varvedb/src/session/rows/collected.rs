//! Where the rows of a plan go.

use std::sync::Arc;

use varve_types::{Batch, MemoryAccount, Reservation, Result};

use crate::session::rows::outlet::Outlet;

/// Takes the batches of a plan that runs.
pub(crate) enum RowsTo<'a> {
    Collected(&'a mut CollectedRows),
    Outlet(&'a Outlet),
}

/// Rows that are collected, within the memory limit.
pub(crate) struct CollectedRows {
    pub batches: Vec<Batch>,
    held: Reservation,
}

impl CollectedRows {
    pub(crate) fn new(account: Arc<dyn MemoryAccount>) -> CollectedRows {
        CollectedRows {
            batches: Vec::new(),
            held: Reservation::new(account),
        }
    }

    fn add(&mut self, batch: Batch) -> Result<()> {
        let bytes = batch.taken_over_bytes() as u64;
        self.held.resize(self.held.bytes().saturating_add(bytes))?;
        self.batches.push(batch);
        Ok(())
    }
}

impl RowsTo<'_> {
    /// Takes a batch; whether more are wanted.
    pub(crate) async fn take(&mut self, batch: Batch) -> Result<bool> {
        match self {
            RowsTo::Collected(rows) => rows.add(batch).map(|()| true),
            RowsTo::Outlet(outlet) => Ok(outlet.give(batch).await),
        }
    }
}
