//! Queries.

pub(crate) mod body;
pub(crate) mod from;
pub(crate) mod limit;
pub(crate) mod order;
pub(crate) mod saved_dictionary;
pub(crate) mod select;
pub(crate) mod table_factor;
pub(crate) mod transparent_call;
pub(crate) mod with;
