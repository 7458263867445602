//! Comparisons, arithmetic and the conditions that are written with words.

use varve_ast::{Between, Expr as Ast, ExprKind, LiteralKind, Operator, Truth};
use varve_expr::{Expr, Function, resolve_operator};
use varve_lexer::too_deep;
use varve_plan::build::compare::{Infix, comparison_type, infix, undefined_operator};
use varve_plan::build::operand::{CastContext, Operand, literal, number, refuse_set};
use varve_plan::scope::error::{located, unsupported_at};
use varve_types::{CompareOp, Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::context::binder::QueryBinder;
use crate::context::scope::ExprScope;
use crate::expr::row::row_of;

/// Deepest chain of arithmetic, which is evaluated by recursion.
const ARITHMETIC_DEPTH_MAX: usize = 200;

/// Operators before an operand.
const PREFIX_OPERATORS: [&str; 7] = ["+", "-", "~", "|/", "||/", "@", "!"];
/// Operators of PostgreSQL's types that are not supported.
const OTHER_OPERATORS: [&str; 15] = [
    "##", "&<", "&>", "?-", "&<|", "|&>", "<->", "<^", ">^", "?#", "?||", "?-|", "~=", "<<|", "|>>",
];

/// A link of a chain of operators, with the operand behind it.
#[derive(Clone, Copy)]
enum Link<'a> {
    And,
    Or,
    Operator(&'a Operator),
}

/// A chain of operators from the left: its first operand, and the links behind it. What stands in
/// parentheses is an operand.
fn links(chain: &Ast) -> (&Ast, Vec<(Link<'_>, &Ast)>) {
    // The parser builds long chains to the left: taken apart by a loop they cost no stack.
    let mut links = Vec::new();
    let mut first = chain;
    loop {
        let (left, link, right) = match &first.kind {
            ExprKind::And(left, right) => (left, Link::And, right),
            ExprKind::Or(left, right) => (left, Link::Or, right),
            ExprKind::Infix {
                left,
                operator,
                right,
            } => (left, Link::Operator(operator), right),
            _ => break,
        };
        links.push((link, &**right));
        first = left;
        if first.is_parenthesized {
            break;
        }
    }
    links.reverse();
    (first, links)
}

impl QueryBinder<'_> {
    /// `NULLIF(a, b)`: `CASE WHEN a = b THEN NULL ELSE a END`.
    pub fn nullif(&mut self, operands: Vec<Operand>, position: u32) -> Result<Operand> {
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
    pub fn infix_chain(&mut self, chain: &Ast, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let (first, links) = links(chain);
        let left_position = self.at(first.span);
        let mut links = links.into_iter().peekable();
        let of_rows = links.next_if(|(link, right)| {
            let is_row = row_of(right).is_some() || matches!(right.kind, ExprKind::Subquery(_));
            matches!(link, Link::Operator(_)) && row_of(first).is_some() && is_row
        });
        let mut result = match of_rows {
            Some((Link::Operator(operator), right)) if is_overlaps(operator) => {
                self.overlaps((first, right), self.at(operator.span), scope)?
            }
            Some((Link::Operator(operator), right)) => {
                self.row_comparison(first, operator, right, scope)?
            }
            _ => self.expr(first, scope)?,
        };
        let mut depth = 0;
        for (link, right) in links {
            let positions = (left_position, self.at(right.span));
            result = Operand::Known(match link {
                Link::And => {
                    let right = self.expr(right, scope)?;
                    let (left, right) = self.both_conditions((result, right), "AND", positions)?;
                    Expr::And(joined(left, right, |expr| match expr {
                        Expr::And(items) => Ok(items),
                        other => Err(other),
                    }))
                }
                Link::Or => {
                    let right = self.expr(right, scope)?;
                    let (left, right) = self.both_conditions((result, right), "OR", positions)?;
                    Expr::Or(joined(left, right, |expr| match expr {
                        Expr::Or(items) => Ok(items),
                        other => Err(other),
                    }))
                }
                Link::Operator(operator) => {
                    let position = self.at(operator.span);
                    let infix = match infix(operator) {
                        Some(infix) => infix,
                        None => return self.no_operator(result, operator, right, scope),
                    };
                    let ast = right;
                    let right = self.expr(ast, scope)?;
                    match infix {
                        Infix::Compare(op) => {
                            let compared = self.comparison(op, result, right, position)?;
                            self.open_operand(compared, ast)
                        }
                        Infix::Function(name) => {
                            depth += 1;
                            if depth > ARITHMETIC_DEPTH_MAX {
                                return Err(located(too_deep(), position));
                            }
                            self.operator(name, vec![result, right], position)?
                        }
                    }
                }
            });
        }
        Ok(result)
    }

    /// Both sides of AND or OR.
    fn both_conditions(
        &mut self,
        (left, right): (Operand, Operand),
        word: &str,
        (left_position, right_position): (u32, u32),
    ) -> Result<(Expr, Expr)> {
        let left = self.condition(left, word, left_position)?;
        let right = self.condition(right, word, right_position)?;
        Ok((left, right))
    }

    /// Why there is no such operator.
    fn no_operator(
        &mut self,
        left: Operand,
        operator: &Operator,
        right: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.at(operator.span);
        let is_other = OTHER_OPERATORS.contains(&&*operator.name);
        if !is_other && operator.qualifiers.is_empty() && !is_overlaps(operator) {
            let right = self.expr(right, scope)?;
            self.operator(&operator.name, vec![left, right], position)?;
        }
        Err(unsupported_at("this operator", position))
    }

    /// `(a, b) OVERLAPS (c, d)`, a function of the four.
    fn overlaps(
        &mut self,
        (left, right): (&Ast, &Ast),
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
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
    pub fn comparison(
        &mut self,
        op: CompareOp,
        left: Operand,
        right: Operand,
        position: u32,
    ) -> Result<Expr> {
        let (left, right) = numbers_of_json(left, right);
        let (left, right) = self.comparable(op.symbol(), left, right, position)?;
        Ok(Expr::Compare {
            op,
            left: Box::new(left),
            right: Box::new(right),
        })
    }

    /// Both sides of a comparison in one type.
    pub fn comparable(
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
    pub fn operator(&mut self, name: &str, operands: Vec<Operand>, position: u32) -> Result<Expr> {
        let types: Vec<Option<LogicalType>> = operands.iter().map(Operand::ty).collect();
        let function = resolve_operator(name, &types, position)?;
        self.call(function, operands, position)
    }

    /// A prefix operator.
    pub fn prefix(
        &mut self,
        operator: &Operator,
        input: &Ast,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let position = self.at(operator.span);
        let name = &*operator.name;
        // The number that has no positive twin is a bigint only with its sign.
        if let ("-", ExprKind::Literal(literal)) = (name, &input.kind)
            && literal.kind == LiteralKind::Number
        {
            let negative = number(&format!("-{}", literal.text));
            return negative
                .map(Operand::Known)
                .map_err(|error| located(error, position));
        }
        if !PREFIX_OPERATORS.contains(&name) {
            return Err(unsupported_at("this operator", position));
        }
        let operand = self.expr(input, scope)?;
        self.operator(name, vec![operand], position)
            .map(Operand::Known)
    }

    /// `input [NOT] IN (list)`.
    pub fn in_list(
        &mut self,
        (input, list): (&Ast, &[Ast]),
        negated: bool,
        position: u32,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
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
    pub fn between(&mut self, between: &Between, scope: &mut ExprScope<'_>) -> Result<Operand> {
        let position = self.at(between.operator);
        let negated = between.is_negated;
        let input = self.expr(&between.operand, scope)?;
        let low = self.expr(&between.low, scope)?;
        let high = self.expr(&between.high, scope)?;
        if !between.is_symmetric {
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

    /// `IS [NOT] TRUE`, `IS [NOT] FALSE`, `IS [NOT] UNKNOWN`.
    pub fn is_truth(
        &mut self,
        input: &Ast,
        truth: Truth,
        negated: bool,
        scope: &mut ExprScope<'_>,
    ) -> Result<Operand> {
        let operand = self.expr(input, scope)?;
        let (clause, truth) = match (truth, negated) {
            (Truth::True, false) => ("IS TRUE", Some(true)),
            (Truth::True, true) => ("IS NOT TRUE", Some(true)),
            (Truth::False, false) => ("IS FALSE", Some(false)),
            (Truth::False, true) => ("IS NOT FALSE", Some(false)),
            (Truth::Unknown, _) => ("IS UNKNOWN", None),
        };
        let input = Box::new(self.condition(operand, clause, self.at(input.span))?);
        Ok(Operand::Known(match truth {
            Some(truth) => Expr::Distinct {
                left: input,
                right: Box::new(literal(Value::Boolean(truth), LogicalType::Boolean)),
                negated: !negated,
            },
            None => Expr::IsNull { input, negated },
        }))
    }
}

/// Whether an operator is OVERLAPS.
fn is_overlaps(operator: &Operator) -> bool {
    operator.name.eq_ignore_ascii_case("overlaps")
}

/// Two conditions as one list, a left side of the same kind extended.
fn joined(left: Expr, right: Expr, same: fn(Expr) -> Result<Vec<Expr>, Expr>) -> Vec<Expr> {
    let mut items = same(left).unwrap_or_else(|other| vec![other]);
    items.push(right);
    items
}

/// Both sides of a comparison: what SQLite would take out of a document as a number is one beside a
/// number.
fn numbers_of_json(left: Operand, right: Operand) -> (Operand, Operand) {
    use LogicalType::{Float4, Float8, Int2, Int4, Int8, Numeric};
    let is_number = |operand: &Operand| {
        let ty = operand.ty();
        ty.is_some_and(|ty| matches!(ty, Int2 | Int4 | Int8 | Numeric | Float4 | Float8))
    };
    match (is_number(&left), is_number(&right)) {
        (false, true) => (number_of_json(left), right),
        (true, false) => (left, number_of_json(right)),
        _ => (left, right),
    }
}

/// `json_extract(document, path)` or `text ->> key` as a number; anything else as it is.
fn number_of_json(operand: Operand) -> Operand {
    let Operand::Known(Expr::Call {
        function,
        args,
        position,
    }) = operand
    else {
        return operand;
    };
    let types: Vec<LogicalType> = args.iter().map(Expr::logical_type).collect();
    let is_meant = match function.name() {
        "json_extract" => true,
        "->>" => types.first() == Some(&LogicalType::Text),
        _ => false,
    };
    let number = Function::find("json_extract_number", &types, types.len());
    Operand::Known(Expr::Call {
        function: number.filter(|_| is_meant).unwrap_or(function),
        args,
        position,
    })
}
