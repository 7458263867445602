//! SQLite's spellings of functions of JSON.

use varve_types::LogicalType;

use crate::kernels::json::{self, sqlite};
use crate::tree::{Entry, Kernel, Param};

use super::{INT4, NUM, TEXT, repeated, strict};
use Kernel::Rows;

const JSON: Param = Param::of(LogicalType::Json);
const JSONB: Param = Param::of(LogicalType::Jsonb);

const fn extract(args: &'static [Param]) -> Entry {
    repeated(strict("json_extract", args, TEXT, Rows(sqlite::extract)))
}

const fn number(args: &'static [Param]) -> Entry {
    strict("json_extract_number", args, NUM, Rows(sqlite::number))
}

const fn kind(args: &'static [Param]) -> Entry {
    strict("json_type", args, TEXT, Rows(sqlite::type_name))
}

const fn length(args: &'static [Param]) -> Entry {
    strict("json_array_length", args, INT4, Rows(sqlite::length_at))
}

const fn patch(args: &'static [Param], result: Param) -> Entry {
    strict("json_patch", args, result, Rows(sqlite::patch))
}

pub(super) static ROWS: &[Entry] = &[
    strict("->", &[TEXT, TEXT], JSON, Rows(sqlite::get)),
    strict("->", &[TEXT, INT4], JSON, Rows(sqlite::get)),
    strict("->>", &[TEXT, TEXT], TEXT, Rows(sqlite::get_text)),
    strict("->>", &[TEXT, INT4], TEXT, Rows(sqlite::get_text)),
    extract(&[TEXT, TEXT]),
    extract(&[JSON, TEXT]),
    extract(&[JSONB, TEXT]),
    number(&[TEXT, TEXT]),
    number(&[JSON, TEXT]),
    number(&[JSONB, TEXT]),
    kind(&[TEXT]),
    kind(&[JSON]),
    kind(&[JSONB]),
    kind(&[TEXT, TEXT]),
    kind(&[JSON, TEXT]),
    kind(&[JSONB, TEXT]),
    strict("json_array_length", &[TEXT], INT4, Rows(json::array_length)),
    length(&[TEXT, TEXT]),
    length(&[JSON, TEXT]),
    length(&[JSONB, TEXT]),
    patch(&[TEXT, TEXT], TEXT),
    patch(&[JSON, JSON], JSON),
    patch(&[JSONB, JSONB], JSONB),
    strict("json_valid", &[TEXT], INT4, Rows(sqlite::valid)),
];
