//! Leaves out the columns that nothing above reads, so that scans fetch only what is used.

use varve_expr::Expr;
use varve_expr::walk::{for_each_column, map_columns, substitute};
use varve_types::LogicalType;

use crate::plan::walk::taken;
use crate::plan::window::WindowNode;
use crate::plan::{AggregateCall, JoinKind, JoinNode, Mark, Plan, ProjectSetNode};

/// The same plan with the same columns, in which scans and projections give only columns that are
/// used, and projections that change nothing are gone.
pub(crate) fn prune(plan: Plan) -> Plan {
    let needed = vec![true; plan.width()];
    prune_to(plan, &needed).0
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
        Plan::Filter { .. }
        | Plan::Sort { .. }
        | Plan::Limit { .. }
        | Plan::First { .. }
        | Plan::Lock(_)
        | Plan::Sample { .. } => prune_chooser(plan, needed),
        Plan::Append { inputs, types } => prune_append(inputs, &types, needed),
        Plan::SetOperation(mut node) => {
            *node.left = prune(taken(&mut node.left));
            *node.right = prune(taken(&mut node.right));
            let moved = unmoved(node.left.width());
            (Plan::SetOperation(node), moved)
        }
        Plan::With(mut node) => {
            *node.definition = prune(taken(&mut node.definition));
            let (body, moved) = prune_to(taken(&mut node.body), needed);
            *node.body = body;
            (Plan::With(node), moved)
        }
        Plan::CteScan(scan) => {
            let moved = unmoved(scan.types.len());
            (Plan::CteScan(scan), moved)
        }
        Plan::Recursive(mut node) => {
            *node.base = prune(taken(&mut node.base));
            *node.step = prune(taken(&mut node.step));
            let moved = unmoved(node.types.len());
            (Plan::Recursive(node), moved)
        }
        Plan::ProjectSet(node) => prune_project_set(node, needed),
        Plan::Window(node) => prune_window(node, needed),
        Plan::Project { input, exprs } => prune_project(*input, exprs, needed),
        Plan::Aggregate {
            input,
            groups,
            aggregates,
        } => prune_aggregate(*input, groups, aggregates, needed),
        Plan::Join(join) => prune_join(join, needed),
    }
}

/// A node that chooses or orders rows of its input and gives them with the same columns.
fn prune_chooser(mut plan: Plan, needed: &[bool]) -> (Plan, Moved) {
    let (input, mut exprs): (&mut Plan, Vec<&mut Expr>) = match &mut plan {
        Plan::Filter { input, predicate } => (input, vec![predicate]),
        Plan::Sort { input, keys } => (input, keys.iter_mut().map(|key| &mut key.expr).collect()),
        Plan::Limit { input, ties, .. } => (input, ties.iter_mut().collect()),
        Plan::First { input, keys } => (input, keys.iter_mut().collect()),
        Plan::Lock(node) => (&mut node.input, node.places.iter_mut().collect()),
        Plan::Sample { input, .. } => (input, Vec::new()),
        other => {
            let moved = unmoved(other.width());
            return (plan, moved);
        }
    };
    let (pruned, moved) = prune_widened(taken(input), &mut exprs, needed, 0);
    *input = pruned;
    (plan, moved)
}

/// Each input gives exactly what is needed, since columns of inputs meet by their places.
fn prune_append(inputs: Vec<Plan>, types: &[LogicalType], needed: &[bool]) -> (Plan, Moved) {
    let kept = types.iter().zip(needed).filter(|(_, needed)| **needed);
    let plan = Plan::Append {
        types: kept.map(|(ty, _)| *ty).collect(),
        inputs: inputs
            .into_iter()
            .map(|input| only(input, needed))
            .collect(),
    };
    let mut next = 0..;
    let place = |needed: &bool| needed.then(|| next.next()).flatten();
    (plan, needed.iter().map(place).collect())
}

/// Aggregates that nothing reads are not computed.
fn prune_aggregate(
    input: Plan,
    mut groups: Vec<Expr>,
    mut aggregates: Vec<AggregateCall>,
    needed: &[bool],
) -> (Plan, Moved) {
    let mut moved_out: Moved = unmoved(groups.len());
    let (mut index, mut kept) = (groups.len(), groups.len());
    aggregates.retain(|_| {
        let keep = needed.get(index).copied().unwrap_or(true);
        moved_out.push(keep.then_some(kept));
        index += 1;
        kept += usize::from(keep);
        keep
    });
    let mut below = vec![false; input.width()];
    each_input(&mut groups, &mut aggregates, &mut |expr| {
        need(expr, &mut below)
    });
    let (input, moved) = prune_to(input, &below);
    each_input(&mut groups, &mut aggregates, &mut |expr| {
        remap(expr, &moved)
    });
    let plan = Plan::Aggregate {
        input: Box::new(input),
        groups,
        aggregates,
    };
    (plan, moved_out)
}

