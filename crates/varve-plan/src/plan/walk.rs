//! Walks over plans: inputs, expressions, and the types of the columns.

use varve_expr::Expr;
use varve_expr::walk::for_each_child;
use varve_types::LogicalType;

use crate::plan::window::{FrameBound, WindowNode};
use crate::plan::{AggregateCall, JoinKind, JoinNode, Mark, Plan, PushedPredicate, RowLock};

impl Plan {
    /// The types of the output columns.
    pub fn types(&self) -> Vec<LogicalType> {
        let of = |exprs: &[Expr]| exprs.iter().map(Expr::logical_type).collect::<Vec<_>>();
        let with_position = |types: &[LogicalType], with_position: bool| {
            let position = with_position.then_some(LogicalType::Int8);
            types.iter().copied().chain(position).collect()
        };
        match self {
            Plan::Scan(scan) => with_position(&scan.types, scan.with_position),
            Plan::Lookup(lookup) => with_position(&lookup.types, lookup.with_position),
            Plan::Values { types, .. } | Plan::Append { types, .. } => types.clone(),
            Plan::CteScan(scan) => scan.types.clone(),
            Plan::Recursive(node) => node.types.clone(),
            Plan::Filter { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Limit { input, .. }
            | Plan::First { input, .. }
            | Plan::Sample { input, .. } => input.types(),
            Plan::Project { exprs, .. } => of(exprs),
            Plan::Aggregate {
                groups, aggregates, ..
            } => {
                let mut types = of(groups);
                types.extend(aggregates.iter().map(|call| call.function.result_type()));
                types
            }
            Plan::Join(join) => {
                let mut types = join.left.types();
                match join.kind {
                    JoinKind::Semi | JoinKind::Anti => {}
                    JoinKind::Mark => types.push(LogicalType::Boolean),
                    _ => types.extend(join.right.types()),
                }
                types
            }
            Plan::SetOperation(node) => node.left.types(),
            Plan::With(node) => node.body.types(),
            Plan::Lock(node) => node.input.types(),
            Plan::ProjectSet(node) => {
                let mut types = node.input.types();
                types.extend(node.calls.iter().flat_map(|call| &call.types));
                types.extend(node.ordinality.then_some(LogicalType::Int8));
                types
            }
            Plan::Window(node) => {
                let mut types = node.input.types();
                types.extend(node.calls.iter().map(|call| call.ty));
                types
            }
        }
    }

    /// Number of output columns.
    pub fn width(&self) -> usize {
        match self {
            Plan::Scan(scan) => scan.columns.len() + usize::from(scan.with_position),
            Plan::Lookup(lookup) => lookup.columns.len() + usize::from(lookup.with_position),
            Plan::Values { types, .. } | Plan::Append { types, .. } => types.len(),
            Plan::CteScan(scan) => scan.types.len(),
            Plan::Recursive(node) => node.types.len(),
            Plan::Filter { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Limit { input, .. }
            | Plan::First { input, .. }
            | Plan::Sample { input, .. } => input.width(),
            Plan::Project { exprs, .. } => exprs.len(),
            Plan::Aggregate {
                groups, aggregates, ..
            } => groups.len() + aggregates.len(),
            Plan::Join(join) => match join.kind {
                JoinKind::Semi | JoinKind::Anti => join.left.width(),
                JoinKind::Mark => join.left.width() + 1,
                _ => join.left.width() + join.right.width(),
            },
            Plan::SetOperation(node) => node.left.width(),
            Plan::With(node) => node.body.width(),
            Plan::ProjectSet(node) => {
                let columns: usize = node.calls.iter().map(|call| call.types.len()).sum();
                node.input.width() + columns + usize::from(node.ordinality)
            }
            Plan::Window(node) => node.input.width() + node.calls.len(),
            Plan::Lock(node) => node.input.width(),
        }
    }

    /// Number of nodes, itself included.
    pub fn node_count(&self) -> usize {
        let mut count = 1;
        self.for_each_input(&mut |input| count += input.node_count());
        count
    }

    /// Calls `visit` for each input.
    pub fn for_each_input(&self, visit: &mut dyn FnMut(&Plan)) {
        match self {
            Plan::Scan(_) | Plan::Lookup(_) | Plan::Values { .. } | Plan::CteScan(_) => {}
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Aggregate { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Limit { input, .. }
            | Plan::First { input, .. }
            | Plan::Sample { input, .. } => visit(input),
            Plan::Join(node) => {
                visit(&node.left);
                visit(&node.right);
            }
            Plan::Append { inputs, .. } => inputs.iter().for_each(visit),
            Plan::SetOperation(node) => {
                visit(&node.left);
                visit(&node.right);
            }
            Plan::With(node) => {
                visit(&node.definition);
                visit(&node.body);
            }
            Plan::Recursive(node) => {
                visit(&node.base);
                visit(&node.step);
            }
            Plan::ProjectSet(node) => visit(&node.input),
            Plan::Window(node) => visit(&node.input),
            Plan::Lock(node) => visit(&node.input),
        }
    }

    /// Calls `visit` for each input, which it may replace.
    pub fn for_each_input_mut(&mut self, visit: &mut dyn FnMut(&mut Plan)) {
        match self {
            Plan::Scan(_) | Plan::Lookup(_) | Plan::Values { .. } | Plan::CteScan(_) => {}
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Aggregate { input, .. }
            | Plan::Sort { input, .. }
            | Plan::Limit { input, .. }
            | Plan::First { input, .. }
            | Plan::Sample { input, .. } => visit(input),
            Plan::Join(node) => {
                visit(&mut node.left);
                visit(&mut node.right);
            }
            Plan::Append { inputs, .. } => inputs.iter_mut().for_each(visit),
            Plan::SetOperation(node) => {
                visit(&mut node.left);
                visit(&mut node.right);
            }
            Plan::With(node) => {
                visit(&mut node.definition);
                visit(&mut node.body);
            }
            Plan::Recursive(node) => {
                visit(&mut node.base);
                visit(&mut node.step);
            }
            Plan::ProjectSet(node) => visit(&mut node.input),
            Plan::Window(node) => visit(&mut node.input),
            Plan::Lock(node) => visit(&mut node.input),
        }
    }

    /// The first row lock that it takes.
    pub fn row_lock(&self) -> Option<RowLock> {
        if let Plan::Lock(node) = self {
            return node.targets.first().map(|target| target.lock);
        }
        let mut found = None;
        self.for_each_input(&mut |input| found = found.or_else(|| input.row_lock()));
        found
    }

    /// Calls `visit` for each expression of the node itself.
    pub fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            Plan::Scan(scan) => {
                let predicates = scan.predicates.iter();
                predicates.for_each(|predicate| predicate.for_each_expr(visit));
            }
            Plan::Lookup(lookup) => lookup.key.iter().for_each(visit),
            Plan::Values { rows, .. } => rows.iter().flatten().for_each(visit),
            Plan::Filter { predicate, .. } => visit(predicate),
            Plan::Project { exprs, .. } => exprs.iter().for_each(visit),
            Plan::Aggregate {
                groups, aggregates, ..
            } => {
                groups.iter().for_each(&mut *visit);
                for call in aggregates {
                    call.for_each_expr(visit);
                }
            }
            Plan::Sort { keys, .. } => keys.iter().for_each(|key| visit(&key.expr)),
            Plan::Limit {
                limit,
                offset,
                ties,
                ..
            } => {
                limit.iter().chain(offset).for_each(&mut *visit);
                ties.iter().for_each(visit);
            }
            Plan::First { keys, .. } => keys.iter().for_each(visit),
            Plan::Lock(node) => node.places.iter().for_each(visit),
            Plan::Join(node) => node.for_each_expr(visit),
            Plan::ProjectSet(node) => {
                let args = node.calls.iter().flat_map(|call| &call.args);
                args.for_each(visit);
            }
            Plan::Window(node) => node.for_each_expr(visit),
            Plan::Sample { percent, seed, .. } => {
                visit(percent);
                seed.iter().for_each(visit);
            }
            Plan::Append { .. }
            | Plan::SetOperation(_)
            | Plan::With(_)
            | Plan::CteScan(_)
            | Plan::Recursive(_) => {}
        }
    }

    /// Whether it, or what it reads, uses one of these slots of enclosing queries.
    pub fn reads_outer(&self, slots: &[usize]) -> bool {
        let mut reads = false;
        self.for_each_expr(&mut |expr| reads |= expr_reads_outer(expr, slots));
        self.for_each_input(&mut |input| reads = reads || input.reads_outer(slots));
        reads
    }
}

impl PushedPredicate {
    fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        match self {
            PushedPredicate::Fixed(_) => {}
            PushedPredicate::Compare { value, .. } => visit(value),
            PushedPredicate::In { values, .. } => values.iter().for_each(visit),
            PushedPredicate::Prefix { prefix, .. } => visit(&prefix.value),
        }
    }
}

