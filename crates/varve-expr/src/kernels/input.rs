//! Whether a text can be read as a value of a type, and what is wrong with it.

use varve_types::{Error, Result, Value};

use crate::cast::parse_value_with_mod;
use crate::tree::set_rows::rows;
use crate::tree::{Names, Row, SetRows};

/// The error of reading the text as a value of the type, if there is one.
fn fault(row: &Row<'_>) -> Result<Option<Error>> {
    let locale = row.context.locale;
    let Some(names) = &locale.names else {
        return Err(Error::unsupported("the name of a type here"));
    };
    let (ty, modifier) = Names::type_named(&*names.0, row.text(1))?;
    Ok(parse_value_with_mod(row.text(0), ty, modifier, locale).err())
}

/// `pg_input_is_valid(text, type)`
pub(super) fn is_valid(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Boolean(fault(row)?.is_none()))
}

/// `pg_input_error_info(text, type)`: message, detail, hint and code, all NULL for what is valid.
pub(super) fn error_info(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let text = |text: Option<&str>| text.map_or(Value::Null, Value::text);
    let found = match fault(row)? {
        None => vec![Value::Null; 4],
        Some(error) => {
            let fields = error.fields();
            vec![
                text(Some(&fields.message)),
                text(fields.detail.as_deref()),
                text(fields.hint.as_deref()),
                Value::text(fields.state.code()),
            ]
        }
    };
    Ok(rows(vec![found]))
}
