//! Subqueries of expressions: joined to the plan whose rows the expressions read.

use varve_expr::walk::{fill_placeholders, for_each_placeholder, map_columns, without_positions};
use varve_expr::{Expr, Placeholder};
use varve_sort::VecMap;
use varve_types::{CompareOp, Error, Result};

use crate::build::compare::compare_rows;
use crate::build::same_plan::{canonical, canonical_call};
use crate::optimize::push_down::filtered;
use crate::plan::walk::expr_reads_outer;
use crate::plan::{JoinKind, JoinNode, Mark, Plan, ProjectSetNode, SetCall};

/// A subquery of an expression.
#[derive(Clone, Debug)]
pub struct Subquery {
    /// How it stands in the expression.
    pub kind: SubqueryKind,
    /// Its plan.
    pub plan: Plan,
    /// Slots that its plan reads, with expressions over the columns of the query around it.
    pub outer: Vec<(usize, Expr)>,
    /// Where it reads the columns of the query around it.
    pub uses: Vec<(usize, u32)>,
}

/// What is done with a column that is read within, given where columns are read.
pub type VisitRead<'v> = dyn FnMut(&mut Expr, &[(usize, u32)]) -> Result<()> + 'v;

/// What a subquery is asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum SubqueryKind {
    /// Its only row.
    Row,
    /// Whether there is a row.
    Exists,
    /// Whether the comparison holds for a row: each left side over the columns of the query around
    /// it, each right side over its own.
    Any(CompareOp, Vec<(Expr, Expr)>),
    /// The result of a function for each row of the query around it.
    Call(SetCall),
}

impl Subquery {
    /// Whether it is the call of a function.
    pub fn is_call(&self) -> bool {
        matches!(self.kind, SubqueryKind::Call(_))
    }

    /// Whether it uses one of these slots of enclosing queries.
    pub fn reads_outer(&self, slots: &[usize]) -> bool {
        let reads = |expr: &Expr| expr_reads_outer(expr, slots);
        let within = match &self.kind {
            SubqueryKind::Any(_, pairs) => pairs.iter().any(|(_, right)| reads(right)),
            _ => false,
        };
        within || self.plan.reads_outer(slots) || self.exprs().into_iter().any(reads)
    }

    /// Takes these values of slots, so far as it uses them, from the query around it.
    pub fn read(&mut self, values: &[(usize, Expr)]) {
        let used = values.iter().filter(|(slot, _)| self.reads_outer(&[*slot]));
        let used: Vec<_> = used.cloned().collect();
        self.outer.extend(used);
    }

    /// Calls `visit` for each expression over the columns of the query around it.
    pub fn for_each_expr_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Expr) -> Result<()>,
    ) -> Result<()> {
        for (_, expr) in &mut self.outer {
            visit(expr)?;
        }
        self.for_each_left_mut(visit)
    }

    /// Calls `visit` for each column of the query around it that is read within, with the places.
    pub fn for_each_read_mut(&mut self, visit: &mut VisitRead<'_>) -> Result<()> {
        let Subquery { outer, uses, .. } = self;
        outer.iter_mut().try_for_each(|(_, expr)| visit(expr, uses))
    }

    /// Calls `visit` for each expression that stands before it.
    pub fn for_each_left_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Expr) -> Result<()>,
    ) -> Result<()> {
        match &mut self.kind {
            SubqueryKind::Any(_, pairs) => pairs.iter_mut().try_for_each(|(left, _)| visit(left)),
            SubqueryKind::Call(call) => call.args.iter_mut().try_for_each(visit),
            SubqueryKind::Row | SubqueryKind::Exists => Ok(()),
        }
    }

    /// The expressions over the columns of the query around it.
    pub fn exprs(&self) -> Vec<&Expr> {
        let mut exprs: Vec<&Expr> = self.outer.iter().map(|(_, expr)| expr).collect();
        match &self.kind {
            SubqueryKind::Any(_, pairs) => exprs.extend(pairs.iter().map(|(left, _)| left)),
            SubqueryKind::Call(call) => exprs.extend(&call.args),
            SubqueryKind::Row | SubqueryKind::Exists => {}
        }
        exprs
    }

    /// Whether it gives what another one gives.
    pub fn is_same(&self, other: &Subquery) -> bool {
        let parts = |one: &Subquery| {
            let kind = match one.kind.clone() {
                SubqueryKind::Any(op, mut pairs) => {
                    for (left, right) in &mut pairs {
                        without_positions(left);
                        without_positions(right);
                    }
                    SubqueryKind::Any(op, pairs)
                }
                SubqueryKind::Call(call) => SubqueryKind::Call(canonical_call(call)),
                kind => kind,
            };
            (kind, canonical(one.plan.clone(), one.outer.clone()))
        };
        core::mem::discriminant(&self.kind) == core::mem::discriminant(&other.kind)
            && parts(self) == parts(other)
    }

    /// The join that gives its result behind the columns of a plan, or that filters the plan.
    pub fn join(self, left: Plan, filters: bool) -> Result<JoinNode> {
        let left_width = left.width();
        let Subquery {
            kind, plan, outer, ..
        } = self;
        let join_kind = match (&kind, filters) {
            (SubqueryKind::Row, _) => JoinKind::Single,
            (_, true) => JoinKind::Semi,
            (_, false) => JoinKind::Mark,
        };
        let mut join = JoinNode::new(join_kind, left, plan);
        join.outer = outer;
        let SubqueryKind::Any(op, mut pairs) = kind else {
            return Ok(join);
        };
        if let (false, CompareOp::Eq, [_]) = (filters, op, pairs.as_slice())
            && let Some((left, right)) = pairs.pop()
        {
            join.mark = Mark::Equal(left, right);
            return Ok(join);
        }
        for (_, right) in &mut pairs {
            map_columns(right, &|column| column + left_width);
        }
        let condition = compare_rows(op, &pairs)?;
        if filters {
            join.residual = Some(condition);
        } else {
            join.mark = Mark::Condition(condition);
        }
        Ok(join)
    }
}

