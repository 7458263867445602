//! The function table.

use varve_types::LogicalType;

use super::{arithmetic, datetime, jobs, like, math, numeric, sequences, text};
use crate::function::{Entry, Kernel};

use Kernel::{Columns, Float, Rows, Text};

const BOOL: LogicalType = LogicalType::Boolean;
const INT4: LogicalType = LogicalType::Int4;
const INT8: LogicalType = LogicalType::Int8;
const FLOAT8: LogicalType = LogicalType::Float8;
const TEXT: LogicalType = LogicalType::Text;
const DATE: LogicalType = LogicalType::Date;
const STAMP: LogicalType = LogicalType::Timestamp;
const STAMPTZ: LogicalType = LogicalType::TimestampTz;
const INT2: LogicalType = LogicalType::Int2;
const FLOAT4: LogicalType = LogicalType::Float4;
const NUM: LogicalType = LogicalType::Numeric;
const TIME: LogicalType = LogicalType::Time;
const SPAN: LogicalType = LogicalType::Interval;

/// Every function and operator, by subject.
pub(crate) static TABLE: [&[Entry]; 8] = [
    OPERATORS,
    NUMERICS,
    SPANS,
    MATHEMATICS,
    TEXTS,
    TIMES,
    ORDERS,
    SEQUENCES,
];

const fn strict(
    name: &'static str,
    args: &'static [LogicalType],
    result: LogicalType,
    kernel: Kernel,
) -> Entry {
    Entry {
        name,
        args,
        result,
        kernel,
        strict: true,
        variadic: false,
        immutable: true,
    }
}

/// Takes one or more arguments, NULLs included.
const fn variadic(
    name: &'static str,
    args: &'static [LogicalType],
    result: LogicalType,
    kernel: Kernel,
) -> Entry {
    Entry {
        strict: false,
        variadic: true,
        ..strict(name, args, result, kernel)
    }
}

/// Depends on the time of the transaction.
const fn stable(name: &'static str, result: LogicalType) -> Entry {
    Entry {
        immutable: false,
        ..strict(name, &[], result, Columns(datetime::now))
    }
}

/// Has an effect.
const fn order(name: &'static str, kernel: Kernel) -> Entry {
    Entry {
        immutable: false,
        ..strict(name, &[INT8], BOOL, kernel)
    }
}

const fn series(args: &'static [LogicalType], result: LogicalType) -> Entry {
    strict("generate_series", args, result, Kernel::Set)
}

/// The set-returning functions, which are not in [`TABLE`]: they stand in their own places only.
pub(crate) static SETS: &[Entry] = &[
    series(&[INT4, INT4], INT4),
    series(&[INT4, INT4, INT4], INT4),
    series(&[INT8, INT8], INT8),
    series(&[INT8, INT8, INT8], INT8),
    series(&[NUM, NUM], NUM),
    series(&[NUM, NUM, NUM], NUM),
    series(&[STAMP, STAMP, SPAN], STAMP),
    series(&[STAMPTZ, STAMPTZ, SPAN], STAMPTZ),
];

/// Takes a value of a sequence or sets one.
const fn sequence(name: &'static str, args: &'static [LogicalType], kernel: Kernel) -> Entry {
    Entry {
        immutable: false,
        ..strict(name, args, INT8, kernel)
    }
}

static SEQUENCES: &[Entry] = &[
    sequence("nextval", &[INT8], Columns(sequences::nextval)),
    sequence("nextval", &[TEXT], Columns(sequences::nextval)),
    sequence("currval", &[INT8], Columns(sequences::currval)),
    sequence("currval", &[TEXT], Columns(sequences::currval)),
    sequence("lastval", &[], Columns(sequences::lastval)),
    sequence("setval", &[INT8, INT8], Columns(sequences::setval)),
    sequence("setval", &[INT8, INT8, BOOL], Columns(sequences::setval)),
    sequence("setval", &[TEXT, INT8], Columns(sequences::setval)),
    sequence("setval", &[TEXT, INT8, BOOL], Columns(sequences::setval)),
];

static ORDERS: &[Entry] = &[
    order("varve_cancel_job", Columns(jobs::cancel)),
    order("varve_pause_job", Columns(jobs::pause)),
    order("varve_resume_job", Columns(jobs::resume)),
];

