//! The function table: the rows of a subject are in its file.
//!
//! Rows of one name stand in any order: resolution looks at the types of all of them.

mod angle;
mod array;
mod bucket;
mod catalog;
mod datetime;
mod json;
mod math;
mod numeric;
mod regexp;
mod sets;
mod sqlite;
mod sqlite_time;
mod strings;
mod summary;
mod system;
mod text;
mod whole;
mod zstd;

use varve_types::LogicalType;

use crate::tree::{Entry, Kernel, Param, Volatility};

/// Every function and operator.
pub(crate) static TABLE: [&[Entry]; 29] = [
    array::ROWS,
    array::FORMS,
    bucket::ROWS,
    catalog::ROWS,
    datetime::ROWS,
    datetime::OPERATORS,
    json::BUILDERS,
    json::OPERATORS,
    json::PATHS,
    json::ROWS,
    json::SETS,
    math::OPERATORS,
    math::NUMERICS,
    math::FUNCTIONS,
    angle::ROWS,
    whole::ROWS,
    numeric::ROWS,
    regexp::ROWS,
    sets::ROWS,
    sqlite::ROWS,
    sqlite_time::ROWS,
    strings::ANYTHING,
    strings::ROWS,
    summary::POINTS,
    summary::STATS,
    summary::SKETCHES,
    system::ROWS,
    text::ROWS,
    zstd::ROWS,
];

const BOOL: Param = Param::of(LogicalType::Boolean);
const INT2: Param = Param::of(LogicalType::Int2);
const INT4: Param = Param::of(LogicalType::Int4);
const INT8: Param = Param::of(LogicalType::Int8);
const FLOAT4: Param = Param::of(LogicalType::Float4);
const FLOAT8: Param = Param::of(LogicalType::Float8);
const NUM: Param = Param::of(LogicalType::Numeric);
const TEXT: Param = Param::of(LogicalType::Text);
const NAME: Param = Param::of(LogicalType::Name);
const DATE: Param = Param::of(LogicalType::Date);
const TIME: Param = Param::of(LogicalType::Time);
const STAMP: Param = Param::of(LogicalType::Timestamp);
const STAMPTZ: Param = Param::of(LogicalType::TimestampTz);
const SPAN: Param = Param::of(LogicalType::Interval);
const UUID: Param = Param::of(LogicalType::Uuid);
/// `"any"`: taken as it is, whatever its type.
const ANY: Param = Param::ANY;
/// `anynonarray`
const NON_ARRAY: Param = Param::NON_ARRAY;
/// `anyelement`
const ELEMENT: Param = Param::ELEMENT;
/// `anyarray`
const ELEMENTS: Param = Param::ARRAY_OF_ELEMENT;
/// `anycompatible`: all such arguments are converted to their common type.
const COMPATIBLE: Param = Param::COMPATIBLE;
/// `anycompatiblearray`
const COMPATIBLES: Param = Param::ARRAY_OF_COMPATIBLE;
const INT4S: Param = INT4.array();
const TEXTS: Param = TEXT.array();

/// NULL where an argument is NULL.
pub(crate) const fn strict(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    Entry {
        name,
        args,
        result,
        kernel,
        strict: true,
        variadic: false,
        volatility: Volatility::Immutable,
        names: &[],
        columns: &[],
    }
}

/// The last argument repeats, and is taken NULL or not.
const fn variadic(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    repeated(lax(name, args, result, kernel))
}

/// `entry` with its last argument once or more.
const fn repeated(entry: Entry) -> Entry {
    Entry {
        variadic: true,
        ..entry
    }
}

/// Sees NULLs.
const fn lax(name: &'static str, args: &'static [Param], result: Param, kernel: Kernel) -> Entry {
    with_nulls(strict(name, args, result, kernel))
}

/// `entry` called for rows with NULLs too.
const fn with_nulls(entry: Entry) -> Entry {
    Entry {
        strict: false,
        ..entry
    }
}

/// Depends on the session or the transaction too.
const fn stable(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    Entry {
        volatility: Volatility::Stable,
        ..strict(name, args, result, kernel)
    }
}

/// `entry` that depends on the session, as the texts of times do.
const fn of_session(entry: Entry) -> Entry {
    Entry {
        volatility: Volatility::Stable,
        ..entry
    }
}

/// Differs from call to call, or has an effect.
const fn volatile(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    Entry {
        volatility: Volatility::Volatile,
        ..strict(name, args, result, kernel)
    }
}

/// `entry` with the names of its arguments; `name=literal` may be left out.
const fn named(entry: Entry, names: &'static [&'static str]) -> Entry {
    Entry { names, ..entry }
}

/// `entry` with the names and types of the columns of its result.
const fn columns(entry: Entry, columns: &'static [(&'static str, Param)]) -> Entry {
    Entry { columns, ..entry }
}
