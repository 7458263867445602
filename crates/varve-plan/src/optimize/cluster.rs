//! The order of inner joins: dynamic programming over sets of few relations, greedy for many.
//!
//! Selinger et al., Access Path Selection in a Relational Database Management System (1979), with
//! the sum of the sizes of intermediate results as the cost. Trees are left-deep: what is joined so
//! far probes, the next relation is built from.

use varve_expr::Expr;
use varve_expr::walk::{conjunction, for_each_column, map_columns, split_conjunction};

use crate::optimize::conditions::{equal_sides, push};
use crate::optimize::estimate;
use crate::optimize::push_down::{filtered, one_row};
use crate::plan::walk::taken;
use crate::plan::{JoinKind, JoinNode, Plan};

/// Most relations whose orders are all weighed.
const SEARCHED_MAX: usize = 10;

/// Inner joins of any shape as a list of relations; their columns are numbered one after another.
#[derive(Default)]
struct Cluster {
    relations: Vec<Plan>,
    /// The number behind the last column of each relation.
    ends: Vec<usize>,
    conditions: Vec<Expr>,
    width: usize,
}

impl Cluster {
    fn add(&mut self, plan: Plan) {
        let first = self.width;
        let mut added = Vec::new();
        let plan = match plan {
            Plan::Filter { input, predicate } if is_joined(&input) => {
                split_conjunction(predicate, &mut added);
                *input
            }
            plan => plan,
        };
        match plan {
            Plan::Join(mut join) if join.kind == JoinKind::Inner && join.outer.is_empty() => {
                let left_width = join.left.width();
                for (left, mut right) in join.equal.drain(..) {
                    map_columns(&mut right, &|column| column + left_width);
                    added.push(Expr::Compare {
                        op: varve_types::CompareOp::Eq,
                        left: Box::new(left),
                        right: Box::new(right),
                    });
                }
                if let Some(residual) = join.residual.take() {
                    split_conjunction(residual, &mut added);
                }
                self.add(taken(&mut join.left));
                self.add(taken(&mut join.right));
            }
            relation => {
                self.width += relation.width();
                self.ends.push(self.width);
                self.relations.push(relation);
            }
        }
        for mut condition in added {
            map_columns(&mut condition, &|column| column + first);
            self.conditions.push(condition);
        }
    }

    fn relation_of(&self, column: usize) -> usize {
        self.ends.partition_point(|end| *end <= column)
    }

    fn first_column(&self, relation: usize) -> usize {
        let before = relation.checked_sub(1);
        before
            .and_then(|before| self.ends.get(before))
            .copied()
            .unwrap_or(0)
    }

    /// The relations that a condition reads, ascending.
    fn relations_read(&self, condition: &Expr) -> Vec<usize> {
        let mut read = Vec::new();
        for_each_column(condition, &mut |column| {
            let relation = self.relation_of(column);
            if !read.contains(&relation) {
                read.push(relation);
            }
        });
        varve_sort::sort(&mut read);
        read
    }

    /// Takes the conditions, by what they read.
    fn sorted_conditions(&mut self) -> Conditions {
        let mut local: Vec<Vec<Expr>> = self.relations.iter().map(|_| Vec::new()).collect();
        let (mut links, mut constant) = (Vec::new(), Vec::new());
        for mut condition in core::mem::take(&mut self.conditions) {
            let read = self.relations_read(&condition);
            match (
                read.as_slice(),
                read.first().and_then(|one| local.get_mut(*one)),
            ) {
                ([one], Some(local)) => {
                    let first = self.first_column(*one);
                    map_columns(&mut condition, &|column| column - first);
                    local.push(condition);
                }
                ([], _) => constant.push(condition),
                _ => links.push(Link {
                    relations: read,
                    condition,
                    share: 1.0,
                }),
            }
        }
        Conditions {
            local,
            links,
            constant,
        }
    }
}

