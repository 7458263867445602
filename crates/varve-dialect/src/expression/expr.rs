//! Expressions.

use sqlparser::ast::{CaseWhen, CastKind, DataType, Expr, UnaryOperator};
use varve_types::{SqlText, sql};

use crate::Dialect;
use crate::ddl::types::Type;
use crate::expression::literal::Literal;
use crate::expression::operator::Level;
use crate::expression::value;
use crate::scope::Writer;
use crate::script::{Fault, Result};
use crate::seen::Seen;

impl Writer<'_> {
    pub(crate) fn expr(&mut self, expr: &Expr) -> Result<SqlText> {
        if let Some(literal) = Literal::of(expr) {
            return value::write(&literal, &Type::Any);
        }
        match expr {
            Expr::Identifier(name) => Ok(self.name(name)),
            Expr::CompoundIdentifier(parts) => self.compound(parts),
            Expr::Nested(inner) => Ok(sql!["(", self.expr(inner)?, ")"]),
            Expr::Tuple(items) => Ok(sql!["(", self.exprs(items)?, ")"]),
            Expr::BinaryOp { .. } => self.binary(expr),
            Expr::UnaryOp { op, expr } => self.unary(*op, expr),
            Expr::Function(call) => self.call(call),
            Expr::Case {
                operand,
                conditions,
                else_result,
                ..
            } => self.case(operand.as_deref(), conditions, else_result.as_deref()),
            Expr::Cast {
                kind: CastKind::Cast,
                expr,
                data_type,
                format: None,
            } => self.cast(expr, data_type),
            Expr::Convert {
                is_try: false,
                expr,
                data_type: Some(ty),
                charset: None,
                ..
            } => self.cast(expr, ty),
            Expr::Convert {
                is_try: false,
                expr,
                data_type: None,
                charset: Some(_),
                ..
            } => self.expr(expr),
            Expr::Collate { expr, .. } => self.expr(expr),
            Expr::Exists { subquery, negated } => {
                let not = if *negated { "NOT " } else { "" };
                Ok(sql![not, "EXISTS (", self.query(subquery)?, ")"])
            }
            Expr::Subquery(query) => Ok(sql!["(", self.query(query)?, ")"]),
            Expr::Substring { .. }
            | Expr::Trim { .. }
            | Expr::Ceil { .. }
            | Expr::Floor { .. }
            | Expr::Position { .. }
            | Expr::Extract { .. } => self.special(expr),
            expr => self.predicate(expr),
        }
    }

    pub(crate) fn exprs(&mut self, exprs: &[Expr]) -> Result<SqlText> {
        let texts: Vec<SqlText> = exprs.iter().map(|e| self.expr(e)).collect::<Result<_>>()?;
        Ok(SqlText::joined(&texts, ", "))
    }

    fn unary(&mut self, op: UnaryOperator, expr: &Expr) -> Result<SqlText> {
        let symbol = match op {
            UnaryOperator::Minus => "-",
            UnaryOperator::Plus => "+",
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::Not | UnaryOperator::BangNot => {
                return Ok(sql!["NOT ", self.operand(expr, Level::Not)?]);
            }
            _ => return Err(Fault::new(0, "an operator that has no counterpart")),
        };
        // Not before another sign, which would begin a comment.
        Ok(sql![symbol, self.operand(expr, Level::Multiply)?])
    }

    fn case(
        &mut self,
        operand: Option<&Expr>,
        conditions: &[CaseWhen],
        otherwise: Option<&Expr>,
    ) -> Result<SqlText> {
        let mut text = sql!["CASE"];
        if let Some(operand) = operand {
            text.push(sql![" ", self.expr(operand)?]);
        }
        for when in conditions {
            let (condition, result) = (self.expr(&when.condition)?, self.expr(&when.result)?);
            text.push(sql![" WHEN ", condition, " THEN ", result]);
        }
        if let Some(otherwise) = otherwise {
            text.push(sql![" ELSE ", self.expr(otherwise)?]);
        }
        text.push(" END");
        Ok(text)
    }

    fn cast(&mut self, expr: &Expr, ty: &DataType) -> Result<SqlText> {
        let ty = match Type::declared(ty, self.dialect)? {
            // Behind CAST, CHAR is of any length.
            Type::Any | Type::Varchar(1) => Type::Text,
            ty => ty,
        };
        let ty = ty.settled(&Seen::default(), self.dialect);
        Ok(sql!["CAST(", self.expr(expr)?, " AS ", ty.sql(), ")"])
    }

    fn predicate(&mut self, expr: &Expr) -> Result<SqlText> {
        let mut is = |expr: &Expr, what: &'static str| -> Result<SqlText> {
            Ok(sql![self.operand(expr, Level::Compare)?, what])
        };
        match expr {
            Expr::IsNull(expr) => is(expr, " IS NULL"),
            Expr::IsNotNull(expr) => is(expr, " IS NOT NULL"),
            Expr::IsTrue(expr) => is(expr, " IS TRUE"),
            Expr::IsNotTrue(expr) => is(expr, " IS NOT TRUE"),
            Expr::IsFalse(expr) => is(expr, " IS FALSE"),
            Expr::IsNotFalse(expr) => is(expr, " IS NOT FALSE"),
            Expr::IsDistinctFrom(left, right) => {
                let left = is(left, " IS DISTINCT FROM ")?;
                Ok(sql![left, self.operand(right, Level::Compare)?])
            }
            Expr::IsNotDistinctFrom(left, right) => {
                let left = is(left, " IS NOT DISTINCT FROM ")?;
                Ok(sql![left, self.operand(right, Level::Compare)?])
            }
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                let left = is(
                    expr,
                    if *negated {
                        " NOT BETWEEN "
                    } else {
                        " BETWEEN "
                    },
                )?;
                let low = self.operand(low, Level::Compare)?;
                Ok(sql![
                    left,
                    low,
                    " AND ",
                    self.operand(high, Level::Compare)?
                ])
            }
            Expr::InList {
                expr,
                list,
                negated,
            } => self.in_list(expr, list, *negated),
            Expr::InSubquery {
                expr,
                subquery,
                negated,
            } => {
                let left = is(expr, if *negated { " NOT IN (" } else { " IN (" })?;
                Ok(sql![left, self.query(subquery)?, ")"])
            }
            Expr::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                // LIKE of both sources takes capital letters for small ones.
                let like = if *negated { " NOT ILIKE " } else { " ILIKE " };
                let as_text = self.text_cast(expr);
                let left = sql![self.operand(expr, Level::Compare)?, as_text, like];
                let mut text = sql![left, self.operand(pattern, Level::Compare)?];
                match escape_char {
                    Some(escape) => text.push(sql![" ESCAPE ", self.expr(escape)?]),
                    None if self.dialect == Dialect::Sqlite => text.push(" ESCAPE ''"),
                    None => {}
                }
                Ok(text)
            }
            Expr::RLike {
                negated,
                expr,
                pattern,
                ..
            } => {
                let left = is(expr, if *negated { " !~* " } else { " ~* " })?;
                Ok(sql![left, self.operand(pattern, Level::Compare)?])
            }
            _ => Err(Fault::new(0, "an expression that has no counterpart")),
        }
    }

    /// The cast of a column that is no text here to one.
    fn text_cast(&self, expr: &Expr) -> &'static str {
        match self.column_of(expr).map(|column| &column.ty) {
            None | Some(Type::Text | Type::Varchar(_)) => "",
            Some(_) => "::text",
        }
    }

    fn in_list(&mut self, expr: &Expr, list: &[Expr], negated: bool) -> Result<SqlText> {
        if list.is_empty() {
            return Ok(sql![if negated { "true" } else { "false" }]);
        }
        let mut items = Vec::with_capacity(list.len());
        for item in list {
            items.push(match self.compared(expr, item) {
                Some(literal) => literal,
                None => self.expr(item)?,
            });
        }
        let left = self.operand(expr, Level::Compare)?;
        let is_in = if negated { " NOT IN (" } else { " IN (" };
        Ok(sql![left, is_in, SqlText::joined(&items, ", "), ")"])
    }
}
