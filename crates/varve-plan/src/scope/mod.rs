//! What the binder knows of names before it makes a plan.

pub mod data_type;
pub mod error;
pub mod locked_relation;
pub mod name;
pub mod syntax;
pub mod tables;
