//! What the names of a statement were resolved to: as long as they mean the same, and that is what
//! it was, binding again would give the same.

use std::sync::Arc;

use varve_expr::Enums;
use varve_sort::VecMap;
use varve_types::ObjectId;

use crate::model::catalog::{Catalog, Functions, Named};
use crate::model::domain::DomainDef;
use crate::model::schema::RelationName;
use crate::model::sequence::SequenceDef;
use crate::model::table::TableDef;
use crate::model::trigger_def::TriggerDef;
use crate::model::view::ViewDef;

/// The names of a statement and the objects that it depends on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dependencies {
    names: Vec<(RelationName, Option<Named>)>,
    tables: Vec<Arc<TableDef>>,
    sequences: Vec<Arc<SequenceDef>>,
    views: Vec<Arc<ViewDef>>,
    /// The triggers that views had which are written to.
    triggers: Vec<(ObjectId, Vec<Arc<TriggerDef>>)>,
    /// The enumerations that there were.
    enums: Option<Arc<Enums>>,
    /// The domains that there were.
    domains: VecMap<ObjectId, Arc<DomainDef>>,
    /// The functions that there were.
    functions: Arc<Functions>,
}

impl Dependencies {
    /// Nothing yet, of a catalog.
    pub fn of(catalog: &Catalog) -> Dependencies {
        Dependencies {
            enums: catalog.enums().cloned(),
            domains: catalog.domains.clone(),
            functions: Arc::clone(&catalog.functions),
            ..Dependencies::default()
        }
    }

    /// Looks a name up.
    pub fn find(&mut self, catalog: &Catalog, name: &RelationName) -> Option<Named> {
        let named = catalog.find(name);
        if self.names.iter().any(|(known, _)| known == name) {
            return named;
        }
        self.names.push((name.clone(), named));
        match named {
            Some(Named::Table(object) | Named::Index(object)) => {
                if let Some(table) = catalog.tables.get(&object) {
                    self.add_table(table);
                }
            }
            Some(Named::Sequence(object)) => {
                if let Some(sequence) = catalog.sequences.get(&object) {
                    self.sequences.push(Arc::clone(sequence));
                }
            }
            Some(Named::View(_) | Named::Chunk(_)) | None => {}
        }
        named
    }

    /// Takes a table in.
    pub fn add_table(&mut self, table: &Arc<TableDef>) {
        if !self.tables.iter().any(|known| Arc::ptr_eq(known, table)) {
            self.tables.push(Arc::clone(table));
        }
    }

    /// Takes a view in.
    pub fn add_view(&mut self, view: &Arc<ViewDef>) {
        if !self.views.iter().any(|known| Arc::ptr_eq(known, view)) {
            self.views.push(Arc::clone(view));
        }
    }

    /// Takes the triggers of a view in.
    pub fn add_triggers(&mut self, view: ObjectId, triggers: &[Arc<TriggerDef>]) {
        self.triggers.push((view, triggers.to_vec()));
    }

    /// The tables.
    pub fn tables(&self) -> &[Arc<TableDef>] {
        &self.tables
    }

    /// Whether all of it is still so.
    pub fn holds(&self, catalog: &Catalog) -> bool {
        let same_name = |(name, named): &(RelationName, _)| catalog.find(name) == *named;
        let same_table = |table: &Arc<TableDef>| {
            let now = catalog.tables.get(&table.object);
            now.is_some_and(|now| Arc::ptr_eq(now, table) || now == table)
        };
        let same_view = |view: &Arc<ViewDef>| {
            let now = catalog.views.get(&view.object);
            now.is_some_and(|now| Arc::ptr_eq(now, view) || now == view)
        };
        self.enums.as_ref() == catalog.enums()
            && self.domains == catalog.domains
            && (Arc::ptr_eq(&self.functions, &catalog.functions)
                || self.functions == catalog.functions)
            && self.names.iter().all(same_name)
            && self.views.iter().all(same_view)
            && self.tables.iter().all(same_table)
            && (self.triggers.iter())
                .all(|(view, triggers)| catalog.triggers_of(*view) == triggers.as_slice())
            && (self.sequences.iter())
                .all(|sequence| catalog.sequences.contains_key(&sequence.object))
    }
}
