//! Row values: `(a, b) = (c, d)`, `(a, b) IN (...)`, `ROW(a, b) IS NULL`.

use varve_ast::{Expr as Ast, ExprKind, Operator};
use varve_expr::Expr;
use varve_plan::build::compare::{Infix, compare_rows, infix};
use varve_plan::build::operand::Operand;
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{CompareOp, Error, Result, SqlState};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;

/// The fields of a row value as it is written.
pub fn row_of(ast: &Ast) -> Option<&[Ast]> {
    match &ast.kind {
        ExprKind::Row { fields, .. } => Some(fields),
        _ => None,
    }
}

impl QueryBinder<'_> {
    /// The fields of a row value, or the one operand that an expression is.
    pub fn row_operands(&mut self, ast: &Ast, scope: &mut ExprScope<'_>) -> Result<Vec<Operand>> {
        match row_of(ast) {
            None => {
                let operand = self.expr(ast, scope)?;
                self.fields_of_operand(operand, self.at(ast.span))
            }
            Some(fields) => {
                let mut operands = Vec::with_capacity(fields.len());
                for field in fields {
                    operands.push(self.expr(field, scope)?);
                }
                Ok(operands)
            }
        }
    }

    /// Operands in pairs of one type each.
    pub fn row_pairs(
        &mut self,
        op: CompareOp,
        left: Vec<Operand>,
        right: Vec<Operand>,
        position: u32,
    ) -> Result<Vec<(Expr, Expr)>> {
        if left.len() != right.len() {
            let error = Error::new(
                SqlState::SYNTAX_ERROR,
                "unequal number of entries in row expressions",
            );
            return Err(located(error, position));
        }
        let pairs = left.into_iter().zip(right);
        pairs
            .map(|(left, right)| self.comparable(op.symbol(), left, right, position))
            .collect()
    }

    /// `(a, b) op (c, d)`, or a subquery of one row on the right.
    pub fn row_comparison(
        &mut self,
        left: &Ast,
        operator: &Operator,
        right: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.at(operator.span);
        let Some(Infix::Compare(op)) = infix(operator) else {
            return Err(unsupported_at("this operator on rows", position));
        };
        let left = self.row_operands(left, scope)?;
        let right = match &right.kind {
            ExprKind::Subquery(query) => {
                let place = self.at(right.span);
                self.row_subquery(query, left.len(), place, scope)?
            }
            _ => self.row_operands(right, scope)?,
        };
        let pairs = self.row_pairs(op, left, right, position)?;
        Ok(Operand::Known(compare_rows(op, &pairs)?))
    }

    /// `(a, b) IS [NOT] DISTINCT FROM (c, d)`.
    pub fn row_is_distinct(
        &mut self,
        (left, right): (&Ast, &Ast),
        negated: bool,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let left = self.row_operands(left, scope)?;
        let right = self.row_operands(right, scope)?;
        let pairs = self.row_pairs(CompareOp::Eq, left, right, position)?;
        let mut fields: Vec<Expr> = pairs
            .into_iter()
            .map(|(left, right)| Expr::Distinct {
                left: Box::new(left),
                right: Box::new(right),
                negated,
            })
            .collect();
        Ok(Operand::Known(match (fields.len(), negated) {
            (1, _) => fields.remove(0),
            (_, true) => Expr::And(fields),
            (_, false) => Expr::Or(fields),
        }))
    }

    /// `(a, b) IN ((c, d), ...)`.
    pub fn row_in_list(
        &mut self,
        row: &Ast,
        list: &[Ast],
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.at(row.span);
        let left = self.row_operands(row, scope)?;
        let mut tests = Vec::with_capacity(list.len());
        for item in list {
            let right = self.row_operands(item, scope)?;
            let pairs = self.row_pairs(CompareOp::Eq, left.clone(), right, position)?;
            tests.push(compare_rows(CompareOp::Eq, &pairs)?);
        }
        let found = match tests.len() {
            1 => tests.remove(0),
            _ => Expr::Or(tests),
        };
        Ok(Operand::Known(if negated {
            Expr::Not(Box::new(found))
        } else {
            found
        }))
    }

    /// `(a, b) IS [NOT] NULL`: whether all fields are.
    pub fn row_is_null(
        &mut self,
        row: &Ast,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let mut tests = Vec::new();
        for field in self.row_operands(row, scope)? {
            let field = self.settle(field)?;
            tests.push(Expr::IsNull {
                input: Box::new(field),
                negated,
            });
        }
        Ok(Operand::Known(match tests.len() {
            1 => tests.remove(0),
            _ => Expr::And(tests),
        }))
    }
}
