//! Binding statements that change rows.

use varve_bind_query::context::binder::QueryBinder;
use varve_catalog::model::catalog::Catalog;

/// Binds statements that change rows, with what binds the queries in them.
pub struct DmlBinder<'b, 'a> {
    pub query: &'b mut QueryBinder<'a>,
    pub catalog: &'a Catalog,
}

impl<'b, 'a> DmlBinder<'b, 'a> {
    pub fn new(query: &'b mut QueryBinder<'a>) -> DmlBinder<'b, 'a> {
        DmlBinder {
            catalog: query.statement.catalog,
            query,
        }
    }
}
