//! Subqueries that read columns of the query around them become joins where they can: what they
//! compare with those columns becomes the condition of the join.
//!
//! What is not covered runs once for each combination of outer values, see [`JoinNode::outer`].

use varve_expr::Expr;
use varve_expr::walk::{conjunction, map_columns, substitute};
use varve_types::Value;

use crate::optimize::pull::{Pulled, Reader, equal_to_outer, pull};
use crate::plan::walk::{expr_reads_outer, taken};
use crate::plan::{AggregateCall, JoinKind, JoinNode, Mark, Plan};

/// The plan with its subqueries joined, innermost first.
pub(super) fn decorrelate(mut plan: Plan) -> Plan {
    plan.for_each_input_mut(&mut |input| *input = decorrelate(taken(input)));
    match plan {
        Plan::Join(join) if !join.outer.is_empty() => joined(join),
        other => other,
    }
}

fn joined(mut join: JoinNode) -> Plan {
    let slots: Vec<usize> = join.outer.iter().map(|(slot, _)| *slot).collect();
    if !join.right.reads_outer(&slots) {
        // Only the condition read them, which sees the left columns anyway.
        let residual = join.residual.as_mut();
        residual
            .into_iter()
            .for_each(|expr| bind_outer(expr, &join.outer));
        join.outer.clear();
        return Plan::Join(join);
    }
    if let Some(pulled) = pull(&join.right, &slots, reader(&join)) {
        return with_pulled(join, pulled);
    }
    if let Some(plan) = joined_aggregate(&join, &slots) {
        return plan;
    }
    Plan::Join(join)
}

/// What a join wants of its right side.
fn reader(join: &JoinNode) -> Reader {
    if !matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::Mark) {
        return Reader::Order;
    }
    let is_any = matches!(join.mark, Mark::Exists);
    if is_any && join.equal.is_empty() && join.residual.is_none() {
        Reader::Existence
    } else {
        Reader::Rows
    }
}

/// The join whose right side gave up its conditions.
fn with_pulled(mut join: JoinNode, pulled: Pulled) -> Plan {
    let left_width = join.left.width();
    let right_width = join.right.width();
    let wide_width = pulled.plan.width();
    let types = join.right.types();
    *join.right = pulled.plan;
    let mut conditions: Vec<Expr> = join.residual.take().into_iter().collect();
    for mut condition in pulled.conditions {
        map_columns(&mut condition, &|column| column + left_width);
        conditions.push(condition);
    }
    for condition in &mut conditions {
        bind_outer(condition, &join.outer);
    }
    join.residual = conjunction(conditions);
    join.outer.clear();
    let gives_left_only = matches!(join.kind, JoinKind::Semi | JoinKind::Anti | JoinKind::Mark);
    if gives_left_only || wide_width == right_width {
        return Plan::Join(join);
    }
    // The columns that only the condition needed go.
    let all = join.left.types().into_iter().chain(types).enumerate();
    let exprs = all.map(|(index, ty)| Expr::Column { index, ty }).collect();
    Plan::Project {
        input: Box::new(Plan::Join(join)),
        exprs,
    }
}

/// The expression with the values that slots take in place of the slots.
pub fn bind_outer(expr: &mut Expr, outer: &[(usize, Expr)]) {
    substitute(expr, &|part| match part {
        Expr::Outer { slot, .. } => value_of_slot(*slot, outer),
        _ => None,
    });
}

fn value_of_slot(slot: usize, outer: &[(usize, Expr)]) -> Option<Expr> {
    let found = outer.iter().find(|(known, _)| *known == slot);
    found.map(|(_, value)| value.clone())
}

/// A step between the join and the aggregation of its right side.
enum Above<'p> {
    Project(&'p [Expr]),
    Filter(&'p Expr),
}

/// An aggregation of all rows, under steps of which the outermost is the first.
struct Aggregation<'p> {
    above: Vec<Above<'p>>,
    input: &'p Plan,
    aggregates: &'p [AggregateCall],
}