static OPERATORS: &[Entry] = &[
    strict("+", &[INT4, INT4], INT4, Columns(arithmetic::add_int4)),
    strict("+", &[INT8, INT8], INT8, Columns(arithmetic::add_int8)),
    strict(
        "+",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        Columns(arithmetic::add_float8),
    ),
    strict("-", &[INT4, INT4], INT4, Columns(arithmetic::sub_int4)),
    strict("-", &[INT8, INT8], INT8, Columns(arithmetic::sub_int8)),
    strict(
        "-",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        Columns(arithmetic::sub_float8),
    ),
    strict("*", &[INT4, INT4], INT4, Columns(arithmetic::mul_int4)),
    strict("*", &[INT8, INT8], INT8, Columns(arithmetic::mul_int8)),
    strict(
        "*",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        Columns(arithmetic::mul_float8),
    ),
    strict("/", &[INT4, INT4], INT4, Columns(arithmetic::div_int4)),
    strict("/", &[INT8, INT8], INT8, Columns(arithmetic::div_int8)),
    strict(
        "/",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        Columns(arithmetic::div_float8),
    ),
    strict("%", &[INT4, INT4], INT4, Columns(arithmetic::rem_int4)),
    strict("%", &[INT8, INT8], INT8, Columns(arithmetic::rem_int8)),
    strict("^", &[FLOAT8, FLOAT8], FLOAT8, Rows(math::power)),
    strict("-", &[INT4], INT4, Rows(arithmetic::negate_int4)),
    strict("-", &[INT8], INT8, Rows(arithmetic::negate_int8)),
    strict("-", &[FLOAT8], FLOAT8, Float(arithmetic::negate_float8)),
    strict("+", &[INT4], INT4, Rows(arithmetic::plus)),
    strict("+", &[INT8], INT8, Rows(arithmetic::plus)),
    strict("+", &[FLOAT8], FLOAT8, Rows(arithmetic::plus)),
    strict("+", &[DATE, INT4], DATE, Rows(arithmetic::date_plus_days)),
    strict("+", &[INT4, DATE], DATE, Rows(arithmetic::date_plus_days)),
    strict("-", &[DATE, INT4], DATE, Rows(arithmetic::date_minus_days)),
    strict("-", &[DATE, DATE], INT4, Rows(arithmetic::date_minus_date)),
    strict("||", &[TEXT, TEXT], TEXT, Text(text::concat_two)),
    strict("~~", &[TEXT, TEXT], BOOL, Columns(like::like)),
    strict("!~~", &[TEXT, TEXT], BOOL, Columns(like::not_like)),
    strict("~~*", &[TEXT, TEXT], BOOL, Columns(like::ilike)),
    strict("!~~*", &[TEXT, TEXT], BOOL, Columns(like::not_ilike)),
];

