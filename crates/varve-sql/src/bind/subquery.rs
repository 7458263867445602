//! Subqueries in expressions: bound to plans of their own, and joined to what the expressions read.

use varve_ast::{ExprKind, InSubquery, Quantified, Quantifier, Query as AstQuery};
use varve_expr::{Expr, fold};
use varve_sort::VecMap;
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::bind::expr::ExprScope;
use crate::bind::literal::{Operand, refuse_set};
use crate::bind::operator::{Infix, infix};
use crate::bind::outer::slot_values;
use crate::bind::placeholder::{Place, column_of_subquery, place, subquery_column};
use crate::bind::row::compare_rows;
use crate::bind::same_plan::{canonical, canonical_call};
use crate::bind::{Binder, located, unsupported_at};
use crate::plan::{JoinKind, JoinNode, Mark, Plan, ProjectSetNode, Query, SetCall};
use crate::plan_walk::expr_reads_outer;
use crate::push_down::{filtered, one_row};
use crate::walk::{for_each_column, map_columns, without_positions};

/// A subquery of an expression.
#[derive(Clone, Debug)]
pub(crate) struct Subquery {
    kind: SubqueryKind,
    plan: Plan,
    /// Slots that its plan reads, with expressions over the columns of the query around it.
    outer: Vec<(usize, Expr)>,
    /// Where it reads the columns of the query around it.
    uses: Vec<(usize, u32)>,
}

/// What is done with a column that is read within, given where columns are read.
type VisitRead<'v> = dyn FnMut(&mut Expr, &[(usize, u32)]) -> Result<()> + 'v;

/// What a subquery is asked for.
#[derive(Clone, Debug, PartialEq)]
enum SubqueryKind {
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
    pub(crate) fn is_call(&self) -> bool {
        matches!(self.kind, SubqueryKind::Call(_))
    }

    /// Whether it uses one of these slots of enclosing queries.
    pub(crate) fn reads_outer(&self, slots: &[usize]) -> bool {
        let reads = |expr: &Expr| expr_reads_outer(expr, slots);
        let within = match &self.kind {
            SubqueryKind::Any(_, pairs) => pairs.iter().any(|(_, right)| reads(right)),
            _ => false,
        };
        within || self.plan.reads_outer(slots) || self.exprs().into_iter().any(reads)
    }

    /// Takes these values of slots, so far as it uses them, from the query around it.
    pub(crate) fn read(&mut self, values: &[(usize, Expr)]) {
        let used = values.iter().filter(|(slot, _)| self.reads_outer(&[*slot]));
        let used: Vec<_> = used.cloned().collect();
        self.outer.extend(used);
    }

    /// Calls `visit` for each expression over the columns of the query around it.
    pub(crate) fn for_each_expr_mut(
        &mut self,
        visit: &mut dyn FnMut(&mut Expr) -> Result<()>,
    ) -> Result<()> {
        for (_, expr) in &mut self.outer {
            visit(expr)?;
        }
        self.for_each_left_mut(visit)
    }

    /// Calls `visit` for each column of the query around it that is read within, with the places.
    pub(crate) fn for_each_read_mut(&mut self, visit: &mut VisitRead<'_>) -> Result<()> {
        let Subquery { outer, uses, .. } = self;
        outer.iter_mut().try_for_each(|(_, expr)| visit(expr, uses))
    }

    /// Calls `visit` for each expression that stands before it.
    pub(crate) fn for_each_left_mut(
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
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        let mut exprs: Vec<&Expr> = self.outer.iter().map(|(_, expr)| expr).collect();
        match &self.kind {
            SubqueryKind::Any(_, pairs) => exprs.extend(pairs.iter().map(|(left, _)| left)),
            SubqueryKind::Call(call) => exprs.extend(&call.args),
            SubqueryKind::Row | SubqueryKind::Exists => {}
        }
        exprs
    }

