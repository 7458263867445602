//! Mathematical functions. What is not exact comes from `libm`, the same in every build.

pub(super) mod angle;
pub(super) mod arithmetic;
pub(super) mod bucket_number;
pub(super) mod numeric;
pub(super) mod whole;

use varve_types::{Error, Result, SqlState, Value};

use crate::tree::Row;
use arithmetic::{canonical, checked_float, out_of_range};

pub(super) fn abs_int4(row: &Row<'_>) -> Result<Value> {
    let absolute = row.int4(0).checked_abs();
    absolute
        .map(Value::Int4)
        .ok_or_else(|| out_of_range("integer"))
}

pub(super) fn abs_int8(row: &Row<'_>) -> Result<Value> {
    let absolute = row.int8(0).checked_abs();
    absolute
        .map(Value::Int8)
        .ok_or_else(|| out_of_range("bigint"))
}

pub(super) fn abs_float8(number: f64) -> Result<f64> {
    Ok(libm::fabs(number))
}

/// Half to even, as PostgreSQL rounds doubles (it rounds NUMERIC half away from zero).
pub(super) fn round(number: f64) -> Result<f64> {
    Ok(libm::rint(number))
}

pub(super) fn ceil(number: f64) -> Result<f64> {
    Ok(libm::ceil(number))
}

pub(super) fn floor(number: f64) -> Result<f64> {
    Ok(libm::floor(number))
}

pub(super) fn trunc(number: f64) -> Result<f64> {
    Ok(libm::trunc(number))
}

pub(super) fn sign(number: f64) -> Result<f64> {
    Ok(match number {
        above if above > 0.0 => 1.0,
        below if below < 0.0 => -1.0,
        _ => 0.0,
    })
}

pub(super) fn sqrt(number: f64) -> Result<f64> {
    if number < 0.0 {
        return Err(Error::new(
            SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "cannot take square root of a negative number",
        ));
    }
    Ok(canonical(libm::sqrt(number)))
}

pub(super) fn exp(number: f64) -> Result<f64> {
    checked_float(libm::exp(number), &[number], !number.is_infinite())
}

pub(super) fn ln(number: f64) -> Result<f64> {
    check_logarithm(number)?;
    Ok(canonical(libm::log(number)))
}

pub(super) fn log10(number: f64) -> Result<f64> {
    check_logarithm(number)?;
    Ok(canonical(libm::log10(number)))
}

fn check_logarithm(number: f64) -> Result<()> {
    let of_what = match number {
        0.0 => "zero",
        below if below < 0.0 => "a negative number",
        _ => return Ok(()),
    };
    Err(Error::new(
        SqlState::INVALID_ARGUMENT_FOR_LOGARITHM,
        format!("cannot take logarithm of {of_what}"),
    ))
}

pub(super) fn power(row: &Row<'_>) -> Result<Value> {
    let (base, exponent) = (row.float8(0), row.float8(1));
    let refuse = |message: &str| {
        Err(Error::new(
            SqlState::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            message,
        ))
    };
    if base == 0.0 && exponent < 0.0 {
        return refuse("zero raised to a negative power is undefined");
    }
    if base < 0.0 && exponent.is_finite() && libm::trunc(exponent) != exponent {
        return refuse("a negative number raised to a non-integer power yields a complex result");
    }
    let must_not_vanish = base != 0.0 && base.is_finite() && exponent.is_finite();
    checked_float(
        libm::pow(base, exponent),
        &[base, exponent],
        must_not_vanish,
    )
    .map(Value::Float8)
}

pub(super) fn pi(_: &Row<'_>) -> Result<Value> {
    Ok(Value::Float8(core::f64::consts::PI))
}

/// The largest argument that is not NULL.
pub(super) fn greatest(row: &Row<'_>) -> Result<Value> {
    Ok(extreme(row, core::cmp::Ordering::Greater))
}

/// The smallest argument that is not NULL.
pub(super) fn least(row: &Row<'_>) -> Result<Value> {
    Ok(extreme(row, core::cmp::Ordering::Less))
}

fn extreme(row: &Row<'_>, wanted: core::cmp::Ordering) -> Value {
    let values = (0..row.args.len()).map(|i| row.value(i));
    values.fold(Value::Null, |best, value| {
        if best.is_null() || value.compare(&best) == Some(wanted) {
            value
        } else {
            best
        }
    })
}
