//! The tables that a transaction sees, decoded once for each state of the catalogue.

use std::sync::Arc;

use varve_sql::{Catalog, CatalogObject, decode_object};
use varve_store::{CatalogueState, Transaction};
use varve_types::Result;

/// Remembers the last catalogue and the state that it was made from.
#[derive(Default)]
pub(crate) struct CatalogCache(Option<(CatalogueState, Arc<Catalog>)>);

impl CatalogCache {
    /// The catalogue as `transaction` sees it, its own changes included.
    pub fn get(&mut self, transaction: &Transaction) -> Result<Arc<Catalog>> {
        let state = transaction.catalogue_state();
        if let Some((known, catalog)) = &self.0
            && known.is_same(&state)
        {
            return Ok(Arc::clone(catalog));
        }
        let before = self.0.take().map(|(_, catalog)| catalog);
        let mut catalog = Catalog::default();
        for (_, _, definition) in &transaction.objects() {
            let table = match decode_object(definition)? {
                CatalogObject::Table(table) => Arc::new(table),
                CatalogObject::Sequence(sequence) => {
                    let name = sequence.name.clone();
                    catalog.sequences.insert(name, Arc::new(sequence));
                    continue;
                }
            };
            // Tables that are the same are the same in memory, so that plans need not compare them.
            let known = before.as_ref().and_then(|old| old.tables.get(&table.name));
            let table = known.filter(|known| **known == table).unwrap_or(&table);
            catalog.tables.insert(table.name.clone(), Arc::clone(table));
        }
        let catalog = Arc::new(catalog);
        self.0 = Some((state, Arc::clone(&catalog)));
        Ok(catalog)
    }
}
