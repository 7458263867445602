//! Values whose type follows from their place, and conversions.

use varve_expr::{
    DEFAULT_LOCALE, Expr, assignment_cast_allowed, coerce_length, depends_on_time,
    explicit_cast_allowed, implicit_cast_allowed, parse_value, parse_value_with_mod, reads_locale,
};
use varve_types::{Decimal, Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::ColumnDef;
use crate::bind::placeholder::{Place, place};
use crate::bind::{Binder, PARAMETERS_MAX, located};
use crate::walk::for_each_column;

/// A bound expression, or one whose type its place will tell.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// An expression of known type.
    Known(Expr),
    /// A string literal and its position.
    Text(String, u32),
    /// NULL.
    Null,
    /// A parameter that no place has given a type yet.
    Parameter(usize),
}

/// Why a conversion takes place: decides which are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastContext {
    /// Nobody asked for it.
    Implicit,
    /// A value is stored in a column.
    Assignment,
    /// `CAST`.
    Explicit,
}

impl Operand {
    /// The type, where it is known.
    pub(crate) fn ty(&self) -> Option<LogicalType> {
        match self {
            Operand::Known(expr) => Some(expr.logical_type()),
            _ => None,
        }
    }
}

/// A constant.
pub(crate) fn literal(value: Value, ty: LogicalType) -> Expr {
    Expr::Literal { value, ty }
}

