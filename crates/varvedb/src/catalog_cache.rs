//! The tables that a transaction sees, decoded once for each state of the catalogue.

use std::sync::Arc;

use varve_sql::{Catalog, decode_table};
use varve_store::{CatalogueState, Transaction};
use varve_types::Result;

/// Remembers the last catalogue and the state that it was made from.
#[derive(Default)]
pub(crate) struct CatalogCache(Option<(CatalogueState, Arc<Catalog>)>);

impl CatalogCache {
    /// The catalogue as `transaction` sees it, and whether it holds changes of its own.
    pub fn get(&mut self, transaction: &Transaction) -> Result<(Arc<Catalog>, bool)> {
        let state = transaction.catalogue_state();
        let is_private = state.is_private();
        if let Some((known, catalog)) = &self.0
            && known.is_same(&state)
        {
            return Ok((Arc::clone(catalog), is_private));
        }
        let mut catalog = Catalog::default();
        for (_, _, definition) in &transaction.objects() {
            let table = decode_table(definition)?;
            catalog.tables.insert(table.name.clone(), Arc::new(table));
        }
        let catalog = Arc::new(catalog);
        self.0 = Some((state, Arc::clone(&catalog)));
        Ok((catalog, is_private))
    }
}
