//! Whether two plans do the same: those of two subqueries that are written alike differ by where
//! they stand in the text and by the numbers of slots and named queries.

use varve_expr::Expr;
use varve_expr::walk::{for_each_child_mut, without_positions};
use varve_sort::VecMap;

use crate::plan::window::FrameBound;
use crate::plan::{AggregateCall, Mark, Plan, PushedPredicate, SetCall};

/// A plan and what it reads of the query around it, without what tells equal ones apart.
pub fn canonical(mut plan: Plan, outer: Vec<(usize, Expr)>) -> (Plan, Vec<(usize, Expr)>) {
    let mut numbers = Numbers::default();
    let outer = outer.into_iter();
    let outer = outer.map(|(slot, mut expr)| {
        numbers.expr(&mut expr);
        (of(&mut numbers.slots, slot), expr)
    });
    let outer = outer.collect();
    numbers.plan(&mut plan);
    (plan, outer)
}

/// A call of a function in place of a table, as [`canonical`].
pub fn canonical_call(mut call: SetCall) -> SetCall {
    Numbers::default().call(&mut call);
    call
}

/// The new numbers, in the order in which the old ones are met.
#[derive(Default)]
struct Numbers {
    slots: VecMap<usize, usize>,
    queries: VecMap<usize, usize>,
}

fn of(numbers: &mut VecMap<usize, usize>, number: usize) -> usize {
    let next = numbers.len();
    match numbers.get(&number) {
        Some(known) => *known,
        None => {
            numbers.insert(number, next);
            next
        }
    }
}

impl Numbers {
    fn plan(&mut self, plan: &mut Plan) {
        match plan {
            Plan::With(node) => node.id = of(&mut self.queries, node.id),
            Plan::CteScan(node) => node.id = of(&mut self.queries, node.id),
            Plan::Recursive(node) => node.id = of(&mut self.queries, node.id),
            Plan::Join(node) => {
                for (left, right) in &mut node.equal {
                    self.exprs([left, right]);
                }
                self.exprs(&mut node.residual);
                match &mut node.mark {
                    Mark::Exists => {}
                    Mark::Equal(left, right) => self.exprs([left, right]),
                    Mark::Condition(condition) => self.expr(condition),
                }
                for (slot, expr) in &mut node.outer {
                    self.expr(expr);
                    *slot = of(&mut self.slots, *slot);
                }
            }
            Plan::Scan(scan) => {
                let predicates = scan.predicates.iter_mut();
                predicates.for_each(|predicate| self.pushed(predicate));
            }
            Plan::Lookup(lookup) => self.exprs(&mut lookup.key),
            Plan::Values { rows, .. } => self.exprs(rows.iter_mut().flatten()),
            Plan::Filter { predicate, .. } => self.expr(predicate),
            Plan::Project { exprs, .. } => self.exprs(exprs),
            Plan::First { keys, .. } => self.exprs(keys),
            Plan::Sort { keys, .. } => self.exprs(keys.iter_mut().map(|key| &mut key.expr)),
            Plan::Limit {
                limit,
                offset,
                ties,
                ..
            } => self.exprs(limit.iter_mut().chain(offset).chain(ties)),
            Plan::Sample { percent, seed, .. } => {
                self.expr(percent);
                self.exprs(seed);
            }
            Plan::Lock(node) => self.exprs(&mut node.places),
            Plan::Aggregate {
                groups, aggregates, ..
            } => {
                self.exprs(groups);
                aggregates.iter_mut().for_each(|call| self.aggregate(call));
            }
            Plan::ProjectSet(node) => node.calls.iter_mut().for_each(|call| self.call(call)),
            Plan::Window(node) => {
                self.exprs(&mut node.partition);
                self.exprs(node.order.iter_mut().map(|key| &mut key.expr));
                for call in &mut node.calls {
                    call.position = 0;
                    self.exprs(call.args.iter_mut().chain(&mut call.filter));
                    for bound in [&mut call.frame.start, &mut call.frame.end] {
                        if let FrameBound::Preceding(by) | FrameBound::Following(by) = bound {
                            self.expr(by);
                        }
                    }
                }
            }
            Plan::Append { .. } | Plan::SetOperation(_) => {}
        }
        plan.for_each_input_mut(&mut |input| self.plan(input));
    }

    fn pushed(&mut self, predicate: &mut PushedPredicate) {
        match predicate {
            PushedPredicate::Fixed(_) => {}
            PushedPredicate::Compare { value, .. } => self.expr(value),
            PushedPredicate::In { values, .. } => self.exprs(values),
            PushedPredicate::Prefix { prefix, .. } => self.expr(&mut prefix.value),
        }
    }

    fn aggregate(&mut self, call: &mut AggregateCall) {
        call.position = 0;
        call.exprs_mut().for_each(|expr| self.expr(expr));
    }

    fn call(&mut self, call: &mut SetCall) {
        call.position = 0;
        self.exprs(&mut call.args);
    }

    fn exprs<'e>(&mut self, exprs: impl IntoIterator<Item = &'e mut Expr>) {
        exprs.into_iter().for_each(|expr| self.expr(expr));
    }

    fn expr(&mut self, expr: &mut Expr) {
        without_positions(expr);
        self.slots_of(expr);
    }

    fn slots_of(&mut self, expr: &mut Expr) {
        if let Expr::Outer { slot, .. } = expr {
            *slot = of(&mut self.slots, *slot);
        }
        for_each_child_mut(expr, &mut |child| self.slots_of(child));
    }
}
