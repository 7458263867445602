//! What an open transaction block sees, for those who read more than rows.

use std::sync::Arc;

use varve_catalog::Catalog;
use varve_types::{Error, Result};

use super::{Block, Session};

impl Session {
    /// The catalog as an open block sees it.
    pub(crate) fn catalog_of_block(&mut self) -> Result<Arc<Catalog>> {
        let Block::Open(open) = &self.block else {
            return Err(Error::internal("there is no open block"));
        };
        let path = &self.settings.search_path;
        self.catalog.borrow_mut().get(&open.txn.store, path)
    }

    /// The state of a sequence, named as SQL names it, in an open block.
    pub(crate) async fn sequence_value(&mut self, name: &str) -> Result<(i64, bool)> {
        let catalog = self.catalog_of_block()?;
        let Block::Open(open) = &self.block else {
            return Err(Error::internal("there is no open block"));
        };
        let sequences = &self.shared.sequences;
        sequences.load(&open.txn.store, &catalog).await?;
        let sequence = catalog.sequence_named(&varve_catalog::folded_path(name)?);
        let sequence = sequence.ok_or_else(|| Error::internal("a sequence has gone"))?;
        sequences.value(sequence)
    }
}
