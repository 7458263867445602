//! Values from text: PostgreSQL's input functions.

use varve_types::{Error, LogicalType, Result, SqlState, Value};

use crate::datetime::{parse_date, parse_timestamp};

/// Reads a value as PostgreSQL's input function of the type does: `22P02`, `22007`, `22008`,
/// `22003`.
pub fn parse_value(text: &str, to: LogicalType) -> Result<Value> {
    Ok(match to {
        LogicalType::Boolean => Value::Boolean(parse_boolean(text)?),
        LogicalType::Int4 => {
            let number = parse_integer(text, to)?;
            Value::Int4(i32::try_from(number).map_err(|_| integer_range(text, to))?)
        }
        LogicalType::Int8 => {
            let number = parse_integer(text, to)?;
            Value::Int8(i64::try_from(number).map_err(|_| integer_range(text, to))?)
        }
        LogicalType::Float8 => Value::Float8(parse_float(text)?),
        LogicalType::Text => Value::text(text),
        LogicalType::Date => Value::Date(parse_date(text)?),
        LogicalType::Timestamp => Value::Timestamp(parse_timestamp(text, false)?),
        LogicalType::TimestampTz => Value::TimestampTz(parse_timestamp(text, true)?),
        other => return Err(Error::unsupported(other)),
    })
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

fn parse_float(text: &str) -> Result<f64> {
    let trimmed = text.trim_ascii();
    let number: f64 = trimmed
        .parse()
        .map_err(|_| invalid(text, LogicalType::Float8))?;
    if number.is_nan() {
        return Ok(f64::NAN);
    }
    let mantissa = trimmed.split(['e', 'E']).next().unwrap_or_default();
    let is_spelt_infinite = trimmed.contains(['i', 'I']);
    let is_lost = number == 0.0 && mantissa.contains(|c: char| ('1'..='9').contains(&c));
    if (number.is_infinite() && !is_spelt_infinite) || is_lost {
        return Err(Error::new(
            SqlState::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("\"{text}\" is out of range for type double precision"),
        ));
    }
    Ok(number)
}
