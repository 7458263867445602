//! Comparisons, arithmetic and the conditions that are written with words.

use sqlparser::ast::{BinaryOperator, Expr as Ast, UnaryOperator, Value as AstValue};
use varve_expr::{Expr, common_type, implicit_cast_allowed, operator_named, resolve_operator};
use varve_parser::marker::SYMMETRIC;
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::bind::expr::ExprScope;
use crate::bind::literal::{CastContext, Operand, literal, number, refuse_set};
use crate::bind::row::row_of;
use crate::bind::{Binder, located, unsupported_at};
use crate::parse::too_deep;

/// Deepest chain of arithmetic, which is evaluated by recursion.
const ARITHMETIC_DEPTH_MAX: usize = 200;

/// What an infix operator is.
pub(crate) enum Infix {
    And,
    Or,
    Compare(CompareOp),
    Function(&'static str),
}

pub(crate) fn infix(op: &BinaryOperator) -> Option<Infix> {
    Some(match op {
        BinaryOperator::And => Infix::And,
        BinaryOperator::Or => Infix::Or,
        BinaryOperator::Eq => Infix::Compare(CompareOp::Eq),
        BinaryOperator::NotEq => Infix::Compare(CompareOp::NotEq),
        BinaryOperator::Lt => Infix::Compare(CompareOp::Lt),
        BinaryOperator::LtEq => Infix::Compare(CompareOp::LtEq),
        BinaryOperator::Gt => Infix::Compare(CompareOp::Gt),
        BinaryOperator::GtEq => Infix::Compare(CompareOp::GtEq),
        BinaryOperator::Plus => Infix::Function("+"),
        BinaryOperator::Minus => Infix::Function("-"),
        BinaryOperator::Multiply => Infix::Function("*"),
        BinaryOperator::Divide => Infix::Function("/"),
        BinaryOperator::Modulo => Infix::Function("%"),
        BinaryOperator::PGExp => Infix::Function("^"),
        BinaryOperator::StringConcat => Infix::Function("||"),
        BinaryOperator::PGOverlap => Infix::Function("&&"),
        BinaryOperator::AtArrow => Infix::Function("@>"),
        BinaryOperator::ArrowAt => Infix::Function("<@"),
        BinaryOperator::PGLikeMatch => Infix::Function("~~"),
        BinaryOperator::PGNotLikeMatch => Infix::Function("!~~"),
        BinaryOperator::PGILikeMatch => Infix::Function("~~*"),
        BinaryOperator::PGNotILikeMatch => Infix::Function("!~~*"),
        BinaryOperator::PGRegexMatch => Infix::Function("~"),
        BinaryOperator::PGRegexIMatch => Infix::Function("~*"),
        BinaryOperator::PGRegexNotMatch => Infix::Function("!~"),
        BinaryOperator::PGRegexNotIMatch => Infix::Function("!~*"),
        BinaryOperator::PGStartsWith => Infix::Function("^@"),
        BinaryOperator::BitwiseAnd => Infix::Function("&"),
        BinaryOperator::BitwiseOr => Infix::Function("|"),
        BinaryOperator::PGBitwiseXor => Infix::Function("#"),
        BinaryOperator::PGBitwiseShiftLeft => Infix::Function("<<"),
        BinaryOperator::PGBitwiseShiftRight => Infix::Function(">>"),
        BinaryOperator::Arrow => Infix::Function("->"),
        BinaryOperator::LongArrow => Infix::Function("->>"),
        BinaryOperator::HashArrow => Infix::Function("#>"),
        BinaryOperator::HashLongArrow => Infix::Function("#>>"),
        BinaryOperator::HashMinus => Infix::Function("#-"),
        BinaryOperator::Question => Infix::Function("?"),
        BinaryOperator::QuestionAnd => Infix::Function("?&"),
        BinaryOperator::QuestionPipe => Infix::Function("?|"),
        BinaryOperator::AtQuestion => Infix::Function("@?"),
        BinaryOperator::AtAt => Infix::Function("@@"),
        BinaryOperator::PGCustomBinaryOperator(parts) => {
            let symbol = parts.last()?.as_str();
            use CompareOp::{Eq, Gt, GtEq, Lt, LtEq, NotEq};
            let symbol = if symbol == "!=" { "<>" } else { symbol };
            let all = [Eq, NotEq, Lt, LtEq, Gt, GtEq];
            let compared = all.into_iter().find(|op| op.symbol() == symbol);
            match compared {
                Some(op) => Infix::Compare(op),
                None => Infix::Function(operator_named(symbol)?),
            }
        }
        _ => return None,
    })
}

impl Binder<'_> {
    /// `NULLIF(a, b)`: `CASE WHEN a = b THEN NULL ELSE a END`.
    pub(crate) fn nullif(&mut self, operands: Vec<Operand>, position: u32) -> Result<Operand> {
        let mut operands = operands.into_iter();
        let (Some(left), Some(right)) = (operands.next(), operands.next()) else {
            return Err(Error::internal("NULLIF without two arguments"));
        };
        // What has no type of its own is compared as the other one, and so it is the result.
        let other = right.ty().filter(|_| left.ty().is_none());
        let equal = self.comparison(CompareOp::Eq, left.clone(), right, position)?;
        let converted = match other {
            Some(ty) => self.convert(left.clone(), ty, CastContext::Implicit, position)?,
            None => None,
        };
        let mut otherwise = match converted {
            Some(converted) => converted,
            None => self.settle(left)?,
        };
        if otherwise.logical_type() == LogicalType::Varchar {
            // It is compared as text, and what was compared is the result.
            otherwise = Expr::Cast {
                input: Box::new(otherwise),
                to: LogicalType::Text,
                modifier: TypeMod::NONE,
                explicit: false,
                position,
            };
        }
        let ty = otherwise.logical_type();
        let null = literal(Value::Null, ty);
        Ok(Operand::Known(Expr::Case {
            branches: vec![(equal, null)],
            otherwise: Some(Box::new(otherwise)),
            ty,
        }))
    }