static NUMERICS: &[Entry] = &[
    strict("+", &[INT2, INT2], INT2, Rows(numeric::add_int2)),
    strict("+", &[FLOAT4, FLOAT4], FLOAT4, Rows(numeric::add_float4)),
    strict(
        "+",
        &[FLOAT4, FLOAT8],
        FLOAT8,
        Columns(arithmetic::add_float8),
    ),
    strict(
        "+",
        &[FLOAT8, FLOAT4],
        FLOAT8,
        Columns(arithmetic::add_float8),
    ),
    strict("+", &[NUM, NUM], NUM, Rows(numeric::add)),
    strict("-", &[INT2, INT2], INT2, Rows(numeric::sub_int2)),
    strict("-", &[FLOAT4, FLOAT4], FLOAT4, Rows(numeric::sub_float4)),
    strict(
        "-",
        &[FLOAT4, FLOAT8],
        FLOAT8,
        Columns(arithmetic::sub_float8),
    ),
    strict(
        "-",
        &[FLOAT8, FLOAT4],
        FLOAT8,
        Columns(arithmetic::sub_float8),
    ),
    strict("-", &[NUM, NUM], NUM, Rows(numeric::sub)),
    strict("*", &[INT2, INT2], INT2, Rows(numeric::mul_int2)),
    strict("*", &[FLOAT4, FLOAT4], FLOAT4, Rows(numeric::mul_float4)),
    strict(
        "*",
        &[FLOAT4, FLOAT8],
        FLOAT8,
        Columns(arithmetic::mul_float8),
    ),
    strict(
        "*",
        &[FLOAT8, FLOAT4],
        FLOAT8,
        Columns(arithmetic::mul_float8),
    ),
    strict("*", &[NUM, NUM], NUM, Rows(numeric::mul)),
    strict("/", &[INT2, INT2], INT2, Rows(numeric::div_int2)),
    strict("/", &[FLOAT4, FLOAT4], FLOAT4, Rows(numeric::div_float4)),
    strict(
        "/",
        &[FLOAT4, FLOAT8],
        FLOAT8,
        Columns(arithmetic::div_float8),
    ),
    strict(
        "/",
        &[FLOAT8, FLOAT4],
        FLOAT8,
        Columns(arithmetic::div_float8),
    ),
    strict("/", &[NUM, NUM], NUM, Rows(numeric::div)),
    strict("%", &[INT2, INT2], INT2, Rows(numeric::rem_int2)),
    strict("mod", &[INT2, INT2], INT2, Rows(numeric::rem_int2)),
    strict("%", &[NUM, NUM], NUM, Rows(numeric::rem)),
    strict("mod", &[NUM, NUM], NUM, Rows(numeric::rem)),
    strict("div", &[NUM, NUM], NUM, Rows(numeric::div_whole)),
    strict("^", &[NUM, NUM], NUM, Rows(numeric::power)),
    strict("power", &[NUM, NUM], NUM, Rows(numeric::power)),
    strict("pow", &[NUM, NUM], NUM, Rows(numeric::power)),
    strict("-", &[INT2], INT2, Rows(numeric::negate_int2)),
    strict("+", &[INT2], INT2, Rows(arithmetic::plus)),
    strict("-", &[FLOAT4], FLOAT4, Rows(numeric::negate_float4)),
    strict("+", &[FLOAT4], FLOAT4, Rows(arithmetic::plus)),
    strict("-", &[NUM], NUM, Rows(numeric::negate)),
    strict("+", &[NUM], NUM, Rows(arithmetic::plus)),
    strict("abs", &[INT2], INT2, Rows(numeric::abs_int2)),
    strict("abs", &[FLOAT4], FLOAT4, Rows(numeric::abs_float4)),
    strict("abs", &[NUM], NUM, Rows(numeric::absolute)),
    strict("round", &[NUM], NUM, Rows(numeric::round)),
    strict("round", &[NUM, INT4], NUM, Rows(numeric::round)),
    strict("trunc", &[NUM], NUM, Rows(numeric::trunc)),
    strict("trunc", &[NUM, INT4], NUM, Rows(numeric::trunc)),
    strict("ceil", &[NUM], NUM, Rows(numeric::ceil)),
    strict("ceiling", &[NUM], NUM, Rows(numeric::ceil)),
    strict("floor", &[NUM], NUM, Rows(numeric::floor)),
    strict("sign", &[NUM], NUM, Rows(numeric::sign)),
    strict("sqrt", &[NUM], NUM, Rows(numeric::sqrt)),
    strict("exp", &[NUM], NUM, Rows(numeric::exp)),
    strict("ln", &[NUM], NUM, Rows(numeric::ln)),
    strict("log", &[NUM], NUM, Rows(numeric::log10)),
    strict("log10", &[NUM], NUM, Rows(numeric::log10)),
    strict("log", &[NUM, NUM], NUM, Rows(numeric::log_base)),
];

static SPANS: &[Entry] = &[
    strict("+", &[SPAN, SPAN], SPAN, Rows(numeric::add_intervals)),
    strict("-", &[SPAN, SPAN], SPAN, Rows(numeric::sub_intervals)),
    strict("+", &[STAMP, SPAN], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, STAMP], STAMP, Rows(numeric::timestamp_plus)),
    strict(
        "+",
        &[STAMPTZ, SPAN],
        STAMPTZ,
        Rows(numeric::timestamp_plus),
    ),
    strict(
        "+",
        &[SPAN, STAMPTZ],
        STAMPTZ,
        Rows(numeric::timestamp_plus),
    ),
    strict("+", &[DATE, SPAN], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, DATE], STAMP, Rows(numeric::timestamp_plus)),
    strict("+", &[TIME, SPAN], TIME, Rows(numeric::timestamp_plus)),
    strict("+", &[SPAN, TIME], TIME, Rows(numeric::timestamp_plus)),
    strict("-", &[STAMP, SPAN], STAMP, Rows(numeric::timestamp_minus)),
    strict(
        "-",
        &[STAMPTZ, SPAN],
        STAMPTZ,
        Rows(numeric::timestamp_minus),
    ),
    strict("-", &[DATE, SPAN], STAMP, Rows(numeric::timestamp_minus)),
    strict("-", &[TIME, SPAN], TIME, Rows(numeric::timestamp_minus)),
    strict("-", &[STAMP, STAMP], SPAN, Rows(numeric::timestamps_apart)),
    strict(
        "-",
        &[STAMPTZ, STAMPTZ],
        SPAN,
        Rows(numeric::timestamps_apart),
    ),
    strict("-", &[TIME, TIME], SPAN, Rows(numeric::times_apart)),
    strict("+", &[DATE, TIME], STAMP, Rows(numeric::date_plus_time)),
    strict("+", &[TIME, DATE], STAMP, Rows(numeric::date_plus_time)),
    strict("-", &[SPAN], SPAN, Rows(numeric::negate_interval)),
];

