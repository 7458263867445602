//! Aggregate calls, and expressions over groups.

use sqlparser::ast::{Expr as Ast, OrderByExpr};
use varve_expr::{AggregateFunction, Expr, resolve_aggregate};
use varve_types::{Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand};
use crate::bind::placeholder::{AGGREGATE_COLUMNS, GROUPING_COLUMNS, Place, place};
use crate::bind::{Binder, located};
use crate::plan::AggregateCall;
use crate::scope::Scope;
use crate::walk::{for_each_child_mut, same_meaning};

impl Binder<'_> {
    /// An aggregate: kept apart in the scope, a column of its own in the expression.
    pub(crate) fn aggregate(
        &mut self,
        name: &str,
        argument: Option<&Ast>,
        distinct: bool,
        filter: Option<&Ast>,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Some(mut calls) = scope.aggregates.take() else {
            let message = match scope.clause {
                "aggregate" => "aggregate function calls cannot be nested".to_owned(),
                clause => format!("aggregate functions are not allowed in {clause}"),
            };
            return Err(located(
                Error::new(SqlState::GROUPING_ERROR, message),
                position,
            ));
        };
        let mut inner = ExprScope::plain(scope.names, "aggregate");
        inner.subqueries = scope.subqueries.take();
        let mut operand = match argument {
            Some(argument) => Some(self.expr(argument, &mut inner)?),
            None => None,
        };
        scope.subqueries = inner.subqueries.take();
        if operand
            .as_ref()
            .is_some_and(|operand| operand.ty().is_none())
            && name != "count"
        {
            // PostgreSQL takes text for min and max, and double precision for sum and avg.
            let ty = match name {
                "sum" | "avg" => LogicalType::Float8,
                _ => LogicalType::Text,
            };
            if let Some(unknown) = operand.take() {
                let expr = self.convert(unknown, ty, CastContext::Implicit, position)?;
                operand = expr.map(Operand::Known);
            }
        }
        let types = operand.as_ref().map(Operand::ty);
        let function: AggregateFunction = resolve_aggregate(name, types, position)?
            .ok_or_else(|| Error::internal(format!("{name} stopped being an aggregate")))?;
        let argument = match operand {
            None => None,
            Some(operand) => Some(match function.argument_type() {
                None => self.settle(operand)?,
                Some(ty) => self
                    .convert(operand, ty, CastContext::Implicit, position)?
                    .ok_or_else(|| {
                        Error::internal(format!("the argument of {name} does not convert to {ty}"))
                    })?,
            }),
        };
        let filter = match filter {
            Some(filter) => {
                let mut inner = ExprScope::plain(scope.names, "FILTER");
                inner.subqueries = scope.subqueries.take();
                let filter = self.filter(filter, &mut inner)?;
                scope.subqueries = inner.subqueries.take();
                Some(filter)
            }
            None => None,
        };
        let call = AggregateCall {
            function,
            argument: argument.map(varve_expr::fold),
            distinct,
            filter,
            position,
        };
        let known = calls.iter().position(|other| same_call(other, &call));
        let index = known.unwrap_or_else(|| {
            calls.push(call);
            calls.len() - 1
        });
        scope.aggregates = Some(calls);
        Ok(Operand::Known(Expr::Column {
            index: AGGREGATE_COLUMNS + index,
            ty: function.result_type(),
        }))
    }
}

impl Binder<'_> {
    /// The order of an aggregate's rows. None of the aggregates depends on it, so that it is only
    /// checked.
    pub(crate) fn aggregate_order(
        &mut self,
        order: &[OrderByExpr],
        scope: &ExprScope<'_>,
    ) -> Result<()> {
        let mut inner = ExprScope::plain(scope.names, "aggregate");
        for item in order {
            self.sort_options(item)?;
            let operand = self.expr(&item.expr, &mut inner)?;
            self.settle(operand)?;
        }
        Ok(())
    }

    /// `grouping(a, b)`: a bit for each argument, 1 where it is not grouped by.
    pub(crate) fn grouping(
        &mut self,
        args: &[&Ast],
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let error =
            |message: String| located(Error::new(SqlState::GROUPING_ERROR, message), position);
        if scope.aggregates.is_none() {
            let clause = scope.clause;
            return Err(error(format!(
                "grouping operations are not allowed in {clause}"
            )));
        }
        if args.len() > 31 {
            let message = "GROUPING must have fewer than 32 arguments";
            return Err(located(
                Error::new(SqlState::STATEMENT_TOO_COMPLEX, message),
                position,
            ));
        }
        let mut inner = ExprScope::plain(scope.names, "GROUPING");
        let mut exprs = Vec::with_capacity(args.len());
        for arg in args {
            let operand = self.expr(arg, &mut inner)?;
            exprs.push(varve_expr::fold(self.settle(operand)?));
        }
        scope.groupings.push((exprs, position));
        Ok(Operand::Known(Expr::Column {
            index: GROUPING_COLUMNS + scope.groupings.len() - 1,
            ty: LogicalType::Int4,
        }))
    }
}

/// Whether one computation serves both calls.
fn same_call(left: &AggregateCall, right: &AggregateCall) -> bool {
    let same = |left: &Option<Expr>, right: &Option<Expr>| match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same_meaning(left, right),
        _ => false,
    };
    left.function == right.function
        && left.distinct == right.distinct
        && same(&left.argument, &right.argument)
        && same(&left.filter, &right.filter)
}

/// Rewrites an expression over input columns into one over the output of an aggregation: group
/// columns, then aggregates. `uses` says where columns stand.
pub(crate) fn over_groups(
    expr: &mut Expr,
    groups: &[Expr],
    names: &Scope,
    uses: &[(usize, u32)],
) -> Result<()> {
    if let Some(index) = groups.iter().position(|group| same_meaning(group, expr)) {
        *expr = Expr::Column {
            index,
            ty: expr.logical_type(),
        };
        return Ok(());
    }
    if let Expr::Column { index, .. } = expr {
        match place(*index) {
            Place::Column => {}
            Place::Aggregate(aggregate) => {
                *index = groups.len() + aggregate;
                return Ok(());
            }
            _ => return Ok(()),
        }
        let name = names
            .column(*index)
            .map_or_else(String::new, |(table, name, _)| table.shown(name));
        let position = uses
            .iter()
            .find(|(column, _)| column == index)
            .map_or(0, |(_, position)| *position);
        let message = format!(
            "column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate \
             function"
        );
        return Err(located(
            Error::new(SqlState::GROUPING_ERROR, message),
            position,
        ));
    }
    let mut result = Ok(());
    for_each_child_mut(expr, &mut |child| {
        if result.is_ok() {
            result = over_groups(child, groups, names, uses);
        }
    });
    result
}
