//! The types of a catalog: their names and fields, and those that stand for others.

mod names;
pub mod polymorphic;
