//! Statements about tables, views, indexes and triggers.

pub(crate) mod alter_table;
pub(crate) mod column;
pub(crate) mod constraint;
pub(crate) mod create_table;
pub(crate) mod create_view;
pub(crate) mod drop;
pub(crate) mod index;
pub(crate) mod trigger;
pub(crate) mod types;
