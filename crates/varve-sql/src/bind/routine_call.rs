//! Calls of functions whose bodies are run, not bound into the query: those in PL/pgSQL, and those
//! of several statements or that change rows.
//!
//! They run before the statement. The result of one that depends on no row is a parameter of it;
//! the others are called for the rows of a part of the plan, which has run then, too.

use std::sync::Arc;

use varve_expr::{Expr, Function, Volatility, fold};
use varve_parser::plpgsql::Piece;
use varve_types::{Error, LogicalType, Result, Value};

use crate::bind::expr::ExprScope;
use crate::bind::literal::literal;
use crate::bind::order::Output;
use crate::bind::placeholder::SET_COLUMNS;
use crate::bind::set_function::no_sets;
use crate::bind::subquery::{Subquery, used_subqueries};
use crate::bind::user_function::only_query;
use crate::bind::{Binder, unsupported_at};
use crate::function_def::{FunctionDef, Returns};
use crate::optimize::bind_outer;
use crate::plan::{JoinKind, JoinNode, Plan, SetCall, SortKeyExpr};
use crate::push_down::{filtered, one_row};
use crate::statement::{FIRST_CALL, RoutineCall};
use crate::walk::{for_each_child, is_column_free};

/// Whether a function runs before the statement that calls it.
pub(crate) fn is_run_first(def: &FunctionDef, pieces: &[Piece]) -> bool {
    let is_empty = pieces.is_empty() && def.returns == Returns::Void;
    def.is_plpgsql || (only_query(pieces).is_none() && !is_empty)
}

impl Binder<'_> {
    /// The result of a function that runs before the statement, or for each row where it depends
    /// on rows.
    pub(crate) fn run_first(
        &mut self,
        def: &Arc<FunctionDef>,
        values: Vec<Expr>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Expr> {
        let name = &def.name;
        let values: Vec<Expr> = values.into_iter().map(fold).collect();
        if def.returns_set {
            let call = self.routine_set(def, values, position)?;
            let Some(calls) = &mut scope.sets else {
                return Err(no_sets(scope.clause, position));
            };
            let [ty] = *call.types.as_slice() else {
                return Err(rows_of(def, position));
            };
            let index = SET_COLUMNS + calls.len();
            calls.push(call);
            return Ok(Expr::Column { index, ty });
        }
        let ty = match def.returns {
            Returns::Value(ty) => ty,
            Returns::Void => LogicalType::Text,
            _ => return Err(rows_of(def, position)),
        };
        let reads_rows = !scope.names.tables.is_empty() || !self.outer.is_empty();
        let depends = |value: &Expr| !is_column_free(value) || reads_outer(value);
        let differs = reads_rows && def.volatility == Volatility::Volatile;
        if values.iter().any(depends) || differs {
            if scope.subqueries.is_none() {
                let what = format!(
                    "function {name}, which is not one query, for each row in {}",
                    scope.clause
                );
                return Err(unsupported_at(what, position));
            }
            let call = self.routine_set(def, values, position)?;
            return Ok(self.called_for_rows(call, ty, scope));
        }
        if scope.subqueries.is_none() {
            let clause = scope.clause;
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

    /// The rows of a function that runs before the statement.
    pub(crate) fn routine_set(
        &mut self,
        def: &Arc<FunctionDef>,
        args: Vec<Expr>,
        position: u32,
    ) -> Result<SetCall> {
        self.has_uncalled |= !self.is_defining;
        let columns = def.columns(self.catalog);
        let function = Function::form("\0json records", None);
        Ok(SetCall {
            function: function.ok_or_else(|| Error::internal("no function that gives rows"))?,
            args: args.into_iter().map(fold).collect(),
            types: columns.into_iter().map(|(_, ty)| ty).collect(),
            position,
            routine: Some(Arc::clone(def)),
        })
    }
}

/// A join; one with a function that is called for each row of its left side gives the rows of the
/// function behind those.
pub(crate) fn joined(node: JoinNode) -> Plan {
    let is_call = |plan: &Plan| match plan {
        Plan::ProjectSet(set) => {
            *set.input == one_row() && set.calls.iter().all(|call| call.routine.is_some())
        }
        _ => false,
    };
    let is_plain = node.kind == JoinKind::Inner && node.equal.is_empty();
    if node.outer.is_empty() || !is_plain || !is_call(&node.right) {
        return Plan::Join(node);
    }
    let JoinNode {
        left,
        right,
        residual,
        outer,
        ..
    } = node;
    let Plan::ProjectSet(mut set) = *right else {
        return *left;
    };
    set.input = left;
    for arg in set.calls.iter_mut().flat_map(|call| &mut call.args) {
        bind_outer(arg, &outer);
    }
    filtered(Plan::ProjectSet(set), residual.into_iter().collect())
}

/// Whether functions are called for the outputs, and no subquery is for the order too.
pub(crate) fn calls_late(
    subqueries: &[Subquery],
    outputs: &[Output],
    keys: &[SortKeyExpr],
) -> bool {
    let of_keys = keys.iter().flat_map(|key| used_subqueries(&key.expr));
    let of_keys: Vec<usize> = of_keys.collect();
    let mut of_outputs = outputs
        .iter()
        .flat_map(|output| used_subqueries(&output.expr));
    subqueries.iter().any(Subquery::is_call) && !of_outputs.any(|one| of_keys.contains(&one))
}

fn rows_of(def: &FunctionDef, position: u32) -> Error {
    let name = &def.name;
    let what = format!("rows of function {name}, which is not one query, as values");
    unsupported_at(what, position)
}

/// Whether an expression has values of queries around it.
fn reads_outer(expr: &Expr) -> bool {
    let mut reads = matches!(expr, Expr::Outer { .. });
    for_each_child(expr, &mut |child| reads = reads || reads_outer(child));
    reads
}
