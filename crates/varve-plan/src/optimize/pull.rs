//! Takes the conditions that read outer values out of a plan, to be applied above it.

use varve_expr::Expr;
use varve_expr::walk::{for_each_column, map_columns, split_conjunction};
use varve_types::{CompareOp, Value};

use crate::optimize::push_down::filtered;
use crate::plan::walk::expr_reads_outer;
use crate::plan::{AggregateCall, JoinKind, JoinNode, Mark, Plan};

/// A plan that reads no outer values any more. Its first columns are those that it had; others may
/// follow, which the conditions need.
pub(super) struct Pulled {
    pub(super) plan: Plan,
    /// Conditions over the columns and outer values that were taken out.
    pub(super) conditions: Vec<Expr>,
}

/// What matters of the rows of a plan to the one that reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// All rows and their order.
    Order,
    /// Which rows there are.
    Rows,
    /// Whether there is a row that the conditions take.
    Existence,
}

/// The plan without conditions that read these slots; `None` where they are read otherwise.
pub(super) fn pull(plan: &Plan, slots: &[usize], reader: Reader) -> Option<Pulled> {
    if !plan.reads_outer(slots) {
        return Some(Pulled {
            plan: plan.clone(),
            conditions: Vec::new(),
        });
    }
    match plan {
        Plan::Filter { input, predicate } => {
            // The rows below a limit are not all that the predicate may see.
            let below = match reader {
                Reader::Existence => Reader::Rows,
                other => other,
            };
            Some(pull_filter(pull(input, slots, below)?, predicate, slots))
        }
        Plan::Project { input, exprs } => {
            if exprs.iter().any(|expr| expr_reads_outer(expr, slots)) {
                return None;
            }
            Some(pull_project(pull(input, slots, reader)?, exprs))
        }
        Plan::Sort { input, .. } if reader != Reader::Order => pull(input, slots, reader),
        Plan::Sort { input, keys } => {
            if keys.iter().any(|key| expr_reads_outer(&key.expr, slots)) {
                return None;
            }
            let mut pulled = pull(input, slots, reader)?;
            pulled.plan = Plan::Sort {
                input: Box::new(pulled.plan),
                keys: keys.clone(),
            };
            Some(pulled)
        }
        Plan::Limit {
            input,
            limit,
            offset: None,
            ..
        } if reader == Reader::Existence && keeps_a_row(limit.as_ref()) => {
            pull(input, slots, Reader::Existence)
        }
        Plan::Aggregate {
            input,
            groups,
            aggregates,
        } if !groups.is_empty() => {
            let mut reads = groups.iter().any(|group| expr_reads_outer(group, slots));
            for call in aggregates {
                call.for_each_expr(&mut |expr| reads |= expr_reads_outer(expr, slots));
            }
            if reads {
                return None;
            }
            let pulled = pull(input, slots, Reader::Order)?;
            pull_aggregate(pulled, groups, aggregates, slots)
        }
        Plan::Join(join) => pull_join(join, slots),
        _ => None,
    }
}

/// The parts of a predicate that read outer values join what its input gave up.
fn pull_filter(mut pulled: Pulled, predicate: &Expr, slots: &[usize]) -> Pulled {
    let mut own = Vec::new();
    split_conjunction(predicate.clone(), &mut own);
    let (taken, left): (Vec<Expr>, Vec<Expr>) = own.into_iter().partition(reads_of(slots));
    pulled.conditions.extend(taken);
    pulled.plan = filtered(pulled.plan, left);
    pulled
}

/// The projection gives on what the conditions need.
fn pull_project(pulled: Pulled, exprs: &[Expr]) -> Pulled {
    let types = pulled.plan.types();
    let mut exprs = exprs.to_vec();
    let mut conditions = pulled.conditions;
    for condition in &mut conditions {
        for_each_column(condition, &mut |column| {
            if place_of(column, &exprs).is_none()
                && let Some(ty) = types.get(column)
            {
                exprs.push(Expr::Column {
                    index: column,
                    ty: *ty,
                });
            }
        });
        map_columns(condition, &|column| {
            place_of(column, &exprs).unwrap_or(column)
        });
    }
    Pulled {
        plan: Plan::Project {
            input: Box::new(pulled.plan),
            exprs,
        },
        conditions,
    }
}

/// Groups are also told apart by what the conditions compare with outer values.
fn pull_aggregate(
    pulled: Pulled,
    groups: &[Expr],
    aggregates: &[AggregateCall],
    slots: &[usize],
) -> Option<Pulled> {
    let mut all_groups = groups.to_vec();
    let mut conditions = Vec::new();
    for condition in pulled.conditions {
        let (inner, outer) = equal_to_outer(condition, slots)?;
        let ty = inner.logical_type();
        // Behind the columns that there are, where the projection below puts it.
        let index = aggregates.len() + all_groups.len();
        all_groups.push(inner);
        conditions.push(Expr::Compare {
            op: CompareOp::Eq,
            left: Box::new(Expr::Column { index, ty }),
            right: Box::new(outer),
        });
    }
    let old = groups.len();
    let new = all_groups.len();
    let plan = Plan::Aggregate {
        input: Box::new(pulled.plan),
        groups: all_groups,
        aggregates: aggregates.to_vec(),
    };
    let places = (0..old).chain(new..new + aggregates.len());
    Some(Pulled {
        plan: with_columns(plan, places.chain(old..new))?,
        conditions,
    })
}

