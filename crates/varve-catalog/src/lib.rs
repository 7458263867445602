//! The catalog: tables, views, functions and all else that has a name, and their bytes. It knows
//! nothing of plans, storage or sessions; `varve-system-views` shows it as tables.
//!
//! - `model` has the definition of each kind of object with its bytes, and [`Catalog`], which
//!   finds them by name. Statements share definitions; a change makes a new one.
//! - `text` reads and writes names, types and the texts that definitions keep.
//! - `dependency` tells what an object needs, and what needs it.
//!
//! Invariant: any bytes decode to a definition that encodes to the same bytes, or are refused.
//! Invariant: a catalog that went through changes equals the one that is made of what there is
//! then.
//! Invariant: what the catalog prints as SQL is a [`varve_types::SqlText`].

pub mod built_in;
pub mod dependency;
pub mod model;
pub mod text;
pub mod types;

pub use dependency::bound_to::Dependencies;
pub use dependency::creation::{Creation, Made};
pub use dependency::dropped::Dropped;
pub use model::catalog::{Catalog, Named};
pub use model::comment::{CommentDef, encode_comment};
pub use model::continuous::{BucketText, ContinuousDef, notes_table, rows_name};
pub use model::domain::{DomainDef, encode_domain};
pub use model::foreign_key::{ForeignKeyDef, KeyAction};
pub use model::function_def::{ArgumentDef, FunctionDef, Returns, encode_function};
pub use model::hypertable::{
    CHUNK_SCHEMA, ChunkDef, Chunks, HypertableDef, TimeUnit, chunk_range, encode_chunk,
};
pub use model::index::{Deferral, IndexDef, IndexOptions};
pub use model::index_expression::renumbered;
pub use model::inheritance::{
    InheritanceDef, Limit, PartitionBound, Partitioning, Strategy, over_columns,
};
pub use model::object::{CatalogObject, decode_object};
pub use model::oid::relation_oid;
pub use model::schema::{
    PUBLIC, RelationName, SchemaDef, encode_schema, is_temporary, temporary_schema,
};
pub use model::sequence::{SequenceDef, encode_sequence, uses_sequence};
pub use model::table::{CheckDef, ColumnDef, Filled, StorageOption, TableDef};
pub use model::table_codec::{decode_table, encode_table};
pub use model::trigger_def::{Event, TriggerDef, encode_trigger};
pub use model::type_def::{EnumDef, encode_enum};
pub use model::view::{ViewCheck, ViewColumn, ViewDef, ViewKind, ViewRead, encode_view};
pub use text::name::{folded_path, qualified_name};
