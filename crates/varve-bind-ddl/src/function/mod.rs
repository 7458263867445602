//! Definitions of functions.

pub mod alter;
pub mod create;
