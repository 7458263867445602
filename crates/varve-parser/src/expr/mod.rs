//! Expressions, and the names and types in them.

pub(crate) mod call;
pub(crate) mod infix;
pub(crate) mod interval;
pub(crate) mod json_call;
pub(crate) mod operator;
pub(crate) mod precedence;
pub(crate) mod primary;
pub(crate) mod special;
pub(crate) mod types;
pub(crate) mod window;
