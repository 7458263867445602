//! In-memory surroundings for the tests of operators.

mod plans;
mod surroundings;
mod table;

pub(crate) use plans::{by, call, column, compare, limit, literal};
pub(crate) use surroundings::Setting;
pub(crate) use table::{batches_of, show, show_batches, table, types_of_letters};
