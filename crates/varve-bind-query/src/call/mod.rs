//! Calls of functions.

pub(crate) mod aggregate;
pub(crate) mod function;
pub(crate) mod resolve_user;
pub(crate) mod routine_call;
pub(crate) mod sequence;
pub(crate) mod set_function;
pub(crate) mod user_function;
pub(crate) mod window;
