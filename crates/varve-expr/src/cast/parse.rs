//! Values from text: PostgreSQL's input functions.

use varve_types::{
    Decimal, Error, LogicalType, Result, SqlState, TypeMod, Value, parse_f32, parse_f64,
};

use super::array::parse_array;
use super::binary::{parse_bytea, parse_uuid};
use super::length::coerce_length;
use super::row::parse_row;
use crate::datetime::{parse_date, parse_interval, parse_time, parse_timestamp};
use crate::json::{check_json, parse_json, parse_path, write_path};
use crate::tree::Locale;

/// Reads a value as PostgreSQL's input function of the type does: `22P02`, `22007`, `22008`,
/// `22003`.
pub fn parse_value(text: &str, to: LogicalType, locale: &Locale) -> Result<Value> {
    parse_value_with_mod(text, to, TypeMod::NONE, locale)
}

/// Reads a value of a type with a modifier, as an assignment of it does.
pub fn parse_value_with_mod(
    text: &str,
    to: LogicalType,
    modifier: TypeMod,
    locale: &Locale,
) -> Result<Value> {
    let value = match to {
        LogicalType::Boolean => Value::Boolean(parse_boolean(text)?),
        LogicalType::Int2 | LogicalType::Int4 | LogicalType::Int8 => {
            let number = i64::try_from(parse_integer(text, to)?).ok();
            let value = number.and_then(|number| Value::of_integer(to, number));
            value.ok_or_else(|| integer_range(text, to))?
        }
        // As PostgreSQL, which reads it by the C library: below 0 it wraps.
        LogicalType::Oid => {
            let number = parse_integer(text, to)?;
            let wrapped = if number < 0 {
                number + (1 << 32)
            } else {
                number
            };
            Value::Oid(u32::try_from(wrapped).map_err(|_| integer_range(text, to))?)
        }
        LogicalType::Float4 => {
            let number = parse_float(text, to, parse_f32)?;
            Value::Float4(if number.is_nan() { f32::NAN } else { number })
        }
        LogicalType::Float8 => {
            let number = parse_float(text, to, parse_f64)?;
            Value::Float8(if number.is_nan() { f64::NAN } else { number })
        }
        LogicalType::Numeric => {
            return Decimal::parse_with_mod(text, modifier).map(Value::Numeric);
        }
        LogicalType::Text | LogicalType::Varchar => Value::text(text),
        LogicalType::Name => Value::text(text.get(..text.floor_char_boundary(63)).unwrap_or(text)),
        LogicalType::Bpchar => Value::Bpchar(text.into()),
        LogicalType::Json => {
            check_json(text)?;
            Value::text(text)
        }
        LogicalType::Jsonpath => {
            let mut path = String::new();
            write_path(&parse_path(text)?, &mut path);
            Value::text(path)
        }
        LogicalType::Jsonb => Value::json(&parse_json(text)?),
        LogicalType::Bytea => Value::Bytea(parse_bytea(text)?.into()),
        LogicalType::Uuid => Value::Uuid(parse_uuid(text)?),
        LogicalType::Date => Value::Date(parse_date(text, locale)?),
        LogicalType::Time => Value::Time(parse_time(text, locale)?),
        LogicalType::Timestamp => Value::Timestamp(parse_timestamp(text, false, locale)?),
        LogicalType::TimestampTz => Value::TimestampTz(parse_timestamp(text, true, locale)?),
        LogicalType::Interval => {
            return parse_interval(text, modifier, locale.interval_style).map(Value::Interval);
        }
        LogicalType::Enum(id) => {
            let labels = locale.enums.as_ref().and_then(|enums| enums.get(&id));
            let labels =
                labels.ok_or_else(|| Error::internal("an enumeration that is not known"))?;
            labels.value(id, text)?
        }
        ty if ty.is_reg() => Value::Reg(ty, parse_reg(text, ty, locale)?),
        LogicalType::Row(id) => return parse_row(text, id, locale),
        LogicalType::Array(element) => return parse_array(text, element, modifier, locale),
        other => return Err(Error::unsupported(other)),
    };
    coerce_length(value, to, modifier, false)
}

