//! Binding whole statements.

use varve_bind_query::context::binder::QueryBinder;

/// Binds a statement of any kind.
pub struct StatementBinder<'a> {
    pub query: QueryBinder<'a>,
    /// The statement that cannot run inside a transaction block.
    pub outside_block: Option<&'static str>,
}

impl<'a> StatementBinder<'a> {
    pub fn new(query: QueryBinder<'a>) -> StatementBinder<'a> {
        StatementBinder {
            query,
            outside_block: None,
        }
    }
}
