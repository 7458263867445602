//! What is around the place that is bound.

use std::sync::Arc;

use varve_ast::Span;
use varve_catalog::model::function_def::FunctionDef;
use varve_catalog::model::view::{ViewDef, ViewRead};
use varve_parser::{ParsedStatement, Source};
use varve_types::{ObjectId, SqlText};

use crate::context::ctes::CteBinding;
use crate::context::lock_clause::LockClause;
use crate::context::outer::OuterLevel;
use crate::context::variables::Variables;

/// What is around the place that is bound. A text of its own, such as the query of a view, has a
/// context of its own.
pub struct QueryContext<'a> {
    /// The text that is bound.
    pub source: &'a Source,
    /// Whether the text names the system column `tableoid`.
    pub names_tableoid: bool,
    /// How deep the statement and the texts around this place nest.
    pub nesting: usize,
    /// Whether what is bound does not run, so that what it reads need not have rows.
    pub is_defining: bool,
    /// The function whose definition is checked.
    pub defined: Option<Arc<FunctionDef>>,
    /// The view whose query is bound.
    pub view: Option<Arc<ViewDef>>,
    /// What stands for the relation that a continuous aggregate reads.
    pub restriction: Option<Restriction>,
    /// Whether continuous aggregates are read as they were materialized.
    pub rows_only: bool,
    /// What the names in the query of a view mean that is being made.
    pub reads: Option<Vec<ViewRead>>,
    /// What names mean beside columns: the arguments of the function whose body is bound.
    pub variables: Option<Arc<Variables>>,
    /// The SELECT whose INTO makes a table of the statement's rows.
    pub into: Option<Span>,
    /// What subqueries may read of the queries around them, outermost first.
    pub outer: Vec<OuterLevel>,
    /// The named queries in reach, the nearest last.
    pub ctes: Vec<CteBinding>,
    /// The position of the name of the named query that is bound.
    pub cte_position: u32,
    /// The item of WITH RECURSIVE that was named before it is bound.
    pub later: Option<usize>,
    /// What makes names of recursive queries refused here; empty where nothing does.
    pub recursion_place: &'static str,
    /// The recursive query that the next SELECT reads, where its hidden columns are to be columns
    /// of the result.
    pub carries: Option<String>,
    /// How the relations of the FROM clause at hand are locked.
    pub lock_clauses: Vec<LockClause>,
    /// Whether a function of JSON is around: rows are objects there.
    pub reads_rows: bool,
    /// The CALL that is bound.
    pub call: Option<ProcedureCall>,
    /// The row value in a select list whose fields are columns of the result.
    pub spread_row: Option<Span>,
}

/// A query in the place of the relation that a continuous aggregate reads, which it calls `r`.
pub struct Restriction {
    /// The table that the relation is, or whose aggregate it is.
    pub source: ObjectId,
    /// Its text.
    pub text: SqlText,
    /// What `notes0` and so on are.
    pub notes: Vec<ObjectId>,
}

/// A CALL.
#[derive(Clone, Debug)]
pub struct ProcedureCall {
    /// Where the name of the procedure stands.
    pub position: u32,
    /// The procedure, once it was found.
    pub procedure: Option<Arc<FunctionDef>>,
}

impl<'a> QueryContext<'a> {
    /// The context of a statement.
    pub fn new(statement: &'a ParsedStatement) -> QueryContext<'a> {
        QueryContext::alone(
            &statement.source,
            statement.names_tableoid,
            statement.nesting,
        )
    }

    /// The context of a text that is bound here: no query around it is in its reach.
    pub fn of_text(&self, nesting: usize) -> QueryContext<'a> {
        QueryContext {
            is_defining: self.is_defining,
            rows_only: self.rows_only,
            defined: self.defined.clone(),
            variables: self.variables.clone(),
            reads_rows: self.reads_rows,
            ..QueryContext::alone(self.source, self.names_tableoid, nesting)
        }
    }

    /// Nothing is around.
    fn alone(source: &'a Source, names_tableoid: bool, nesting: usize) -> QueryContext<'a> {
        QueryContext {
            source,
            names_tableoid,
            nesting,
            is_defining: false,
            defined: None,
            view: None,
            restriction: None,
            rows_only: false,
            reads: None,
            variables: None,
            into: None,
            outer: Vec::new(),
            ctes: Vec::new(),
            cte_position: 0,
            later: None,
            recursion_place: "",
            carries: None,
            lock_clauses: Vec::new(),
            reads_rows: false,
            call: None,
            spread_row: None,
        }
    }
}
