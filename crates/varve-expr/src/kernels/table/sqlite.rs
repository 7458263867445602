//! SQLite's spellings of functions of JSON.

use varve_types::LogicalType;

use crate::kernels::json::sqlite;
use crate::tree::{Entry, Kernel, Param};

use super::{INT4, TEXT, repeated, strict};
use Kernel::Rows;

const JSON: Param = Param::of(LogicalType::Json);
const JSONB: Param = Param::of(LogicalType::Jsonb);

pub(super) static ROWS: &[Entry] = &[
    repeated(strict(
        "json_extract",
        &[TEXT, TEXT],
        TEXT,
        Rows(sqlite::extract),
    )),
    repeated(strict(
        "json_extract",
        &[JSON, TEXT],
        TEXT,
        Rows(sqlite::extract),
    )),
    repeated(strict(
        "json_extract",
        &[JSONB, TEXT],
        TEXT,
        Rows(sqlite::extract),
    )),
    strict("json_type", &[TEXT], TEXT, Rows(sqlite::type_name)),
    strict("json_type", &[JSON], TEXT, Rows(sqlite::type_name)),
    strict("json_type", &[JSONB], TEXT, Rows(sqlite::type_name)),
    strict("json_type", &[TEXT, TEXT], TEXT, Rows(sqlite::type_name)),
    strict("json_type", &[JSON, TEXT], TEXT, Rows(sqlite::type_name)),
    strict("json_type", &[JSONB, TEXT], TEXT, Rows(sqlite::type_name)),
    strict(
        "json_array_length",
        &[TEXT, TEXT],
        INT4,
        Rows(sqlite::length_at),
    ),
    strict(
        "json_array_length",
        &[JSON, TEXT],
        INT4,
        Rows(sqlite::length_at),
    ),
    strict(
        "json_array_length",
        &[JSONB, TEXT],
        INT4,
        Rows(sqlite::length_at),
    ),
    strict("json_valid", &[TEXT], INT4, Rows(sqlite::valid)),
];
