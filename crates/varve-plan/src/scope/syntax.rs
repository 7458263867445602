//! What a syntax tree is, by itself.

use varve_ast::{QueryBody, StatementBody};
use varve_parser::ParsedStatement;
use varve_types::{Error, Result};

/// Whether a query is a statement that changes rows.
pub fn is_change(query: &varve_ast::Query) -> bool {
    matches!(query.body.as_ref(), QueryBody::Dml(_))
}

/// The query of a view's text.
pub fn view_query(parsed: &ParsedStatement) -> Result<&varve_ast::Query> {
    match &parsed.statement.body {
        StatementBody::Query(query) => Ok(query),
        _ => Err(Error::internal("the text of a view is no query")),
    }
}
