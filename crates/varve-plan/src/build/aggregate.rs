//! Calls of aggregates, found again.

use varve_expr::walk::{for_each_child_mut, same_meaning};
use varve_expr::{Expr, Placeholder, fold};
use varve_types::{Error, Result, SqlState};

use crate::build::operand::Operand;
use crate::plan::{AggregateCall, SortKeyExpr};
use crate::scope::error::located;
use crate::scope::tables::Scope;

/// The number of a call among those that there are.
pub fn known_call(calls: &mut Vec<AggregateCall>, call: &mut AggregateCall) -> usize {
    let known = calls.iter().position(|other| same_call(other, call));
    known.unwrap_or_else(|| {
        calls.push(call.clone());
        calls.len() - 1
    })
}

/// Whether one computation serves both calls.
pub fn same_call(left: &AggregateCall, right: &AggregateCall) -> bool {
    let same = |left: &[Expr], right: &[Expr]| {
        let mut pairs = left.iter().zip(right);
        left.len() == right.len() && pairs.all(|(left, right)| same_meaning(left, right))
    };
    let same_key = |(left, right): (&SortKeyExpr, &SortKeyExpr)| {
        left.descending == right.descending
            && left.nulls_first == right.nulls_first
            && same_meaning(&left.expr, &right.expr)
    };
    left.function == right.function
        && left.distinct == right.distinct
        && same(&left.args, &right.args)
        && same(left.filter.as_slice(), right.filter.as_slice())
        && left.order.len() == right.order.len()
        && left.order.iter().zip(&right.order).all(same_key)
}

/// Rewrites an expression over input columns into one over the output of an aggregation: group
/// columns, then aggregates. `uses` says where columns stand.
pub fn over_groups(
    expr: &mut Expr,
    groups: &[Expr],
    names: &Scope,
    uses: &[(usize, u32)],
) -> Result<()> {
    over_groups_of(expr, groups, names, uses, false)
}

/// [`over_groups`], also of what a subquery reads.
pub fn over_groups_of(
    expr: &mut Expr,
    groups: &[Expr],
    names: &Scope,
    uses: &[(usize, u32)],
    in_subquery: bool,
) -> Result<()> {
    if let Some(index) = groups.iter().position(|group| same_meaning(group, expr)) {
        *expr = Expr::Column {
            index,
            ty: expr.logical_type(),
        };
        return Ok(());
    }
    if let Expr::Placeholder { part, ty } = expr {
        if let Placeholder::Aggregate(aggregate) = part {
            let index = groups.len() + *aggregate;
            *expr = Expr::Column { index, ty: *ty };
        }
        return Ok(());
    }
    if let Expr::Column { index, .. } = expr {
        let name = names
            .column(*index)
            .map_or_else(String::new, |(table, name, _)| table.shown(name));
        let position = uses
            .iter()
            .find(|(column, _)| column == index)
            .map_or(0, |(_, position)| *position);
        let message = if in_subquery {
            format!("subquery uses ungrouped column \"{name}\" from outer query")
        } else {
            format!(
                "column \"{name}\" must appear in the GROUP BY clause or be used in an aggregate \
                 function"
            )
        };
        return Err(located(
            Error::new(SqlState::GROUPING_ERROR, message),
            position,
        ));
    }
    let mut result = Ok(());
    for_each_child_mut(expr, &mut |child| {
        if result.is_ok() {
            result = over_groups_of(child, groups, names, uses, in_subquery);
        }
    });
    result
}

/// The expression of an operand whose type is known.
pub fn known_expr(operand: &Operand) -> Option<Expr> {
    match operand {
        Operand::Known(expr) => Some(fold(expr.clone())),
        _ => None,
    }
}
