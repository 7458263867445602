//! Binds queries and the expressions in them: every name resolved, every type known.
//!
//! A [`context::binder::QueryBinder`] holds what is true for a statement
//! ([`context::statement_context`]), what is around the place that is bound
//! ([`context::query_context`]), and what is found out on the way ([`context::outputs`]).
//!
//! Syntax trees are taken apart without `..`, so that a clause which is not supported answers
//! `0A000` and none is passed over.
//!
//! Invariant: no text makes it panic. Invariant: every error position counts characters of the
//! whole text from 1.

pub mod call;
pub mod context;
pub mod expr;
pub mod from;
pub mod select;
pub mod with;
