//! The `tidy` command: loads the repository, applies every rule, prints what it finds.

mod command;
mod exceptions;
mod finding;
mod imports;
mod metadata;
mod module_tree;
mod repository;
mod rules;
mod rust_source;
mod shrinking;
mod syntax;

pub(crate) use command::run;
