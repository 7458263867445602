//! The catalog that a statement sees, and what it finds there by name.

use std::sync::Arc;

use varve_expr::{EnumLabels, Enums};
use varve_sort::VecMap;
use varve_types::{ObjectId, SqlText};

use crate::model::comment::CommentDef;
use crate::model::domain::DomainDef;
use crate::model::function_def::FunctionDef;
use crate::model::hypertable::{CHUNK_SCHEMA, CHUNK_SCHEMA_NAME, Chunks};
use crate::model::schema::{
    PUBLIC, PUBLIC_NAME, RelationName, SchemaDef, TEMPORARY_NAME, is_temporary,
};
use crate::model::sequence::SequenceDef;
use crate::model::table::TableDef;
use crate::model::trigger_def::TriggerDef;
use crate::model::type_def::EnumDef;
use crate::model::view::ViewDef;

/// What has a name in a schema; all of these share one space of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// A table.
    Table(ObjectId),
    /// A sequence.
    Sequence(ObjectId),
    /// A view that has no rows of its own; a materialized one is known by its table.
    View(ObjectId),
    /// An index of a table.
    Index(ObjectId),
    /// A chunk of a hypertable.
    Chunk(ObjectId),
}

/// The functions of users by object.
pub type Functions = VecMap<ObjectId, Arc<FunctionDef>>;

/// What a statement sees, and where it looks for names.
#[derive(Clone, Debug, PartialEq)]
pub struct Catalog {
    /// Tables by object.
    pub tables: VecMap<ObjectId, Arc<TableDef>>,
    /// Sequences by object.
    pub sequences: VecMap<ObjectId, Arc<SequenceDef>>,
    /// Views by object.
    pub views: VecMap<ObjectId, Arc<ViewDef>>,
    /// Enumerations by object.
    pub types: VecMap<ObjectId, Arc<EnumDef>>,
    /// Domains by object.
    pub domains: VecMap<ObjectId, Arc<DomainDef>>,
    /// Functions by object.
    pub functions: Arc<Functions>,
    /// Triggers by table, each in the order of its name.
    pub triggers: VecMap<ObjectId, Vec<Arc<TriggerDef>>>,
    /// The chunks of hypertables.
    pub chunks: Chunks,
    /// Comments on objects, in the order of their age.
    pub comments: Arc<Vec<CommentDef>>,
    /// Their labels; `None` where there are none.
    pub(crate) enums: Option<Arc<Enums>>,
    /// The materialized views by the tables with their rows.
    pub(crate) materialized: VecMap<ObjectId, ObjectId>,
    /// The continuous aggregates by the tables that they read.
    pub(crate) aggregates: VecMap<ObjectId, Vec<ObjectId>>,
    /// Schemas by name.
    pub(crate) schemas: VecMap<String, ObjectId>,
    pub(crate) gone_public: Option<ObjectId>,
    /// Relations by schema and name.
    pub(crate) names: VecMap<ObjectId, VecMap<Arc<str>, Named>>,
    /// The schemas in which a name without one is looked for, in order.
    path: Vec<ObjectId>,
    /// The schema of the session's temporary relations, which comes before the others.
    temporary: Option<ObjectId>,
    /// Whether bodies of functions are taken unread, as `check_function_bodies = off` asks.
    pub takes_bodies_unread: bool,
}

impl Default for Catalog {
    fn default() -> Catalog {
        Catalog {
            tables: VecMap::new(),
            sequences: VecMap::new(),
            views: VecMap::new(),
            types: VecMap::new(),
            domains: VecMap::new(),
            functions: Arc::default(),
            triggers: VecMap::new(),
            chunks: VecMap::new(),
            comments: Arc::default(),
            enums: None,
            materialized: VecMap::new(),
            aggregates: VecMap::new(),
            gone_public: None,
            schemas: VecMap::from_iter([(PUBLIC_NAME.to_owned(), PUBLIC)]),
            names: VecMap::new(),
            path: vec![PUBLIC],
            temporary: None,
            takes_bodies_unread: false,
        }
    }
}

