//! Numbers: angles, bits, whole numbers, the digits of numerics.

use crate::function::{Entry, Kernel};
use crate::kernels::{angle, bucket_number, bytes, math, numeric, whole};
use crate::signature::Param;

use super::{ANY, FLOAT4, FLOAT8, INT2, INT4, INT8, NUM, TEXT, strict, variadic};
use Kernel::{Float, Rows};

const fn float(name: &'static str, kernel: fn(f64) -> varve_types::Result<f64>) -> Entry {
    strict(name, &[FLOAT8], FLOAT8, Float(kernel))
}

/// Of one kind of whole numbers.
const fn of_whole(
    name: &'static str,
    args: &'static [Param],
    kernel: fn(&crate::kernels::Row<'_>) -> varve_types::Result<varve_types::Value>,
) -> Entry {
    let result = match args {
        [first, ..] => *first,
        [] => INT4,
    };
    strict(name, args, result, Rows(kernel))
}

const fn send(name: &'static str, args: &'static [Param]) -> Entry {
    let bytea = Param::of(varve_types::LogicalType::Bytea);
    strict(name, args, bytea, Rows(bytes::send))
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
    strict("@", &[INT2], INT2, Rows(numeric::abs_int2)),
    strict("@", &[INT4], INT4, Rows(math::abs_int4)),
    strict("@", &[INT8], INT8, Rows(math::abs_int8)),
    strict("@", &[FLOAT4], FLOAT4, Rows(numeric::abs_float4)),
    float("@", math::abs_float8),
    strict("@", &[NUM], NUM, Rows(numeric::absolute)),
    of_whole("&", &[INT2, INT2], whole::and),
    of_whole("&", &[INT4, INT4], whole::and),
    of_whole("&", &[INT8, INT8], whole::and),
    of_whole("|", &[INT2, INT2], whole::or),
    of_whole("|", &[INT4, INT4], whole::or),
    of_whole("|", &[INT8, INT8], whole::or),
    of_whole("#", &[INT2, INT2], whole::xor),
    of_whole("#", &[INT4, INT4], whole::xor),
    of_whole("#", &[INT8, INT8], whole::xor),
    of_whole("~", &[INT2], whole::not),
    of_whole("~", &[INT4], whole::not),
    of_whole("~", &[INT8], whole::not),
    of_whole("<<", &[INT2, INT4], whole::shift_left),
    of_whole("<<", &[INT4, INT4], whole::shift_left),
    of_whole("<<", &[INT8, INT4], whole::shift_left),
    of_whole(">>", &[INT2, INT4], whole::shift_right),
    of_whole(">>", &[INT4, INT4], whole::shift_right),
    of_whole(">>", &[INT8, INT4], whole::shift_right),
    of_whole("gcd", &[INT4, INT4], whole::gcd),
    of_whole("gcd", &[INT8, INT8], whole::gcd),
    strict("gcd", &[NUM, NUM], NUM, Rows(whole::gcd_numeric)),
    of_whole("lcm", &[INT4, INT4], whole::lcm),
    of_whole("lcm", &[INT8, INT8], whole::lcm),
    strict("lcm", &[NUM, NUM], NUM, Rows(whole::lcm_numeric)),
    strict("factorial", &[INT8], NUM, Rows(whole::factorial)),
    strict("scale", &[NUM], INT4, Rows(numeric::scale)),
    strict("min_scale", &[NUM], INT4, Rows(numeric::min_scale)),
    strict("trim_scale", &[NUM], NUM, Rows(numeric::trim_scale)),
    strict(
        "width_bucket",
        &[FLOAT8, FLOAT8, FLOAT8, INT4],
        INT4,
        Rows(bucket_number::of_float8),
    ),
    strict(
        "width_bucket",
        &[NUM, NUM, NUM, INT4],
        INT4,
        Rows(bucket_number::of_numeric),
    ),
    variadic("num_nulls", &[ANY], INT4, Rows(whole::num_nulls)),
    variadic("num_nonnulls", &[ANY], INT4, Rows(whole::num_nonnulls)),
    strict("to_char", &[INT4, TEXT], TEXT, Rows(numeric::to_char)),
    strict("to_char", &[INT8, TEXT], TEXT, Rows(numeric::to_char)),
    strict("to_char", &[NUM, TEXT], TEXT, Rows(numeric::to_char)),
    strict("to_char", &[FLOAT4, TEXT], TEXT, Rows(numeric::to_char)),
    strict("to_char", &[FLOAT8, TEXT], TEXT, Rows(numeric::to_char)),
    strict("to_number", &[TEXT, TEXT], NUM, Rows(numeric::to_number)),
    send("int2send", &[INT2]),
    send("int4send", &[INT4]),
    send("int8send", &[INT8]),
    send("float4send", &[FLOAT4]),
    send("float8send", &[FLOAT8]),
];