fn is_joined(plan: &Plan) -> bool {
    match plan {
        Plan::Join(join) => join.kind == JoinKind::Inner && join.outer.is_empty(),
        Plan::Filter { input, .. } => is_joined(input),
        _ => false,
    }
}

/// A condition that joins relations.
struct Link {
    relations: Vec<usize>,
    condition: Expr,
    share: f64,
}

impl Link {
    fn estimate(&mut self, sizes: &[f64]) {
        let sizes = self.relations.iter().filter_map(|at| sizes.get(*at));
        let largest = sizes.copied().fold(1.0, f64::max);
        self.share = estimate::join_share(&self.condition, largest);
    }
}

/// The conditions of a cluster by what they read.
struct Conditions {
    /// Of each relation those that read it alone, over its own columns.
    local: Vec<Vec<Expr>>,
    links: Vec<Link>,
    /// Those that read no relation.
    constant: Vec<Expr>,
}

/// Inner joins under conditions, in a good order and with the columns where they were.
pub(super) fn ordered_joins(joins: Plan, conditions: Vec<Expr>) -> Plan {
    let mut cluster = Cluster::default();
    cluster.add(joins);
    cluster.conditions.extend(conditions);
    let Conditions {
        local,
        mut links,
        constant,
    } = cluster.sorted_conditions();
    // A condition between relations is estimated by all their rows, not by those that are left.
    let unfiltered: Vec<f64> = cluster.relations.iter().map(estimate::rows).collect();
    for link in &mut links {
        link.estimate(&unfiltered);
    }
    let relations = core::mem::take(&mut cluster.relations).into_iter();
    let relations: Vec<Plan> = relations
        .zip(local)
        .map(|(relation, conditions)| push(relation, conditions))
        .collect();
    let sizes: Vec<f64> = relations.iter().map(estimate::rows).collect();
    let order = if sizes.len() <= SEARCHED_MAX {
        searched_order(&sizes, &links)
    } else {
        greedy_order(&sizes, &links)
    };
    let mut relations: Vec<Option<Plan>> = relations.into_iter().map(Some).collect();
    let mut joined = LeftDeep::default();
    for next in order {
        if let Some(relation) = relations.get_mut(next).and_then(Option::take) {
            joined.join(next, cluster.first_column(next), relation, &mut links);
        }
    }
    filtered(joined.in_old_places(), constant)
}

/// The joins so far, in the order that was chosen.
#[derive(Default)]
struct LeftDeep {
    plan: Option<Plan>,
    relations: Vec<usize>,
    /// The number that each output column has in the cluster.
    layout: Vec<usize>,
}

impl LeftDeep {
    /// Joins one relation more, by those of the links that it is the last for; the others are left.
    fn join(&mut self, number: usize, first: usize, relation: Plan, links: &mut Vec<Link>) {
        self.relations.push(number);
        let left_width = self.layout.len();
        self.layout.extend(first..first + relation.width());
        let Some(left) = self.plan.take() else {
            self.plan = Some(relation);
            return;
        };
        let mut join = JoinNode::new(JoinKind::Inner, left, relation);
        let mut residual = Vec::new();
        let (now, later): (Vec<Link>, Vec<Link>) = core::mem::take(links)
            .into_iter()
            .partition(|link| link.relations.iter().all(|at| self.relations.contains(at)));
        *links = later;
        for Link { mut condition, .. } in now {
            place_columns(&mut condition, &self.layout);
            match equal_sides(condition, left_width) {
                Ok(pair) => join.equal.push(pair),
                Err(condition) => residual.push(condition),
            }
        }
        join.residual = conjunction(residual);
        self.plan = Some(Plan::Join(join));
    }