impl Catalog {
    /// Adds a table, with the names of its indexes.
    pub fn add_table(&mut self, table: Arc<TableDef>) {
        let names = self.names.entry(table.schema).or_default();
        if !table.primary_key.is_empty() {
            names.insert(table.key_name().into(), Named::Index(table.object));
        }
        for index in &table.indexes {
            names.insert(index.name.as_str().into(), Named::Index(table.object));
        }
        names.insert(table.name.as_str().into(), Named::Table(table.object));
        self.tables.insert(table.object, table);
    }

    /// Adds a sequence.
    pub fn add_sequence(&mut self, sequence: Arc<SequenceDef>) {
        let names = self.names.entry(sequence.schema).or_default();
        names.insert(
            sequence.name.as_str().into(),
            Named::Sequence(sequence.object),
        );
        self.sequences.insert(sequence.object, sequence);
    }

    /// Adds a view.
    pub fn add_view(&mut self, view: Arc<ViewDef>) {
        match view.rows() {
            Some(rows) => {
                self.materialized.insert(rows, view.object);
                self.add_aggregate(&view, rows);
            }
            None => {
                let names = self.names.entry(view.schema).or_default();
                names.insert(view.name.as_str().into(), Named::View(view.object));
            }
        }
        self.views.insert(view.object, view);
    }

    /// Adds an enumeration.
    pub fn add_enum(&mut self, def: Arc<EnumDef>) {
        if let (Some(id), None) = (def.id(), &def.fields) {
            let labels = EnumLabels {
                name: def.name.clone(),
                labels: def.labels.clone(),
            };
            Arc::make_mut(self.enums.get_or_insert_default()).insert(id, labels);
        }
        self.types.insert(def.object, def);
    }

    /// Adds a function.
    pub fn add_function(&mut self, function: Arc<FunctionDef>) {
        Arc::make_mut(&mut self.functions).insert(function.object, function);
    }

    /// Adds a trigger.
    pub fn add_trigger(&mut self, trigger: Arc<TriggerDef>) {
        let known = self.triggers.entry(trigger.table).or_default();
        let at = known.partition_point(|known| known.name < trigger.name);
        known.insert(at, trigger);
    }

    /// Adds a comment.
    pub fn add_comment(&mut self, comment: CommentDef) {
        let known = Arc::make_mut(&mut self.comments);
        let at = known.partition_point(|known| known.object < comment.object);
        known.insert(at, comment);
    }

    /// The triggers of a table, in the order in which they are fired.
    pub fn triggers_of(&self, table: ObjectId) -> &[Arc<TriggerDef>] {
        self.triggers.get(&table).map_or(&[], Vec::as_slice)
    }

    /// The functions of a name, those of the first schema of the path first.
    pub fn functions_named(&self, name: &RelationName) -> Vec<&Arc<FunctionDef>> {
        if self.functions.is_empty() {
            return Vec::new();
        }
        let of_schema = |schema: ObjectId| {
            let functions = self.functions.values();
            functions.filter(move |def| def.schema == schema && def.name == name.name)
        };
        match &name.schema {
            Some(schema) => {
                let schema = self.schema(schema).into_iter();
                schema.flat_map(of_schema).collect()
            }
            None => self.path.iter().copied().flat_map(of_schema).collect(),
        }
    }

    /// The domain of a name in a schema.
    pub fn domain_in(&self, schema: ObjectId, name: &str) -> Option<&DomainDef> {
        let mut domains = self.domains.values();
        let found = domains.find(|def| def.schema == schema && def.name == name);
        found.map(AsRef::as_ref)
    }