    /// A chain of infix operators, from the left.
    pub(crate) fn infix_chain(
        &mut self,
        chain: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        // The parser builds long chains to the left: taken apart by a loop they cost no stack.
        let mut steps = Vec::new();
        let mut first = chain;
        while let Ast::BinaryOp { left, op, right } = first {
            steps.push((op, right.as_ref()));
            first = left;
        }
        let mut left_position = self.source.expr(first);
        let mut steps = steps.into_iter().rev().peekable();
        let mut result = match steps.next_if(|(_, right)| {
            row_of(first).is_some()
                && (row_of(right).is_some() || matches!(right, Ast::Subquery(_)))
        }) {
            Some((BinaryOperator::Overlaps, right)) => self.overlaps(first, right, scope)?,
            Some((op, right)) => self.row_comparison(first, op, right, scope)?,
            None => self.expr(first, scope)?,
        };
        let mut depth = 0;
        for (op, right) in steps {
            let right_position = self.source.expr(right);
            let position = self.source.operator(right);
            let infix = infix(op);
            if let (None, BinaryOperator::Custom(name)) = (&infix, op) {
                let right = self.expr(right, scope)?;
                self.operator(name, vec![result, right], position)?;
                return Err(unsupported_at("this operator", position));
            }
            let Some(infix) = infix else {
                return Err(unsupported_at("this operator", position));
            };
            let right = self.expr(right, scope)?;
            result = Operand::Known(match infix {
                Infix::And => {
                    let left = self.condition(result, "AND", left_position)?;
                    let right = self.condition(right, "AND", right_position)?;
                    Expr::And(joined(left, right, |expr| match expr {
                        Expr::And(items) => Ok(items),
                        other => Err(other),
                    }))
                }
                Infix::Or => {
                    let left = self.condition(result, "OR", left_position)?;
                    let right = self.condition(right, "OR", right_position)?;
                    Expr::Or(joined(left, right, |expr| match expr {
                        Expr::Or(items) => Ok(items),
                        other => Err(other),
                    }))
                }
                Infix::Compare(op) => self.comparison(op, result, right, position)?,
                Infix::Function(name) => {
                    depth += 1;
                    if depth > ARITHMETIC_DEPTH_MAX {
                        return Err(located(too_deep(), position));
                    }
                    self.operator(name, vec![result, right], position)?
                }
            });
            left_position = left_position.min(right_position);
        }
        Ok(result)
    }

