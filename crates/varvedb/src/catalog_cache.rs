//! The tables that a transaction sees, decoded once for each state of the catalogue.

use std::sync::{Arc, Mutex, PoisonError};

use varve_sql::{Catalog, decode_table};
use varve_store::Transaction;
use varve_types::{ObjectId, Result};

type State = Vec<(ObjectId, u32)>;

/// Remembers the last catalogue and the object versions that it was made from.
#[derive(Default)]
pub(crate) struct CatalogCache(Mutex<Option<(State, Arc<Catalog>)>>);

impl CatalogCache {
    /// The catalogue as `transaction` sees it, its own changes included.
    pub fn get(&self, transaction: &Transaction) -> Result<Arc<Catalog>> {
        let objects = transaction.objects();
        let state: State = objects
            .iter()
            .map(|(id, version, _)| (*id, *version))
            .collect();
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, catalog)) = &*last
            && *known == state
        {
            return Ok(Arc::clone(catalog));
        }
        let mut catalog = Catalog::default();
        for (_, _, definition) in &objects {
            let table = decode_table(definition)?;
            catalog.tables.insert(table.name.clone(), table);
        }
        let catalog = Arc::new(catalog);
        *last = Some((state, Arc::clone(&catalog)));
        Ok(catalog)
    }
}
