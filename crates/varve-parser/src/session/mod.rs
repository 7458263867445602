//! Statements about the session, roles and maintenance.

pub(crate) mod grant;
pub(crate) mod maintenance;
pub(crate) mod no_op;
pub(crate) mod pragma;
pub(crate) mod prepared;
pub(crate) mod setting;
pub(crate) mod transaction;
