//! Rows of tables as a transaction sees them.

pub(crate) mod before;
pub(crate) mod find;
pub(crate) mod index_scan;
mod points;
pub(crate) mod row_filter;
pub(crate) mod rows;
mod skip_scan;
pub(crate) mod source;
