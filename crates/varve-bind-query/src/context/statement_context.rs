//! What holds for a whole statement.

use varve_expr::Locale;
use varve_parser::Source;

use crate::schema::Catalog;

/// What holds for a whole statement.
pub(crate) struct StatementContext<'a> {
    pub(crate) catalog: &'a Catalog,
    /// What literals mean depends on it.
    pub(crate) locale: &'a Locale,
    /// The source of the statement itself; other texts may be bound into it.
    pub(crate) own_source: &'a Source,
}
