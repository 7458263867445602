//! What names and types in a text mean: known without a statement around them.

pub(crate) mod claimed;
pub(crate) mod data_type;
pub(crate) mod error;
pub(crate) mod name;
pub(crate) mod syntax;
