//! What an expression may use.

use varve_ast::NamedWindow;
use varve_expr::Expr;
use varve_types::{Error, Result, SqlState};

use varve_plan::build::subquery::Subquery;
use varve_plan::build::window::WindowUse;
use varve_plan::plan::{AggregateCall, SetCall};
use varve_plan::scope::error::located;
use varve_plan::scope::tables::Scope;

/// What an expression may use, and what it was seen to use.
pub struct ExprScope<'a> {
    /// The tables in reach.
    pub names: &'a Scope,
    /// The clause, for errors about aggregates: `WHERE`, `JOIN conditions`.
    pub clause: &'static str,
    /// The aggregates called so far; `None` where they are not allowed.
    pub aggregates: Option<Vec<AggregateCall>>,
    /// Columns used outside aggregates, with their positions.
    pub uses: Vec<(usize, u32)>,
    /// The subqueries met so far; `None` where they are not supported.
    pub subqueries: Option<Vec<Subquery>>,
    /// The calls of window functions; `None` where they are not allowed.
    pub windows: Option<Vec<WindowUse>>,
    /// The windows that have names.
    pub window_definitions: &'a [NamedWindow],
    /// The calls of set-returning functions; `None` where they are not allowed.
    pub sets: Option<Vec<SetCall>>,
    /// The arguments of each `grouping()`.
    pub groupings: Vec<(Vec<Expr>, u32)>,
}

impl<'a> ExprScope<'a> {
    /// A clause that allows no aggregates.
    pub fn plain(names: &'a Scope, clause: &'static str) -> ExprScope<'a> {
        ExprScope {
            names,
            clause,
            aggregates: None,
            uses: Vec::new(),
            subqueries: None,
            windows: None,
            window_definitions: &[],
            sets: None,
            groupings: Vec::new(),
        }
    }

    /// A clause that allows subqueries but no aggregates.
    pub fn with_subqueries(names: &'a Scope, clause: &'static str) -> ExprScope<'a> {
        ExprScope {
            subqueries: Some(Vec::new()),
            ..ExprScope::plain(names, clause)
        }
    }

    /// The subqueries met so far.
    pub fn take_subqueries(&mut self) -> Vec<Subquery> {
        self.subqueries.take().unwrap_or_default()
    }
}

/// How many calls give rows so far.
pub fn count_sets(scope: &ExprScope<'_>) -> usize {
    scope.sets.as_ref().map_or(0, Vec::len)
}

/// Refuses calls that give rows behind so many.
pub fn refuse_sets(scope: &ExprScope<'_>, count: usize, clause: &str) -> Result<()> {
    let mut calls = scope.sets.iter().flatten();
    match calls.nth(count) {
        Some(call) => Err(no_sets(clause, call.position)),
        None => Ok(()),
    }
}

/// `0A000`: rows where none may be.
pub fn no_sets(clause: &str, position: u32) -> Error {
    let error = |message| {
        located(
            Error::new(SqlState::FEATURE_NOT_SUPPORTED, message),
            position,
        )
    };
    match clause {
        "aggregate" | "window" => error(format!(
            "{clause} function calls cannot contain set-returning function calls"
        ))
        .with_hint(
            "You might be able to move the set-returning function into a LATERAL FROM item.",
        ),
        "a function in FROM" => {
            error("set-returning functions must appear at top level of FROM".to_owned())
        }
        "CASE" | "COALESCE" => error(format!(
            "set-returning functions are not allowed in {clause}"
        ))
        .with_hint(
            "You might be able to move the set-returning function into a LATERAL FROM item.",
        ),
        clause => error(format!(
            "set-returning functions are not allowed in {clause}"
        )),
    }
}
