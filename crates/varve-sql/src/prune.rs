//! Leaves out the columns that nothing above reads, so that scans fetch only what is used.

use varve_expr::Expr;

use crate::plan::{AggregateCall, JoinNode, Plan};
use crate::walk::{for_each_column, map_columns};

/// The same plan with the same columns, in which scans and projections give only columns that are
/// used, and projections that change nothing are gone.
pub(crate) fn prune(plan: Plan) -> Plan {
    let needed = vec![true; width(&plan)];
    prune_to(plan, &needed).0
}

/// Number of output columns.
fn width(plan: &Plan) -> usize {
    match plan {
        Plan::Scan(scan) => scan.columns.len() + usize::from(scan.with_position),
        Plan::Lookup(lookup) => lookup.columns.len() + usize::from(lookup.with_position),
        Plan::Values { types, .. } => types.len(),
        Plan::Filter { input, .. } | Plan::Sort { input, .. } | Plan::Limit { input, .. } => {
            width(input)
        }
        Plan::Project { exprs, .. } => exprs.len(),
        Plan::Aggregate {
            groups, aggregates, ..
        } => groups.len() + aggregates.len(),
        Plan::Join(join) => width(&join.left) + width(&join.right),
    }
}

/// Where each old output column is now, `None` for those left out.
type Moved = Vec<Option<usize>>;

/// The plan with at least the `needed` output columns, and where they are.
fn prune_to(plan: Plan, needed: &[bool]) -> (Plan, Moved) {
    match plan {
        Plan::Scan(mut scan) => {
            let moved = keep_columns(
                &mut scan.columns,
                &mut scan.types,
                &mut scan.with_position,
                needed,
            );
            (Plan::Scan(scan), moved)
        }
        Plan::Lookup(mut lookup) => {
            let moved = keep_columns(
                &mut lookup.columns,
                &mut lookup.types,
                &mut lookup.with_position,
                needed,
            );
            (Plan::Lookup(lookup), moved)
        }
        Plan::Values { rows, types } => {
            let moved = unmoved(types.len());
            (Plan::Values { rows, types }, moved)
        }
        Plan::Filter {
            input,
            mut predicate,
        } => {
            let mut needed = needed.to_vec();
            need(&predicate, &mut needed);
            let (input, moved) = prune_to(*input, &needed);
            remap(&mut predicate, &moved);
            let input = Box::new(input);
            (Plan::Filter { input, predicate }, moved)
        }
        Plan::Sort { input, mut keys } => {
            let mut needed = needed.to_vec();
            for key in &keys {
                need(&key.expr, &mut needed);
            }
            let (input, moved) = prune_to(*input, &needed);
            for key in &mut keys {
                remap(&mut key.expr, &moved);
            }
            let input = Box::new(input);
            (Plan::Sort { input, keys }, moved)
        }
        Plan::Limit {
            input,
            limit,
            offset,
        } => {
            let (input, moved) = prune_to(*input, needed);
            let input = Box::new(input);
            let plan = Plan::Limit {
                input,
                limit,
                offset,
            };
            (plan, moved)
        }
        Plan::Project { input, exprs } => prune_project(*input, exprs, needed),
        Plan::Aggregate {
            input,
            mut groups,
            mut aggregates,
        } => {
            let mut below = vec![false; width(&input)];
            each_input(&mut groups, &mut aggregates, &mut |expr| {
                need(expr, &mut below)
            });
            let (input, moved) = prune_to(*input, &below);
            each_input(&mut groups, &mut aggregates, &mut |expr| {
                remap(expr, &moved)
            });
            let unmoved = unmoved(groups.len() + aggregates.len());
            let plan = Plan::Aggregate {
                input: Box::new(input),
                groups,
                aggregates,
            };
            (plan, unmoved)
        }
        Plan::Join(join) => prune_join(join, needed),
    }
}

