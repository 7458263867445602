//! Binding statements that change rows.

use varve_bind_query::context::binder::QueryBinder;
use varve_catalog::model::catalog::Catalog;

/// Binds statements that change rows, with what binds the queries in them.
pub struct DmlBinder<'b, 'a> {
    pub(crate) query: &'b mut QueryBinder<'a>,
    /// What names are looked up in.
    pub catalog: &'a Catalog,
}

impl<'b, 'a> DmlBinder<'b, 'a> {
    /// A binder over that of queries.
    pub fn new(query: &'b mut QueryBinder<'a>) -> DmlBinder<'b, 'a> {
        DmlBinder {
            catalog: query.statement.catalog,
            query,
        }
    }
}
