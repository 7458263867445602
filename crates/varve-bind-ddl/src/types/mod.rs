//! Definitions of types.

pub(crate) mod domain;
pub(crate) mod type_def;
