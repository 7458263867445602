//! SQL text to a bound plan: which statement it is, and what the texts mean that the catalog keeps.
//! It knows nothing of storage or execution: what it gives is plain values.
//!
//! Invariant: no text makes it panic; what it does not support answers `0A000` naming the feature.
//! Invariant: every error position counts characters of the whole text from 1.
//! Invariant: a plan's expressions are fully typed; both sides of a comparison have one type.

mod bind;
mod binder;
mod explained;
mod following;
mod kept;
mod routine_body;
mod session;
#[cfg(test)]
mod tests;
mod whole;

pub use bind::{bind, bind_open, with_names};
pub use following::{Followed, catalog_rows, followed, names_of};
pub use routine_body::{Shape, bind_piece, declared_shape};
pub use session::bind_arguments;
pub use varve_bind_ddl::nearest;
pub use varve_bind_query::context::variables::{RoutineVariable, row_variables};
