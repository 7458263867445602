//! Names of relations, columns and new objects.

use std::sync::Arc;

use varve_ast::{Name, ObjectName};
use varve_catalog::model::catalog::Named;
use varve_catalog::model::schema::RelationName;
use varve_catalog::model::table::{NAME_BYTES_MAX, TableDef};
use varve_catalog::text::kept_text::Meaning;
use varve_catalog::text::name::{qualified_name, undefined_schema, undefined_table};
use varve_plan::plan::SystemView;
use varve_plan::scope::error::located;
use varve_system_views::{catalog_view, system_view};
use varve_types::{Error, ObjectId, Result, SqlState};

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// The name of a relation.
    pub fn relation_name(&self, name: &ObjectName) -> Result<RelationName> {
        qualified_name(name).map_err(|error| located(error, self.at(name.span())))
    }

    /// The schema and the name of a relation that is about to be created, for the session only
    /// where it is temporary.
    pub fn new_relation(&self, name: &ObjectName, temporary: bool) -> Result<(ObjectId, String)> {
        self.new_name(&name.name)?;
        let RelationName { schema, name: last } = self.relation_name(name)?;
        let found = match &schema {
            None if temporary => self
                .statement
                .catalog
                .temporary()
                .ok_or_else(|| Error::internal("a session without its schema")),
            Some(schema)
                if temporary
                    && self.statement.catalog.schema(schema)
                        != self.statement.catalog.temporary() =>
            {
                let message = "cannot create temporary relation in non-temporary schema";
                Err(Error::new(SqlState::INVALID_TABLE_DEFINITION, message))
            }
            Some(schema) => self
                .statement
                .catalog
                .schema(schema)
                .ok_or_else(|| undefined_schema(schema)),
            None => self.statement.catalog.first_schema().ok_or_else(|| {
                let message = "no schema has been selected to create in";
                Error::new(SqlState::INVALID_SCHEMA_NAME, message)
            }),
        };
        let found = found.map_err(|error| located(error, self.at(name.span())))?;
        Ok((found, last))
    }

    /// Whether a name in a schema is taken.
    pub fn has_relation(&self, schema: ObjectId, name: &str) -> bool {
        self.statement.catalog.find_in(schema, name).is_some() || system_view(name).is_some()
    }

    /// The system view of a name.
    pub fn system_view(&self, name: &RelationName) -> Option<SystemView> {
        let of_schema = |schema| catalog_view(schema, &name.name).map(SystemView::Catalog);
        match name.schema.as_deref() {
            None => system_view(&name.name).or_else(|| of_schema("pg_catalog")),
            Some("public") => system_view(&name.name),
            Some(schema) => of_schema(schema),
        }
    }

    /// The table of a name.
    pub fn table(&self, name: &ObjectName) -> Result<&Arc<TableDef>> {
        let position = self.at(name.span());
        let folded = self.relation_name(name)?;
        self.known_table(&folded)
            .ok_or_else(|| undefined_table(&folded, position))
    }

    /// The table of an index that is to be made: a materialized view may have them too.
    pub fn indexed_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let found = self.find(&self.relation_name(name)?);
        let is_notes = |table: &ObjectId| {
            let view = self.statement.catalog.view_of(*table);
            view.is_some_and(|view| view.rows() != Some(*table))
        };
        match found {
            Some(Named::Table(table)) if !is_notes(&table) => self.table(name).cloned(),
            _ => self.writable_table(name),
        }
    }

    /// The table that a statement writes.
    pub fn writable_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let folded = self.relation_name(name)?;
        let position = self.at(name.span());
        let wrong = |state, message| Err(located(Error::new(state, message), position));
        if self.system_view(&folded).is_some() {
            let state = SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE;
            return wrong(state, format!("cannot change system view \"{folded}\""));
        }
        let what = match self.find(&folded) {
            Some(Named::View(_)) => {
                let message = format!("\"{}\" is not a table", folded.name);
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            Some(Named::Table(table)) if self.statement.catalog.view_of(table).is_some() => {
                let message = format!("cannot change materialized view \"{}\"", folded.name);
                return Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
            }
            Some(Named::Sequence(_)) => "sequence",
            Some(Named::Index(_)) => "index",
            Some(Named::Chunk(_)) => {
                let error = Error::unsupported("a change of a chunk by its name");
                let hint = "Change the rows of its hypertable.";
                return Err(located(error.with_hint(hint), position));
            }
            _ => return self.table(name).cloned(),
        };
        let message = format!("cannot open {what} \"{}\" as a table", folded.name);
        wrong(SqlState::WRONG_OBJECT_TYPE, message)
    }

    /// The table that a statement defines anew; its errors have no place.
    pub fn defined_table(&self, name: &ObjectName) -> Result<Arc<TableDef>> {
        let folded = self.relation_name(name)?;
        match self.find(&folded) {
            None if self.system_view(&folded).is_none() => Err(undefined_table(&folded, 0)),
            _ => self.writable_table(name),
        }
    }

    /// A name that is about to be created.
    pub fn new_name(&self, name: &Name) -> Result<String> {
        let text = &name.text;
        let error = |state, message| located(Error::new(state, message), self.at(name.span));
        if text.is_empty() {
            let message = "zero-length delimited identifier".to_owned();
            return Err(error(SqlState::SYNTAX_ERROR, message));
        }
        if text.len() > NAME_BYTES_MAX {
            let message = format!("identifier \"{text}\" is longer than {NAME_BYTES_MAX} bytes");
            return Err(error(SqlState::INVALID_NAME, message));
        }
        Ok(text.clone())
    }

    /// The position in a table of a column that a statement names.
    pub fn target_column(&self, table: &TableDef, name: &Name) -> Result<usize> {
        let place = self.at(name.span);
        let at = (table.columns.iter()).position(|column| column.name == name.text);
        if let Some(column) = at.and_then(|at| table.columns.get(at)) {
            self.use_name(place, || Meaning::Column(table.object, column.id));
        }
        at.ok_or_else(|| {
            let message = format!(
                "column \"{}\" of relation \"{}\" does not exist",
                name.text, table.name
            );
            located(Error::new(SqlState::UNDEFINED_COLUMN, message), place)
        })
    }
}
