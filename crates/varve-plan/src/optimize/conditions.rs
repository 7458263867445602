//! Conditions are applied as early as they may be, and outer joins whose NULLs a condition refuses
//! become inner ones.

use varve_expr::Expr;
use varve_expr::walk::{
    conjunction, for_each_child, for_each_column, map_columns, split_conjunction, substitute,
};
use varve_types::CompareOp;

use crate::optimize::cluster::ordered_joins;
use crate::optimize::push_down::{filtered, filtered_scan};
use crate::plan::walk::taken;
use crate::plan::{AggregateCall, JoinKind, JoinNode, Mark, Plan};

/// The plan under conditions over its columns that must all hold.
pub(super) fn push(plan: Plan, mut conditions: Vec<Expr>) -> Plan {
    match plan {
        Plan::Filter { input, predicate } => {
            let mut all = Vec::with_capacity(conditions.len() + 1);
            split_conjunction(predicate, &mut all);
            all.append(&mut conditions);
            push(*input, all)
        }
        Plan::Scan(scan) => {
            let key = scan.table.as_ref().map(|table| table.primary_key.clone());
            filtered_scan(scan, &key.unwrap_or_default(), conditions)
        }
        Plan::Project { input, exprs } => push_into_project(*input, exprs, conditions),
        Plan::Aggregate {
            input,
            groups,
            aggregates,
        } => push_into_aggregate(*input, groups, aggregates, conditions),
        Plan::Sort { input, keys } => Plan::Sort {
            input: Box::new(push(*input, conditions)),
            keys,
        },
        Plan::Append { inputs, types } => Plan::Append {
            inputs: inputs
                .into_iter()
                .map(|input| push(input, conditions.clone()))
                .collect(),
            types,
        },
        Plan::SetOperation(mut node) => {
            *node.left = push(taken(&mut node.left), conditions.clone());
            *node.right = push(taken(&mut node.right), conditions);
            Plan::SetOperation(node)
        }
        Plan::With(mut node) => {
            *node.definition = push(taken(&mut node.definition), Vec::new());
            *node.body = push(taken(&mut node.body), conditions);
            Plan::With(node)
        }
        Plan::ProjectSet(mut node) => {
            let width = node.input.width();
            let (below, above): (Vec<Expr>, Vec<Expr>) = conditions
                .into_iter()
                .partition(|condition| reads_only(condition, 0, width));
            *node.input = push(taken(&mut node.input), below);
            filtered(Plan::ProjectSet(node), above)
        }
        Plan::Join(join) => push_into_join(join, conditions),
        mut other => {
            other.for_each_input_mut(&mut |input| *input = push(taken(input), Vec::new()));
            filtered(other, conditions)
        }
    }
}

fn push_into_project(input: Plan, exprs: Vec<Expr>, conditions: Vec<Expr>) -> Plan {
    let (below, above): (Vec<Expr>, Vec<Expr>) = conditions
        .into_iter()
        .partition(|condition| !reads_volatile(condition, &exprs));
    let below = below.into_iter().map(|condition| over(condition, &exprs));
    let input = Box::new(push(input, below.collect()));
    filtered(Plan::Project { input, exprs }, above)
}

/// Conditions over the groups alone choose rows as well as they choose groups.
fn push_into_aggregate(
    input: Plan,
    groups: Vec<Expr>,
    aggregates: Vec<AggregateCall>,
    conditions: Vec<Expr>,
) -> Plan {
    let (below, above): (Vec<Expr>, Vec<Expr>) = conditions.into_iter().partition(|condition| {
        !groups.is_empty()
            && reads_only(condition, 0, groups.len())
            && !reads_volatile(condition, &groups)
    });
    let below = below.into_iter().map(|condition| over(condition, &groups));
    let plan = Plan::Aggregate {
        input: Box::new(push(input, below.collect())),
        groups,
        aggregates,
    };
    filtered(plan, above)
}

fn push_into_join(mut join: JoinNode, conditions: Vec<Expr>) -> Plan {
    if join.kind == JoinKind::Inner && join.outer.is_empty() {
        return ordered_joins(Plan::Join(join), conditions);
    }
    let left_width = join.left.width();
    let right_width = join.right.width();
    narrow(&mut join, &conditions, left_width, right_width);
    if join.kind == JoinKind::Inner && join.outer.is_empty() {
        return ordered_joins(Plan::Join(join), conditions);
    }
    let kind = join.kind;
    let pushes_left = !matches!(kind, JoinKind::Right | JoinKind::Full);
    let pushes_right = matches!(kind, JoinKind::Inner | JoinKind::Right);
    let (mut on_left, mut on_right, mut above) = (Vec::new(), Vec::new(), Vec::new());
    for condition in conditions {
        if pushes_left && reads_only(&condition, 0, left_width) {
            on_left.push(condition);
        } else if pushes_right && reads_only(&condition, left_width, right_width) {
            on_right.push(shifted(condition, left_width));
        } else if kind == JoinKind::Inner {
            join.residual = conjunction(join.residual.into_iter().chain([condition]).collect());
        } else {
            above.push(condition);
        }
    }
    // The join's own condition, as far as one side alone decides it.
    let own_left = matches!(kind, JoinKind::Inner | JoinKind::Semi | JoinKind::Right);
    let own_right = !matches!(kind, JoinKind::Right | JoinKind::Full);
    let mut own = Vec::new();
    if let Some(residual) = join.residual.take() {
        split_conjunction(residual, &mut own);
    }
    let mut residual = Vec::new();
    for condition in own {
        let reads_columns = reads_any(&condition);
        if own_right && reads_columns && reads_only(&condition, left_width, right_width) {
            on_right.push(shifted(condition, left_width));
        } else if own_left && reads_columns && reads_only(&condition, 0, left_width) {
            on_left.push(condition);
        } else {
            match equal_sides(condition, left_width) {
                Ok(pair) => join.equal.push(pair),
                Err(condition) => residual.push(condition),
            }
        }
    }
    join.residual = conjunction(residual);
    if let (Some(_), Mark::Equal(left, right)) = (&join.residual, &join.mark) {
        let mut right = right.clone();
        map_columns(&mut right, &|column| column + left_width);
        join.mark = Mark::Condition(Expr::Compare {
            op: CompareOp::Eq,
            left: Box::new(left.clone()),
            right: Box::new(right),
        });
    }
    *join.left = push(taken(&mut join.left), on_left);
    *join.right = push(taken(&mut join.right), on_right);
    filtered(Plan::Join(join), above)
}

