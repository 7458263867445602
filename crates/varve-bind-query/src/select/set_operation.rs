//! UNION, INTERSECT and EXCEPT.

use varve_ast::{QueryBody, SelectItem, SetOperation, SetOperator};
use varve_expr::{Expr, common_type, implicit_cast_allowed};
use varve_lexer::too_deep;
use varve_plan::build::operand::{CastContext, Operand};
use varve_plan::build::output::check_comparable;
use varve_plan::build::set_operation::{distinct, retyped};
use varve_plan::plan::{Plan, Query, SetOperationNode};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::context::binder::QueryBinder;

/// Most operations one in another.
const NESTING_MAX: usize = 200;

/// What a recursive query may not be part of: its left side, or its right one.
fn recursion_place(op: SetOperator, all: bool, is_left: bool) -> Option<&'static str> {
    match op {
        SetOperator::Union => None,
        SetOperator::Intersect => all.then_some("INTERSECT"),
        SetOperator::Except => (all || !is_left).then_some("EXCEPT"),
    }
}

impl QueryBinder<'_> {
    /// Where an item of a select list stands.
    pub fn item_position(&self, items: &[SelectItem], item: usize) -> u32 {
        match items.get(item) {
            Some(SelectItem::Expr { expr, .. }) => self.at(expr.span),
            Some(SelectItem::Star(star)) => self.at(*star),
            Some(SelectItem::TableStar { table, .. }) => self.at(table.span()),
            Some(SelectItem::RowStar { row, .. }) => self.at(row.span),
            None => 0,
        }
    }

    /// Where a column of a query is written.
    pub fn column_position(&self, mut body: &QueryBody, column: usize) -> u32 {
        loop {
            body = match body {
                QueryBody::Set(operation) => &operation.left,
                QueryBody::Query(query) => &query.body,
                QueryBody::Values(values) => {
                    let row = values.rows.first();
                    let value = row.and_then(|row| row.get(column));
                    return value.map_or(0, |value| self.at(value.span));
                }
                QueryBody::Select(select) => return self.item_position(&select.items, column),
                QueryBody::Dml(_) => return 0,
            };
        }
    }

    /// `left op [ALL] right`, chains of it taken apart from the left.
    pub fn set_operation(&mut self, chain: &SetOperation) -> Result<Query> {
        let mut steps = vec![chain];
        let mut first = chain.left.as_ref();
        while let QueryBody::Set(operation) = first {
            steps.push(operation);
            first = &operation.left;
        }
        let below = steps
            .iter()
            .find_map(|step| recursion_place(step.operator, step.all, true));
        let below = below.unwrap_or_default();
        let mut query = self.placed(below, |binder| binder.set_expression(first))?;
        let mut depth = 0;
        for step in steps.into_iter().rev() {
            let (op, all, body) = (step.operator, step.all, step.right.as_ref());
            let place = recursion_place(op, all, false).unwrap_or_default();
            let right = self.placed(place, |binder| binder.set_expression(body))?;
            let flat = matches!(
                (op, all, &query.plan),
                (SetOperator::Union, true, Plan::Append { .. })
            );
            depth += usize::from(!flat);
            if depth > NESTING_MAX {
                return Err(located(too_deep(), self.first()));
            }
            query = self.combined(op, all, (query, first), (right, body))?;
        }
        Ok(query)
    }

    /// Reads literals of no type of their own as values of the types that the columns get.
    fn settle_literals(
        &mut self,
        query: &mut Query,
        body: &QueryBody,
        types: &[LogicalType],
    ) -> Result<()> {
        let Plan::Project { exprs, .. } = &mut query.plan else {
            return Ok(());
        };
        for (at, (expr, ty)) in exprs.iter_mut().zip(types).enumerate() {
            if let Expr::Literal {
                value: Value::Text(text),
                ty: LogicalType::Text,
            } = expr
                && query.untyped.get(at) == Some(&true)
            {
                let operand = Operand::Text(text.to_string(), self.column_position(body, at));
                if let Some(read) = self.convert(operand, *ty, CastContext::Implicit, 0)? {
                    *expr = read;
                }
            }
        }
        Ok(())
    }

    fn combined(
        &mut self,
        op: SetOperator,
        all: bool,
        (mut left, first): (Query, &QueryBody),
        (mut right, body): (Query, &QueryBody),
    ) -> Result<Query> {
        let types = self.combined_types(op, &left, (&right, body))?;
        self.settle_literals(&mut left, first, &types)?;
        self.settle_literals(&mut right, body, &types)?;
        if op != SetOperator::Union || !all {
            for (at, ty) in types.iter().enumerate() {
                check_comparable(*ty, false, self.column_position(first, at))?;
            }
        }
        for (field, ty) in left.fields.iter_mut().zip(&types) {
            field.ty = *ty;
        }
        for (ours, theirs) in left.untyped.iter_mut().zip(&right.untyped) {
            *ours &= theirs;
        }
        let ours = retyped(left.plan, &types, &|at| self.column_position(first, at));
        let theirs = retyped(right.plan, &types, &|at| self.column_position(body, at));
        left.plan = match op {
            SetOperator::Union => {
                let mut inputs = match ours {
                    Plan::Append { inputs, .. } => inputs,
                    other => vec![other],
                };
                inputs.push(theirs);
                let append = Plan::Append { inputs, types };
                if all { append } else { distinct(append) }
            }
            SetOperator::Intersect | SetOperator::Except => Plan::SetOperation(SetOperationNode {
                except: op == SetOperator::Except,
                all,
                left: Box::new(ours),
                right: Box::new(theirs),
            }),
        };
        Ok(left)
    }

    /// The types of the columns that two queries have together; `body` is what the second one is
    /// written as.
    fn combined_types(
        &self,
        op: SetOperator,
        left: &Query,
        (right, body): (&Query, &QueryBody),
    ) -> Result<Vec<LogicalType>> {
        let name = match op {
            SetOperator::Union => "UNION",
            SetOperator::Except => "EXCEPT",
            SetOperator::Intersect => "INTERSECT",
        };
        if left.fields.len() != right.fields.len() {
            let message = format!("each {name} query must have the same number of columns");
            let error = Error::new(SqlState::SYNTAX_ERROR, message);
            return Err(located(error, self.column_position(body, 0)));
        }
        let mut types = Vec::with_capacity(left.fields.len());
        for (at, (ours, theirs)) in left.fields.iter().zip(&right.fields).enumerate() {
            let untyped = |query: &Query| query.untyped.get(at).copied().unwrap_or(false);
            let ty = match (untyped(left), untyped(right)) {
                (true, false) => Some(theirs.ty),
                (false, true) => Some(ours.ty),
                _ => matched_type(ours.ty, theirs.ty),
            };
            types.push(ty.ok_or_else(|| {
                let message = format!(
                    "{name} types {} and {} cannot be matched",
                    ours.ty, theirs.ty
                );
                let position = self.column_position(body, at);
                located(Error::new(SqlState::DATATYPE_MISMATCH, message), position)
            })?);
        }
        Ok(types)
    }
}

/// The type that two columns have together.
fn matched_type(ours: LogicalType, theirs: LogicalType) -> Option<LogicalType> {
    let fits = |ty: &LogicalType| {
        let castable = |from: LogicalType| from == *ty || implicit_cast_allowed(from, *ty);
        ours.category() == theirs.category() && castable(ours) && castable(theirs)
    };
    common_type(&[Some(ours), Some(theirs)]).filter(fits)
}