impl Aggregation<'_> {
    fn of(plan: &Plan) -> Option<Aggregation<'_>> {
        let mut above = Vec::new();
        let mut at = plan;
        loop {
            match at {
                Plan::Project { input, exprs } => {
                    above.push(Above::Project(exprs));
                    at = input;
                }
                Plan::Filter { input, predicate } => {
                    above.push(Above::Filter(predicate));
                    at = input;
                }
                Plan::Aggregate {
                    input,
                    groups,
                    aggregates,
                } if groups.is_empty() => {
                    return Some(Aggregation {
                        above,
                        input,
                        aggregates,
                    });
                }
                _ => return None,
            }
        }
    }

    /// What the steps make of the aggregates, and the conditions that they set.
    fn computed(&self, aggregates: Vec<Expr>, outer: &[(usize, Expr)]) -> (Vec<Expr>, Vec<Expr>) {
        let mut outputs = aggregates;
        let mut conditions = Vec::new();
        for step in self.above.iter().rev() {
            let bind = |expr: &Expr| {
                let mut expr = expr.clone();
                substitute(&mut expr, &|part| match part {
                    Expr::Column { index, .. } => outputs.get(*index).cloned(),
                    Expr::Outer { slot, .. } => value_of_slot(*slot, outer),
                    _ => None,
                });
                expr
            };
            match step {
                Above::Project(exprs) => outputs = exprs.iter().map(bind).collect(),
                Above::Filter(predicate) => conditions.push(bind(predicate)),
            }
        }
        (outputs, conditions)
    }
}

/// Rows that compare with outer values, grouped by what is compared.
struct Grouped {
    input: Plan,
    groups: Vec<Expr>,
    /// Each outer value with the column of its group.
    equal: Vec<(Expr, Expr)>,
}

impl Grouped {
    fn of(input: &Plan, slots: &[usize], outer: &[(usize, Expr)]) -> Option<Grouped> {
        let Pulled { plan, conditions } = pull(input, slots, Reader::Order)?;
        let (mut groups, mut equal) = (Vec::new(), Vec::new());
        for condition in conditions {
            let (inner, mut value) = equal_to_outer(condition, slots)?;
            bind_outer(&mut value, outer);
            let index = groups.len();
            let ty = inner.logical_type();
            groups.push(inner);
            equal.push((value, Expr::Column { index, ty }));
        }
        if groups.is_empty() {
            return None;
        }
        Some(Grouped {
            input: plan,
            groups,
            equal,
        })
    }
}

/// A right side of one row, an aggregation of rows that compare with outer values: it is grouped by
/// what is compared instead, and joined to the left rows; a left row without a group has the
/// aggregates of no rows.
fn joined_aggregate(join: &JoinNode, slots: &[usize]) -> Option<Plan> {
    let keeps_left = match join.kind {
        JoinKind::Single | JoinKind::Left => true,
        JoinKind::Inner => false,
        _ => return None,
    };
    if join.residual.is_some() || !join.equal.is_empty() {
        return None;
    }
    let aggregation = Aggregation::of(&join.right)?;
    let aggregates = aggregation.aggregates;
    if reads_outer(aggregates, slots) {
        return None;
    }
    let Grouped {
        input,
        groups,
        equal,
    } = Grouped::of(aggregation.input, slots, &join.outer)?;
    // What stands above is computed over the left columns and the aggregates.
    let of_groups = (join.left.width() + groups.len()..)
        .zip(aggregates)
        .map(|(index, call)| missing_aggregate(index, call))
        .collect();
    let (mut outputs, conditions) = aggregation.computed(of_groups, &join.outer);
    let mut node = JoinNode::new(
        JoinKind::Left,
        join.left.as_ref().clone(),
        Plan::Aggregate {
            input: Box::new(input),
            groups,
            aggregates: aggregates.to_vec(),
        },
    );
    node.equal = equal;
    let mut plan = Plan::Join(node);
    if let Some(condition) = conjunction(conditions) {
        if keeps_left {
            outputs = outputs
                .into_iter()
                .map(|output| null_unless(condition.clone(), output))
                .collect();
        } else {
            plan = Plan::Filter {
                input: Box::new(plan),
                predicate: condition,
            };
        }
    }
    let left = join.left.types().into_iter().enumerate();
    let left = left.map(|(index, ty)| Expr::Column { index, ty });
    Some(Plan::Project {
        input: Box::new(plan),
        exprs: left.chain(outputs).collect(),
    })
}

fn null_unless(condition: Expr, value: Expr) -> Expr {
    let ty = value.logical_type();
    Expr::Case {
        branches: vec![(condition, value)],
        otherwise: None,
        ty,
    }
}

fn reads_outer(calls: &[AggregateCall], slots: &[usize]) -> bool {
    let mut reads = false;
    for call in calls {
        call.for_each_expr(&mut |expr| reads |= expr_reads_outer(expr, slots));
    }
    reads
}

/// An aggregate that is NULL where there was no row, as what it is over no rows.
fn missing_aggregate(index: usize, call: &AggregateCall) -> Expr {
    let ty = call.function.result_type();
    let column = Expr::Column { index, ty };
    match call.function.over_nothing() {
        Value::Null => column,
        value => Expr::Coalesce {
            args: vec![column, Expr::Literal { value, ty }],
            ty,
        },
    }
}