    /// The domain of a name.
    pub fn domain_named(&self, name: &RelationName) -> Option<&DomainDef> {
        match &name.schema {
            Some(schema) => self.domain_in(self.schema(schema)?, &name.name),
            None => {
                let mut path = self.path.iter();
                path.find_map(|schema| self.domain_in(*schema, &name.name))
            }
        }
    }

    /// The labels of all enumerations; `None` where there are none.
    pub fn enums(&self) -> Option<&Arc<Enums>> {
        self.enums.as_ref()
    }

    /// The enumeration of a name in a schema.
    pub fn enum_in(&self, schema: ObjectId, name: &str) -> Option<&Arc<EnumDef>> {
        let mut types = self.types.values();
        types.find(|def| def.schema == schema && def.name == name)
    }

    /// The enumeration of a name.
    pub fn enum_named(&self, name: &RelationName) -> Option<&Arc<EnumDef>> {
        match &name.schema {
            Some(schema) => self.enum_in(self.schema(schema)?, &name.name),
            None => {
                let mut path = self.temporary.iter().chain(&self.path);
                path.find_map(|schema| self.enum_in(*schema, &name.name))
            }
        }
    }

    /// The materialized view whose rows, or what was noted for it, are in a table.
    pub fn view_of(&self, table: ObjectId) -> Option<&Arc<ViewDef>> {
        self.views.get(self.materialized.get(&table)?)
    }

    /// The name of a relation, with its schema where it is not found without.
    pub fn shown_name(&self, schema: ObjectId, name: &str) -> SqlText {
        let plain = RelationName {
            schema: None,
            name: name.to_owned(),
        };
        let here = self.find_in(schema, name);
        if self.find(&plain) == here && here.is_some() {
            return SqlText::name(name);
        }
        SqlText::name_in(self.schema_name(schema), name)
    }

    /// Adds a schema.
    pub fn add_schema(&mut self, schema: &SchemaDef) {
        if schema.is_gone {
            self.schemas.remove(&schema.name);
            self.path.retain(|known| *known != PUBLIC);
            self.gone_public = Some(schema.object);
        } else {
            self.schemas.insert(schema.name.clone(), schema.object);
        }
    }

    /// The object that says that `public` was dropped.
    pub fn gone_public(&self) -> Option<ObjectId> {
        self.gone_public
    }

