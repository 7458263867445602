//! The tables that a transaction sees, decoded once for each state of the catalog.

use std::sync::Arc;

use varve_catalog::{Catalog, CatalogObject, PUBLIC, decode_object, is_temporary};
use varve_settings::SearchPath;
use varve_store::{CatalogState, ObjectChange, Transaction};
use varve_types::{ObjectId, Result};

/// Remembers the last catalog and the state that it was made from.
pub struct CatalogCache {
    known: Option<Known>,
    /// The schema of the session's temporary relations; those of others are not seen.
    temporary: ObjectId,
}

/// The state without objects has the catalog without any, so that the first one is made as the
/// others are.
#[derive(Default)]
struct Known {
    state: CatalogState,
    path: Option<SearchPath>,
    catalog: Arc<Catalog>,
}

impl CatalogCache {
    /// For a session with this schema for temporary relations.
    pub fn new(temporary: ObjectId) -> CatalogCache {
        CatalogCache {
            known: None,
            temporary,
        }
    }

    /// The catalog as `transaction` sees it, its own changes included.
    pub fn get(&mut self, transaction: &Transaction, path: &SearchPath) -> Result<Arc<Catalog>> {
        let state = transaction.catalog_state();
        let known = self.known.take().unwrap_or_default();
        let is_same = known.state.is_same(&state);
        let mut catalog = known.catalog;
        if !is_same {
            // Whoever still reads the one before keeps it; else it is changed where it is.
            let changed = Arc::make_mut(&mut catalog);
            changed.set_temporary(self.temporary);
            self.apply(state.changes_since(&known.state), changed)?;
        }
        if !is_same || known.path.as_ref() != Some(path) {
            let names = path.names().iter().map(String::as_str);
            Arc::make_mut(&mut catalog).set_path(names);
        }
        self.known = Some(Known {
            state,
            path: Some(path.clone()),
            catalog: Arc::clone(&catalog),
        });
        Ok(catalog)
    }

    /// Changes what differs. Names may go from one object to another, so all that is gone is taken
    /// out first.
    fn apply(&self, changes: Vec<ObjectChange>, catalog: &mut Catalog) -> Result<()> {
        let seen = |definition: Option<Arc<[u8]>>| -> Result<Option<CatalogObject>> {
            let object = definition.map(|definition| decode_object(&definition));
            let is_seen = |schema| !is_temporary(schema) || schema == self.temporary;
            let object = object.transpose()?;
            Ok(object.filter(|object| object.schema().is_none_or(is_seen)))
        };
        let mut added = Vec::new();
        for (before, after) in changes {
            let (before, after) = (seen(before)?, seen(after)?);
            // What is the same stays the same in memory, so that plans need not compare it.
            if before == after {
                continue;
            }
            if let Some(before) = before {
                catalog.remove(&before);
            }
            added.extend(after);
        }
        for object in added {
            catalog.add(object);
        }
        Ok(())
    }
}

/// The catalog as a transaction has left it, where names are looked for as in a new session.
pub(crate) fn catalog_now(transaction: &Transaction, before: &Catalog) -> Result<Arc<Catalog>> {
    let temporary = before.temporary().unwrap_or(PUBLIC);
    CatalogCache::new(temporary).get(transaction, &SearchPath::default())
}
