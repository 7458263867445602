//! Queries and the expressions in them.

pub(crate) mod call;
pub(crate) mod context;
pub(crate) mod expr;
pub(crate) mod from;
pub(crate) mod select;
pub(crate) mod with;