/// A number without a type of its own: integer, bigint, or numeric for all others.
pub(crate) fn number(digits: &str) -> Result<Expr> {
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

/// Whether a number became 0 though it has another digit.
fn is_lost(value: &Value, digits: &str) -> bool {
    let mantissa = digits.split(['e', 'E']).next().unwrap_or_default();
    let is_zero = matches!(value, Value::Numeric(number) if number.compare(Decimal::ZERO).is_eq());
    is_zero && mantissa.contains(|digit: char| matches!(digit, '1'..='9'))
}

impl Binder<'_> {
    /// `$n`.
    pub(crate) fn parameter(&mut self, number: u32, position: u32) -> Result<Operand> {
        let index = match usize::try_from(number) {
            Ok(number @ 1..=PARAMETERS_MAX) => number - 1,
            _ => {
                let message = format!("there is no parameter ${number}");
                let error = Error::new(SqlState::UNDEFINED_PARAMETER, message);
                return Err(located(error, position));
            }
        };
        if let Some(value) = self.numbered_variable(index, position) {
            return value;
        }
        if index >= self.parameters.len() {
            self.parameters.resize(index + 1, None);
        }
        Ok(match self.parameters.get(index).copied().flatten() {
            Some(ty) => Operand::Known(Expr::Parameter { index, ty }),
            None => Operand::Parameter(index),
        })
    }

    /// The operand as an expression of type `to`; `None` where that conversion is not allowed.
    pub(crate) fn convert(
        &mut self,
        operand: Operand,
        to: LogicalType,
        context: CastContext,
        position: u32,
    ) -> Result<Option<Expr>> {
        self.convert_bounded(operand, to, TypeMod::NONE, context, position)
    }

    /// As [`Binder::convert`], to a type with a modifier.
    pub(crate) fn convert_bounded(
        &mut self,
        operand: Operand,
        to: LogicalType,
        modifier: TypeMod,
        context: CastContext,
        position: u32,
    ) -> Result<Option<Expr>> {
        let explicit = context == CastContext::Explicit;
        if let Operand::Text(text, position) = &operand {
            self.use_literal(text, to, *position);
        }
        let expr = match operand {
            Operand::Known(expr) => expr,
            Operand::Null => return Ok(Some(literal(Value::Null, to))),
            Operand::Text(text, position) => {
                let value = self.text_as(text, (to, modifier), explicit, position)?;
                return Ok(Some(value));
            }
            Operand::Parameter(index) => {
                let known = self.parameters.get(index).copied().flatten();
                if let Some(slot) = self.parameters.get_mut(index) {
                    slot.get_or_insert(to);
                }
                Expr::Parameter {
                    index,
                    ty: known.unwrap_or(to),
                }
            }
        };
        if let Some(row) = self.row_as(&expr, to, context, position)? {
            return Ok(Some(row));
        }
        let from = expr.logical_type();
        if from == to && modifier.is_none() {
            return Ok(Some(expr));
        }
        let allowed = match context {
            CastContext::Implicit => implicit_cast_allowed(from, to),
            CastContext::Assignment => assignment_cast_allowed(from, to),
            CastContext::Explicit => explicit_cast_allowed(from, to),
        };
        Ok(allowed.then(|| Expr::Cast {
            input: Box::new(expr),
            to,
            modifier,
            explicit,
            position,
        }))
    }

    /// A string literal as a value of a type.
    fn text_as(
        &mut self,
        text: String,
        (to, modifier): (LogicalType, TypeMod),
        explicit: bool,
        position: u32,
    ) -> Result<Expr> {
        let depends_on_time = depends_on_time(&text, to);
        self.reads_locale |= depends_on_time || reads_locale(to);
        // Strings and numbers are cut or refused by the modifier as other values are, not by the
        // input.
        let of_input = match to.is_string() || to == LogicalType::Numeric || depends_on_time {
            true => TypeMod::NONE,
            false => modifier,
        };
        let value = parse_value_with_mod(&text, to, of_input, self.locale)
            .map_err(|error| located(error, position))?;
        if depends_on_time {
            return Ok(Expr::Cast {
                input: Box::new(literal(Value::text(text), LogicalType::Text)),
                to,
                modifier,
                explicit,
                position,
            });
        }
        // What is too long is not wrong where it is written, to PostgreSQL.
        let value = coerce_length(value, to, modifier, explicit)?;
        Ok(literal(value, to))
    }

    /// The operand as it is; text where nothing told its type.
    pub(crate) fn settle(&mut self, operand: Operand) -> Result<Expr> {
        let to = operand.ty().unwrap_or(LogicalType::Text);
        self.convert(operand, to, CastContext::Implicit, 0)?
            .ok_or_else(|| Error::internal("a type does not convert to itself"))
    }

    /// The operand as a condition; `clause` is what wants it.
    pub(crate) fn condition(
        &mut self,
        operand: Operand,
        clause: &str,
        position: u32,
    ) -> Result<Expr> {
        let shown = operand.ty();
        let condition = self.convert(
            operand,
            LogicalType::Boolean,
            CastContext::Implicit,
            position,
        )?;
        let condition = condition.ok_or_else(|| {
            let shown = shown.unwrap_or(LogicalType::Text);
            let error = Error::new(
                SqlState::DATATYPE_MISMATCH,
                format!("argument of {clause} must be type boolean, not type {shown}"),
            );
            located(error, position)
        })?;
        if clause != "FILTER" {
            refuse_set(&condition, &format!("argument of {clause}"), position)?;
        }
        Ok(condition)
    }

    /// `CAST(operand AS to)`.
    pub(crate) fn explicit_cast(
        &mut self,
        operand: Operand,
        (to, modifier): (LogicalType, TypeMod),
        position: u32,
    ) -> Result<Expr> {
        let from = operand.ty();
        self.convert_bounded(operand, to, modifier, CastContext::Explicit, position)?
            .ok_or_else(|| {
                let from = from.unwrap_or(LogicalType::Text);
                let error = Error::new(
                    SqlState::CANNOT_COERCE,
                    format!("cannot cast type {from} to {to}"),
                );
                located(error, position)
            })
    }

    /// The operand as a value for a column.
    pub(crate) fn assign(
        &mut self,
        operand: Operand,
        column: &ColumnDef,
        position: u32,
    ) -> Result<Expr> {
        let expr = self.assign_as_written(operand, column, position)?;
        Ok(varve_expr::fold(expr))
    }

    /// The same, with what is constant as it is written.
    pub(crate) fn assign_as_written(
        &mut self,
        operand: Operand,
        column: &ColumnDef,
        position: u32,
    ) -> Result<Expr> {
        let from = operand.ty();
        let (to, modifier) = (column.ty, column.modifier);
        let column = &column.name;
        self.convert_bounded(operand, to, modifier, CastContext::Assignment, position)?
            .ok_or_else(|| {
                let from = from.unwrap_or(LogicalType::Text);
                let error = Error::new(
                    SqlState::DATATYPE_MISMATCH,
                    format!("column \"{column}\" is of type {to} but expression is of type {from}"),
                );
                located(error, position)
                    .with_hint("You will need to rewrite or cast the expression.")
            })
    }
}

/// `42804`: rows where one value is wanted.
pub(crate) fn refuse_set(expr: &Expr, what: &str, position: u32) -> Result<()> {
    let mut has_set = false;
    for_each_column(expr, &mut |column| {
        has_set |= matches!(place(column), Place::Set(_));
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
