//! Angles and hyperbolas. Functions of degrees are exact where the angle is: the sine of 30 is a
//! half.

use varve_types::{Error, Result, SqlState, Value};

use super::arithmetic::{canonical, checked_float};
use crate::tree::Row;

const RADIANS: f64 = core::f64::consts::PI / 180.0;

fn out_of_range() -> Error {
    let message = "input is out of range";
    Error::new(SqlState::NUMERIC_VALUE_OUT_OF_RANGE, message)
}

/// What is not known of infinite angles.
fn finite(angle: f64) -> Result<f64> {
    if angle.is_infinite() {
        return Err(out_of_range());
    }
    Ok(angle)
}

fn within(number: f64, low: f64, high: f64) -> Result<f64> {
    if number < low || number > high {
        return Err(out_of_range());
    }
    Ok(number)
}

/// Functions whose only trouble is what they take.
macro_rules! of_one {
    ($($name:ident $check:ident($($bound:expr),*) $compute:path;)*) => {
        $(pub(in crate::kernels) fn $name(number: f64) -> Result<f64> {
            $check(number $(, $bound)*).map(|number| canonical($compute(number)))
        })*
    };
}

of_one! {
    sin finite() libm::sin;
    cos finite() libm::cos;
    tan finite() libm::tan;
    cot finite() cotangent;
    asin within(-1.0, 1.0) libm::asin;
    acos within(-1.0, 1.0) libm::acos;
    atan within(f64::NEG_INFINITY, f64::INFINITY) libm::atan;
    sinh within(f64::NEG_INFINITY, f64::INFINITY) libm::sinh;
    cosh within(f64::NEG_INFINITY, f64::INFINITY) libm::cosh;
    tanh within(f64::NEG_INFINITY, f64::INFINITY) libm::tanh;
    asinh within(f64::NEG_INFINITY, f64::INFINITY) libm::asinh;
    acosh within(1.0, f64::INFINITY) libm::acosh;
    atanh within(-1.0, 1.0) libm::atanh;
    cbrt within(f64::NEG_INFINITY, f64::INFINITY) libm::cbrt;
    erf within(f64::NEG_INFINITY, f64::INFINITY) libm::erf;
    erfc within(f64::NEG_INFINITY, f64::INFINITY) libm::erfc;
    sin_degrees finite() sind;
    cos_degrees finite() cosd;
    tan_degrees finite() tand;
    cot_degrees finite() cotd;
    asin_degrees within(-1.0, 1.0) asind;
    acos_degrees within(-1.0, 1.0) acosd;
    atan_degrees within(f64::NEG_INFINITY, f64::INFINITY) atand;
}

fn cotangent(angle: f64) -> f64 {
    1.0 / libm::tan(angle)
}

pub(in crate::kernels) fn radians(degrees: f64) -> Result<f64> {
    checked_float(degrees * RADIANS, &[degrees], degrees != 0.0)
}

pub(in crate::kernels) fn degrees(radians: f64) -> Result<f64> {
    checked_float(radians / RADIANS, &[radians], radians != 0.0)
}

pub(in crate::kernels) fn atan2(row: &Row<'_>) -> Result<Value> {
    let angle = libm::atan2(row.float8(0), row.float8(1));
    Ok(Value::Float8(canonical(angle)))
}

pub(in crate::kernels) fn atan2_degrees(row: &Row<'_>) -> Result<Value> {
    let angle = libm::atan2(row.float8(0), row.float8(1));
    Ok(Value::Float8(canonical(
        angle / core::f64::consts::FRAC_PI_4 * 45.0,
    )))
}

/// The sine of up to 30 degrees, exact at its ends.
fn small_sine(degrees: f64) -> f64 {
    libm::sin(degrees * RADIANS) / libm::sin(30.0 * RADIANS) / 2.0
}

/// The cosine of up to 60 degrees, exact at its ends.
fn small_cosine(degrees: f64) -> f64 {
    let fall = |degrees: f64| 1.0 - libm::cos(degrees * RADIANS);
    1.0 - fall(degrees) / fall(60.0) / 2.0
}

