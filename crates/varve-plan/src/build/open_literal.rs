//! Literals whose values a plan takes as parameters, so that it serves all texts that differ in
//! nothing else.

use varve_expr::{
    Expr, Locale, assignment_cast_allowed, coerce_length, depends_on_time, fold,
    implicit_cast_allowed, parse_value_with_mod,
};
use varve_parser::Written;
use varve_types::{LogicalType, TypeMod, Value};

use crate::build::operand::{CastContext, input_modifier, literal, number};

/// What a plan makes of a literal that is left open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenUse {
    /// Which of the statement's open literals it is.
    pub literal: usize,
    /// The type that the literal has of its own.
    pub own: OwnType,
    /// The type of its value.
    pub to: LogicalType,
    /// The modifier of that type.
    pub modifier: TypeMod,
    /// Why it is converted.
    pub context: CastContext,
}

/// Which types a literal may have of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnType {
    /// Any: its place alone tells what becomes of it.
    Any,
    /// This one, or none where it is a string: it decided what became of its place.
    Only(Option<LogicalType>),
}

impl OpenUse {
    /// The value of a literal in this place; `None` where binding the text would not give just a
    /// constant: it may be wrong, or not the same in every transaction.
    pub fn value(&self, written: &Written, locale: &Locale) -> Option<Value> {
        let takes = |own| matches!(self.own, OwnType::Any) || self.own == OwnType::Only(own);
        let (to, modifier) = (self.to, self.modifier);
        let constant = match written {
            Written::Null => return (self.own == OwnType::Any).then_some(Value::Null),
            Written::Text(text) => {
                if depends_on_time(text, to) || !takes(None) {
                    return None;
                }
                let of_input = input_modifier(to, modifier);
                let value = parse_value_with_mod(text, to, of_input, locale).ok()?;
                return coerce_length(value, to, modifier, false).ok();
            }
            Written::Truth(truth) => literal(Value::Boolean(*truth), LogicalType::Boolean),
            Written::Number(digits) => number(digits).ok()?,
        };
        let from = constant.logical_type();
        let is_allowed = match self.context {
            CastContext::Implicit => implicit_cast_allowed(from, to),
            CastContext::Assignment => assignment_cast_allowed(from, to),
            CastContext::Explicit => false,
        };
        let constant = match from == to && modifier.is_none() {
            true => constant,
            false if is_allowed => fold(Expr::Cast {
                input: Box::new(constant),
                to,
                modifier,
                explicit: false,
                position: 0,
            }),
            false => return None,
        };
        match constant {
            Expr::Literal { value, .. } if takes(Some(from)) => Some(value),
            _ => None,
        }
    }
}
