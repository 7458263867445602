//! Calls of functions whose bodies are run, not bound into the query: those in PL/pgSQL, and those
//! of several statements or that change rows.
//!
//! They run before the statement. The result of one that depends on no row is a parameter of it;
//! the others are called for the rows of a part of the plan, which has run then, too.

use std::sync::Arc;

use varve_catalog::model::function_def::{FunctionDef, Returns};
use varve_expr::walk::{for_each_child, is_column_free};
use varve_expr::{Expr, Function, Parameter, Placeholder, Volatility, fold};
use varve_plan::build::operand::literal;
use varve_plan::build::row_value::row_call;
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::statement::RoutineCall;
use varve_plan::plan::{Plan, ProjectSetNode, Query, SetCall};
use varve_plan::scope::error::unsupported_at;
use varve_types::{Error, LogicalType, Result, RowTypeId, Value};

use crate::context::binder::QueryBinder;
use crate::context::scope::{ExprScope, no_sets};

impl QueryBinder<'_> {
    /// The result of a function that runs before the statement, or for each row where it depends
    /// on rows.
    pub fn run_first(
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
            let part = Placeholder::Set(calls.len());
            calls.push(call);
            return Ok(Expr::Placeholder { part, ty });
        }
        let ty = match def.returns {
            Returns::Value(ty) => ty,
            Returns::Void => LogicalType::Text,
            Returns::Columns => LogicalType::Row(RowTypeId::RECORD),
            _ => return Err(rows_of(def, position)),
        };
        let reads_rows = !scope.names.tables.is_empty() || !self.context.outer.is_empty();
        let differs = reads_rows && def.volatility == Volatility::Volatile;
        if values.iter().any(depends_on_rows) || differs {
            if scope.subqueries.is_none() {
                let what = format!(
                    "function {name}, which is not one query, for each row in {}",
                    scope.clause
                );
                return Err(unsupported_at(what, position));
            }
            let call = self.routine_set(def, values, position)?;
            if def.returns == Returns::Columns {
                let types = call.types.clone();
                let columns = self.called_for_rows(call, &types, scope);
                return row_call(RowTypeId::RECORD, columns, false, position);
            }
            let column = self.called_for_rows(call, &[ty], scope).pop();
            return column.ok_or_else(|| Error::internal("a call without a column"));
        }
        if scope.subqueries.is_none() {
            let clause = scope.clause;
            let what = format!("function {name}, which is not one query, in {clause}");
            return Err(unsupported_at(what, position));
        }
        if self.context.is_defining {
            return Ok(literal(Value::Null, ty));
        }
        let parameter = Parameter::Called(self.outputs.calls.len());
        self.outputs.calls.push(RoutineCall {
            function: Arc::clone(def),
            args: values,
        });
        Ok(Expr::Parameter { parameter, ty })
    }

    /// The rows of a function that runs before the statement, as a query.
    pub fn routine_rows(
        &mut self,
        def: &Arc<FunctionDef>,
        args: Vec<Expr>,
        position: u32,
    ) -> Result<Query> {
        let call = self.routine_set(def, args, position)?;
        let mut query = self.unknown_rows(def);
        query.plan = Plan::ProjectSet(ProjectSetNode {
            input: Box::new(one_row()),
            calls: vec![call],
            ordinality: false,
        });
        Ok(query)
    }

    /// The call of a function that runs before the statement, for its rows.
    pub fn routine_set(
        &mut self,
        def: &Arc<FunctionDef>,
        args: Vec<Expr>,
        position: u32,
    ) -> Result<SetCall> {
        self.outputs.has_pending_calls |= !self.context.is_defining;
        let columns = def.columns(self.statement.catalog);
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

fn rows_of(def: &FunctionDef, position: u32) -> Error {
    let name = &def.name;
    let what = format!("rows of function {name}, which is not one query, as values");
    unsupported_at(what, position)
}

/// Whether a value depends on a row, here or in a query around.
pub fn depends_on_rows(value: &Expr) -> bool {
    !is_column_free(value) || reads_outer(value)
}

/// Whether an expression has values of queries around it.
fn reads_outer(expr: &Expr) -> bool {
    let mut reads = matches!(expr, Expr::Outer { .. });
    for_each_child(expr, &mut |child| reads = reads || reads_outer(child));
    reads
}
