//! What holds for a whole statement.

use varve_expr::Locale;
use varve_parser::{OpenLiteral, Source};

use varve_catalog::model::catalog::Catalog;

/// What holds for a whole statement.
pub struct StatementContext<'a> {
    /// What names are looked up in.
    pub catalog: &'a Catalog,
    /// What literals mean depends on it.
    pub locale: &'a Locale,
    /// The source of the statement itself; other texts may be bound into it.
    pub own_source: &'a Source,
    /// The literals that may be left open, in the order of their places.
    pub open: &'a [OpenLiteral],
}
