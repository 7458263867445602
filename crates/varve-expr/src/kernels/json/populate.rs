//! Rows from JSON: `json[b]_populate_record[set]`, `json[b]_to_record[set]`.
//!
//! Both types go by their text, member by member, so that numbers and nested values read as they
//! are written.

use varve_types::{
    ArrayDimension, ArrayValue, ElementType, Error, JSON_DEPTH_MAX, LogicalType, Result, RowTypeId,
    RowValue, SqlState, TypeMod, Value,
};

use super::invalid;
use crate::cast::parse_value_with_mod;
use crate::json::{Shallow, Token, shallow, write_json};
use crate::tree::set_rows;
use crate::tree::{Locale, Row, SetRows};

/// The name, type and modifier of a field.
type Field = (String, LogicalType, TypeMod);

fn text_of(row: &Row<'_>, i: usize) -> Result<String> {
    if row.is_json(i) {
        return Ok(row.text(i).to_owned());
    }
    let mut text = String::new();
    write_json(&row.jsonb(i)?, &mut text);
    Ok(text)
}

/// What a text is where an object or an array is wanted.
fn what(found: &Shallow<'_>) -> &'static str {
    match found {
        Shallow::Scalar(..) => "a scalar",
        Shallow::Array(_) => "an array",
        Shallow::Object(_) => "an object",
    }
}

fn no_object(found: &Shallow<'_>) -> Error {
    invalid(format!("cannot call populate_composite on {}", what(found)))
}

fn malformed(message: &str) -> Error {
    Error::new(SqlState::INVALID_TEXT_REPRESENTATION, message)
}

/// The values of fields from the members of an object; those that it lacks are as in `base`.
fn members(
    pairs: &[(String, &str)],
    fields: &[Field],
    base: &[Value],
    locale: &Locale,
    depth: usize,
) -> Result<Vec<Value>> {
    let mut values = Vec::with_capacity(fields.len());
    for (at, (name, ty, modifier)) in fields.iter().enumerate() {
        let found = pairs.iter().rev().find(|(key, _)| key == name);
        values.push(match found {
            Some((_, text)) => value(text, *ty, *modifier, locale, depth).map_err(|error| {
                match error.message().starts_with("expected JSON") {
                    true => error.with_hint(format!("See the value of key \"{name}\".")),
                    false => error,
                }
            })?,
            None => base.get(at).cloned().unwrap_or(Value::Null),
        });
    }
    Ok(values)
}

/// A value of a type from a JSON text.
fn value(
    text: &str,
    ty: LogicalType,
    modifier: TypeMod,
    locale: &Locale,
    depth: usize,
) -> Result<Value> {
    if depth > JSON_DEPTH_MAX {
        return Err(Error::new(
            SqlState::STATEMENT_TOO_COMPLEX,
            "stack depth limit exceeded",
        ));
    }
    let found = shallow(text)?;
    let read = |text: &str| parse_value_with_mod(text, ty, modifier, locale);
    match (found, ty) {
        (Shallow::Scalar(Token::Null, _), _) => Ok(Value::Null),
        (_, LogicalType::Json | LogicalType::Jsonb) => read(text),
        (Shallow::Scalar(Token::String, string), _) => read(&string),
        (Shallow::Object(pairs), LogicalType::Row(id)) => {
            let fields = fields_of(id, locale)?;
            let values = members(&pairs, &fields, &[], locale, depth + 1)?;
            Ok(row_of(id, &fields, values))
        }
        (other, LogicalType::Row(_)) => Err(no_object(&other)),
        (Shallow::Array(items), LogicalType::Array(element)) => {
            let mut reader = Elements {
                element,
                modifier,
                locale,
                lengths: Vec::new(),
                values: Vec::new(),
            };
            reader.take(&items, 0, depth)?;
            if reader.values.is_empty() {
                return Ok(Value::array(&ArrayValue::of(element, Vec::new())));
            }
            let lengths = reader.lengths.into_iter();
            Ok(Value::array(&ArrayValue {
                element,
                dimensions: lengths
                    .map(|length| ArrayDimension { length, lower: 1 })
                    .collect(),
                values: reader.values,
            }))
        }
        (_, LogicalType::Array(_)) => Err(malformed("expected JSON array")),
        _ => read(text),
    }
}

/// The elements of an array whose dimensions follow from its parts.
struct Elements<'a> {
    element: ElementType,
    modifier: TypeMod,
    locale: &'a Locale,
    lengths: Vec<u32>,
    values: Vec<Value>,
}

impl Elements<'_> {
    fn take(&mut self, items: &[&str], level: usize, depth: usize) -> Result<()> {
        let uneven = || {
            malformed("malformed JSON array").with_detail(
                "Multidimensional arrays must have sub-arrays with matching dimensions.",
            )
        };
        let ArrayDimension { length, .. } = ArrayDimension::of(items.len(), 1);
        match self.lengths.get(level) {
            None if self.values.is_empty() => self.lengths.push(length),
            Some(known) if *known == length => {}
            _ => return Err(uneven()),
        }
        let ty = self.element.logical();
        for item in items {
            let is_json = matches!(ty, LogicalType::Json | LogicalType::Jsonb);
            match shallow(item)? {
                Shallow::Array(inner) if !is_json => {
                    if level + 1 >= varve_types::ARRAY_DIMENSIONS_MAX {
                        return Err(uneven());
                    }
                    self.take(&inner, level + 1, depth + 1)?;
                }
                _ if self.lengths.len() > level + 1 => {
                    return Err(malformed("expected JSON array"));
                }
                _ => {
                    let value = value(item, ty, self.modifier, self.locale, depth + 1)?;
                    self.values.push(value);
                }
            }
        }
        Ok(())
    }
}

