//! Changes of a [`Catalog`] object by object, so that a statement that changes one costs no look at
//! the others.
//!
//! Invariant: a catalog that went through changes equals the one that is made of what there is
//! then.

use std::sync::Arc;

use varve_types::ObjectId;

use crate::model::catalog::{Catalog, Named};
use crate::model::object::CatalogObject;
use crate::model::schema::{PUBLIC, PUBLIC_NAME, SchemaDef};
use crate::model::table::TableDef;
use crate::model::trigger_def::TriggerDef;
use crate::model::type_def::EnumDef;
use crate::model::view::ViewDef;

impl Catalog {
    /// Takes an object in; [`Catalog::set_path`] is due after a schema.
    pub fn add(&mut self, object: CatalogObject) {
        match object {
            CatalogObject::Table(table) => self.add_table(Arc::new(table)),
            CatalogObject::Sequence(sequence) => self.add_sequence(Arc::new(sequence)),
            CatalogObject::View(view) => self.add_view(Arc::new(view)),
            CatalogObject::Domain(def) => {
                self.domains.insert(def.object, Arc::new(def));
            }
            CatalogObject::Function(def) => self.add_function(Arc::new(def)),
            CatalogObject::Trigger(def) => self.add_trigger(Arc::new(def)),
            CatalogObject::Comment(def) => self.add_comment(def),
            CatalogObject::Chunk(def) => self.add_chunk(Arc::new(def)),
            CatalogObject::Enum(def) => self.add_enum(Arc::new(def)),
            CatalogObject::Schema(schema) => self.add_schema(&schema),
        }
    }

    /// Takes an object out; [`Catalog::set_path`] is due after a schema.
    pub fn remove(&mut self, object: &CatalogObject) {
        match object {
            CatalogObject::Table(table) => self.remove_table(table),
            CatalogObject::Sequence(sequence) => {
                let named = Named::Sequence(sequence.object);
                self.remove_name(sequence.schema, &sequence.name, named);
                self.sequences.remove(&sequence.object);
            }
            CatalogObject::View(view) => self.remove_view(view),
            CatalogObject::Domain(def) => {
                self.domains.remove(&def.object);
            }
            CatalogObject::Function(def) => {
                Arc::make_mut(&mut self.functions).remove(&def.object);
            }
            CatalogObject::Trigger(def) => self.remove_trigger(def),
            CatalogObject::Chunk(def) => self.remove_chunk(def),
            CatalogObject::Comment(def) => {
                Arc::make_mut(&mut self.comments).retain(|known| known.object != def.object);
            }
            CatalogObject::Enum(def) => self.remove_enum(def),
            CatalogObject::Schema(schema) => self.remove_schema(schema),
        }
    }

    pub(crate) fn remove_name(&mut self, schema: ObjectId, name: &str, meant: Named) {
        let Some(names) = self.names.get_mut(&schema) else {
            return;
        };
        if names.get(name) == Some(&meant) {
            names.remove(name);
        }
        if names.is_empty() {
            self.names.remove(&schema);
        }
    }

    fn remove_table(&mut self, table: &TableDef) {
        let own = Named::Index(table.object);
        if !table.primary_key.is_empty() {
            self.remove_name(table.schema, &table.key_name(), own);
        }
        for index in &table.indexes {
            self.remove_name(table.schema, &index.name, own);
        }
        self.remove_name(table.schema, &table.name, Named::Table(table.object));
        self.tables.remove(&table.object);
    }

    fn remove_view(&mut self, view: &ViewDef) {
        match view.rows() {
            Some(rows) => {
                self.materialized.remove(&rows);
                self.remove_aggregate(view, rows);
            }
            None => self.remove_name(view.schema, &view.name, Named::View(view.object)),
        }
        self.views.remove(&view.object);
    }

    fn remove_trigger(&mut self, trigger: &TriggerDef) {
        let Some(known) = self.triggers.get_mut(&trigger.table) else {
            return;
        };
        known.retain(|known| known.object != trigger.object);
        if known.is_empty() {
            self.triggers.remove(&trigger.table);
        }
    }

    fn remove_enum(&mut self, def: &EnumDef) {
        if let (Some(id), Some(enums)) = (def.id(), &mut self.enums)
            && def.fields.is_none()
        {
            let left = Arc::make_mut(enums);
            left.remove(&id);
            if left.is_empty() {
                self.enums = None;
            }
        }
        self.types.remove(&def.object);
    }

    fn remove_schema(&mut self, schema: &SchemaDef) {
        if schema.is_gone {
            self.schemas.insert(PUBLIC_NAME.to_owned(), PUBLIC);
            self.gone_public = None;
        } else if self.schemas.get(&schema.name) == Some(&schema.object) {
            self.schemas.remove(&schema.name);
        }
    }
}
