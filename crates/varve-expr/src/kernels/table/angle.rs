//! Angles, roots and the error function.

use crate::kernels::math::{self, angle};
use crate::tree::{Entry, Kernel};

use super::{FLOAT8, strict};
use Kernel::{Float, Rows};

const fn float(name: &'static str, kernel: fn(f64) -> varve_types::Result<f64>) -> Entry {
    strict(name, &[FLOAT8], FLOAT8, Float(kernel))
}

pub(super) static ROWS: &[Entry] = &[
    float("sin", angle::sin),
    float("cos", angle::cos),
    float("tan", angle::tan),
    float("cot", angle::cot),
    float("asin", angle::asin),
    float("acos", angle::acos),
    float("atan", angle::atan),
    strict("atan2", &[FLOAT8, FLOAT8], FLOAT8, Rows(angle::atan2)),
    float("sinh", angle::sinh),
    float("cosh", angle::cosh),
    float("tanh", angle::tanh),
    float("asinh", angle::asinh),
    float("acosh", angle::acosh),
    float("atanh", angle::atanh),
    float("sind", angle::sin_degrees),
    float("cosd", angle::cos_degrees),
    float("tand", angle::tan_degrees),
    float("cotd", angle::cot_degrees),
    float("asind", angle::asin_degrees),
    float("acosd", angle::acos_degrees),
    float("atand", angle::atan_degrees),
    strict(
        "atan2d",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        Rows(angle::atan2_degrees),
    ),
    float("radians", angle::radians),
    float("degrees", angle::degrees),
    float("cbrt", angle::cbrt),
    float("erf", angle::erf),
    float("erfc", angle::erfc),
    float("|/", math::sqrt),
    float("||/", angle::cbrt),
];
