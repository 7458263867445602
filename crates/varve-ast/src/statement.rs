//! Whole statements.

use crate::ddl::Ddl;
use crate::dml::Dml;
use crate::option::DefinedOption;
use crate::query::{Query, With};
use crate::session::Session;
use crate::span::Span;
use crate::utility::Utility;

/// A statement, with EXPLAIN before it or not.
pub struct Statement {
    /// `EXPLAIN`
    pub explain: Option<Explain>,
    /// What it does.
    pub body: StatementBody,
    /// Where it stands.
    pub span: Span,
}

/// What a statement does.
pub enum StatementBody {
    /// It gives rows.
    Query(Box<Query>),
    /// It changes rows.
    Dml {
        /// `WITH` before it.
        with: Option<With>,
        /// The change.
        dml: Dml,
    },
    /// It changes the catalog.
    Ddl(Ddl),
    /// It is about the session.
    Session(Session),
    /// It looks at tables, or says how the store is kept.
    Utility(Utility),
    /// It is not supported, with its name where that is not its first words: its text is not read.
    Unsupported(Option<&'static str>),
}

/// `EXPLAIN [ANALYZE] [VERBOSE]`, `EXPLAIN (options)`, SQLite's `EXPLAIN QUERY PLAN`
pub struct Explain {
    /// `QUERY PLAN`
    pub is_query_plan: bool,
    /// `ANALYZE`, outside of parentheses.
    pub is_analyze: bool,
    /// `VERBOSE`, outside of parentheses.
    pub is_verbose: bool,
    /// Options in parentheses.
    pub options: Vec<DefinedOption>,
}
