//! Bound operands, whose types may be open.

use varve_expr::walk::for_each_placeholder;
use varve_expr::{DEFAULT_LOCALE, Expr, Placeholder, parse_value};
use varve_types::{Decimal, Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::scope::error::located;

/// A bound expression, or one whose type its place will tell.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An expression of known type.
    Known(Expr),
    /// A string literal and its position.
    Text(String, u32),
    /// NULL.
    Null,
    /// A parameter that no place has given a type yet.
    Parameter(usize),
}

impl Operand {
    /// The type, where it is known.
    pub fn ty(&self) -> Option<LogicalType> {
        match self {
            Operand::Known(expr) => Some(expr.logical_type()),
            _ => None,
        }
    }
}

/// Why a conversion takes place: decides which are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastContext {
    /// Nobody asked for it.
    Implicit,
    /// A value is stored in a column.
    Assignment,
    /// `CAST`.
    Explicit,
}

/// A constant.
pub fn literal(value: Value, ty: LogicalType) -> Expr {
    Expr::Literal { value, ty }
}

/// The modifier by which a string literal is read as a type. Strings and numbers are cut or refused
/// by theirs as other values are, not by the input.
pub fn input_modifier(to: LogicalType, modifier: TypeMod) -> TypeMod {
    match to.is_string() || to == LogicalType::Numeric {
        true => TypeMod::NONE,
        false => modifier,
    }
}

/// A number without a type of its own: integer, bigint, or numeric for all others.
pub fn number(digits: &str) -> Result<Expr> {
    // Integers are written in any base and with underscores.
    let is_decimal =
        digits.contains('.') || (digits.contains(['e', 'E']) && !digits.contains(['x', 'X']));
    for ty in [LogicalType::Int4, LogicalType::Int8] {
        if !is_decimal && let Ok(value) = parse_value(digits, ty, &DEFAULT_LOCALE) {
            return Ok(literal(value, ty));
        }
    }
    // What no numeric holds is the nearest float.
    let as_type = |ty| parse_value(digits, ty, &DEFAULT_LOCALE).map(|value| literal(value, ty));
    match as_type(LogicalType::Numeric) {
        Err(error) if error.state() == SqlState::NUMERIC_VALUE_OUT_OF_RANGE => {
            as_type(LogicalType::Float8).map_err(|_| error)
        }
        // One that is too small for a numeric, too.
        Ok(Expr::Literal { value, .. }) if is_lost(&value, digits) => as_type(LogicalType::Float8),
        other => other,
    }
}

/// `42804`: rows where one value is wanted.
pub fn refuse_set(expr: &Expr, what: &str, position: u32) -> Result<()> {
    let mut has_set = false;
    for_each_placeholder(expr, &mut |part| {
        has_set |= matches!(part, Placeholder::Set(_));
    });
    if !has_set {
        return Ok(());
    }
    let message = format!("{what} must not return a set");
    Err(located(
        Error::new(SqlState::DATATYPE_MISMATCH, message),
        position,
    ))
}

/// Whether a number became 0 though it has another digit.
pub fn is_lost(value: &Value, digits: &str) -> bool {
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = matches!(value, Value::Numeric(number) if number.compare(Decimal::ZERO).is_eq());
    is_zero && mantissa.contains(|digit: char| matches!(digit, '1'..='9'))
}
