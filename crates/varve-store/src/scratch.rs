//! Temporary space for batches that do not fit in memory.

use varve_types::{Batch, Error, LogicalType, Result};

/// Names a batch in a [`ScratchSpace`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ScratchTicket(pub u64);

/// Batches written out under a prefix of their own; what is left of them is deleted when the space is
/// dropped, or at the next open.
#[derive(Debug)]
pub struct ScratchSpace {}

impl ScratchSpace {
    /// Writes a batch out. `53200` where there is no scratch space, or none left.
    pub async fn write(&self, batch: &Batch) -> Result<ScratchTicket> {
        let _ = batch;
        Err(Error::unsupported("scratch"))
    }

    /// Reads a batch back; `types` are the types of its columns.
    pub async fn read(&self, ticket: ScratchTicket, types: &[LogicalType]) -> Result<Batch> {
        let _ = (ticket, types);
        Err(Error::unsupported("scratch"))
    }

    /// Gives the space of a batch back, at the latest with the next write.
    pub fn free(&self, ticket: ScratchTicket) {
        let _ = ticket;
    }
}