/// Joins the subqueries that expressions use to a plan, and has the expressions read the results.
pub fn attach(mut plan: Plan, subqueries: &[Subquery], exprs: &mut [&mut Expr]) -> Result<Plan> {
    let mut places = VecMap::new();
    for expr in exprs.iter() {
        plan = attach_one(plan, subqueries, expr, &mut places)?;
    }
    for expr in exprs {
        settle_places(expr, &places);
    }
    Ok(plan)
}

/// The first column of each subquery's result.
pub type Places = VecMap<usize, usize>;

pub(crate) fn attach_one(
    mut plan: Plan,
    subqueries: &[Subquery],
    expr: &Expr,
    places: &mut Places,
) -> Result<Plan> {
    for number in used_subqueries(expr) {
        if places.contains_key(&number) {
            continue;
        }
        let Some(subquery) = subqueries.get(number) else {
            return Err(Error::internal("an expression uses an unknown subquery"));
        };
        for inner in subquery.exprs() {
            plan = attach_one(plan, subqueries, inner, places)?;
        }
        let mut subquery = subquery.clone();
        subquery.for_each_expr_mut(&mut |inner| {
            settle_places(inner, places);
            Ok(())
        })?;
        places.insert(number, plan.width());
        plan = match subquery.kind {
            SubqueryKind::Call(call) => Plan::ProjectSet(ProjectSetNode {
                input: Box::new(plan),
                calls: vec![call],
                ordinality: false,
            }),
            _ => Plan::Join(subquery.join(plan, false)?),
        };
    }
    Ok(plan)
}

pub(crate) fn settle_places(expr: &mut Expr, places: &Places) {
    fill_placeholders(expr, &|part| match part {
        Placeholder::Subquery { number, column } => Some(places.get(&number)? + column),
        _ => None,
    });
}

/// The subqueries that an expression uses, in order.
pub fn used_subqueries(expr: &Expr) -> Vec<usize> {
    let mut used = Vec::new();
    for_each_placeholder(expr, &mut |part| {
        if let Placeholder::Subquery { number, .. } = part
            && !used.contains(&number)
        {
            used.push(number);
        }
    });
    used
}

/// The rows of a plan for which all conditions hold; what subqueries they use is joined behind the
/// plan's columns, or only filters it where a condition is the subquery itself.
pub fn attach_conditions(
    plan: Plan,
    conditions: Vec<Expr>,
    subqueries: &[Subquery],
) -> Result<Plan> {
    let (using, plain): (Vec<Expr>, Vec<Expr>) = conditions
        .into_iter()
        .partition(|condition| !used_subqueries(condition).is_empty());
    let mut plan = filtered(plan, plain);
    let mut rest = Vec::new();
    for condition in using {
        match filtering(&condition, subqueries) {
            Some((subquery, negated)) => {
                let mut join = subquery.clone().join(plan, true)?;
                if negated {
                    join.kind = JoinKind::Anti;
                }
                plan = Plan::Join(join);
            }
            None => rest.push(condition),
        }
    }
    let mut exprs: Vec<&mut Expr> = rest.iter_mut().collect();
    let plan = attach(plan, subqueries, &mut exprs)?;
    Ok(filtered(plan, rest))
}

/// The subquery that a condition is, and whether it is NOT EXISTS.
pub fn filtering<'s>(condition: &Expr, subqueries: &'s [Subquery]) -> Option<(&'s Subquery, bool)> {
    let (tested, negated) = match condition {
        Expr::Not(input) => (input.as_ref(), true),
        condition => (condition, false),
    };
    let Expr::Placeholder {
        part: Placeholder::Subquery { number, .. },
        ..
    } = tested
    else {
        return None;
    };
    let subquery = subqueries.get(*number)?;
    let fits = match subquery.kind {
        SubqueryKind::Row | SubqueryKind::Call(_) => false,
        SubqueryKind::Exists => true,
        SubqueryKind::Any(..) => !negated,
    };
    let is_plain = subquery
        .exprs()
        .into_iter()
        .all(|expr| used_subqueries(expr).is_empty());
    (fits && is_plain).then_some((subquery, negated))
}

/// The values that the slots of captured columns take.
pub fn slot_values(captured: &[Captured]) -> Vec<(usize, Expr)> {
    captured
        .iter()
        .map(|column| (column.slot, column.value.clone()))
        .collect()
}

/// A value of a query that was used from within.
pub struct Captured {
    /// The slot that it takes.
    pub slot: usize,
    /// A column or an aggregate of the query around.
    pub value: Expr,
    /// Where it stands in the text.
    pub position: u32,
}
