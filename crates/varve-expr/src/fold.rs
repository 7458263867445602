//! Constant folding.

use varve_types::{LogicalType, Value};

use crate::cast::is_immutable_cast;
use crate::evaluate::evaluate_constant;
use crate::tree::{DEFAULT_LOCALE, EvalContext, Expr, Function, Parameters};

/// The same expression with what is constant in it computed. What would fail is left as it is, so
/// that the error arises only if a row gets there; parameters and `now()` are not constant.
pub fn fold(expr: Expr) -> Expr {
    let ty = expr.logical_type();
    match expr {
        Expr::Column { .. }
        | Expr::Placeholder { .. }
        | Expr::Literal { .. }
        | Expr::Parameter { .. }
        | Expr::Outer { .. } => expr,
        Expr::Compare { op, left, right } => computed(Expr::Compare {
            op,
            left: fold_box(*left),
            right: fold_box(*right),
        }),
        Expr::Distinct {
            left,
            right,
            negated,
        } => computed(Expr::Distinct {
            left: fold_box(*left),
            right: fold_box(*right),
            negated,
        }),
        Expr::And(operands) => fold_connective(operands, false),
        Expr::Or(operands) => fold_connective(operands, true),
        Expr::Not(input) => computed(Expr::Not(fold_box(*input))),
        Expr::IsNull { input, negated } => computed(Expr::IsNull {
            input: fold_box(*input),
            negated,
        }),
        Expr::InList {
            input,
            list,
            negated,
        } => computed(Expr::InList {
            input: fold_box(*input),
            list: list.into_iter().map(fold).collect(),
            negated,
        }),
        Expr::Call {
            function,
            args,
            position,
        } => fold_call(function, args, position),
        Expr::Cast {
            input,
            to,
            modifier,
            explicit,
            position,
        } => {
            let is_immutable = is_immutable_cast(input.logical_type(), to);
            let cast = Expr::Cast {
                modifier,
                explicit,
                input: fold_box(*input),
                to,
                position,
            };
            computed_where(is_immutable, cast)
        }
        Expr::Case {
            branches,
            otherwise,
            ..
        } => fold_case(branches, otherwise, ty),
        Expr::Coalesce { args, .. } => fold_coalesce(args, ty),
    }
}

/// The same condition folded, where NULL counts as false: one that cannot become true is false, and
/// nothing in it is computed.
pub fn fold_condition(condition: Expr) -> Expr {
    let folded = fold(condition);
    if is_never(&folded, true) {
        boolean(Some(false))
    } else {
        folded
    }
}

/// Whether a boolean is never `wanted`, by what is constant in it.
fn is_never(expr: &Expr, wanted: bool) -> bool {
    let is_part_never = |part: &Expr| is_never(part, wanted);
    match expr {
        Expr::Not(input) => is_never(input, !wanted),
        // For AND to be true all must be, for OR to be false none may be true.
        Expr::And(parts) if wanted => parts.iter().any(is_part_never),
        Expr::Or(parts) if !wanted => parts.iter().any(is_part_never),
        Expr::And(parts) | Expr::Or(parts) => parts.iter().all(is_part_never),
        _ => known(expr).is_some_and(|value| value != Some(wanted)),
    }
}

fn fold_box(expr: Expr) -> Box<Expr> {
    Box::new(fold(expr))
}

/// As [`computed`] for what gives the same in every session, or is NULL in each; else as it is.
fn computed_where(is_immutable: bool, expr: Expr) -> Expr {
    if is_immutable || is_null_by_an_operand(&expr) {
        computed(expr)
    } else {
        expr
    }
}

/// The value of an expression whose parts are folded, where all of them are literals.
fn computed(expr: Expr) -> Expr {
    let is_literal = |part: &Expr| matches!(part, Expr::Literal { .. });
    if is_null_by_an_operand(&expr) {
        let ty = expr.logical_type();
        let value = Value::Null;
        return Expr::Literal { value, ty };
    }
    let is_constant = match &expr {
        Expr::Compare { left, right, .. } | Expr::Distinct { left, right, .. } => {
            is_literal(left) && is_literal(right)
        }
        Expr::Not(input) | Expr::IsNull { input, .. } | Expr::Cast { input, .. } => {
            is_literal(input)
        }
        Expr::InList { input, list, .. } => is_literal(input) && list.iter().all(is_literal),
        Expr::Call { args, .. } => args.iter().all(is_literal),
        _ => false,
    };
    if !is_constant {
        return expr;
    }
    let ty = expr.logical_type();
    let context = EvalContext {
        params: Parameters::NONE,
        outer: &[],
        locale: &DEFAULT_LOCALE,
        host: None,
    };
    let is_call = matches!(expr, Expr::Call { .. });
    match evaluate_constant(&expr, &context) {
        // Plans are kept: what a few letters blow up is made anew each time.
        Ok(value) if is_call && value.heap_bytes() > FOLDED_BYTES_MAX => expr,
        Ok(value) => Expr::Literal { value, ty },
        Err(_) => expr,
    }
}

/// The longest value of a call that takes its place in a plan.
const FOLDED_BYTES_MAX: usize = 64 * 1024;