    /// Whether it gives what another one gives.
    pub(crate) fn is_same(&self, other: &Subquery) -> bool {
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
    fn join(self, left: Plan, filters: bool) -> Result<JoinNode> {
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
pub(crate) fn attach(
    mut plan: Plan,
    subqueries: &[Subquery],
    exprs: &mut [&mut Expr],
) -> Result<Plan> {
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
type Places = VecMap<usize, usize>;

fn attach_one(
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

fn settle_places(expr: &mut Expr, places: &Places) {
    map_columns(expr, &|column| match place(column) {
        Place::Subquery(number) => match places.get(&number) {
            Some(first) => first + column_of_subquery(column),
            None => column,
        },
        _ => column,
    });
}

/// The subqueries that an expression uses, in order.
pub(crate) fn used_subqueries(expr: &Expr) -> Vec<usize> {
    let mut used = Vec::new();
    for_each_column(expr, &mut |column| {
        if let Place::Subquery(number) = place(column)
            && !used.contains(&number)
        {
            used.push(number);
        }
    });
    used
}

/// The rows of a plan for which all conditions hold; what subqueries they use is joined behind the
/// plan's columns, or only filters it where a condition is the subquery itself.
pub(crate) fn attach_conditions(
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
fn filtering<'s>(condition: &Expr, subqueries: &'s [Subquery]) -> Option<(&'s Subquery, bool)> {
    let (column, negated) = match condition {
        Expr::Column { index, .. } => (*index, false),
        Expr::Not(input) => match input.as_ref() {
            Expr::Column { index, .. } => (*index, true),
            _ => return None,
        },
        _ => return None,
    };
    let Place::Subquery(number) = place(column) else {
        return None;
    };
    let subquery = subqueries.get(number)?;
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

impl Binder<'_> {
    /// Binds a subquery.
    pub(crate) fn subquery(
        &mut self,
        query: &AstQuery,
        scope: &mut ExprScope<'_>,
    ) -> Result<(Query, Vec<(usize, Expr)>)> {
        if scope.subqueries.is_none() {
            let clause = scope.clause;
            return Err(match clause.strip_suffix('s') {
                Some(one) => {
                    let message = format!("cannot use subquery in {one}");
                    let error = Error::new(SqlState::FEATURE_NOT_SUPPORTED, message);
                    // At the parenthesis.
                    located(error, self.at(query.span).saturating_sub(1))
                }
                None => unsupported_at(format!("a subquery in {clause}"), self.first()),
            });
        }
        let (bound, captured) = self.within(scope, |binder| binder.query(query, None))?;
        let uses = captured.iter();
        let uses = uses.map(|column| (column.index, column.position));
        scope.uses.extend(uses);
        Ok((bound, slot_values(&captured)))
    }

    fn add_subquery(
        &self,
        scope: &mut ExprScope<'_>,
        kind: SubqueryKind,
        plan: Plan,
        outer: Vec<(usize, Expr)>,
    ) -> usize {
        let used = |(_, expr): &(usize, Expr)| match expr {
            Expr::Column { index, .. } => scope.uses.iter().rfind(|(used, _)| used == index),
            _ => None,
        };
        let uses = outer.iter().filter_map(used).copied().collect();
        let subqueries = scope.subqueries.get_or_insert_default();
        subqueries.push(Subquery {
            kind,
            plan,
            outer,
            uses,
        });
        subqueries.len() - 1
    }

    /// The column of a plan of one row and one column, which is joined to what the scope is of.
    pub(crate) fn row_of_subquery(
        &self,
        plan: Plan,
        ty: LogicalType,
        outer: Vec<(usize, Expr)>,
        scope: &mut ExprScope<'_>,
    ) -> Expr {
        let number = self.add_subquery(scope, SubqueryKind::Row, plan, outer);
        let index = subquery_column(number, 0);
        Expr::Column { index, ty }
    }

    /// The column of what a function gives for each row of what the scope is of.
    pub(crate) fn called_for_rows(
        &self,
        call: SetCall,
        ty: LogicalType,
        scope: &mut ExprScope<'_>,
    ) -> Expr {
        // In these clauses a call means the one that the select list has already.
        let is_known = |known: &Subquery| match &known.kind {
            SubqueryKind::Call(known) => known.routine == call.routine && known.args == call.args,
            _ => false,
        };
        let names_known = matches!(
            scope.clause,
            "GROUP BY" | "HAVING" | "ORDER BY" | "DISTINCT ON"
        );
        let known = scope.subqueries.iter().flatten().position(is_known);
        let number = known.filter(|_| names_known).unwrap_or_else(|| {
            let kind = SubqueryKind::Call(call);
            self.add_subquery(scope, kind, one_row(), Vec::new())
        });
        let index = subquery_column(number, 0);
        Expr::Column { index, ty }
    }

    /// `(SELECT ...)` as a value; `position` is that of the parenthesis.
    pub(crate) fn scalar_subquery(
        &mut self,
        query: &AstQuery,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut row = self.row_subquery(query, 1, position, scope)?;
        row.pop()
            .ok_or_else(|| Error::internal("a scalar subquery without a column"))
    }

    /// The columns of a subquery of at most one row.
    pub(crate) fn row_subquery(
        &mut self,
        query: &AstQuery,
        width: usize,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Operand>> {
        let (query, outer) = self.subquery(query, scope)?;
        if query.fields.len() != width {
            let message = match width {
                1 => "subquery must return only one column",
                _ if query.fields.len() > width => "subquery has too many columns",
                _ => "subquery has too few columns",
            };
            return Err(located(
                Error::new(SqlState::SYNTAX_ERROR, message),
                position,
            ));
        }
        let number = self.add_subquery(scope, SubqueryKind::Row, query.plan, outer);
        let columns = query.fields.iter().enumerate();
        let columns = columns.map(|(column, field)| {
            Operand::Known(Expr::Column {
                index: subquery_column(number, column),
                ty: field.ty,
            })
        });
        Ok(columns.collect())
    }

    /// `[NOT] EXISTS (SELECT ...)`.
    pub(crate) fn exists(
        &mut self,
        query: &AstQuery,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (query, outer) = self.subquery(query, scope)?;
        let number = self.add_subquery(scope, SubqueryKind::Exists, query.plan, outer);
        Ok(mark_operand(number, negated))
    }

    /// `operand [NOT] IN (SELECT ...)`.
    pub(crate) fn in_subquery(
        &mut self,
        test: &InSubquery,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let left = self.row_operands(&test.operand, scope)?;
        let position = self.at(test.operator);
        let number = self.any(left, CompareOp::Eq, &test.query, position, scope)?;
        Ok(mark_operand(number, test.is_negated))
    }

    /// `left op ANY (SELECT ...)` and `left op ALL (SELECT ...)`.
    pub(crate) fn quantified(
        &mut self,
        quantified: &Quantified,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let Quantified {
            left,
            operator,
            quantifier,
            right,
        } = quantified;
        let position = self.at(left.span);
        let ExprKind::Subquery(query) = &right.kind else {
            let Some(op) = infix(operator) else {
                return Err(unsupported_at("this operator", position));
            };
            let place = self.at(operator.span);
            return self.any_element((left, right), op, *quantifier, place, scope);
        };
        let Some(Infix::Compare(op)) = infix(operator) else {
            return Err(unsupported_at("this operator with ANY or ALL", position));
        };
        let left = self.row_operands(left, scope)?;
        // What holds for all holds for none the other way.
        let all = *quantifier == Quantifier::All;
        let op = if all { opposite(op) } else { op };
        let number = self.any(left, op, query, position, scope)?;
        Ok(mark_operand(number, all))
    }

    fn any(
        &mut self,
        left: Vec<Operand>,
        op: CompareOp,
        query: &AstQuery,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<usize> {
        let (query, outer) = self.subquery(query, scope)?;
        if query.fields.len() != left.len() {
            let message = if query.fields.len() > left.len() {
                "subquery has too many columns"
            } else {
                "subquery has too few columns"
            };
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, position));
        }
        let right = query.fields.iter().enumerate();
        let right = right.map(|(index, field)| {
            Operand::Known(Expr::Column {
                index,
                ty: field.ty,
            })
        });
        let pairs = self.row_pairs(op, left, right.collect(), position)?;
        // Folded as expressions of GROUP BY are, which are looked for in it.
        for (left, _) in &pairs {
            refuse_set(left, "row comparison operator", position)?;
        }
        let pairs = pairs.into_iter().map(|(left, right)| (fold(left), right));
        let pairs = pairs.collect();
        Ok(self.add_subquery(scope, SubqueryKind::Any(op, pairs), query.plan, outer))
    }
}

/// The boolean result of a subquery.
fn mark_operand(number: usize, negated: bool) -> Operand {
    let mark = Expr::Column {
        index: subquery_column(number, 0),
        ty: LogicalType::Boolean,
    };
    Operand::Known(if negated {
        Expr::Not(Box::new(mark))
    } else {
        mark
    })
}

/// What holds where a comparison does not.
fn opposite(op: CompareOp) -> CompareOp {
    match op {
        CompareOp::Eq => CompareOp::NotEq,
        CompareOp::NotEq => CompareOp::Eq,
        CompareOp::Lt => CompareOp::GtEq,
        CompareOp::LtEq => CompareOp::Gt,
        CompareOp::Gt => CompareOp::LtEq,
        CompareOp::GtEq => CompareOp::Lt,
    }
}
