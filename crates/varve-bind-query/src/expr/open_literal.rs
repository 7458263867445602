//! Literals that are left open: a parameter of the plan stands for each.
//!
//! Invariant: a statement whose literals are all [`QueryBinder::are_open`] has none of their values
//! in its plan: each time that one was bound, a parameter took its place.

use varve_ast::{Expr as Ast, ExprKind};
use varve_catalog::ColumnDef;
use varve_expr::{Expr, Parameter, fold};
use varve_plan::build::open_literal::{OpenUse, OwnType};
use varve_plan::build::operand::{CastContext, number};
use varve_types::TypeMod;

use crate::context::binder::QueryBinder;

impl QueryBinder<'_> {
    /// Which of the open literals an expression is.
    fn open_literal(&self, ast: &Ast) -> Option<usize> {
        let open = self.statement.open;
        if open.is_empty() || !core::ptr::eq(self.context.source, self.statement.own_source) {
            return None;
        }
        let is_written = match &ast.kind {
            ExprKind::Literal(_) | ExprKind::Null => true,
            ExprKind::Prefix { operator, operand } => {
                &*operator.name == "-" && matches!(operand.kind, ExprKind::Literal(_))
            }
            _ => false,
        };
        let found = open.binary_search_by_key(&ast.span.start, |literal| literal.start);
        found.ok().filter(|_| is_written)
    }

    /// Counts how often open literals are bound.
    pub(crate) fn meet_literal(&mut self, ast: &Ast) {
        self.outputs.met += usize::from(self.open_literal(ast).is_some());
    }

    /// Whether all open literals became parameters, each time that they were bound.
    pub fn are_open(&self) -> bool {
        let uses = &self.outputs.open;
        let is_used = |literal| uses.iter().any(|one| one.literal == literal);
        self.outputs.met == uses.len() && (0..self.statement.open.len()).all(is_used)
    }

    /// The value of a column, left open where it is written as an open literal.
    pub fn open_cell(&mut self, value: Expr, ast: &Ast, column: &ColumnDef) -> Expr {
        let Some(literal) = self.open_literal(ast) else {
            return value;
        };
        self.open(
            value,
            OpenUse {
                literal,
                own: OwnType::Any,
                to: column.ty,
                modifier: column.modifier,
                context: CastContext::Assignment,
            },
        )
    }

    /// A comparison, its right side left open where that is written as an open literal and the left
    /// side is a column as it is.
    pub(crate) fn open_operand(&mut self, mut comparison: Expr, ast: &Ast) -> Expr {
        let Some(literal) = self.open_literal(ast) else {
            return comparison;
        };
        if let Expr::Compare { left, right, .. } = &mut comparison
            && matches!(**left, Expr::Column { .. })
        {
            let own = match own_digits(ast).map(|digits| number(&digits)) {
                None => None,
                Some(Ok(number)) => Some(number.logical_type()),
                Some(Err(_)) => return comparison,
            };
            let to = right.logical_type();
            **right = self.open(
                fold((**right).clone()),
                OpenUse {
                    literal,
                    own: OwnType::Only(own),
                    to,
                    modifier: TypeMod::NONE,
                    context: CastContext::Implicit,
                },
            );
        }
        comparison
    }

    /// The parameter that stands for a constant; what is none is given back.
    fn open(&mut self, value: Expr, used: OpenUse) -> Expr {
        let Expr::Literal { value: bound, ty } = &value else {
            return value;
        };
        // The value as it will be made of other texts must be that which binding gives.
        let written = self.statement.open.get(used.literal);
        let made = written.and_then(|open| used.value(&open.written, self.statement.locale));
        if made.as_ref() != Some(bound) || *ty != used.to {
            return value;
        }
        let parameter = Parameter::Given(self.outputs.parameters.len());
        let ty = used.to;
        self.outputs.parameters.push(Some(ty));
        self.outputs.open.push(used);
        Expr::Parameter { parameter, ty }
    }
}

/// The digits of a number that is written, with its sign; `None` for a string.
fn own_digits(ast: &Ast) -> Option<String> {
    match &ast.kind {
        ExprKind::Literal(literal) => {
            let is_number = literal.kind == varve_ast::LiteralKind::Number;
            is_number.then(|| literal.text.clone())
        }
        ExprKind::Prefix { operand, .. } => Some(format!("-{}", own_digits(operand)?)),
        _ => None,
    }
}