fn fields_of(id: RowTypeId, locale: &Locale) -> Result<Vec<Field>> {
    let names = locale.names.as_ref();
    let fields = names.and_then(|names| names.0.row_fields(id));
    fields.ok_or_else(|| {
        let message = "could not determine row type for result of a function of JSON";
        let hint = "Provide a non-null record argument, or call the function in the FROM clause \
                    using a column definition list.";
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message).with_hint(hint)
    })
}

fn row_of(id: RowTypeId, fields: &[Field], values: Vec<Value>) -> Value {
    let types = fields.iter().map(|(_, ty, _)| *ty);
    Value::row(
        id,
        &RowValue {
            fields: types.zip(values).collect(),
        },
    )
}

/// The type of the base row, its fields and their values.
fn base(row: &Row<'_>) -> Result<(RowTypeId, Vec<Field>, Vec<Value>)> {
    let LogicalType::Row(id) = row.result else {
        let message = "first argument must be a row type";
        return Err(Error::new(SqlState::DATATYPE_MISMATCH, message));
    };
    let given = match row.value(0) {
        Value::Row(_, stored) => RowValue::read(&stored)?,
        _ => RowValue::default(),
    };
    let fields = match id {
        RowTypeId::RECORD if !given.fields.is_empty() => (1..)
            .zip(&given.fields)
            .map(|(number, (ty, _))| (format!("f{number}"), *ty, TypeMod::NONE))
            .collect(),
        id => fields_of(id, row.context.locale)?,
    };
    let values = given.fields.into_iter().map(|(_, value)| value);
    Ok((id, fields, values.collect()))
}

fn prefix(row: &Row<'_>, i: usize) -> &'static str {
    if row.is_json(i) { "json" } else { "jsonb" }
}

/// `json[b]_populate_record(base, from_json)`
pub(in crate::kernels) fn populate_record(row: &Row<'_>) -> Result<Value> {
    if row.is_null(1) {
        return Ok(row.value(0));
    }
    let (id, fields, base) = base(row)?;
    let text = text_of(row, 1)?;
    match shallow(&text)? {
        Shallow::Object(pairs) => {
            let values = members(&pairs, &fields, &base, row.context.locale, 0)?;
            Ok(row_of(id, &fields, values))
        }
        other => Err(no_object(&other)),
    }
}

/// The members of the objects of an array, a row each.
fn rows_of(
    text: &str,
    function: &str,
    fields: &[Field],
    base: &[Value],
    locale: &Locale,
) -> Result<Vec<Vec<Value>>> {
    let items = match shallow(text)? {
        Shallow::Array(items) => items,
        other => {
            let what = what(&other);
            return Err(invalid(format!("cannot call {function} on {what}")));
        }
    };
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        let Shallow::Object(pairs) = shallow(item)? else {
            let message = format!("argument of {function} must be an array of objects");
            return Err(invalid(message));
        };
        rows.push(members(&pairs, fields, base, locale, 0)?);
    }
    Ok(rows)
}

/// `json[b]_populate_recordset(base, from_json)`
pub(in crate::kernels) fn populate_recordset(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    if row.is_null(1) {
        return Ok(set_rows::values(Vec::new()));
    }
    let (id, fields, base) = base(row)?;
    let function = format!("{}_populate_recordset", prefix(row, 1));
    let text = text_of(row, 1)?;
    let rows = rows_of(&text, &function, &fields, &base, row.context.locale)?;
    let rows = rows.into_iter().map(|values| row_of(id, &fields, values));
    Ok(set_rows::values(rows.collect()))
}

/// `json[b]_to_record[set]` with a column definition list: the value, whether it is a set, and of
/// each column its name, a NULL of its type, its modifier.
pub(in crate::kernels) fn records(row: &Row<'_>) -> Result<Box<dyn SetRows>> {
    let is_set = row.int4(1) != 0;
    let mut fields: Vec<Field> = Vec::new();
    for i in (2..row.args.len()).step_by(3) {
        let ty = row.args.get(i + 1).map(|arg| arg.logical_type());
        let ty = ty.unwrap_or(LogicalType::Text);
        fields.push((row.text(i).to_owned(), ty, TypeMod(row.int4(i + 2))));
    }
    let locale = row.context.locale;
    let rows = match (row.is_null(0), is_set) {
        (true, true) => Vec::new(),
        (true, false) => vec![vec![Value::Null; fields.len()]],
        (false, true) => {
            let function = format!("{}_to_recordset", prefix(row, 0));
            rows_of(&text_of(row, 0)?, &function, &fields, &[], locale)?
        }
        (false, false) => {
            let text = text_of(row, 0)?;
            match shallow(&text)? {
                Shallow::Object(pairs) => vec![members(&pairs, &fields, &[], locale, 0)?],
                other => return Err(no_object(&other)),
            }
        }
    };
    Ok(set_rows::rows(rows))
}