static MATHEMATICS: &[Entry] = &[
    strict("abs", &[INT4], INT4, Rows(math::abs_int4)),
    strict("abs", &[INT8], INT8, Rows(math::abs_int8)),
    strict("abs", &[FLOAT8], FLOAT8, Float(math::abs_float8)),
    strict("round", &[FLOAT8], FLOAT8, Float(math::round)),
    strict("ceil", &[FLOAT8], FLOAT8, Float(math::ceil)),
    strict("ceiling", &[FLOAT8], FLOAT8, Float(math::ceil)),
    strict("floor", &[FLOAT8], FLOAT8, Float(math::floor)),
    strict("trunc", &[FLOAT8], FLOAT8, Float(math::trunc)),
    strict("sign", &[FLOAT8], FLOAT8, Float(math::sign)),
    strict("sqrt", &[FLOAT8], FLOAT8, Float(math::sqrt)),
    strict("exp", &[FLOAT8], FLOAT8, Float(math::exp)),
    strict("ln", &[FLOAT8], FLOAT8, Float(math::ln)),
    strict("log", &[FLOAT8], FLOAT8, Float(math::log10)),
    strict("log10", &[FLOAT8], FLOAT8, Float(math::log10)),
    strict("power", &[FLOAT8, FLOAT8], FLOAT8, Rows(math::power)),
    strict("pow", &[FLOAT8, FLOAT8], FLOAT8, Rows(math::power)),
    strict("mod", &[INT4, INT4], INT4, Columns(arithmetic::rem_int4)),
    strict("mod", &[INT8, INT8], INT8, Columns(arithmetic::rem_int8)),
    strict("pi", &[], FLOAT8, Rows(math::pi)),
    variadic("greatest", &[BOOL], BOOL, Rows(math::greatest)),
    variadic("greatest", &[INT4], INT4, Rows(math::greatest)),
    variadic("greatest", &[INT8], INT8, Rows(math::greatest)),
    variadic("greatest", &[FLOAT8], FLOAT8, Rows(math::greatest)),
    variadic("greatest", &[TEXT], TEXT, Rows(math::greatest)),
    variadic("greatest", &[DATE], DATE, Rows(math::greatest)),
    variadic("greatest", &[STAMP], STAMP, Rows(math::greatest)),
    variadic("greatest", &[STAMPTZ], STAMPTZ, Rows(math::greatest)),
    variadic("least", &[BOOL], BOOL, Rows(math::least)),
    variadic("least", &[INT4], INT4, Rows(math::least)),
    variadic("least", &[INT8], INT8, Rows(math::least)),
    variadic("least", &[FLOAT8], FLOAT8, Rows(math::least)),
    variadic("least", &[TEXT], TEXT, Rows(math::least)),
    variadic("least", &[DATE], DATE, Rows(math::least)),
    variadic("least", &[STAMP], STAMP, Rows(math::least)),
    variadic("least", &[STAMPTZ], STAMPTZ, Rows(math::least)),
    variadic("greatest", &[INT2], INT2, Rows(math::greatest)),
    variadic("greatest", &[FLOAT4], FLOAT4, Rows(math::greatest)),
    variadic("greatest", &[NUM], NUM, Rows(math::greatest)),
    variadic("greatest", &[TIME], TIME, Rows(math::greatest)),
    variadic("greatest", &[SPAN], SPAN, Rows(math::greatest)),
    variadic(
        "greatest",
        &[LogicalType::Varchar],
        LogicalType::Varchar,
        Rows(math::greatest),
    ),
    variadic(
        "greatest",
        &[LogicalType::Bpchar],
        LogicalType::Bpchar,
        Rows(math::greatest),
    ),
    variadic(
        "greatest",
        &[LogicalType::Bytea],
        LogicalType::Bytea,
        Rows(math::greatest),
    ),
    variadic(
        "greatest",
        &[LogicalType::Uuid],
        LogicalType::Uuid,
        Rows(math::greatest),
    ),
    variadic(
        "greatest",
        &[LogicalType::Jsonb],
        LogicalType::Jsonb,
        Rows(math::greatest),
    ),
    variadic(
        "greatest",
        &[LogicalType::Oid],
        LogicalType::Oid,
        Rows(math::greatest),
    ),
    variadic("least", &[INT2], INT2, Rows(math::least)),
    variadic("least", &[FLOAT4], FLOAT4, Rows(math::least)),
    variadic("least", &[NUM], NUM, Rows(math::least)),
    variadic("least", &[TIME], TIME, Rows(math::least)),
    variadic("least", &[SPAN], SPAN, Rows(math::least)),
    variadic(
        "least",
        &[LogicalType::Varchar],
        LogicalType::Varchar,
        Rows(math::least),
    ),
    variadic(
        "least",
        &[LogicalType::Bpchar],
        LogicalType::Bpchar,
        Rows(math::least),
    ),
    variadic(
        "least",
        &[LogicalType::Bytea],
        LogicalType::Bytea,
        Rows(math::least),
    ),
    variadic(
        "least",
        &[LogicalType::Uuid],
        LogicalType::Uuid,
        Rows(math::least),
    ),
    variadic(
        "least",
        &[LogicalType::Jsonb],
        LogicalType::Jsonb,
        Rows(math::least),
    ),
    variadic(
        "least",
        &[LogicalType::Oid],
        LogicalType::Oid,
        Rows(math::least),
    ),
];

