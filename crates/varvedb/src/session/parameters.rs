//! Parameters of a statement, turned into the types that the binder inferred.

use std::borrow::Cow;

use varve_expr::{Locale, format_value, parse_value};
use varve_types::{Error, LogicalType, Result, SqlState, Value};

/// Gives each parameter the type that the statement expects of it.
///
/// A value of another type goes through its text form, as it would in PostgreSQL's protocol, so
/// `1.5` for an integer is an error and not a rounding. `08P01` when the numbers differ.
pub(crate) fn typed_parameters<'a>(
    given: &'a [Value],
    types: &[LogicalType],
    locale: &Locale,
) -> Result<Cow<'a, [Value]>> {
    if given.len() != types.len() {
        return Err(Error::new(
            SqlState::PROTOCOL_VIOLATION,
            format!(
                "{} parameters given, but the statement requires {}",
                given.len(),
                types.len()
            ),
        ));
    }
    let fits =
        |(value, ty): (&Value, &LogicalType)| value.logical_type().is_none_or(|given| given == *ty);
    if given.iter().zip(types).all(fits) {
        return Ok(Cow::Borrowed(given));
    }
    let convert = |(index, (value, ty)): (usize, (&Value, &LogicalType))| {
        if fits((value, ty)) {
            return Ok(value.clone());
        }
        if let Some(number) = number_as(value, *ty) {
            return Ok(number);
        }
        let text = match value {
            Value::Boolean(bit) => bit.to_string(),
            Value::Text(text) => text.to_string(),
            other => format_value(other, locale),
        };
        parse_value(&text, *ty, locale)
            .map_err(|error| error.with_context(format!("parameter ${}", index + 1)))
    };
    let values = given.iter().zip(types).enumerate().map(convert);
    values.collect::<Result<Vec<Value>>>().map(Cow::Owned)
}

/// A whole number as another type that can hold it, which is what its text form would be.
fn number_as(value: &Value, ty: LogicalType) -> Option<Value> {
    let Value::Int8(number) = *value else {
        return None;
    };
    match ty {
        LogicalType::Int4 => i32::try_from(number).ok().map(Value::Int4),
        LogicalType::Float8 => i32::try_from(number)
            .ok()
            .map(|small| Value::Float8(small.into())),
        _ => None,
    }
}
