//! Statements about the catalog.

pub(crate) mod alter;
pub(crate) mod alter_table;
pub(crate) mod column;
pub(crate) mod comment;
pub(crate) mod constraint;
pub(crate) mod create;
pub(crate) mod create_function;
pub(crate) mod create_index;
pub(crate) mod create_table;
pub(crate) mod create_trigger;
pub(crate) mod create_type;
pub(crate) mod create_view;
pub(crate) mod drop;
pub(crate) mod schema;
pub(crate) mod sequence;