static TEXTS: &[Entry] = &[
    variadic("concat", &[], TEXT, Text(text::concat)),
    strict("length", &[TEXT], INT4, Rows(text::length)),
    strict("char_length", &[TEXT], INT4, Rows(text::length)),
    strict("character_length", &[TEXT], INT4, Rows(text::length)),
    strict("octet_length", &[TEXT], INT4, Rows(text::octet_length)),
    strict("lower", &[TEXT], TEXT, Text(text::lower)),
    strict("upper", &[TEXT], TEXT, Text(text::upper)),
    strict("initcap", &[TEXT], TEXT, Text(text::initcap)),
    strict("substr", &[TEXT, INT4], TEXT, Text(text::substr_from)),
    strict(
        "substr",
        &[TEXT, INT4, INT4],
        TEXT,
        Text(text::substr_of_length),
    ),
    strict("substring", &[TEXT, INT4], TEXT, Text(text::substr_from)),
    strict(
        "substring",
        &[TEXT, INT4, INT4],
        TEXT,
        Text(text::substr_of_length),
    ),
    strict("left", &[TEXT, INT4], TEXT, Text(text::left)),
    strict("right", &[TEXT, INT4], TEXT, Text(text::right)),
    strict("btrim", &[TEXT], TEXT, Text(text::btrim)),
    strict("btrim", &[TEXT, TEXT], TEXT, Text(text::btrim)),
    strict("ltrim", &[TEXT], TEXT, Text(text::ltrim)),
    strict("ltrim", &[TEXT, TEXT], TEXT, Text(text::ltrim)),
    strict("rtrim", &[TEXT], TEXT, Text(text::rtrim)),
    strict("rtrim", &[TEXT, TEXT], TEXT, Text(text::rtrim)),
    strict("replace", &[TEXT, TEXT, TEXT], TEXT, Text(text::replace)),
    strict("strpos", &[TEXT, TEXT], INT4, Rows(text::strpos)),
    strict("position", &[TEXT, TEXT], INT4, Rows(text::strpos)),
    strict("starts_with", &[TEXT, TEXT], BOOL, Rows(text::starts_with)),
    strict("repeat", &[TEXT, INT4], TEXT, Text(text::repeat)),
    strict("reverse", &[TEXT], TEXT, Text(text::reverse)),
    strict("like_escape", &[TEXT, TEXT], TEXT, Text(like::like_escape)),
];

static TIMES: &[Entry] = &[
    stable("now", STAMPTZ),
    stable("current_timestamp", STAMPTZ),
    stable("transaction_timestamp", STAMPTZ),
    stable("localtimestamp", STAMP),
    stable("current_date", DATE),
    strict(
        "date_trunc",
        &[TEXT, STAMP],
        STAMP,
        Columns(datetime::date_trunc),
    ),
    strict(
        "date_trunc",
        &[TEXT, STAMPTZ],
        STAMPTZ,
        Columns(datetime::date_trunc),
    ),
    strict(
        "date_part",
        &[TEXT, STAMP],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "date_part",
        &[TEXT, STAMPTZ],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "extract",
        &[TEXT, DATE],
        FLOAT8,
        Rows(datetime::extract_date),
    ),
    strict(
        "extract",
        &[TEXT, STAMP],
        FLOAT8,
        Columns(datetime::date_part),
    ),
    strict(
        "extract",
        &[TEXT, STAMPTZ],
        FLOAT8,
        Columns(datetime::date_part),
    ),
];
