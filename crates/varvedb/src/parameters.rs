//! Parameters of a statement, turned into the types that the binder inferred.

use varve_expr::{format_value, parse_value};
use varve_types::{Error, LogicalType, Result, SqlState, Value};

/// Gives each parameter the type that the statement expects of it.
///
/// A value of another type goes through its text form, as it would in PostgreSQL's protocol, so
/// `1.5` for an integer is an error and not a rounding. `08P01` when the numbers differ.
pub(crate) fn typed_parameters(given: &[Value], types: &[LogicalType]) -> Result<Vec<Value>> {
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
    let convert = |(index, (value, ty)): (usize, (&Value, &LogicalType))| {
        if value.is_null() || value.logical_type() == Some(*ty) {
            return Ok(value.clone());
        }
        let text = match value {
            Value::Boolean(bit) => bit.to_string(),
            Value::Text(text) => text.to_string(),
            other => format_value(other),
        };
        parse_value(&text, *ty)
            .map_err(|error| error.with_context(format!("parameter ${}", index + 1)))
    };
    given.iter().zip(types).enumerate().map(convert).collect()
}
