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
            match decode_object(definition)? {
                CatalogObject::Table(table) => {
                    // Tables that are the same are the same in memory, so that plans need not
                    // compare them.
                    let known = before.as_ref();
                    let known = known.and_then(|old| old.tables.get(&table.object));
                    let known = known.filter(|known| ***known == table).cloned();
                    catalog.add_table(known.unwrap_or_else(|| Arc::new(table)));
                }
                CatalogObject::Sequence(sequence) => catalog.add_sequence(Arc::new(sequence)),
                CatalogObject::Schema(schema) => catalog.add_schema(&schema),
            }
        }
        let catalog = Arc::new(catalog);
        self.0 = Some((state, Arc::clone(&catalog)));
        Ok(catalog)
    }
}