    /// `(a, b) OVERLAPS (c, d)`, a function of the four.
    fn overlaps(&mut self, left: &Ast, right: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.source.before(self.source.expr(right));
        let mut operands = Vec::with_capacity(4);
        for (side, ast) in [("left", left), ("right", right)] {
            let fields = row_of(ast).unwrap_or_default();
            if fields.len() != 2 {
                let message =
                    format!("wrong number of parameters on {side} side of OVERLAPS expression");
                let error = Error::new(SqlState::SYNTAX_ERROR, message);
                return Err(located(error, position));
            }
            for field in fields {
                operands.push(self.expr(field, scope)?);
            }
        }
        self.named("overlaps", operands, position)
            .map(Operand::Known)
    }

    /// `left op right`.
    pub(crate) fn comparison(
        &mut self,
        op: CompareOp,
        left: Operand,
        right: Operand,
        position: u32,
    ) -> Result<Expr> {
        let (left, right) = self.comparable(op.symbol(), left, right, position)?;
        Ok(Expr::Compare {
            op,
            left: Box::new(left),
            right: Box::new(right),
        })
    }

    /// Both sides of a comparison in one type.
    pub(crate) fn comparable(
        &mut self,
        symbol: &str,
        left: Operand,
        right: Operand,
        position: u32,
    ) -> Result<(Expr, Expr)> {
        let types = [left.ty(), right.ty()];
        let undefined = || undefined_operator(symbol, types, position);
        let common = comparison_type(&types)
            .filter(|ty| !matches!(ty, LogicalType::Json | LogicalType::Jsonpath))
            .ok_or_else(undefined)?;
        let left = self.convert(left, common, CastContext::Implicit, position)?;
        let right = self.convert(right, common, CastContext::Implicit, position)?;
        left.zip(right).ok_or_else(undefined)
    }

