//! Sizes: how much room values and relations take, and sizes as text.

use varve_types::{Error, Result, SqlState, Value};

use crate::kernels::math::arithmetic::count;
use crate::tree::Row;

/// Units, each 1,024 of the one before.
const UNITS: [&str; 6] = ["bytes", "kB", "MB", "GB", "TB", "PB"];
/// A size below this is shown in bytes.
const BYTES_MAX: i128 = 10 * 1024;
/// A size of half units below this is shown in the unit.
const HALVES_MAX: i128 = 20 * 1024 - 1;

/// The bytes of a relation; of all of them where the argument names none.
fn relation(row: &Row<'_>, table: bool, indexes: bool) -> Result<Value> {
    let number = match row.value(0) {
        Value::Reg(_, number) | Value::Oid(number) => Some(number),
        _ => None,
    };
    stored(row, number, table, indexes)
}

fn stored(row: &Row<'_>, number: Option<u32>, table: bool, indexes: bool) -> Result<Value> {
    let host = row.context.host;
    let host = host.ok_or_else(|| Error::unsupported("a size here"))?;
    let bytes = host.stored_bytes(number, table, indexes);
    Ok(bytes.map_or(Value::Null, |bytes| {
        Value::Int8(i64::try_from(bytes).unwrap_or(i64::MAX))
    }))
}

pub(super) fn of_table(row: &Row<'_>) -> Result<Value> {
    relation(row, true, false)
}

pub(super) fn of_indexes(row: &Row<'_>) -> Result<Value> {
    relation(row, false, true)
}

pub(super) fn of_all(row: &Row<'_>) -> Result<Value> {
    relation(row, true, true)
}

/// `approximate_row_count`
pub(super) fn rows_of_table(row: &Row<'_>) -> Result<Value> {
    let (Value::Reg(_, number) | Value::Oid(number)) = row.value(0) else {
        return Ok(Value::Null);
    };
    let host = row.context.host;
    let host = host.ok_or_else(|| Error::unsupported("a count of rows here"))?;
    let Some(rows) = host.stored_rows(number) else {
        return Ok(Value::Null);
    };
    let rows = i64::try_from(rows).map_err(|_| out_of_range())?;
    Ok(Value::Int8(rows))
}

/// That of the one database.
pub(super) fn of_database(row: &Row<'_>) -> Result<Value> {
    stored(row, None, true, true)
}

/// `pg_size_pretty`
pub(super) fn pretty(row: &Row<'_>) -> Result<Value> {
    let exact = row.value(0);
    let whole = match &exact {
        Value::Int8(size) => i128::from(*size),
        // No unit is too small for it: it stays in the greatest.
        _ if !row.decimal(0).is_finite() => {
            return Ok(Value::text(format!("{} PB", row.decimal(0))));
        }
        _ => {
            let text = row.decimal(0).to_string();
            if text.ends_with(char::is_alphabetic) {
                return Ok(Value::text(format!("{text} PB")));
            }
            let whole = text.split('.').next().unwrap_or_default();
            whole.parse().map_err(|_| out_of_range())?
        }
    };
    if whole.abs() < BYTES_MAX {
        let shown = match exact {
            Value::Int8(size) => size.to_string(),
            _ => row.decimal(0).to_string(),
        };
        return Ok(Value::text(format!("{shown} bytes")));
    }
    // In halves of the unit, which are rounded at the end.
    let mut halves = whole / 512;
    let mut units = UNITS.iter().skip(1).peekable();
    while let Some(unit) = units.next() {
        if units.peek().is_none() || halves.abs() < HALVES_MAX {
            let rounded = (halves + halves.signum()) / 2;
            return Ok(Value::text(format!("{rounded} {unit}")));
        }
        halves /= 1024;
    }
    Ok(Value::Null)
}

fn out_of_range() -> Error {
    Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, "bigint out of range")
}

