//! Whole numbers: bits, common divisors and multiples, factorials.

use varve_types::{Decimal, Error, LogicalType, Result, SqlState, Value};

use super::arithmetic::out_of_range;
use crate::tree::Row;

fn whole(row: &Row<'_>, number: Option<i64>) -> Result<Value> {
    let value = number.and_then(|number| Value::of_integer(row.result, number));
    value.ok_or_else(|| {
        out_of_range(match row.result {
            LogicalType::Int2 => "smallint",
            LogicalType::Int4 => "integer",
            _ => "bigint",
        })
    })
}

pub(in crate::kernels) fn and(row: &Row<'_>) -> Result<Value> {
    whole(row, Some(row.int8(0) & row.int8(1)))
}

pub(in crate::kernels) fn or(row: &Row<'_>) -> Result<Value> {
    whole(row, Some(row.int8(0) | row.int8(1)))
}

pub(in crate::kernels) fn xor(row: &Row<'_>) -> Result<Value> {
    whole(row, Some(row.int8(0) ^ row.int8(1)))
}

pub(in crate::kernels) fn not(row: &Row<'_>) -> Result<Value> {
    whole(row, Some(!row.int8(0)))
}

/// Shifts by the distance modulo the width of the type, as processors do; a smallint is shifted as
/// an integer.
fn shifted(row: &Row<'_>, left: bool) -> Result<Value> {
    let distance = row.int4(1).cast_unsigned();
    if row.result == LogicalType::Int8 {
        let number = row.int8(0);
        return Ok(Value::Int8(match left {
            true => number.wrapping_shl(distance),
            false => number.wrapping_shr(distance),
        }));
    }
    let number = row.int4(0);
    let number = match left {
        true => number.wrapping_shl(distance),
        false => number.wrapping_shr(distance),
    };
    if row.result == LogicalType::Int4 {
        return Ok(Value::Int4(number));
    }
    let [low, high, ..] = number.to_le_bytes();
    Ok(Value::Int2(i16::from_le_bytes([low, high])))
}

pub(in crate::kernels) fn shift_left(row: &Row<'_>) -> Result<Value> {
    shifted(row, true)
}

pub(in crate::kernels) fn shift_right(row: &Row<'_>) -> Result<Value> {
    shifted(row, false)
}

/// The greatest common divisor; at most 2^63, that of the least bigint and 0.
fn divisor(mut a: i64, mut b: i64) -> u64 {
    while b != 0 {
        (a, b) = (b, a.wrapping_rem(b));
    }
    a.unsigned_abs()
}

pub(in crate::kernels) fn gcd(row: &Row<'_>) -> Result<Value> {
    whole(row, i64::try_from(divisor(row.int8(0), row.int8(1))).ok())
}

pub(in crate::kernels) fn lcm(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.int8(0), row.int8(1));
    if a == 0 || b == 0 {
        return whole(row, Some(0));
    }
    let by = i64::try_from(divisor(a, b)).ok();
    let multiple = by.and_then(|by| (a / by).checked_mul(b));
    whole(row, multiple.and_then(i64::checked_abs))
}

fn decimal_divisor(mut a: Decimal, mut b: Decimal) -> Result<Decimal> {
    let scale = a.scale().max(b.scale());
    if !a.is_finite() || !b.is_finite() {
        return Ok(Decimal::NAN);
    }
    while b.signum() != 0 {
        (a, b) = (b, a.remainder(b)?);
    }
    a.absolute().plus(Decimal::from_parts(0, scale))
}

pub(in crate::kernels) fn gcd_numeric(row: &Row<'_>) -> Result<Value> {
    decimal_divisor(row.decimal(0), row.decimal(1)).map(Value::Numeric)
}

pub(in crate::kernels) fn lcm_numeric(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.decimal(0), row.decimal(1));
    let by = decimal_divisor(a, b)?;
    let zero = Decimal::from_parts(0, a.scale().max(b.scale()));
    if by.is_nan() || by.signum() == 0 {
        return Ok(Value::Numeric(if by.is_nan() { by } else { zero }));
    }
    let multiple = a.quotient_truncated(by)?.times(b)?.absolute();
    multiple.plus(zero).map(Value::Numeric)
}

pub(in crate::kernels) fn factorial(row: &Row<'_>) -> Result<Value> {
    let number = row.int8(0);
    if number < 0 {
        let message = "factorial of a negative number is undefined";
        return Err(Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message));
    }
    let product = (1..=i128::from(number)).try_fold(1_i128, i128::checked_mul);
    let product = product.and_then(|product| Decimal::new(product, 0));
    product.map(Value::Numeric).ok_or_else(Decimal::overflow)
}

/// `num_nulls(...)`
pub(in crate::kernels) fn num_nulls(row: &Row<'_>) -> Result<Value> {
    count(row, true)
}

/// `num_nonnulls(...)`
pub(in crate::kernels) fn num_nonnulls(row: &Row<'_>) -> Result<Value> {
    count(row, false)
}

fn count(row: &Row<'_>, nulls: bool) -> Result<Value> {
    let counted = (0..row.args.len()).filter(|at| row.is_null(*at) == nulls);
    whole(row, i64::try_from(counted.count()).ok())
}
