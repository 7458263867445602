//! Subqueries in expressions: bound to plans of their own, and joined to what the expressions read.

use varve_ast::{ExprKind, InSubquery, Quantified, Quantifier, Query as AstQuery};
use varve_expr::{Expr, Placeholder, fold};
use varve_plan::build::compare::{Infix, infix};
use varve_plan::build::operand::{Operand, refuse_set};
use varve_plan::build::subquery::{Subquery, SubqueryKind, slot_values};
use varve_plan::optimize::push_down::one_row;
use varve_plan::plan::{Plan, Query, SetCall};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

impl QueryBinder<'_> {
    /// Binds a subquery.
    pub fn subquery(
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
        let uses = uses.filter_map(|column| match column.value {
            Expr::Column { index, .. } => Some((index, column.position)),
            _ => None,
        });
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
    pub fn row_of_subquery(
        &self,
        plan: Plan,
        ty: LogicalType,
        outer: Vec<(usize, Expr)>,
        scope: &mut ExprScope<'_>,
    ) -> Expr {
        let number = self.add_subquery(scope, SubqueryKind::Row, plan, outer);
        column_of_subquery(number, 0, ty)
    }

    /// The columns, of these types, of what a function gives for each row of what the scope is of.
    pub fn called_for_rows(
        &self,
        call: SetCall,
        types: &[LogicalType],
        scope: &mut ExprScope<'_>,
    ) -> Vec<Expr> {
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
        let columns = types.iter().enumerate();
        columns
            .map(|(column, ty)| column_of_subquery(number, column, *ty))
            .collect()
    }

    /// `(SELECT ...)` as a value; `position` is that of the parenthesis.
    pub fn scalar_subquery(
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
    pub fn row_subquery(
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
        let columns = columns
            .map(|(column, field)| Operand::Known(column_of_subquery(number, column, field.ty)));
        Ok(columns.collect())
    }

    /// `[NOT] EXISTS (SELECT ...)`.
    pub fn exists(
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
    pub fn in_subquery(&mut self, test: &InSubquery, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let left = self.row_operands(&test.operand, scope)?;
        let position = self.at(test.operator);
        let number = self.any(left, CompareOp::Eq, &test.query, position, scope)?;
        Ok(mark_operand(number, test.is_negated))
    }

    /// `left op ANY (SELECT ...)` and `left op ALL (SELECT ...)`.
    pub fn quantified(
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

fn column_of_subquery(number: usize, column: usize, ty: LogicalType) -> Expr {
    let part = Placeholder::Subquery { number, column };
    Expr::Placeholder { part, ty }
}

/// The boolean result of a subquery.
fn mark_operand(number: usize, negated: bool) -> Operand {
    let mark = column_of_subquery(number, 0, LogicalType::Boolean);
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
