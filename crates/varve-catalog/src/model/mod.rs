//! Objects of the catalog: what is known of them, and their bytes.

pub mod bytes;
pub mod catalog;
pub mod change;
pub mod comment;
pub mod continuous;
pub mod deparse;
pub mod domain;
pub mod drop_column;
pub mod expr_codec;
pub mod foreign_key;
pub mod function_def;
pub mod hypertable;
pub mod index;
pub mod index_expression;
pub mod inheritance;
pub mod object;
pub mod oid;
pub mod schema;
pub mod sequence;
pub mod table;
pub mod table_codec;
pub mod trigger_def;
pub mod type_def;
pub mod view;
