//! What DROP takes away.

use varve_types::{ColumnId, LogicalType, ObjectId};

use crate::model::catalog::Catalog;
use crate::model::hypertable::CHUNK_SCHEMA;

/// An object that is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dropped {
    /// A table, with its indexes.
    Table(ObjectId),
    /// A view; of a materialized one its table is listed too.
    View(ObjectId),
    /// A sequence.
    Sequence(ObjectId),
    /// A schema.
    Schema(ObjectId),
    /// An enumeration.
    Type(ObjectId),
    /// A function.
    Function(ObjectId),
    /// A trigger of a table.
    Trigger(ObjectId, ObjectId),
    /// A chunk of a hypertable, with its rows.
    Chunk(ObjectId),
    /// The default of a column of a table, by position.
    Default(ObjectId, usize),
    /// A column of a table that is altered.
    Column(ObjectId, ColumnId),
    /// A foreign key of a table, by its place.
    Key(ObjectId, usize),
}

impl Catalog {
    /// Whether something is a column with arrays of a type that is dropped.
    pub fn is_array_of(&self, column: Dropped, ty: Dropped) -> bool {
        let (Dropped::Column(table, id), Dropped::Type(ty)) = (column, ty) else {
            return false;
        };
        let table = self.tables.get(&table);
        let mut columns = table.iter().flat_map(|table| &table.columns);
        let of = columns.find(|column| column.id == id);
        let is_array = of.is_some_and(|column| matches!(column.ty, LogicalType::Array(_)));
        let domain = self.domains.get(&ty);
        let of_domain = domain.is_some_and(|def| of.is_some_and(|column| column.ty != def.base));
        of_domain || is_array && self.types.contains_key(&ty)
    }

    /// An object as messages name it.
    pub fn described(&self, object: Dropped) -> String {
        let name = |what: &str, schema: ObjectId, name: &str| {
            format!("{what} {}", self.shown_name(schema, name))
        };
        let described = match object {
            Dropped::Table(object) => {
                (self.tables.get(&object)).map(|table| name("table", table.schema, &table.name))
            }
            Dropped::View(object) => self.views.get(&object).map(|view| {
                let what = match view.is_materialized() {
                    true => "materialized view",
                    false => "view",
                };
                name(what, view.schema, &view.name)
            }),
            Dropped::Sequence(object) => (self.sequences.get(&object))
                .map(|sequence| name("sequence", sequence.schema, &sequence.name)),
            Dropped::Type(object) => {
                let domain = self.domains.get(&object);
                let domain = domain.map(|def| (def.schema, &def.name));
                let named = self.types.get(&object).map(|def| (def.schema, &def.name));
                let named = named.or(domain);
                named.map(|(schema, name)| format!("type {}", self.type_def_name(schema, name)))
            }
            Dropped::Function(object) => (self.functions.get(&object))
                .map(|def| format!("function {}", self.shown_function(def))),
            Dropped::Trigger(table, object) => {
                let mut known = self.triggers_of(table).iter();
                let name = known.find(|def| def.object == object).map(|def| &def.name);
                let of = match self.views.contains_key(&table) {
                    true => Dropped::View(table),
                    false => Dropped::Table(table),
                };
                let table = self.described(of);
                name.map(|name| format!("trigger {name} on {table}"))
            }
            Dropped::Chunk(object) => {
                (self.chunk(object)).map(|chunk| name("table", CHUNK_SCHEMA, &chunk.name()))
            }
            Dropped::Schema(object) => Some(format!("schema {}", self.schema_name(object))),
            Dropped::Key(object, at) => self.tables.get(&object).and_then(|table| {
                let key = &table.foreign_keys.get(at)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!("constraint {key} on table {table}"))
            }),
            Dropped::Column(object, id) => self.tables.get(&object).and_then(|table| {
                let mut columns = table.columns.iter();
                let column = &columns.find(|column| column.id == id)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!("column {column} of table {table}"))
            }),
            Dropped::Default(object, at) => self.tables.get(&object).and_then(|table| {
                let column = &table.columns.get(at)?.name;
                let table = self.shown_name(table.schema, &table.name);
                Some(format!(
                    "default value for column {column} of table {table}"
                ))
            }),
        };
        described.unwrap_or_default()
    }
}
