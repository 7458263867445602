//! An object of the catalog, whatever its kind.

use varve_types::{ObjectId, Result};

use crate::model::bytes::take_schema_head;
use crate::model::comment::{CommentDef, KIND_COMMENT, decode_comment};
use crate::model::domain::{DomainDef, KIND_DOMAIN, decode_domain};
use crate::model::function_def::{FunctionDef, KIND_FUNCTION, decode_function};
use crate::model::hypertable::{CHUNK_SCHEMA, ChunkDef, KIND_CHUNK, decode_chunk};
use crate::model::schema::{KIND_SCHEMA, SchemaDef, decode_schema};
use crate::model::sequence::{KIND_SEQUENCE, SequenceDef, decode_sequence};
use crate::model::table::TableDef;
use crate::model::table_codec::decode_table;
use crate::model::trigger_def::{KIND_TRIGGER, TriggerDef, decode_trigger};
use crate::model::type_def::{EnumDef, KIND_ENUM, KIND_ROW_TYPE, decode_enum};
use crate::model::view::{KIND_VIEW, ViewDef, decode_view};

/// An object of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub enum CatalogObject {
    /// A table.
    Table(TableDef),
    /// A sequence.
    Sequence(SequenceDef),
    /// A schema.
    Schema(SchemaDef),
    /// A view.
    View(ViewDef),
    /// An enumeration.
    Enum(EnumDef),
    /// A domain.
    Domain(DomainDef),
    /// A function.
    Function(FunctionDef),
    /// A trigger.
    Trigger(TriggerDef),
    /// A comment on an object.
    Comment(CommentDef),
    /// A chunk of a hypertable.
    Chunk(ChunkDef),
}

impl CatalogObject {
    /// The schema that it is in; none for a schema.
    pub fn schema(&self) -> Option<ObjectId> {
        match self {
            CatalogObject::Table(table) => Some(table.schema),
            CatalogObject::Sequence(sequence) => Some(sequence.schema),
            CatalogObject::View(view) => Some(view.schema),
            CatalogObject::Enum(def) => Some(def.schema),
            CatalogObject::Domain(def) => Some(def.schema),
            CatalogObject::Function(def) => Some(def.schema),
            CatalogObject::Trigger(def) => Some(def.schema),
            CatalogObject::Comment(def) => Some(def.schema),
            CatalogObject::Chunk(_) => Some(CHUNK_SCHEMA),
            CatalogObject::Schema(_) => None,
        }
    }
}

/// The object that these bytes are.
pub fn decode_object(bytes: &[u8]) -> Result<CatalogObject> {
    let (_, rest) = take_schema_head(bytes)?;
    match rest.get(1) {
        Some(&KIND_CHUNK) => decode_chunk(bytes).map(CatalogObject::Chunk),
        Some(&KIND_COMMENT) => decode_comment(bytes).map(CatalogObject::Comment),
        Some(&KIND_TRIGGER) => decode_trigger(bytes).map(CatalogObject::Trigger),
        Some(&KIND_FUNCTION) => decode_function(bytes).map(CatalogObject::Function),
        Some(&KIND_DOMAIN) => decode_domain(bytes).map(CatalogObject::Domain),
        Some(&(KIND_ENUM | KIND_ROW_TYPE)) => decode_enum(bytes).map(CatalogObject::Enum),
        Some(&KIND_VIEW) => decode_view(bytes).map(CatalogObject::View),
        Some(&KIND_SCHEMA) => decode_schema(bytes).map(CatalogObject::Schema),
        Some(&KIND_SEQUENCE) => decode_sequence(bytes).map(CatalogObject::Sequence),
        _ => decode_table(bytes).map(CatalogObject::Table),
    }
}