/// The plan with its columns at these places.
fn with_columns(plan: Plan, places: impl Iterator<Item = usize>) -> Option<Plan> {
    let types = plan.types();
    let column = |index: usize| {
        let ty = *types.get(index)?;
        Some(Expr::Column { index, ty })
    };
    Some(Plan::Project {
        exprs: places.map(column).collect::<Option<Vec<Expr>>>()?,
        input: Box::new(plan),
    })
}

fn place_of(column: usize, exprs: &[Expr]) -> Option<usize> {
    exprs
        .iter()
        .position(|expr| matches!(expr, Expr::Column { index, .. } if *index == column))
}

fn keeps_a_row(limit: Option<&Expr>) -> bool {
    match limit {
        None => true,
        Some(Expr::Literal {
            value: Value::Int8(rows),
            ..
        }) => *rows > 0,
        Some(_) => false,
    }
}

/// From both sides of an inner join and from the left of the others.
fn pull_join(join: &JoinNode, slots: &[usize]) -> Option<Pulled> {
    if keeps_outer(join, slots) {
        return None;
    }
    let left = pull(&join.left, slots, Reader::Order)?;
    let right = if is_plain_inner(join) {
        pull(&join.right, slots, Reader::Order)?
    } else {
        Pulled {
            plan: join.right.as_ref().clone(),
            conditions: Vec::new(),
        }
    };
    let places = JoinPlaces {
        old_left: join.left.width(),
        new_left: left.plan.width(),
        old_right: join.right.width(),
        new_right: right.plan.width(),
    };
    let (plan, mut conditions) = join_pulled(join, slots, left, right);
    let places = places.of(join.kind);
    for condition in &mut conditions {
        map_columns(condition, &|column| {
            let place = places.iter().position(|known| *known == column);
            place.unwrap_or(column)
        });
    }
    Some(Pulled {
        plan: with_columns(plan, places.into_iter())?,
        conditions,
    })
}

fn is_plain_inner(join: &JoinNode) -> bool {
    join.kind == JoinKind::Inner && join.outer.is_empty()
}

/// Whether a join reads outer values where they cannot be taken out.
fn keeps_outer(join: &JoinNode, slots: &[usize]) -> bool {
    let reads = |expr: &Expr| expr_reads_outer(expr, slots);
    let is_inner = is_plain_inner(join);
    let mark_reads = match &join.mark {
        Mark::Exists => false,
        Mark::Equal(left, right) => reads(left) || reads(right),
        Mark::Condition(condition) => reads(condition),
    };
    let reads_condition = join.residual.as_ref().is_some_and(reads) && !is_inner;
    matches!(join.kind, JoinKind::Right | JoinKind::Full)
        || mark_reads
        || reads_condition
        || join
            .equal
            .iter()
            .any(|(left, right)| reads(left) || reads(right))
        || join.outer.iter().any(|(_, expr)| reads(expr))
        || (!is_inner && join.right.reads_outer(slots))
}

/// How many columns the sides of a join have, and had.
struct JoinPlaces {
    old_left: usize,
    new_left: usize,
    old_right: usize,
    new_right: usize,
}

impl JoinPlaces {
    /// The columns of a join as they were, what came to each side behind them.
    fn of(&self, kind: JoinKind) -> Vec<usize> {
        let (gives_right, kept_right) = match kind {
            JoinKind::Semi | JoinKind::Anti => (0, 0),
            JoinKind::Mark => (1, 1),
            _ => (self.new_right, self.new_right.min(self.old_right)),
        };
        (0..self.old_left)
            .chain(self.new_left..self.new_left + kept_right)
            .chain(self.old_left..self.new_left)
            .chain(self.new_left + kept_right..self.new_left + gives_right)
            .collect()
    }
}

/// The join of its new sides, and what they and it gave up, over the columns of both.
fn join_pulled(join: &JoinNode, slots: &[usize], left: Pulled, right: Pulled) -> (Plan, Vec<Expr>) {
    let (old_left, new_left) = (join.left.width(), left.plan.width());
    let moved = |column: usize| match column {
        column if column < old_left => column,
        column => column - old_left + new_left,
    };
    let mut node = join.clone();
    let mut own = Vec::new();
    if let Some(residual) = node.residual.take() {
        split_conjunction(residual, &mut own);
    }
    if let Mark::Condition(condition) = &mut node.mark {
        map_columns(condition, &moved);
    }
    for condition in &mut own {
        map_columns(condition, &moved);
    }
    let (taken, own): (Vec<Expr>, Vec<Expr>) = own.into_iter().partition(reads_of(slots));
    node.residual = varve_expr::walk::conjunction(own);
    *node.left = left.plan;
    *node.right = right.plan;
    let mut conditions = left.conditions;
    conditions.extend(taken);
    for mut condition in right.conditions {
        map_columns(&mut condition, &|column| column + new_left);
        conditions.push(condition);
    }
    (Plan::Join(node), conditions)
}

fn reads_of(slots: &[usize]) -> impl Fn(&Expr) -> bool {
    move |condition| expr_reads_outer(condition, slots)
}

/// The sides of an equality of a part that reads no outer values with one that reads nothing else.
pub(super) fn equal_to_outer(condition: Expr, slots: &[usize]) -> Option<(Expr, Expr)> {
    let Expr::Compare {
        op: CompareOp::Eq,
        left,
        right,
    } = condition
    else {
        return None;
    };
    let is_outer = |expr: &Expr| {
        let mut column_free = true;
        for_each_column(expr, &mut |_| column_free = false);
        column_free && expr_reads_outer(expr, slots)
    };
    if is_outer(&right) && !expr_reads_outer(&left, slots) {
        Some((*left, *right))
    } else if is_outer(&left) && !expr_reads_outer(&right, slots) {
        Some((*right, *left))
    } else {
        None
    }
}
