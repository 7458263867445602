//! Texts: names in them, and those that the catalog keeps.

pub mod interval;
pub mod kept_text;
pub mod name;
pub mod sql_source;
pub mod type_name;