/// Makes an outer join inner on the sides whose NULLs a condition above refuses.
fn narrow(join: &mut JoinNode, conditions: &[Expr], left_width: usize, right_width: usize) {
    let refuses = |first: usize, count: usize| {
        conditions.iter().any(|condition| {
            is_refused(condition, &|column| {
                (first..first + count).contains(&column)
            })
        })
    };
    let (left, right) = match join.kind {
        JoinKind::Left => (false, refuses(left_width, right_width)),
        JoinKind::Right => (refuses(0, left_width), false),
        JoinKind::Full => (refuses(0, left_width), refuses(left_width, right_width)),
        _ => return,
    };
    join.kind = match (join.kind, left, right) {
        (JoinKind::Left, _, true) | (JoinKind::Right, true, _) | (JoinKind::Full, true, true) => {
            JoinKind::Inner
        }
        (JoinKind::Full, true, false) => JoinKind::Left,
        (JoinKind::Full, false, true) => JoinKind::Right,
        (kind, _, _) => kind,
    };
}

/// Whether a condition is not true when all columns for which `nulled` holds are NULL; false where
/// that is not known.
fn is_refused(condition: &Expr, nulled: &dyn Fn(usize) -> bool) -> bool {
    match condition {
        Expr::And(items) => items.iter().any(|item| is_refused(item, nulled)),
        Expr::Or(items) => items.iter().all(|item| is_refused(item, nulled)),
        Expr::IsNull {
            input,
            negated: true,
        } => is_null(input, nulled),
        Expr::Not(input) => match input.as_ref() {
            Expr::IsNull {
                input,
                negated: false,
            } => is_null(input, nulled),
            input => is_null(input, nulled),
        },
        _ => is_null(condition, nulled),
    }
}

/// Whether an expression is NULL then.
fn is_null(expr: &Expr, nulled: &dyn Fn(usize) -> bool) -> bool {
    match expr {
        Expr::Column { index, .. } => nulled(*index),
        Expr::Compare { left, right, .. } => is_null(left, nulled) || is_null(right, nulled),
        Expr::And(items) | Expr::Or(items) => items.iter().all(|item| is_null(item, nulled)),
        Expr::Not(input) | Expr::Cast { input, .. } | Expr::InList { input, .. } => {
            is_null(input, nulled)
        }
        Expr::Call { function, args, .. } => {
            function.is_strict() && args.iter().any(|arg| is_null(arg, nulled))
        }
        _ => false,
    }
}

/// Whether an expression reads only `count` columns from `first` on, or none.
pub(super) fn reads_only(expr: &Expr, first: usize, count: usize) -> bool {
    let mut only = true;
    for_each_column(expr, &mut |column| {
        only &= (first..first + count).contains(&column);
    });
    only
}

fn reads_any(expr: &Expr) -> bool {
    let mut any = false;
    for_each_column(expr, &mut |_| any = true);
    any
}

fn shifted(mut expr: Expr, by: usize) -> Expr {
    map_columns(&mut expr, &|column| column - by);
    expr
}

/// A condition over the columns of a projection as one over its input.
fn over(mut condition: Expr, exprs: &[Expr]) -> Expr {
    substitute(&mut condition, &|expr| match expr {
        Expr::Column { index, .. } => exprs.get(*index).cloned(),
        _ => None,
    });
    condition
}

/// Whether a condition reads a column whose value is not the same each time it is computed.
fn reads_volatile(condition: &Expr, exprs: &[Expr]) -> bool {
    let mut volatile = false;
    for_each_column(condition, &mut |column| {
        volatile |= exprs.get(column).is_some_and(is_volatile);
    });
    volatile
}

fn is_volatile(expr: &Expr) -> bool {
    let mut volatile = matches!(expr, Expr::Call { function, .. } if !function.is_immutable());
    for_each_child(expr, &mut |child| volatile = volatile || is_volatile(child));
    volatile
}

/// The sides of an equality of which one reads only columns before `first` and the other only
/// columns from there on, the latter renumbered; any other condition is given back.
pub(super) fn equal_sides(condition: Expr, first: usize) -> Result<(Expr, Expr), Expr> {
    let Expr::Compare {
        op: CompareOp::Eq,
        left,
        right,
    } = condition
    else {
        return Err(condition);
    };
    let side = |expr: &Expr| {
        let (mut before, mut from) = (false, false);
        for_each_column(expr, &mut |column| {
            before |= column < first;
            from |= column >= first;
        });
        (before, from)
    };
    let (left, mut right) = match (side(&left), side(&right)) {
        ((true, false), (false, true)) => (left, right),
        ((false, true), (true, false)) => (right, left),
        _ => {
            return Err(Expr::Compare {
                op: CompareOp::Eq,
                left,
                right,
            });
        }
    };
    map_columns(&mut right, &|column| column - first);
    Ok((*left, *right))
}