    /// Says where names without a schema are looked for; what is not there is passed over.
    pub fn set_path<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let known = names.filter_map(|name| self.schemas.get(name));
        self.path = known.copied().collect();
    }

    /// Says which schema has the temporary relations of the session.
    pub fn set_temporary(&mut self, schema: ObjectId) {
        self.temporary = Some(schema);
    }

    /// The schema of the session's temporary relations.
    pub fn temporary(&self) -> Option<ObjectId> {
        self.temporary
    }

    /// Whether a relation is there for the session only.
    pub fn is_temporary(&self, object: ObjectId) -> bool {
        let table = self.tables.get(&object).map(|table| table.schema);
        let view = || self.views.get(&object).map(|view| view.schema);
        let sequence = || self.sequences.get(&object).map(|sequence| sequence.schema);
        let schema = table.or_else(view).or_else(sequence);
        schema.is_some_and(is_temporary)
    }

    /// The schema of a name.
    pub fn schema(&self, name: &str) -> Option<ObjectId> {
        match name {
            TEMPORARY_NAME => self.temporary,
            CHUNK_SCHEMA_NAME => Some(CHUNK_SCHEMA),
            name => self.schemas.get(name).copied(),
        }
    }

    /// The name of a schema.
    pub fn schema_name(&self, schema: ObjectId) -> &str {
        if is_temporary(schema) {
            return TEMPORARY_NAME;
        }
        if schema == CHUNK_SCHEMA {
            return CHUNK_SCHEMA_NAME;
        }
        let mut known = self.schemas.iter();
        let found = known.find(|(_, object)| **object == schema);
        found.map_or("", |(name, _)| name)
    }

    /// Schemas by name.
    pub fn schemas(&self) -> impl Iterator<Item = (&str, ObjectId)> {
        let schemas = self.schemas.iter();
        schemas.map(|(name, object)| (name.as_str(), *object))
    }

    /// The schemas in which names are looked for, in order.
    pub fn path(&self) -> impl Iterator<Item = ObjectId> {
        self.path.iter().copied()
    }

    /// The schema in which something without one is created.
    pub fn first_schema(&self) -> Option<ObjectId> {
        self.path.first().copied()
    }

    /// What has a name in a schema.
    pub fn find_in(&self, schema: ObjectId, name: &str) -> Option<Named> {
        self.names.get(&schema)?.get(name).copied()
    }

    /// What a name means.
    pub fn find(&self, name: &RelationName) -> Option<Named> {
        match &name.schema {
            Some(schema) => self.find_in(self.schema(schema)?, &name.name),
            None => {
                let mut path = self.temporary.iter().chain(&self.path);
                path.find_map(|schema| self.find_in(*schema, &name.name))
            }
        }
    }

    /// The table of a name.
    pub fn table_named(&self, name: &RelationName) -> Option<&Arc<TableDef>> {
        match self.find(name)? {
            Named::Table(object) => self.tables.get(&object),
            _ => None,
        }
    }

    /// The sequence of a name.
    pub fn sequence_named(&self, name: &RelationName) -> Option<&Arc<SequenceDef>> {
        match self.find(name)? {
            Named::Sequence(object) => self.sequences.get(&object),
            _ => None,
        }
    }

    /// Tables by schema and name.
    pub fn tables_by_name(&self) -> impl Iterator<Item = &Arc<TableDef>> {
        // What is in the schema of chunks belongs to tables with other names.
        let names = self
            .names
            .iter()
            .filter(|(schema, _)| **schema != CHUNK_SCHEMA);
        let names = names.flat_map(|(_, names)| names.values());
        names.filter_map(|named| match named {
            Named::Table(object) => self.tables.get(object),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Catalog, Named};
    use crate::model::object::{CatalogObject, decode_object};
    use crate::model::schema::{RelationName, SchemaDef};
    use crate::model::table::TableDef;
    use crate::model::table_codec::encode_table;
    use std::sync::Arc;
    use varve_types::ObjectId;

    #[test]
    fn names_are_found_along_the_path() {
        let mut catalog = Catalog::default();
        let schema = |object, name: &str| SchemaDef {
            object: ObjectId(object),
            name: name.to_owned(),
            is_gone: false,
        };
        catalog.add_schema(&schema(1, "one"));
        catalog.add_schema(&schema(2, "two"));
        for (object, schema) in [(10, 0), (11, 1), (12, 2)] {
            let table = TableDef {
                object: ObjectId(object),
                schema: ObjectId(schema),
                ..TableDef::new("t", Vec::new(), Vec::new())
            };
            let bytes = encode_table(&table).unwrap();
            assert_eq!(
                decode_object(&bytes),
                Ok(CatalogObject::Table(table.clone()))
            );
            catalog.add_table(Arc::new(table));
        }
        let find = |catalog: &Catalog, schema: Option<&str>| {
            catalog.find(&RelationName {
                schema: schema.map(str::to_owned),
                name: "t".to_owned(),
            })
        };
        let found = |object| Some(Named::Table(ObjectId(object)));
        assert_eq!(find(&catalog, None), found(10));
        assert_eq!(find(&catalog, Some("two")), found(12));
        assert_eq!(find(&catalog, Some("three")), None);
        catalog.set_path(["nothing", "two", "one"].into_iter());
        assert_eq!(find(&catalog, None), found(12));
        assert_eq!(catalog.first_schema(), Some(ObjectId(2)));
        catalog.set_path(std::iter::empty());
        assert_eq!(find(&catalog, None), None);
    }
}