/// The object that a name means; digits are its OID, and `-` is none.
fn parse_reg(text: &str, ty: LogicalType, locale: &Locale) -> Result<u32> {
    if text == "-" {
        return Ok(0);
    }
    if text.starts_with(|first: char| first.is_ascii_digit()) {
        let number = parse_integer(text, LogicalType::Oid)?;
        return u32::try_from(number).map_err(|_| integer_range(text, LogicalType::Oid));
    }
    match &locale.names {
        Some(names) => names.0.reg_oid(ty, text),
        None => Err(Error::unsupported("a name of an object here")),
    }
}

fn invalid(text: &str, ty: LogicalType) -> Error {
    Error::new(
        SqlState::INVALID_TEXT_REPRESENTATION,
        format!("invalid input syntax for type {ty}: \"{text}\""),
    )
}

fn integer_range(text: &str, ty: LogicalType) -> Error {
    Error::new(
        SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
        format!("value \"{text}\" is out of range for type {ty}"),
    )
}

/// Any unique prefix of true, false, yes and no; on, off and `of`; 1 and 0.
fn parse_boolean(text: &str) -> Result<bool> {
    let word = text.trim_ascii();
    let is_prefix_of = |full: &str, least: usize| {
        word.len() >= least
            && full
                .get(..word.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    if is_prefix_of("true", 1) || is_prefix_of("yes", 1) || is_prefix_of("on", 2) || word == "1" {
        Ok(true)
    } else if is_prefix_of("false", 1)
        || is_prefix_of("no", 1)
        || is_prefix_of("off", 2)
        || word == "0"
    {
        Ok(false)
    } else {
        Err(invalid(text, LogicalType::Boolean))
    }
}

/// Sign, `0x`, `0o` or `0b`, digits with single underscores between them. The number saturates far
/// outside bigint.
fn parse_integer(text: &str, ty: LogicalType) -> Result<i128> {
    let trimmed = text.trim_ascii();
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed);
    let prefixes = [
        ("0x", 16),
        ("0X", 16),
        ("0o", 8),
        ("0O", 8),
        ("0b", 2),
        ("0B", 2),
    ];
    let (digits, radix) = prefixes
        .into_iter()
        .find_map(|(prefix, radix)| Some((unsigned.strip_prefix(prefix)?, radix)))
        .unwrap_or((unsigned, 10));
    let mut number = 0_i128;
    let mut after_digit = radix != 10;
    for character in digits.chars() {
        match character.to_digit(radix) {
            Some(digit) => {
                number = number
                    .saturating_mul(i128::from(radix))
                    .saturating_add(i128::from(digit));
            }
            None if character == '_' && after_digit => {}
            None => return Err(invalid(text, ty)),
        }
        after_digit = character != '_';
    }
    if digits.is_empty() || !after_digit {
        return Err(invalid(text, ty));
    }
    Ok(if trimmed.starts_with('-') {
        -number
    } else {
        number
    })
}

fn parse_float<T: Into<f64> + Copy>(
    text: &str,
    ty: LogicalType,
    parse: fn(&str) -> Option<T>,
) -> Result<T> {
    let trimmed = text.trim_ascii();
    let number = parse(trimmed).ok_or_else(|| invalid(text, ty))?;
    let wide: f64 = number.into();
    let mantissa = trimmed.split(['e', 'E']).next().unwrap_or_default();
    let is_spelt_infinite = trimmed.contains(['i', 'I']);
    let is_lost = wide == 0.0 && mantissa.contains(|c: char| ('1'..='9').contains(&c));
    if (wide.is_infinite() && !is_spelt_infinite) || is_lost {
        return Err(Error::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("\"{text}\" is out of range for type {ty}"),
        ));
    }
    Ok(number)
}
