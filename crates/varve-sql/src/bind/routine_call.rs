//! Calls of functions whose bodies are run, not bound into the query: those in PL/pgSQL, and those
//! of several statements or that change rows. They run before the statement; their results are
//! parameters of it.

use std::sync::Arc;

use varve_expr::{Expr, Volatility, fold};
use varve_types::{LogicalType, Result, Value};

use crate::bind::literal::literal;
use crate::bind::user_function::only_query;
use crate::bind::{Binder, unsupported_at};
use crate::function_def::{FunctionDef, Returns};
use crate::plpgsql::Piece;
use crate::statement::{FIRST_CALL, RoutineCall};
use crate::walk::{for_each_child, is_column_free};

/// Whether a function runs before the statement that calls it.
pub(crate) fn is_run_first(def: &FunctionDef, pieces: &[Piece]) -> bool {
    let is_empty = pieces.is_empty() && def.returns == Returns::Void;
    def.is_plpgsql || (only_query(pieces).is_none() && !is_empty)
}

impl Binder<'_> {
    /// The result of a function that runs before the statement. `reads_rows` says that rows are
    /// around the call, `clause` where it may not stand.
    pub(crate) fn run_first(
        &mut self,
        def: &Arc<FunctionDef>,
        values: Vec<Expr>,
        (reads_rows, clause): (bool, Option<&str>),
        position: u32,
    ) -> Result<Expr> {
        let name = &def.name;
        let ty = match def.returns {
            Returns::Value(ty) if !def.returns_set => ty,
            Returns::Void => LogicalType::Text,
            _ => {
                let what = format!("rows of function {name}, which is not one query");
                return Err(unsupported_at(what, position));
            }
        };
        let values: Vec<Expr> = values.into_iter().map(fold).collect();
        let depends = |value: &Expr| !is_column_free(value) || reads_outer(value);
        let differs = reads_rows && def.volatility == Volatility::Volatile;
        if values.iter().any(depends) || differs {
            let what = format!("function {name}, which is not one query, for each row");
            return Err(unsupported_at(what, position));
        }
        if let Some(clause) = clause {
            let what = format!("function {name}, which is not one query, in {clause}");
            return Err(unsupported_at(what, position));
        }
        if self.is_defining {
            return Ok(literal(Value::Null, ty));
        }
        let index = FIRST_CALL + self.calls.len();
        self.calls.push(RoutineCall {
            function: Arc::clone(def),
            args: values,
        });
        Ok(Expr::Parameter { index, ty })
    }
}

/// Whether an expression has values of queries around it.
fn reads_outer(expr: &Expr) -> bool {
    let mut reads = matches!(expr, Expr::Outer { .. });
    for_each_child(expr, &mut |child| reads = reads || reads_outer(child));
    reads
}