fn prune_project_set(mut node: ProjectSetNode, needed: &[bool]) -> (Plan, Moved) {
    let mut args: Vec<&mut Expr> = node
        .calls
        .iter_mut()
        .flat_map(|call| &mut call.args)
        .collect();
    let added = needed.len().saturating_sub(node.input.width());
    let input = taken(&mut node.input);
    let (input, moved) = prune_widened(input, &mut args, needed, added);
    *node.input = input;
    (Plan::ProjectSet(node), moved)
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
    let mut below = vec![false; input.width()];
    for expr in &kept {
        need(expr, &mut below);
    }
    let (mut input, moved_below) = prune_to(input, &below);
    for expr in &mut kept {
        remap(expr, &moved_below);
    }
    if is_identity(&kept, input.width()) {
        return (input, moved);
    }
    // Columns of a projection of columns are columns of what that reads.
    if let Plan::Project { input, exprs } = &mut input
        && exprs.iter().all(|expr| matches!(expr, Expr::Column { .. }))
    {
        for expr in &mut kept {
            substitute(expr, &|part| match part {
                Expr::Column { index, .. } => exprs.get(*index).cloned(),
                _ => None,
            });
        }
        let input = taken(input);
        if is_identity(&kept, input.width()) {
            return (input, moved);
        }
        let plan = Plan::Project {
            input: Box::new(input),
            exprs: kept,
        };
        return (plan, moved);
    }
    let plan = Plan::Project {
        input: Box::new(input),
        exprs: kept,
    };
    (plan, moved)
}

/// The input of a node that computes these expressions over it and adds so many columns.
fn prune_widened(
    input: Plan,
    exprs: &mut [&mut Expr],
    needed: &[bool],
    added: usize,
) -> (Plan, Moved) {
    let mut below = needed.to_vec();
    below.truncate(input.width());
    for expr in exprs.iter() {
        need(expr, &mut below);
    }
    let (input, mut moved) = prune_to(input, &below);
    for expr in exprs {
        remap(expr, &moved);
    }
    let width = input.width();
    moved.extend((width..width + added).map(Some));
    (input, moved)
}

fn prune_window(mut node: WindowNode, needed: &[bool]) -> (Plan, Moved) {
    let WindowNode {
        input,
        partition,
        order,
        calls,
    } = &mut node;
    let added = calls.len();
    let mut exprs: Vec<&mut Expr> = partition.iter_mut().collect();
    exprs.extend(order.iter_mut().map(|key| &mut key.expr));
    for call in calls {
        exprs.extend(call.args.iter_mut().chain(&mut call.filter));
    }
    let (pruned, moved) = prune_widened(taken(input), &mut exprs, needed, added);
    **input = pruned;
    (Plan::Window(node), moved)
}

/// The plan with exactly the needed columns.
fn only(plan: Plan, needed: &[bool]) -> Plan {
    let types = plan.types();
    let (plan, moved) = prune_to(plan, needed);
    let columns = moved.iter().zip(types).zip(needed);
    let exprs: Vec<Expr> = columns
        .filter(|(_, needed)| **needed)
        .filter_map(|((place, ty), _)| {
            let index = (*place)?;
            Some(Expr::Column { index, ty })
        })
        .collect();
    if is_identity(&exprs, plan.width()) {
        return plan;
    }
    Plan::Project {
        input: Box::new(plan),
        exprs,
    }
}

fn is_identity(exprs: &[Expr], width: usize) -> bool {
    exprs.len() == width
        && exprs
            .iter()
            .enumerate()
            .all(|(place, expr)| matches!(expr, Expr::Column { index, .. } if *index == place))
}

fn prune_join(mut join: JoinNode, needed: &[bool]) -> (Plan, Moved) {
    let left_width = join.left.width();
    let right_width = join.right.width();
    let mut both = needed.to_vec();
    both.resize(left_width, false);
    if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::Mark) {
        both = needed.to_vec();
    }
    both.resize(left_width + right_width, false);
    if join.kind == JoinKind::Single {
        // A match may be NULL itself: the row must be there.
        both.iter_mut()
            .skip(left_width)
            .for_each(|needed| *needed = true);
    }
    join.residual.iter().for_each(|expr| need(expr, &mut both));
    if let Mark::Condition(condition) = &join.mark {
        need(condition, &mut both);
    }
    let mut need_right = both.split_off(left_width.min(both.len()));
    let mut need_left = both;
    join.outer
        .iter()
        .for_each(|(_, expr)| need(expr, &mut need_left));
    let mark = match &mut join.mark {
        Mark::Equal(left, right) => Some((left, right)),
        _ => None,
    };
    let equal = join.equal.iter_mut().map(|(left, right)| (left, right));
    let mut pairs: Vec<(&mut Expr, &mut Expr)> = equal.chain(mark).collect();
    for (left, right) in &pairs {
        need(left, &mut need_left);
        need(right, &mut need_right);
    }
    let (left, moved_left) = prune_to(taken(&mut join.left), &need_left);
    let (right, moved_right) = prune_to(taken(&mut join.right), &need_right);
    for (left, right) in &mut pairs {
        remap(left, &moved_left);
        remap(right, &moved_right);
    }
    for (_, expr) in &mut join.outer {
        remap(expr, &moved_left);
    }
    let new_left_width = left.width();
    let shifted = moved_right
        .into_iter()
        .map(|place| place.map(|place| place + new_left_width));
    let mut moved: Moved = moved_left.into_iter().chain(shifted).collect();
    if let Some(residual) = &mut join.residual {
        remap(residual, &moved);
    }
    if let Mark::Condition(condition) = &mut join.mark {
        remap(condition, &moved);
    }
    *join.left = left;
    *join.right = right;
    if matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::Mark) {
        moved.truncate(left_width);
        moved.extend((join.kind == JoinKind::Mark).then_some(Some(new_left_width)));
    }
    (Plan::Join(join), moved)
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
        call.exprs_mut().for_each(&mut *visit);
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
