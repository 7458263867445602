//! Row values: `(a, b) = (c, d)`, `(a, b) IN (...)`, `ROW(a, b) IS NULL`.

use varve_ast::{Expr as Ast, ExprKind, Operator};
use varve_expr::Expr;
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState};

use crate::bind::array::form;
use crate::bind::expr::ExprScope;
use crate::bind::literal::Operand;
use crate::bind::operator::{Infix, infix};
use crate::bind::{Binder, located, unsupported_at};

/// The fields of a row value as it is written.
pub(crate) fn row_of(ast: &Ast) -> Option<&[Ast]> {
    match &ast.kind {
        ExprKind::Row { fields, .. } => Some(fields),
        _ => None,
    }
}

/// `input IS [NOT] NULL`; of a row, whether all its fields are or none is.
pub(crate) fn is_null(input: Expr, negated: bool, position: u32) -> Result<Expr> {
    if !matches!(input.logical_type(), LogicalType::Row(_)) {
        return Ok(Expr::IsNull {
            input: Box::new(input),
            negated,
        });
    }
    let name = match negated {
        true => "\0row is not null",
        false => "\0row is null",
    };
    form(name, None, vec![input], position)
}

/// A comparison of rows, field by field, as three-valued conditions.
pub(crate) fn compare_rows(op: CompareOp, pairs: &[(Expr, Expr)]) -> Result<Expr> {
    let field = |op: CompareOp, (left, right): &(Expr, Expr)| Expr::Compare {
        op,
        left: Box::new(left.clone()),
        right: Box::new(right.clone()),
    };
    let strict = match op {
        CompareOp::Eq | CompareOp::NotEq => {
            let mut fields: Vec<Expr> = pairs.iter().map(|pair| field(op, pair)).collect();
            return Ok(match (fields.len(), op) {
                (1, _) => fields.remove(0),
                (_, CompareOp::Eq) => Expr::And(fields),
                _ => Expr::Or(fields),
            });
        }
        CompareOp::Lt | CompareOp::LtEq => CompareOp::Lt,
        CompareOp::Gt | CompareOp::GtEq => CompareOp::Gt,
    };
    // From the last field on: less, or equal and the rest decides.
    let mut pairs = pairs.iter().rev();
    let Some(last) = pairs.next() else {
        return Err(Error::internal("rows without fields are compared"));
    };
    let mut result = field(op, last);
    for pair in pairs {
        let rest = Expr::And(vec![field(CompareOp::Eq, pair), result]);
        result = Expr::Or(vec![field(strict, pair), rest]);
    }
    Ok(result)
}

impl Binder<'_> {
    /// The fields of a row value, or the one operand that an expression is.
    pub(crate) fn row_operands(
        &mut self,
        ast: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Vec<Operand>> {
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
    pub(crate) fn row_pairs(
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
    pub(crate) fn row_comparison(
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
    pub(crate) fn row_is_distinct(
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
    pub(crate) fn row_in_list(
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
    pub(crate) fn row_is_null(
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
