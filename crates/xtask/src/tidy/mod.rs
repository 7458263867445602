//! The `tidy` command: loads the repository, applies every rule, prints what it finds.

mod command;
mod finding;
mod metadata;
mod repository;
mod rules;
mod rust_source;

pub(crate) use command::run;
