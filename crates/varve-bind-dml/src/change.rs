//! Statements that change rows where a query may stand: in WITH and in COPY.

use varve_ast::{Dml, QueryBody};
use varve_bind_query::context::binder::QueryBinder;
use varve_plan::plan::Statement;
use varve_plan::scope::error::unsupported_at;
use varve_types::Result;

use crate::binder::DmlBinder;

/// Binds the statement that a query is where that changes rows; `None` for a true query and for
/// MERGE. It is the [`varve_bind_query::context::binder::BindChange`] of all statements.
pub fn bind_change(
    binder: &mut QueryBinder<'_>,
    query: &varve_ast::Query,
) -> Result<Option<Statement>> {
    let QueryBody::Dml(dml) = query.body.as_ref() else {
        return Ok(None);
    };
    if matches!(dml.as_ref(), Dml::Merge(_)) {
        return Ok(None);
    }
    let statement = DmlBinder::new(binder).dml(dml)?;
    if query.with.is_some() {
        let what = "WITH before a statement that changes rows";
        return Err(unsupported_at(what, binder.first()));
    }
    Ok(Some(statement))
}
