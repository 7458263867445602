//! Syntax trees to plans: every name resolved, every type known.
//!
//! Syntax trees are taken apart without `..`, so that a clause which is not supported answers
//! `0A000` and none is passed over.

pub(crate) mod ddl;
pub(crate) mod dml;
pub(crate) mod names;
pub(crate) mod plans;
pub(crate) mod query;
pub(crate) mod statement;

pub use crate::bind::statement::bind::bind;

pub(crate) use crate::bind::dml::through::updatable_columns;
pub use crate::bind::query::context::variables::{RoutineVariable, row_variables};
pub use crate::bind::statement::routine_body::{Shape, bind_piece, declared_shape};
pub use crate::bind::statement::session::bind_arguments;
pub(crate) use varve_catalog::text::type_name::internal_name;