    /// The columns in the order of the cluster.
    fn in_old_places(self) -> Plan {
        let plan = self.plan.unwrap_or_else(one_row);
        if self.layout.is_sorted() {
            return plan;
        }
        let types = plan.types();
        let mut exprs: Vec<(usize, Expr)> = self
            .layout
            .iter()
            .zip(types)
            .enumerate()
            .map(|(index, (column, ty))| (*column, Expr::Column { index, ty }))
            .collect();
        varve_sort::sort_by_key(&mut exprs, |(column, _)| *column);
        Plan::Project {
            input: Box::new(plan),
            exprs: exprs.into_iter().map(|(_, expr)| expr).collect(),
        }
    }
}

/// Renumbers the columns of a condition to where they are in a layout.
fn place_columns(condition: &mut Expr, layout: &[usize]) {
    map_columns(condition, &|column| {
        let place = layout.iter().position(|known| *known == column);
        place.unwrap_or(column)
    });
}

/// The cheapest left-deep order; of equal ones the first in the order of FROM.
fn searched_order(sizes: &[f64], links: &[Link]) -> Vec<usize> {
    let count = sizes.len();
    let masks: Vec<(usize, f64)> = links
        .iter()
        .map(|link| {
            let mask = link.relations.iter().fold(0, |mask, at| mask | (1 << at));
            (mask, link.share)
        })
        .collect();
    let rows = |set: usize| -> f64 {
        let sizes_of_set = sizes
            .iter()
            .enumerate()
            .filter(|(at, _)| set & (1 << at) != 0);
        let product: f64 = sizes_of_set.map(|(_, size)| size).product();
        let within = masks.iter().filter(|(mask, _)| mask & set == *mask);
        (product * within.map(|(_, share)| share).product::<f64>()).max(1.0)
    };
    // The cost of the best order of each set, and its last relation.
    let mut best: Vec<Option<(f64, usize)>> = vec![None; 1 << count];
    for set in 1..best.len() {
        let size = if set.count_ones() == 1 {
            0.0
        } else {
            rows(set)
        };
        let mut found: Option<(f64, usize)> = None;
        // Later relations are tried as the last one first, so that ties keep the order of FROM.
        for last in (0..count).rev().filter(|last| set & (1 << last) != 0) {
            let before = set & !(1 << last);
            let cost = match (before, best.get(before)) {
                (0, _) => 0.0,
                (_, Some(Some((cost, _)))) => cost + size,
                _ => continue,
            };
            if found.is_none_or(|(known, _)| cost < known) {
                found = Some((cost, last));
            }
        }
        if let Some(slot) = best.get_mut(set) {
            *slot = found;
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut set = best.len() - 1;
    while let Some(Some((_, last))) = best.get(set).filter(|_| set != 0) {
        order.push(*last);
        set &= !(1 << last);
    }
    order.reverse();
    order
}

/// From the smallest relation on, each time the one that gives the fewest rows; those that no
/// condition joins to what is there come last.
fn greedy_order(sizes: &[f64], links: &[Link]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..sizes.len()).collect();
    let mut order: Vec<usize> = Vec::with_capacity(sizes.len());
    let mut rows = 1.0;
    while !left.is_empty() {
        let mut best: Option<(bool, f64, usize)> = None;
        for (at, candidate) in left.iter().enumerate() {
            let within = |link: &&Link| {
                link.relations.contains(candidate)
                    && link
                        .relations
                        .iter()
                        .all(|relation| relation == candidate || order.contains(relation))
            };
            let shares = links.iter().filter(within).map(|link| link.share);
            let is_loose = !order.is_empty() && !links.iter().any(|link| within(&link));
            let size = sizes.get(*candidate).copied().unwrap_or(1.0);
            let cost = (rows * size * shares.product::<f64>()).max(1.0);
            let better = best.is_none_or(|(loose, known, _)| match (is_loose, loose) {
                (false, true) => true,
                (true, false) => false,
                _ => cost < known,
            });
            if better {
                best = Some((is_loose, cost, at));
            }
        }
        let Some((_, cost, at)) = best else { break };
        rows = cost;
        order.push(left.remove(at));
    }
    order
}
