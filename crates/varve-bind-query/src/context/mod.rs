//! What binding a query knows of what is around a place.

pub(crate) mod arguments;
pub(crate) mod binder;
pub(crate) mod claims;
pub(crate) mod ctes;
pub(crate) mod kept;
pub(crate) mod names;
pub(crate) mod outer;
pub(crate) mod outputs;
pub(crate) mod query_context;
pub(crate) mod scope;
pub(crate) mod statement_context;
pub(crate) mod types;
pub(crate) mod variables;
