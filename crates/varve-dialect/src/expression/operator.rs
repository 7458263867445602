//! Operators, and how tightly they bind.

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::ddl::types::Type;
use crate::expression::literal::Literal;
use crate::expression::value;
use crate::scope::Writer;
use crate::script::{Fault, Result};

/// How tightly an operator binds; what stands in parentheses or alone binds most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    Or,
    And,
    Not,
    Compare,
    Other,
    Add,
    Multiply,
    Alone,
}

pub(crate) fn level(expr: &Expr, dialect: Dialect) -> Level {
    match expr {
        Expr::BinaryOp { op, .. } => level_of(op, dialect),
        Expr::UnaryOp {
            op: UnaryOperator::Not | UnaryOperator::BangNot,
            ..
        } => Level::Not,
        Expr::UnaryOp { .. } => Level::Multiply,
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::RLike { .. } => Level::Compare,
        _ => Level::Alone,
    }
}

fn level_of(op: &BinaryOperator, dialect: Dialect) -> Level {
    match op {
        BinaryOperator::Or | BinaryOperator::Xor => Level::Or,
        BinaryOperator::StringConcat if dialect == Dialect::MySql => Level::Or,
        BinaryOperator::And | BinaryOperator::PGOverlap => Level::And,
        BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq
        | BinaryOperator::Spaceship => Level::Compare,
        BinaryOperator::Plus | BinaryOperator::Minus => Level::Add,
        BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo
        | BinaryOperator::MyIntegerDivide => Level::Multiply,
        _ => Level::Other,
    }
}

fn symbol(op: &BinaryOperator, dialect: Dialect) -> Result<&'static str> {
    let is_mysql = dialect == Dialect::MySql;
    Ok(match op {
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::StringConcat if is_mysql => "OR",
        BinaryOperator::StringConcat => "||",
        BinaryOperator::PGOverlap if is_mysql => "AND",
        BinaryOperator::Gt => ">",
        BinaryOperator::Lt => "<",
        BinaryOperator::GtEq => ">=",
        BinaryOperator::LtEq => "<=",
        BinaryOperator::Eq => "=",
        BinaryOperator::NotEq => "<>",
        BinaryOperator::Spaceship if is_mysql => "IS NOT DISTINCT FROM",
        BinaryOperator::And => "AND",
        BinaryOperator::Or => "OR",
        BinaryOperator::BitwiseOr => "|",
        BinaryOperator::BitwiseAnd => "&",
        BinaryOperator::BitwiseXor if is_mysql => "#",
        BinaryOperator::PGBitwiseShiftLeft => "<<",
        BinaryOperator::PGBitwiseShiftRight => ">>",
        BinaryOperator::Regexp if is_mysql => "~*",
        BinaryOperator::Arrow => "->",
        BinaryOperator::LongArrow => "->>",
        _ => return Err(Fault::new(0, "an operator that has no counterpart")),
    })
}

impl Writer<'_> {
    /// Operators between operands. Those in a row are written in a loop, however many there are.
    pub(crate) fn binary(&mut self, expr: &Expr) -> Result<SqlText> {
        let mut steps = Vec::new();
        let mut first = expr;
        while let Expr::BinaryOp { left, op, right } = first {
            steps.push((left.as_ref(), op, right.as_ref()));
            first = left;
        }
        let mut text = self.expr(first)?;
        let mut bound = level(first, self.dialect);
        for (left, op, right) in steps.into_iter().rev() {
            let binds = level_of(op, self.dialect);
            let is_chained = bound == binds && !matches!(binds, Level::Compare | Level::Other);
            if bound <= binds && !is_chained {
                text = sql!["(", text, ")"];
            }
            text = self.step(text, (left, op, right), binds)?;
            bound = binds;
        }
        Ok(text)
    }

    fn step(
        &mut self,
        text: SqlText,
        (left, op, right): (&Expr, &BinaryOperator, &Expr),
        binds: Level,
    ) -> Result<SqlText> {
        let is_equation = matches!(op, BinaryOperator::Eq | BinaryOperator::NotEq);
        let divides = matches!(
            op,
            BinaryOperator::Divide | BinaryOperator::Modulo | BinaryOperator::MyIntegerDivide
        );
        let written = match is_equation.then(|| self.compared(left, right)).flatten() {
            Some(literal) => literal,
            None => self.operand(right, binds)?,
        };
        if !divides {
            let text = match is_equation.then(|| self.compared(right, left)).flatten() {
                Some(literal) => literal,
                None => text,
            };
            return Ok(sql![text, " ", symbol(op, self.dialect)?, " ", written]);
        }
        // Both sources divide by 0 to NULL.
        let divisor = match Literal::of(right) {
            Some(Literal::Number(number)) if number.bytes().any(|b| (b'1'..=b'9').contains(&b)) => {
                written
            }
            _ => sql!["nullif(", self.expr(right)?, ", 0)"],
        };
        Ok(match op {
            BinaryOperator::Divide if self.dialect == Dialect::MySql => {
                sql!["(", text, ")::numeric / ", divisor]
            }
            BinaryOperator::MyIntegerDivide => sql!["div((", text, ")::numeric, ", divisor, ")"],
            op => sql![text, " ", symbol(op, self.dialect)?, " ", divisor],
        })
    }

    /// An operand, in parentheses where it would be taken apart.
    pub(crate) fn operand(&mut self, expr: &Expr, binds: Level) -> Result<SqlText> {
        let text = self.expr(expr)?;
        let is_safe = level(expr, self.dialect) > binds;
        Ok(if is_safe { text } else { sql!["(", text, ")"] })
    }

    /// A literal as it is compared with a column that is a truth value here and a number there.
    pub(crate) fn compared(&self, column: &Expr, literal: &Expr) -> Option<SqlText> {
        let column = self.column_of(column)?;
        if column.ty != Type::Bool {
            return None;
        }
        value::write(&Literal::of(literal)?, &Type::Bool).ok()
    }
}
