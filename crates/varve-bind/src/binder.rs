//! Binding whole statements.

use crate::bind::query::context::binder::QueryBinder;

/// Binds a statement of any kind.
pub(crate) struct StatementBinder<'a> {
    pub(crate) query: QueryBinder<'a>,
    /// The statement that cannot run inside a transaction block.
    pub(crate) outside_block: Option<&'static str>,
}

impl<'a> StatementBinder<'a> {
    pub(crate) fn new(query: QueryBinder<'a>) -> StatementBinder<'a> {
        StatementBinder {
            query,
            outside_block: None,
        }
    }
}
