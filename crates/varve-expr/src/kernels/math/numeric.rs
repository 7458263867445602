//! Arithmetic of numeric, smallint, real and interval, row by row.

use varve_types::{Decimal, LogicalType, Result, Value, nearest_f32};

use super::arithmetic::{checked_float, division_by_zero, out_of_range};
use crate::numeral::{self, Number};
use crate::tree::Row;

/// The operators and functions of two numerics.
macro_rules! of_two {
    ($($name:ident $method:ident;)*) => {
        $(pub(in crate::kernels) fn $name(row: &Row<'_>) -> Result<Value> {
            row.decimal(0).$method(row.decimal(1)).map(Value::Numeric)
        })*
    };
}

of_two! {
    add plus;
    sub minus;
    mul times;
    div divided_by;
    rem remainder;
    div_whole quotient_truncated;
    power power;
}

/// The functions of one numeric.
macro_rules! of_one {
    ($($name:ident $method:ident;)*) => {
        $(pub(in crate::kernels) fn $name(row: &Row<'_>) -> Result<Value> {
            row.decimal(0).$method().map(Value::Numeric)
        })*
    };
}

of_one! {
    ceil ceiling;
    floor floor;
    sqrt square_root;
    exp exponential;
    ln logarithm;
}

pub(in crate::kernels) fn negate(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Numeric(row.decimal(0).negated()))
}

pub(in crate::kernels) fn absolute(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Numeric(row.decimal(0).absolute()))
}

pub(in crate::kernels) fn sign(row: &Row<'_>) -> Result<Value> {
    let number = row.decimal(0);
    Ok(Value::Numeric(if number.is_nan() {
        number
    } else {
        Decimal::from(number.signum())
    }))
}

/// The second argument, where there is one, is the number of places.
pub(in crate::kernels) fn round(row: &Row<'_>) -> Result<Value> {
    row.decimal(0).rounded(row.int4(1)).map(Value::Numeric)
}

pub(in crate::kernels) fn trunc(row: &Row<'_>) -> Result<Value> {
    row.decimal(0).truncated(row.int4(1)).map(Value::Numeric)
}

pub(in crate::kernels) fn log10(row: &Row<'_>) -> Result<Value> {
    let base = Decimal::from(10);
    row.decimal(0).logarithm_to_base(base).map(Value::Numeric)
}

pub(in crate::kernels) fn log_base(row: &Row<'_>) -> Result<Value> {
    row.decimal(1)
        .logarithm_to_base(row.decimal(0))
        .map(Value::Numeric)
}

/// The digits shown after the point; NULL of what is no number.
pub(in crate::kernels) fn scale(row: &Row<'_>) -> Result<Value> {
    Ok(shown_scale(row.decimal(0)))
}

/// The least such that nothing is lost.
pub(in crate::kernels) fn min_scale(row: &Row<'_>) -> Result<Value> {
    Ok(shown_scale(row.decimal(0).normalized()))
}

fn shown_scale(number: Decimal) -> Value {
    match number.is_finite() {
        true => Value::Int4(i32::from(number.scale())),
        false => Value::Null,
    }
}

pub(in crate::kernels) fn trim_scale(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Numeric(row.decimal(0).normalized()))
}

/// `to_char(number, template)`
pub(in crate::kernels) fn to_char(row: &Row<'_>) -> Result<Value> {
    let number = match row.value(0) {
        Value::Numeric(number) => Number::Exact(number),
        // As many digits as always mean something.
        Value::Float4(number) => Number::Float(f64::from(number), 6),
        Value::Float8(number) => Number::Float(number, 15),
        whole => Number::Exact(Decimal::from(whole.integer().unwrap_or(0))),
    };
    numeral::to_char(number, row.text(1)).map(Value::text)
}

/// `to_number(text, template)`
pub(in crate::kernels) fn to_number(row: &Row<'_>) -> Result<Value> {
    if row.text(1).is_empty() {
        return Ok(Value::Null);
    }
    numeral::from_char(row.text(0), row.text(1)).map(Value::Numeric)
}

/// The operators of two smallints.
macro_rules! of_int2 {
    ($($name:ident $method:ident;)*) => {
        $(pub(in crate::kernels) fn $name(row: &Row<'_>) -> Result<Value> {
            int2(row.int8(0).$method(row.int8(1)))
        })*
    };
}

of_int2! {
    add_int2 checked_add;
    sub_int2 checked_sub;
    mul_int2 checked_mul;
}

fn int2(number: Option<i64>) -> Result<Value> {
    let value = number.and_then(|number| Value::of_integer(LogicalType::Int2, number));
    value.ok_or_else(|| out_of_range("smallint"))
}

pub(in crate::kernels) fn div_int2(row: &Row<'_>) -> Result<Value> {
    match row.int8(1) {
        0 => Err(division_by_zero()),
        divisor => int2(row.int8(0).checked_div(divisor)),
    }
}

pub(in crate::kernels) fn rem_int2(row: &Row<'_>) -> Result<Value> {
    match row.int8(1) {
        0 => Err(division_by_zero()),
        divisor => int2(row.int8(0).checked_rem(divisor)),
    }
}

pub(in crate::kernels) fn negate_int2(row: &Row<'_>) -> Result<Value> {
    int2(row.int8(0).checked_neg())
}

pub(in crate::kernels) fn abs_int2(row: &Row<'_>) -> Result<Value> {
    int2(row.int8(0).checked_abs())
}

/// A real: what doubles give, rounded once; the same as computing with reals.
fn real(result: f64, inputs: &[f64], must_not_vanish: bool) -> Result<Value> {
    let narrow = nearest_f32(result);
    checked_float(f64::from(narrow), inputs, must_not_vanish)?;
    Ok(Value::Float4(if narrow.is_nan() {
        f32::NAN
    } else {
        narrow
    }))
}

pub(in crate::kernels) fn add_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a + b, &[a, b], false)
}

pub(in crate::kernels) fn sub_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a - b, &[a, b], false)
}

pub(in crate::kernels) fn mul_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    real(a * b, &[a, b], a != 0.0 && b != 0.0)
}

pub(in crate::kernels) fn div_float4(row: &Row<'_>) -> Result<Value> {
    let (a, b) = (row.float8(0), row.float8(1));
    if b == 0.0 && !a.is_nan() {
        return Err(division_by_zero());
    }
    real(a / b, &[a], a != 0.0 && !b.is_infinite())
}

pub(in crate::kernels) fn negate_float4(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Float4(nearest_f32(-row.float8(0))))
}

pub(in crate::kernels) fn abs_float4(row: &Row<'_>) -> Result<Value> {
    Ok(Value::Float4(nearest_f32(libm::fabs(row.float8(0)))))
}
