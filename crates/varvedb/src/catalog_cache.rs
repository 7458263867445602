//! The tables that a transaction sees, decoded once for each state of the catalogue.

use std::sync::Arc;

use varve_sql::{Catalog, CatalogObject, decode_object, is_temporary};
use varve_store::{CatalogueState, Transaction};
use varve_types::{ObjectId, Result};

/// Remembers the last catalogue and the state that it was made from.
pub(crate) struct CatalogCache {
    known: Option<Known>,
    /// The schema of the session's temporary relations; those of others are not seen.
    temporary: ObjectId,
}

struct Known {
    state: CatalogueState,
    path: SearchPath,
    catalog: Arc<Catalog>,
}

/// The schemas in which a session looks for names, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchPath {
    /// As SHOW gives it.
    pub text: Arc<str>,
    names: Arc<[String]>,
}

impl Default for SearchPath {
    fn default() -> SearchPath {
        SearchPath {
            text: "\"$user\", public".into(),
            // There are no users whose schemas could be meant.
            names: ["public".to_owned()].into(),
        }
    }
}

impl SearchPath {
    /// Names with commas between them, in quotes where they are not in lower case.
    pub fn read(text: &str) -> Option<SearchPath> {
        let mut names = vec![String::new()];
        let mut in_quotes = false;
        for character in text.chars() {
            match character {
                '"' => in_quotes = !in_quotes,
                ',' if !in_quotes => names.push(String::new()),
                character if character.is_whitespace() && !in_quotes => {}
                character => {
                    let folded = match in_quotes {
                        true => character,
                        false => character.to_ascii_lowercase(),
                    };
                    names.last_mut()?.push(folded);
                }
            }
        }
        names.retain(|name| !name.is_empty() && name != "$user");
        (!in_quotes).then(|| SearchPath {
            text: text.into(),
            names: names.into(),
        })
    }

    /// The same with a schema before all others.
    pub fn behind(&self, schema: &str) -> SearchPath {
        let names = self.names.iter().cloned();
        let names = core::iter::once(schema.to_owned()).chain(names);
        SearchPath {
            text: Arc::clone(&self.text),
            names: names.collect(),
        }
    }
}

impl CatalogCache {
    /// For a session with this schema for temporary relations.
    pub fn new(temporary: ObjectId) -> CatalogCache {
        CatalogCache {
            known: None,
            temporary,
        }
    }

    /// The catalogue as `transaction` sees it, its own changes included.
    pub fn get(&mut self, transaction: &Transaction, path: &SearchPath) -> Result<Arc<Catalog>> {
        let state = transaction.catalogue_state();
        if let Some(known) = &mut self.known
            && known.state.is_same(&state)
        {
            if known.path != *path {
                let mut catalog = Catalog::clone(&known.catalog);
                catalog.set_path(path.names.iter().map(String::as_str));
                known.path = path.clone();
                known.catalog = Arc::new(catalog);
            }
            return Ok(Arc::clone(&known.catalog));
        }
        let before = self.known.take().map(|known| known.catalog);
        let mut catalog = Catalog::default();
        catalog.set_temporary(self.temporary);
        let is_seen = |schema| !is_temporary(schema) || schema == self.temporary;
        for (_, _, definition) in &transaction.objects() {
            match decode_object(definition)? {
                object if !object.schema().is_none_or(is_seen) => {}
                CatalogObject::Table(table) => {
                    // Tables that are the same are the same in memory, so that plans need not
                    // compare them.
                    let known = before.as_ref();
                    let known = known.and_then(|old| old.tables.get(&table.object));
                    let known = known.filter(|known| ***known == table).cloned();
                    catalog.add_table(known.unwrap_or_else(|| Arc::new(table)));
                }
                CatalogObject::Sequence(sequence) => catalog.add_sequence(Arc::new(sequence)),
                CatalogObject::View(view) => {
                    let known = before.as_ref();
                    let known = known.and_then(|old| old.views.get(&view.object));
                    let known = known.filter(|known| ***known == view).cloned();
                    catalog.add_view(known.unwrap_or_else(|| Arc::new(view)));
                }
                CatalogObject::Domain(def) => {
                    catalog.domains.insert(def.object, Arc::new(def));
                }
                CatalogObject::Function(def) => {
                    let known = before.as_ref();
                    let known = known.and_then(|old| old.functions.get(&def.object));
                    let known = known.filter(|known| ***known == def).cloned();
                    catalog.add_function(known.unwrap_or_else(|| Arc::new(def)));
                }
                CatalogObject::Trigger(def) => {
                    let known = before.iter().flat_map(|old| old.triggers_of(def.table));
                    let known = known.into_iter().find(|known| ***known == def).cloned();
                    catalog.add_trigger(known.unwrap_or_else(|| Arc::new(def)));
                }
                CatalogObject::Comment(def) => catalog.add_comment(def),
                CatalogObject::Enum(def) => catalog.add_enum(Arc::new(def)),
                CatalogObject::Schema(schema) => catalog.add_schema(&schema),
            }
        }
        catalog.set_path(path.names.iter().map(String::as_str));
        let catalog = Arc::new(catalog);
        self.known = Some(Known {
            state,
            path: path.clone(),
            catalog: Arc::clone(&catalog),
        });
        Ok(catalog)
    }
}