/// Whether a literal NULL decides, whatever the values of the other operands are: they are not
/// computed then. What is known to fail is: PostgreSQL computes constants first.
fn is_null_by_an_operand(expr: &Expr) -> bool {
    let is_null = |part: &Expr| {
        matches!(
            part,
            Expr::Literal {
                value: Value::Null,
                ..
            }
        )
    };
    match expr {
        Expr::Compare { left, right, .. } => {
            (is_null(left) && !is_failing(right)) || (is_null(right) && !is_failing(left))
        }
        // PostgreSQL computes the array before its subscripts.
        Expr::Call { function, args, .. } if function.name() == "\0element" => {
            args.first().is_some_and(is_null) && !args.iter().any(is_failing)
        }
        Expr::Call { function, args, .. } => {
            function.is_strict() && args.iter().any(is_null) && !args.iter().any(is_failing)
        }
        Expr::InList { input, list, .. } => is_null(input) && !list.iter().any(is_failing),
        Expr::Cast { input, .. } => is_null(input),
        _ => false,
    }
}

/// Whether a folded expression fails whenever it is computed: what is constant in it would have
/// been computed already.
fn is_failing(expr: &Expr) -> bool {
    let is_literal = |part: &Expr| matches!(part, Expr::Literal { .. });
    match expr {
        Expr::Call { function, args, .. } => {
            (function.is_immutable() && args.iter().all(is_literal)) || args.iter().any(is_failing)
        }
        Expr::Cast { input, to, .. } => {
            (is_literal(input) && is_immutable_cast(input.logical_type(), *to)) || is_failing(input)
        }
        Expr::Compare { left, right, .. } | Expr::Distinct { left, right, .. } => {
            (is_literal(left) && is_literal(right)) || is_failing(left) || is_failing(right)
        }
        Expr::Not(input) | Expr::IsNull { input, .. } => is_failing(input),
        Expr::Case { branches, .. } => branches.first().is_some_and(|(test, _)| is_failing(test)),
        Expr::Coalesce { args, .. } => args.first().is_some_and(is_failing),
        _ => false,
    }
}

/// The value of a boolean literal: `None` for NULL.
fn known(expr: &Expr) -> Option<Option<bool>> {
    match expr {
        Expr::Literal {
            value: Value::Boolean(bit),
            ..
        } => Some(Some(*bit)),
        Expr::Literal {
            value: Value::Null, ..
        } => Some(None),
        _ => None,
    }
}

fn boolean(value: Option<bool>) -> Expr {
    Expr::Literal {
        value: value.map_or(Value::Null, Value::Boolean),
        ty: LogicalType::Boolean,
    }
}

/// Connectives of the same kind within are joined into one; what cannot decide is left out; after
/// what decides, nothing is evaluated.
fn fold_connective(operands: Vec<Expr>, decisive: bool) -> Expr {
    let mut left: Vec<Expr> = Vec::with_capacity(operands.len());
    for operand in operands {
        match fold(operand) {
            Expr::And(inner) if !decisive => left.extend(inner),
            Expr::Or(inner) if decisive => left.extend(inner),
            other => left.push(other),
        }
    }
    if left
        .iter()
        .any(|operand| known(operand) == Some(Some(decisive)))
    {
        return boolean(Some(decisive));
    }
    left.retain(|operand| known(operand) != Some(Some(!decisive)));
    if let Some(first) = left.first()
        && left.iter().all(|operand| known(operand) == Some(None))
    {
        return first.clone();
    }
    match (left.pop(), left.is_empty()) {
        (None, _) => boolean(Some(!decisive)),
        (Some(only), true) => only,
        (Some(last), false) => {
            left.push(last);
            if decisive {
                Expr::Or(left)
            } else {
                Expr::And(left)
            }
        }
    }
}

fn fold_call(function: Function, args: Vec<Expr>, position: u32) -> Expr {
    let args = args.into_iter().map(fold).collect();
    let call = Expr::Call {
        function,
        args,
        position,
    };
    computed_where(function.is_immutable(), call)
}

/// Branches that are never taken are left out; one that always is becomes the ELSE.
fn fold_case(branches: Vec<(Expr, Expr)>, otherwise: Option<Box<Expr>>, ty: LogicalType) -> Expr {
    let mut left = Vec::with_capacity(branches.len());
    let mut otherwise = otherwise.map(|value| fold_box(*value));
    for (condition, value) in branches {
        let condition = fold(condition);
        match known(&condition) {
            Some(Some(true)) => {
                otherwise = Some(Box::new(fold(value)));
                break;
            }
            Some(_) => {}
            None => left.push((condition, fold(value))),
        }
    }
    if left.is_empty() {
        return otherwise.map_or(
            Expr::Literal {
                value: Value::Null,
                ty,
            },
            |value| *value,
        );
    }
    Expr::Case {
        branches: left,
        otherwise,
        ty,
    }
}

/// NULLs are left out, and what comes after a constant is never reached.
fn fold_coalesce(args: Vec<Expr>, ty: LogicalType) -> Expr {
    let mut left = Vec::with_capacity(args.len());
    for arg in args {
        let arg = fold(arg);
        let literal = match &arg {
            Expr::Literal { value, .. } => Some(value.is_null()),
            _ => None,
        };
        if literal != Some(true) {
            left.push(arg);
        }
        if literal == Some(false) {
            break;
        }
    }
    match (left.pop(), left.is_empty()) {
        (None, _) => Expr::Literal {
            value: Value::Null,
            ty,
        },
        (Some(only), true) => only,
        (Some(last), false) => {
            left.push(last);
            Expr::Coalesce { args: left, ty }
        }
    }
}

#[cfg(test)]
#[path = "fold_tests.rs"]
mod tests;
