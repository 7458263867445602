//! Gives the executor temporary space in the store.

use varve_exec::{Scratch, ScratchTicket};
use varve_store::{ScratchSpace, Store};
use varve_types::{Batch, LocalFuture, LogicalType, Result};

use std::sync::Arc;

/// The temporary space of one statement.
pub(crate) struct StoreScratch(ScratchSpace);

impl StoreScratch {
    pub fn new(store: &Arc<Store>) -> StoreScratch {
        StoreScratch(store.scratch())
    }
}

impl Scratch for StoreScratch {
    fn write<'a>(&'a self, batch: &'a Batch) -> LocalFuture<'a, Result<ScratchTicket>> {
        Box::pin(async move { Ok(ScratchTicket(self.0.write(batch).await?.0)) })
    }

    fn read<'a>(
        &'a self,
        ticket: ScratchTicket,
        types: &'a [LogicalType],
    ) -> LocalFuture<'a, Result<Batch>> {
        let ticket = varve_store::ScratchTicket(ticket.0);
        Box::pin(async move { Ok(self.0.read(ticket, types).await?) })
    }

    fn free(&self, ticket: ScratchTicket) {
        self.0.free(varve_store::ScratchTicket(ticket.0));
    }
}
