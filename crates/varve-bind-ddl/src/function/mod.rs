//! Definitions of functions.

pub(crate) mod alter;
pub(crate) mod create;
