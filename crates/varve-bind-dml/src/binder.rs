//! Binding statements that change rows.

use crate::bind::query::context::binder::QueryBinder;
use crate::schema::Catalog;

/// Binds statements that change rows, with what binds the queries in them.
pub(crate) struct DmlBinder<'b, 'a> {
    pub(crate) query: &'b mut QueryBinder<'a>,
    pub(crate) catalog: &'a Catalog,
}

impl<'b, 'a> DmlBinder<'b, 'a> {
    pub(crate) fn new(query: &'b mut QueryBinder<'a>) -> DmlBinder<'b, 'a> {
        DmlBinder {
            catalog: query.statement.catalog,
            query,
        }
    }
}