impl JoinNode {
    fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        for (left, right) in &self.equal {
            visit(left);
            visit(right);
        }
        self.residual.iter().for_each(&mut *visit);
        match &self.mark {
            Mark::Exists => {}
            Mark::Equal(left, right) => {
                visit(left);
                visit(right);
            }
            Mark::Condition(condition) => visit(condition),
        }
        self.outer.iter().for_each(|(_, expr)| visit(expr));
    }
}

impl WindowNode {
    fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        self.partition.iter().for_each(&mut *visit);
        self.order.iter().for_each(|key| visit(&key.expr));
        for call in &self.calls {
            call.args.iter().chain(&call.filter).for_each(&mut *visit);
            for bound in [&call.frame.start, &call.frame.end] {
                if let FrameBound::Preceding(by) | FrameBound::Following(by) = bound {
                    visit(by);
                }
            }
        }
    }
}

impl AggregateCall {
    /// Calls `visit` for each expression over the aggregation's input.
    pub fn for_each_expr(&self, visit: &mut dyn FnMut(&Expr)) {
        let order = self.order.iter().map(|key| &key.expr);
        let exprs = self.args.iter().chain(order).chain(&self.filter);
        exprs.for_each(visit);
    }

    /// Each expression over the aggregation's input.
    pub fn exprs_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        let order = self.order.iter_mut().map(|key| &mut key.expr);
        self.args.iter_mut().chain(order).chain(&mut self.filter)
    }
}

/// Whether an expression uses one of these slots of enclosing queries.
pub fn expr_reads_outer(expr: &Expr, slots: &[usize]) -> bool {
    if let Expr::Outer { slot, .. } = expr {
        return slots.contains(slot);
    }
    let mut reads = false;
    for_each_child(expr, &mut |child| {
        reads = reads || expr_reads_outer(child, slots);
    });
    reads
}

/// Takes a plan out of its place.
pub fn taken(plan: &mut Plan) -> Plan {
    let nothing = Plan::Values {
        rows: Vec::new(),
        types: Vec::new(),
    };
    core::mem::replace(plan, nothing)
}
