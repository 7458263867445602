//! Checked arithmetic.
//!
//! Each operator exists twice: a fast form that computes something for every row and flags what may
//! be a fault, and a strict form for one row that answers the error. A column is computed with the
//! fast form; only where a flag was raised are the rows that are not NULL computed again with the
//! strict one.

use varve_types::{Column, Error, Result, SqlState, Value};

use crate::kernels::operand::{Native, validity_of};
use crate::tree::{Call, Row};

fn binary<T: Native>(
    call: &Call<'_>,
    fast: impl Fn(T, T) -> (T, bool),
    strict: fn(T, T) -> Result<T>,
) -> Result<Column> {
    let [left, right] = call.args else {
        return Err(Error::internal("an operator without two arguments"));
    };
    let (left, right) = (T::operand(left), T::operand(right));
    let mut flagged = false;
    let mut compute = |a: T, b: T| {
        let (result, fault) = fast(a, b);
        flagged |= fault;
        result
    };
    let values: Vec<T> = if right.is_constant {
        let b = right.get(0);
        left.values.iter().map(|a| compute(*a, b)).collect()
    } else if left.is_constant {
        let a = left.get(0);
        right.values.iter().map(|b| compute(a, *b)).collect()
    } else {
        let pairs = left.values.iter().zip(right.values);
        pairs.map(|(a, b)| compute(*a, *b)).collect()
    };
    let validity = validity_of(call.args);
    if flagged {
        for row in 0..values.len() {
            if validity.as_ref().is_none_or(|bits| bits.get(row)) {
                strict(left.get(row), right.get(row))?;
            }
        }
    }
    Column::plain(call.result, T::data(values), validity)
        .ok_or_else(|| Error::internal("operands of unequal length"))
}

/// The integer operators of one width.
macro_rules! integer_operators {
    ($ty:ty, $name:literal, $add:ident, $sub:ident, $mul:ident, $div:ident, $rem:ident) => {
        pub(in crate::kernels) fn $add(call: &Call<'_>) -> Result<Column> {
            binary(call, <$ty>::overflowing_add, |a, b| {
                a.checked_add(b).ok_or_else(|| out_of_range($name))
            })
        }

        pub(in crate::kernels) fn $sub(call: &Call<'_>) -> Result<Column> {
            binary(call, <$ty>::overflowing_sub, |a, b| {
                a.checked_sub(b).ok_or_else(|| out_of_range($name))
            })
        }

        pub(in crate::kernels) fn $mul(call: &Call<'_>) -> Result<Column> {
            binary(call, <$ty>::overflowing_mul, |a, b| {
                a.checked_mul(b).ok_or_else(|| out_of_range($name))
            })
        }

        pub(in crate::kernels) fn $div(call: &Call<'_>) -> Result<Column> {
            let fast = |a: $ty, b: $ty| {
                let quotient = a.checked_div(b);
                (quotient.unwrap_or_default(), quotient.is_none())
            };
            binary(call, fast, |a, b| match b {
                0 => Err(division_by_zero()),
                _ => a.checked_div(b).ok_or_else(|| out_of_range($name)),
            })
        }

        /// The least integer modulo -1 is 0, no overflow.
        pub(in crate::kernels) fn $rem(call: &Call<'_>) -> Result<Column> {
            let fast = |a: $ty, b: $ty| match b {
                0 => (0, true),
                _ => (a.wrapping_rem(b), false),
            };
            binary(call, fast, |a, b| match b {
                0 => Err(division_by_zero()),
                _ => Ok(a.wrapping_rem(b)),
            })
        }
    };
}

integer_operators!(
    i32, "integer", add_int4, sub_int4, mul_int4, div_int4, rem_int4
);
integer_operators!(
    i64, "bigint", add_int8, sub_int8, mul_int8, div_int8, rem_int8
);

pub(in crate::kernels) fn add_float8(call: &Call<'_>) -> Result<Column> {
    binary(
        call,
        |a, b| (canonical(a + b), !(a + b).is_finite()),
        |a, b| checked_float(a + b, &[a, b], false),
    )
}

pub(in crate::kernels) fn sub_float8(call: &Call<'_>) -> Result<Column> {
    binary(
        call,
        |a, b| (canonical(a - b), !(a - b).is_finite()),
        |a, b| checked_float(a - b, &[a, b], false),
    )
}

pub(in crate::kernels) fn mul_float8(call: &Call<'_>) -> Result<Column> {
    let fast = |a: f64, b: f64| {
        let vanishes = (a * b == 0.0) & (a != 0.0) & (b != 0.0);
        (canonical(a * b), vanishes | !(a * b).is_finite())
    };
    binary(call, fast, |a, b| {
        checked_float(a * b, &[a, b], a != 0.0 && b != 0.0)
    })
}

pub(in crate::kernels) fn div_float8(call: &Call<'_>) -> Result<Column> {
    let fast = |a: f64, b: f64| {
        let quotient = a / b;
        let vanishes = (quotient == 0.0) & (a != 0.0);
        (canonical(quotient), vanishes | !quotient.is_finite())
    };
    binary(call, fast, |a, b| {
        if b == 0.0 && !a.is_nan() {
            return Err(division_by_zero());
        }
        checked_float(a / b, &[a], a != 0.0 && !b.is_infinite())
    })
}

pub(in crate::kernels) fn negate_int4(row: &Row<'_>) -> Result<Value> {
    let negated = row.int4(0).checked_neg();
    negated
        .map(Value::Int4)
        .ok_or_else(|| out_of_range("integer"))
}

pub(in crate::kernels) fn negate_int8(row: &Row<'_>) -> Result<Value> {
    let negated = row.int8(0).checked_neg();
    negated
        .map(Value::Int8)
        .ok_or_else(|| out_of_range("bigint"))
}

pub(in crate::kernels) fn negate_float8(number: f64) -> Result<f64> {
    Ok(-number)
}

pub(in crate::kernels) fn plus(row: &Row<'_>) -> Result<Value> {
    Ok(row.value(0))
}

/// `22003`, for a type.
/// A count as an integer.
pub(in crate::kernels) fn count(number: usize) -> Result<Value> {
    let number = i32::try_from(number).map_err(|_| out_of_range("integer"))?;
    Ok(Value::Int4(number))
}

pub(in crate::kernels) fn out_of_range(type_name: &str) -> Error {
    range_error(&format!("{type_name} out of range"))
}

fn range_error(message: &str) -> Error {
    Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

pub(in crate::kernels) fn division_by_zero() -> Error {
    Error::new(SqlState::DIVISION_BY_ZERO, "division by zero")
}

/// A result is too large when it is infinite and none of `inputs` is, too small when it is 0 and
/// `must_not_vanish`.
pub(crate) fn checked_float(result: f64, inputs: &[f64], must_not_vanish: bool) -> Result<f64> {
    if result.is_infinite() && !inputs.iter().any(|input| input.is_infinite()) {
        return Err(range_error("value out of range: overflow"));
    }
    if result == 0.0 && must_not_vanish {
        return Err(range_error("value out of range: underflow"));
    }
    Ok(canonical(result))
}

/// Computed NaNs have the same bits on every machine.
pub(in crate::kernels) fn canonical(number: f64) -> f64 {
    if number.is_nan() { f64::NAN } else { number }
}
