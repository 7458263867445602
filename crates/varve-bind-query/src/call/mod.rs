//! Calls of functions.

pub mod aggregate;
pub mod function;
pub mod resolve_user;
pub mod routine_call;
pub mod sequence;
pub mod set_function;
pub mod user_function;
pub mod window;
pub mod zstd;