fn prune_project(input: Plan, exprs: Vec<Expr>, needed: &[bool]) -> (Plan, Moved) {
    let mut moved = Vec::with_capacity(exprs.len());
    let mut kept: Vec<Expr> = Vec::with_capacity(exprs.len());
    for (index, expr) in exprs.into_iter().enumerate() {
        let keep = needed.get(index).copied().unwrap_or(true);
        moved.push(keep.then_some(kept.len()));
        if keep {
            kept.push(expr);
        }
    }
    let mut below = vec![false; width(&input)];
    for expr in &kept {
        need(expr, &mut below);
    }
    let (input, moved_below) = prune_to(input, &below);
    for expr in &mut kept {
        remap(expr, &moved_below);
    }
    let same = kept.len() == width(&input)
        && kept
            .iter()
            .enumerate()
            .all(|(place, expr)| matches!(expr, Expr::Column { index, .. } if *index == place));
    if same {
        return (input, moved);
    }
    let plan = Plan::Project {
        input: Box::new(input),
        exprs: kept,
    };
    (plan, moved)
}

fn prune_join(join: JoinNode, needed: &[bool]) -> (Plan, Moved) {
    let JoinNode {
        left,
        right,
        mut equal,
        mut residual,
    } = join;
    let left_width = width(&left);
    let mut needed = needed.to_vec();
    if let Some(residual) = &residual {
        need(residual, &mut needed);
    }
    let mut need_right = needed.split_off(left_width.min(needed.len()));
    let mut need_left = needed;
    for (left, right) in &equal {
        need(left, &mut need_left);
        need(right, &mut need_right);
    }
    let (left, moved_left) = prune_to(*left, &need_left);
    let (right, moved_right) = prune_to(*right, &need_right);
    for (left, right) in &mut equal {
        remap(left, &moved_left);
        remap(right, &moved_right);
    }
    let new_left_width = width(&left);
    let shifted = moved_right
        .into_iter()
        .map(|place| place.map(|place| place + new_left_width));
    let moved: Moved = moved_left.into_iter().chain(shifted).collect();
    if let Some(residual) = &mut residual {
        remap(residual, &moved);
    }
    let plan = Plan::Join(JoinNode {
        left: Box::new(left),
        right: Box::new(right),
        equal,
        residual,
    });
    (plan, moved)
}

/// Leaves the needed columns of a scan or lookup.
fn keep_columns<T>(
    columns: &mut Vec<usize>,
    types: &mut Vec<T>,
    with_position: &mut bool,
    needed: &[bool],
) -> Moved {
    let is_needed = |index: usize| needed.get(index).copied().unwrap_or(true);
    let position_index = columns.len();
    let mut next = 0;
    let mut place = |keep: bool| {
        keep.then(|| {
            next += 1;
            next - 1
        })
    };
    let mut moved: Moved = (0..columns.len())
        .map(|index| place(is_needed(index)))
        .collect();
    if *with_position {
        *with_position = is_needed(position_index);
        moved.push(place(*with_position));
    }
    let mut index = 0;
    columns.retain(|_| {
        index += 1;
        is_needed(index - 1)
    });
    index = 0;
    types.retain(|_| {
        index += 1;
        is_needed(index - 1)
    });
    moved
}

fn unmoved(width: usize) -> Moved {
    (0..width).map(Some).collect()
}

/// Every expression of an aggregation over its input.
fn each_input(
    groups: &mut [Expr],
    aggregates: &mut [AggregateCall],
    visit: &mut dyn FnMut(&mut Expr),
) {
    groups.iter_mut().for_each(&mut *visit);
    for call in aggregates {
        call.argument.iter_mut().for_each(&mut *visit);
        call.filter.iter_mut().for_each(&mut *visit);
    }
}

fn need(expr: &Expr, needed: &mut [bool]) {
    for_each_column(expr, &mut |column| {
        if let Some(needed) = needed.get_mut(column) {
            *needed = true;
        }
    });
}

fn remap(expr: &mut Expr, moved: &[Option<usize>]) {
    map_columns(expr, &|column| {
        moved.get(column).copied().flatten().unwrap_or(column)
    });
}
