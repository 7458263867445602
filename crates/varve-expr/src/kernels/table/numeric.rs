//! Numbers of any type: absolute values, digits, buckets, and numbers as text and bytes.

use crate::kernels::math::{self, bucket_number, numeric};
use crate::kernels::text::bytes;
use crate::tree::{Entry, Kernel, Param};

use super::{FLOAT4, FLOAT8, INT2, INT4, INT8, NUM, TEXT, strict};
use Kernel::{Float, Rows};

const fn send(name: &'static str, args: &'static [Param]) -> Entry {
    let bytea = Param::of(varve_types::LogicalType::Bytea);
    strict(name, args, bytea, Rows(bytes::send))
}

pub(super) static ROWS: &[Entry] = &[
    strict("@", &[INT2], INT2, Rows(numeric::abs_int2)),
    strict("@", &[INT4], INT4, Rows(math::abs_int4)),
    strict("@", &[INT8], INT8, Rows(math::abs_int8)),
    strict("@", &[FLOAT4], FLOAT4, Rows(numeric::abs_float4)),
    strict("@", &[FLOAT8], FLOAT8, Float(math::abs_float8)),
    strict("@", &[NUM], NUM, Rows(numeric::absolute)),
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