/// The sine of 0 to 90 degrees.
fn quarter_sine(degrees: f64) -> f64 {
    if degrees <= 30.0 {
        small_sine(degrees)
    } else {
        small_cosine(90.0 - degrees)
    }
}

/// The cosine of 0 to 90 degrees.
fn quarter_cosine(degrees: f64) -> f64 {
    if degrees <= 60.0 {
        small_cosine(degrees)
    } else {
        small_sine(90.0 - degrees)
    }
}

/// An angle turned into the first quarter, and the signs of its sine and cosine.
fn quarter(degrees: f64) -> (f64, f64, f64) {
    let mut angle = libm::fmod(degrees, 360.0);
    let (mut sine, mut cosine) = (1.0, 1.0);
    if angle < 0.0 {
        (angle, sine) = (-angle, -1.0);
    }
    if angle > 180.0 {
        (angle, sine) = (360.0 - angle, -sine);
    }
    if angle > 90.0 {
        (angle, cosine) = (180.0 - angle, -1.0);
    }
    (angle, sine, cosine)
}

fn sind(degrees: f64) -> f64 {
    let (angle, sign, _) = quarter(degrees);
    sign * quarter_sine(angle)
}

fn cosd(degrees: f64) -> f64 {
    let (angle, _, sign) = quarter(degrees);
    sign * quarter_cosine(angle)
}

/// A ratio of sine and cosine, exact at 45 degrees; the zeros that it makes are positive.
fn ratio(over: fn(f64) -> f64, under: fn(f64) -> f64, degrees: f64) -> f64 {
    let (angle, sine, cosine) = quarter(degrees);
    let result = sine * cosine * (over(angle) / under(angle) / (over(45.0) / under(45.0)));
    if result == 0.0 { 0.0 } else { result }
}

fn tand(degrees: f64) -> f64 {
    ratio(quarter_sine, quarter_cosine, degrees)
}

fn cotd(degrees: f64) -> f64 {
    ratio(quarter_cosine, quarter_sine, degrees)
}

fn asind_part(number: f64) -> f64 {
    libm::asin(number) / libm::asin(0.5) * 30.0
}

fn acosd_part(number: f64) -> f64 {
    libm::acos(number) / libm::acos(0.5) * 60.0
}

fn asind(number: f64) -> f64 {
    let size = libm::fabs(number);
    let angle = if size <= 0.5 {
        asind_part(size)
    } else {
        90.0 - acosd_part(size)
    };
    libm::copysign(angle, number)
}

fn acosd(number: f64) -> f64 {
    let angle = |size: f64| {
        if size <= 0.5 {
            90.0 - asind_part(size)
        } else {
            acosd_part(size)
        }
    };
    if number < 0.0 {
        90.0 + asind(-number)
    } else {
        angle(number)
    }
}

fn atand(number: f64) -> f64 {
    libm::atan(number) / core::f64::consts::FRAC_PI_4 * 45.0
}

#[cfg(test)]
mod tests {
    use super::{acosd, asind, atand, cosd, cotd, sind, tand};

    #[test]
    fn round_angles_are_exact() {
        for (function, angle, wanted) in [
            (sind as fn(f64) -> f64, 30.0, 0.5),
            (sind, 150.0, 0.5),
            (sind, -90.0, -1.0),
            (sind, 180.0, 0.0),
            (cosd, 60.0, 0.5),
            (cosd, 120.0, -0.5),
            (cosd, 90.0, 0.0),
            (tand, 45.0, 1.0),
            (tand, 135.0, -1.0),
            (tand, 90.0, f64::INFINITY),
            (tand, 180.0, 0.0),
            (cotd, 0.0, f64::INFINITY),
            (cotd, 45.0, 1.0),
            (asind, 0.5, 30.0),
            (asind, -1.0, -90.0),
            (acosd, 0.5, 60.0),
            (acosd, -0.5, 120.0),
            (acosd, -1.0, 180.0),
            (atand, 1.0, 45.0),
            (atand, -1.0, -45.0),
        ] {
            assert_eq!(function(angle).to_bits(), f64::to_bits(wanted), "{angle}");
        }
    }
}
