//! `time_bucket` and `time_bucket_gapfill`, in the forms that TimescaleDB documents.

use crate::kernels::time;
use crate::tree::{Entry, Kernel, Param};

use super::{
    ANY, BOOL, COMPATIBLE, DATE, ELEMENT, FLOAT4, FLOAT8, INT2, INT4, INT8, NUM, SPAN, STAMP,
    STAMPTZ, TEXT, UUID, columns, lax, named, strict,
};
use Kernel::{Columns, Rows, Set};

/// Of moments; the last argument tells the type of the result.
const fn bucket(args: &'static [Param], result: Param, names: &'static [&'static str]) -> Entry {
    named(
        lax("time_bucket", args, result, Columns(time::time_bucket)),
        names,
    )
}

/// Of whole numbers.
const fn whole(args: &'static [Param], result: Param, names: &'static [&'static str]) -> Entry {
    named(
        strict("time_bucket", args, result, Rows(time::whole_time_bucket)),
        names,
    )
}

const PLAIN: &[&str] = &["bucket_width", "ts"];
const ORIGIN: &[&str] = &["bucket_width", "ts", "origin"];
const OFFSET: &[&str] = &["bucket_width", "ts", "offset"];
const ALL: &[&str] = &[
    "bucket_width",
    "ts",
    "timezone",
    "origin=NULL",
    "offset=NULL",
];
const GAP: &[&str] = &["bucket_width", "ts", "start=NULL", "finish=NULL"];
const GAP_ZONE: &[&str] = &[
    "bucket_width",
    "ts",
    "timezone",
    "start=NULL",
    "finish=NULL",
];

const fn gapfill(args: &'static [Param], result: Param) -> Entry {
    let names = if args.len() == 5 { GAP_ZONE } else { GAP };
    let kernel = Columns(time::gapfill_bucket);
    named(lax("time_bucket_gapfill", args, result, kernel), names)
}

const fn whole_gapfill(args: &'static [Param], result: Param) -> Entry {
    let kernel = Rows(time::whole_gapfill_bucket);
    named(lax("time_bucket_gapfill", args, result, kernel), GAP)
}

/// `interpolate(value, time before, value before, time behind, value behind)`.
const fn interpolate(args: &'static [Param], result: Param) -> Entry {
    named(
        lax("interpolate", args, result, Rows(time::outside_of_gapfill)),
        &[
            "value",
            "prev_time=NULL",
            "prev=NULL",
            "next_time=NULL",
            "next=NULL",
        ],
    )
}

pub(super) static ROWS: &[Entry] = &[
    bucket(&[SPAN, DATE], DATE, PLAIN),
    bucket(&[SPAN, DATE, DATE], DATE, ORIGIN),
    bucket(&[SPAN, DATE, SPAN], DATE, OFFSET),
    bucket(&[SPAN, STAMP], STAMP, PLAIN),
    bucket(&[SPAN, STAMP, STAMP], STAMP, ORIGIN),
    bucket(&[SPAN, STAMP, SPAN], STAMP, OFFSET),
    bucket(&[SPAN, STAMPTZ], STAMPTZ, PLAIN),
    bucket(&[SPAN, STAMPTZ, STAMPTZ], STAMPTZ, ORIGIN),
    bucket(&[SPAN, STAMPTZ, SPAN], STAMPTZ, OFFSET),
    bucket(&[SPAN, STAMPTZ, TEXT, STAMPTZ, SPAN], STAMPTZ, ALL),
    bucket(&[SPAN, UUID], STAMPTZ, PLAIN),
    bucket(&[SPAN, UUID, STAMPTZ], STAMPTZ, ORIGIN),
    bucket(&[SPAN, UUID, SPAN], STAMPTZ, OFFSET),
    bucket(&[SPAN, UUID, TEXT, STAMPTZ, SPAN], STAMPTZ, ALL),
    whole(&[INT2, INT2], INT2, PLAIN),
    whole(&[INT2, INT2, INT2], INT2, OFFSET),
    whole(&[INT4, INT4], INT4, PLAIN),
    whole(&[INT4, INT4, INT4], INT4, OFFSET),
    whole(&[INT8, INT8], INT8, PLAIN),
    whole(&[INT8, INT8, INT8], INT8, OFFSET),
    gapfill(&[SPAN, DATE, DATE, DATE], DATE),
    gapfill(&[SPAN, STAMP, STAMP, STAMP], STAMP),
    gapfill(&[SPAN, STAMPTZ, STAMPTZ, STAMPTZ], STAMPTZ),
    gapfill(&[SPAN, STAMPTZ, TEXT, STAMPTZ, STAMPTZ], STAMPTZ),
    whole_gapfill(&[INT2, INT2, INT2, INT2], INT2),
    whole_gapfill(&[INT4, INT4, INT4, INT4], INT4),
    whole_gapfill(&[INT8, INT8, INT8, INT8], INT8),
    named(
        lax(
            "locf",
            &[COMPATIBLE, COMPATIBLE, BOOL],
            COMPATIBLE,
            Rows(time::outside_of_gapfill),
        ),
        &["value", "prev=NULL", "treat_null_as_missing=false"],
    ),
    interpolate(&[INT2, ANY, INT2, ANY, INT2], INT2),
    interpolate(&[INT4, ANY, INT4, ANY, INT4], INT4),
    interpolate(&[INT8, ANY, INT8, ANY, INT8], INT8),
    interpolate(&[FLOAT4, ANY, FLOAT4, ANY, FLOAT4], FLOAT4),
    interpolate(&[FLOAT8, ANY, FLOAT8, ANY, FLOAT8], FLOAT8),
    interpolate(&[NUM, ANY, NUM, ANY, NUM], NUM),
    columns(
        lax(
            "\0gaps",
            &[ELEMENT, ELEMENT, INT8, ANY, ELEMENT, ELEMENT, BOOL, TEXT],
            Param::RECORD,
            Set(time::gaps),
        ),
        &[("bucket", ELEMENT), ("kind", INT4)],
    ),
    strict(
        "\0interpolated",
        &[ELEMENT, ANY, ELEMENT, ANY, ANY],
        ELEMENT,
        Rows(time::interpolated),
    ),
];