/// `pg_size_bytes`
pub(super) fn bytes(row: &Row<'_>) -> Result<Value> {
    let text = row.text(0);
    let invalid = || {
        let message = format!("invalid size: \"{text}\"");
        Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
    };
    let is_number = |at: usize, byte: u8, before: u8| match byte {
        b'+' | b'-' => at == 0 || before.eq_ignore_ascii_case(&b'e'),
        byte => byte.is_ascii_digit() || byte == b'.',
    };
    let trimmed = text.trim_ascii();
    let mut end = 0;
    let mut before = 0;
    let raw = trimmed.as_bytes();
    for (at, byte) in raw.iter().copied().enumerate() {
        // An exponent has digits behind it.
        let exponent = byte.eq_ignore_ascii_case(&b'e')
            && raw.get(at + 1..).is_some_and(|rest| {
                let digits = rest.strip_prefix(b"-").or(rest.strip_prefix(b"+"));
                digits
                    .unwrap_or(rest)
                    .first()
                    .is_some_and(u8::is_ascii_digit)
            });
        if !is_number(at, byte, before) && !exponent {
            break;
        }
        before = byte;
        end = at + 1;
    }
    let (number, unit) = trimmed.split_at_checked(end).ok_or_else(invalid)?;
    let unit = unit.trim_ascii_start();
    let (mantissa, decimals) = scaled(number).ok_or_else(invalid)?;
    let power = UNITS
        .iter()
        .position(|known| known.eq_ignore_ascii_case(unit));
    let power = match unit {
        "" | "B" | "b" => 0,
        _ => power.ok_or_else(|| {
            let detail = format!("Invalid size unit: \"{unit}\".");
            let hint =
                "Valid units are \"bytes\", \"B\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".";
            invalid().with_detail(detail).with_hint(hint)
        })?,
    };
    let mut size = mantissa;
    for _ in 0..power {
        size = size.checked_mul(1024).ok_or_else(out_of_range)?;
    }
    for _ in decimals..0 {
        size = size.checked_mul(10).ok_or_else(out_of_range)?;
    }
    let divisor = match decimals {
        decimals @ 1..=38 => 10_i128.pow(decimals.unsigned_abs()),
        39.. => return Ok(Value::Int8(0)),
        _ => 1,
    };
    let (whole, rest) = (size / divisor, size % divisor);
    let is_up = rest.abs() >= divisor - rest.abs();
    let rounded = if is_up { whole + rest.signum() } else { whole };
    i64::try_from(rounded)
        .map(Value::Int8)
        .map_err(|_| out_of_range())
}

/// A number as a whole one and how many of its digits are decimals.
fn scaled(number: &str) -> Option<(i128, i32)> {
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa: i128 = format!("{whole}{decimals}").parse().ok()?;
    let count = i32::try_from(decimals.len()).ok()?;
    let decimals = count.checked_sub(exponent)?;
    (decimals > -400).then_some((mantissa, decimals))
}

/// `pg_column_size`: what a value takes as PostgreSQL would hold it.
pub(super) fn of_value(row: &Row<'_>) -> Result<Value> {
    const HEAD: usize = 4;
    let size = match row.value(0) {
        Value::Null => return Ok(Value::Null),
        Value::Boolean(_) => 1,
        Value::Int2(_) => 2,
        Value::Int4(_) | Value::Float4(_) | Value::Date(_) | Value::Oid(_) => 4,
        Value::Reg(..) | Value::Enum(..) => 4,
        Value::Int8(_) | Value::Float8(_) | Value::Time(_) => 8,
        Value::Timestamp(_) | Value::TimestampTz(_) => 8,
        Value::Interval(_) | Value::Uuid(_) => 16,
        Value::Numeric(number) => {
            // Digits come in groups of four.
            let text = number.to_string();
            let text = text.trim_start_matches('-');
            let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
            let whole = whole.trim_start_matches('0').len().div_ceil(4);
            let decimals = decimals.trim_end_matches('0').len().div_ceil(4);
            HEAD + 2 + 2 * (whole + decimals)
        }
        value => match (value.str(), row.bytes(0)) {
            (Some(text), _) => HEAD + text.len(),
            (None, Some(bytes)) => HEAD + bytes.len(),
            (None, None) => HEAD + crate::format_value(&value, row.context.locale).len(),
        },
    };
    count(size)
}
