//! Values whose type follows from their place, and conversions.

use varve_catalog::ColumnDef;
use varve_expr::{
    Expr, Parameter, assignment_cast_allowed, coerce_length, depends_on_time,
    explicit_cast_allowed, implicit_cast_allowed, parse_value_with_mod, reads_locale,
};
use varve_plan::build::operand::{CastContext, Operand, input_modifier, literal, refuse_set};
use varve_plan::scope::error::located;
use varve_types::{Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::context::binder::{PARAMETERS_MAX, QueryBinder};

impl QueryBinder<'_> {
    /// `$n`.
    pub fn parameter(&mut self, number: u32, position: u32) -> Result<Operand> {
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
        if index >= self.outputs.parameters.len() {
            self.outputs.parameters.resize(index + 1, None);
        }
        Ok(
            match self.outputs.parameters.get(index).copied().flatten() {
                Some(ty) => Operand::Known(Expr::Parameter {
                    parameter: Parameter::Given(index),
                    ty,
                }),
                None => Operand::Parameter(index),
            },
        )
    }

    /// The operand as an expression of type `to`; `None` where that conversion is not allowed.
    pub fn convert(
        &mut self,
        operand: Operand,
        to: LogicalType,
        context: CastContext,
        position: u32,
    ) -> Result<Option<Expr>> {
        self.convert_bounded(operand, to, TypeMod::NONE, context, position)
    }

    /// As [`QueryBinder::convert`], to a type with a modifier.
    pub fn convert_bounded(
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
                let known = self.outputs.parameters.get(index).copied().flatten();
                if let Some(slot) = self.outputs.parameters.get_mut(index) {
                    slot.get_or_insert(to);
                }
                Expr::Parameter {
                    parameter: Parameter::Given(index),
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
        self.outputs.reads_locale |= depends_on_time || reads_locale(to);
        let of_input = match depends_on_time {
            true => TypeMod::NONE,
            false => input_modifier(to, modifier),
        };
        let value = parse_value_with_mod(&text, to, of_input, self.statement.locale)
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
    pub fn settle(&mut self, operand: Operand) -> Result<Expr> {
        let to = operand.ty().unwrap_or(LogicalType::Text);
        self.convert(operand, to, CastContext::Implicit, 0)?
            .ok_or_else(|| Error::internal("a type does not convert to itself"))
    }

    /// The operand as a condition; `clause` is what wants it.
    pub fn condition(&mut self, operand: Operand, clause: &str, position: u32) -> Result<Expr> {
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
    pub fn explicit_cast(
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
    pub fn assign(&mut self, operand: Operand, column: &ColumnDef, position: u32) -> Result<Expr> {
        let expr = self.assign_as_written(operand, column, position)?;
        Ok(varve_expr::fold(expr))
    }

    /// The same, with what is constant as it is written.
    pub fn assign_as_written(
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
