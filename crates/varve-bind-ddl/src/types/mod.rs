//! Definitions of types.

pub mod domain;
pub mod type_def;
