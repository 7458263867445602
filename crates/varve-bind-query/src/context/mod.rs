//! What binding a query knows of what is around a place.

pub mod arguments;
pub mod binder;
pub mod ctes;
pub mod kept;
pub mod lock_clause;
pub mod names;
pub mod outer;
pub mod outputs;
pub mod query_context;
pub mod scope;
pub mod statement_context;
pub mod types;
pub mod variables;