    /// An operator of the function table over its arguments.
    pub(crate) fn operator(
        &mut self,
        name: &str,
        operands: Vec<Operand>,
        position: u32,
    ) -> Result<Expr> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let function = resolve_operator(name, &types, position)?;
        self.call(function, operands, position)
    }

    /// A prefix operator.
    pub(crate) fn prefix(
        &mut self,
        op: UnaryOperator,
        input: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let input_position = self.source.expr(input);
        let position = self.source.before(input_position);
        let name = match op {
            UnaryOperator::Not => {
                let input = self.expr(input, scope)?;
                let input = self.condition(input, "NOT", input_position)?;
                return Ok(Operand::Known(Expr::Not(Box::new(input))));
            }
            UnaryOperator::Minus => {
                // The number that has no positive twin is a bigint only with its sign.
                if let Ast::Value(value) = input
                    && let AstValue::Number(digits, false) = &value.value
                {
                    return Ok(Operand::Known(
                        number(&format!("-{digits}")).map_err(|error| located(error, position))?,
                    ));
                }
                "-"
            }
            UnaryOperator::Plus => "+",
            UnaryOperator::BitwiseNot => "~",
            UnaryOperator::PGSquareRoot => "|/",
            UnaryOperator::PGCubeRoot => "||/",
            UnaryOperator::PGAbs => "@",
            UnaryOperator::BangNot => "!",
            _ => return Err(unsupported_at("this operator", position)),
        };
        let operand = self.expr(input, scope)?;
        Ok(Operand::Known(self.operator(
            name,
            vec![operand],
            position,
        )?))
    }

    /// `input [NOT] IN (list)`.
    pub(crate) fn in_list(
        &mut self,
        input: &Ast,
        list: &[Ast],
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = list
            .first()
            .map_or(0, |first| self.source.before(self.source.expr(first)));
        let mut operands = vec![self.expr(input, scope)?];
        for item in list {
            operands.push(self.expr(item, scope)?);
        }
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let input_type = types.first().copied().flatten();
        let undefined = || {
            let other = types
                .iter()
                .skip(1)
                .copied()
                .find(|ty| comparison_type(&[input_type, *ty]).is_none());
            undefined_operator("=", [input_type, other.flatten()], position)
        };
        let common = comparison_type(&types).ok_or_else(undefined)?;
        let mut converted = Vec::with_capacity(operands.len());
        for operand in operands {
            let expr = self.convert(operand, common, CastContext::Implicit, position)?;
            converted.push(expr.ok_or_else(undefined)?);
        }
        // Of several values PostgreSQL makes an array, one it compares.
        if list.len() == 1 {
            for expr in &converted {
                refuse_set(expr, "argument of IN", position)?;
            }
        }
        let mut converted = converted.into_iter();
        let input = converted
            .next()
            .ok_or_else(|| Error::internal("IN without an input"))?;
        Ok(Operand::Known(Expr::InList {
            input: Box::new(input),
            list: converted.collect(),
            negated,
        }))
    }

    /// `input [NOT] BETWEEN low AND high`.
    pub(crate) fn between(
        &mut self,
        input: &Ast,
        low: &Ast,
        high: &Ast,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let (low, is_symmetric) = match low {
            Ast::Named { expr, name } if name.value == SYMMETRIC => (&**expr, true),
            low => (low, false),
        };
        let position = self.source.before(self.source.expr(low));
        let input = self.expr(input, scope)?;
        let low = self.expr(low, scope)?;
        let high = self.expr(high, scope)?;
        if !is_symmetric {
            let bounds = (low, high);
            return Ok(Operand::Known(
                self.between_bounds(input, bounds, negated, position)?,
            ));
        }
        let swapped = (high.clone(), low.clone());
        let either = vec![
            self.between_bounds(input.clone(), (low, high), negated, position)?,
            self.between_bounds(input, swapped, negated, position)?,
        ];
        Ok(Operand::Known(if negated {
            Expr::And(either)
        } else {
            Expr::Or(either)
        }))
    }

    /// Whether a value is between bounds: each is compared on its own, as PostgreSQL does.
    fn between_bounds(
        &mut self,
        input: Operand,
        (low, high): (Operand, Operand),
        negated: bool,
        position: u32,
    ) -> Result<Expr> {
        let (above, below) = if negated {
            (CompareOp::Lt, CompareOp::Gt)
        } else {
            (CompareOp::GtEq, CompareOp::LtEq)
        };
        let both = vec![
            self.comparison(above, input.clone(), low, position)?,
            self.comparison(below, input, high, position)?,
        ];
        for each in &both {
            let what = match negated {
                true => "argument of OR",
                false => "argument of AND",
            };
            refuse_set(each, what, position)?;
        }
        Ok(if negated {
            Expr::Or(both)
        } else {
            Expr::And(both)
        })
    }

    /// `IS [NOT] TRUE`, `IS [NOT] FALSE`.
    pub(crate) fn is_truth(
        &mut self,
        input: &Ast,
        truth: bool,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.source.expr(input);
        let input = self.expr(input, scope)?;
        let clause = match (truth, negated) {
            (true, false) => "IS TRUE",
            (true, true) => "IS NOT TRUE",
            (false, false) => "IS FALSE",
            (false, true) => "IS NOT FALSE",
        };
        let input = self.condition(input, clause, position)?;
        Ok(Operand::Known(Expr::Distinct {
            left: Box::new(input),
            right: Box::new(literal(Value::Boolean(truth), LogicalType::Boolean)),
            negated: !negated,
        }))
    }
}

/// Two conditions as one list, a left side of the same kind extended.
fn joined(left: Expr, right: Expr, same: fn(Expr) -> Result<Vec<Expr>, Expr>) -> Vec<Expr> {
    let mut items = same(left).unwrap_or_else(|other| vec![other]);
    items.push(right);
    items
}

/// The type in which values of these types are compared.
pub(crate) fn comparison_type(types: &[Option<LogicalType>]) -> Option<LogicalType> {
    let common = common_type(types)?;
    // Arrays are compared with arrays of the same type only.
    if common.array().is_none() && types.iter().flatten().any(|ty| *ty != common) {
        return None;
    }
    types
        .iter()
        .flatten()
        .all(|ty| *ty == common || implicit_cast_allowed(*ty, common))
        .then_some(common)
}

pub(crate) fn undefined_operator(
    symbol: &str,
    types: [Option<LogicalType>; 2],
    position: u32,
) -> Error {
    let shown =
        |ty: Option<LogicalType>| ty.map_or_else(|| "unknown".to_owned(), |ty| ty.to_string());
    let [left, right] = types;
    let error = Error::new(
        SqlState::UNDEFINED_FUNCTION,
        format!(
            "operator does not exist: {} {symbol} {}",
            shown(left),
            shown(right)
        ),
    );
    located(error, position).with_hint(
        "No operator matches the given name and argument types. You might need to add explicit \
         type casts.",
    )
}
