//! Evaluation of expressions over batches.

use varve_types::{Batch, ColumnRef, Error, Result, Selection, Value};

use crate::Expr;

/// What an expression may read beside its input.
#[derive(Clone, Copy, Debug)]
pub struct EvalContext<'a> {
    /// `$1`, `$2`, ...
    pub params: &'a [Value],
    /// The start of the transaction: microseconds since 1970-01-01 00:00 UTC.
    pub now_us: i64,
}

/// The value of `expr` for each of the chosen rows of `batch`.
pub fn evaluate(expr: &Expr, batch: &Batch, context: &EvalContext<'_>) -> Result<ColumnRef> {
    let _ = (expr, batch, context);
    Err(Error::unsupported("evaluation"))
}

/// The chosen rows of `batch` for which a condition is true, in the form that [`Batch::select`] takes.
pub fn evaluate_filter(expr: &Expr, batch: &Batch, context: &EvalContext<'_>) -> Result<Selection> {
    let _ = (expr, batch, context);
    Err(Error::unsupported("evaluation"))
}

/// The value of an expression without column references.
pub fn evaluate_constant(expr: &Expr, context: &EvalContext<'_>) -> Result<Value> {
    let _ = (expr, context);
    Err(Error::unsupported("evaluation"))
}
