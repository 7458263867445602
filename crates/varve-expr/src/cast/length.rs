//! What a type modifier does to a value: lengths of strings, precision of numbers and times.

use varve_types::{ArrayValue, Error, LogicalType, Result, SqlState, TypeMod, Value};

use crate::datetime::{bounded_interval, check_timestamp, is_infinite};

/// The value as a type with this modifier holds it. An explicit cast cuts strings that are too
/// long, an assignment refuses them unless all that is cut are spaces: `22001`.
pub fn coerce_length(
    value: Value,
    ty: LogicalType,
    modifier: TypeMod,
    explicit: bool,
) -> Result<Value> {
    if modifier.is_none() {
        return Ok(value);
    }
    Ok(match (value, ty) {
        (Value::Text(text), LogicalType::Varchar) => {
            let kept = cut(&text, ty, modifier, explicit)?;
            if kept.len() == text.len() {
                Value::Text(text)
            } else {
                Value::text(kept)
            }
        }
        (Value::Bpchar(text), _) => {
            let mut kept = cut(&text, ty, modifier, explicit)?.to_owned();
            let missing = modifier.length().unwrap_or(0);
            let missing = missing.saturating_sub(kept.chars().count());
            kept.extend(core::iter::repeat_n(' ', missing));
            Value::Bpchar(kept.into())
        }
        (Value::Numeric(number), _) => Value::Numeric(number.with_mod(modifier)?),
        (Value::Time(us), _) => Value::Time(rounded(us, ty, modifier)),
        (Value::Timestamp(us), _) => Value::Timestamp(rounded_timestamp(us, ty, modifier)?),
        (Value::TimestampTz(us), _) => Value::TimestampTz(rounded_timestamp(us, ty, modifier)?),
        (Value::Interval(interval), _) => Value::Interval(bounded_interval(interval, modifier)?),
        (Value::Array(element, stored), _) => {
            let mut array = ArrayValue::read(element, &stored)?;
            for value in &mut array.values {
                let taken = core::mem::replace(value, Value::Null);
                *value = coerce_length(taken, element.logical(), modifier, explicit)?;
            }
            Value::array(&array)
        }
        (other, _) => other,
    })
}

fn cut(text: &str, ty: LogicalType, modifier: TypeMod, explicit: bool) -> Result<&str> {
    let Some(length) = modifier.length() else {
        return Ok(text);
    };
    let Some((end, _)) = text.char_indices().nth(length) else {
        return Ok(text);
    };
    let (kept, over) = text.split_at_checked(end).unwrap_or((text, ""));
    if explicit || over.bytes().all(|byte| byte == b' ') {
        Ok(kept)
    } else {
        Err(Error::new(
            SqlState::STRING_DATA_RIGHT_TRUNCATION,
            format!("value too long for type {}", modifier.name_of(ty)),
        ))
    }
}

/// 2000-01-01 in microseconds, from which PostgreSQL counts.
const EPOCH_US: i64 = 946_684_800_000_000;

/// As [`rounded`]; infinities stay. `22008` where the last second rounds out of the range.
fn rounded_timestamp(us: i64, ty: LogicalType, modifier: TypeMod) -> Result<i64> {
    match is_infinite(us) {
        true => Ok(us),
        false => check_timestamp(i128::from(rounded(us, ty, modifier))),
    }
}

/// To the nearest, halves away from 0, which is 2000-01-01 for a timestamp.
fn rounded(us: i64, ty: LogicalType, modifier: TypeMod) -> i64 {
    let Some(digits) = modifier.seconds(ty) else {
        return us;
    };
    let unit = 10_i64.pow(6 - u32::from(digits.min(6)));
    let start = match ty {
        LogicalType::Timestamp | LogicalType::TimestampTz => EPOCH_US,
        _ => 0,
    };
    let span = us - start;
    let half = if span < 0 { -unit / 2 } else { unit / 2 };
    (span + half) / unit * unit + start
}
