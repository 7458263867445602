//! Json, jsonb and jsonpath.

use varve_types::LogicalType;

use crate::kernels::json;
use crate::tree::{Entry, Kernel, Param, Volatility};

use super::{
    ANY, BOOL, ELEMENT, ELEMENTS, INT4, TEXT, columns, lax, named, repeated, stable, strict,
    variadic, with_nulls,
};
use Kernel::{Rows, Set, Text};

const JSON: Param = Param::of(LogicalType::Json);
const JSONB: Param = Param::of(LogicalType::Jsonb);
const PATH: Param = Param::of(LogicalType::Jsonpath);
const TEXTS: Param = TEXT.array();

pub(super) static OPERATORS: &[Entry] = &[
    strict("->", &[JSON, TEXT], JSON, Rows(json::get)),
    strict("->", &[JSON, INT4], JSON, Rows(json::get)),
    strict("->", &[JSONB, TEXT], JSONB, Rows(json::get)),
    strict("->", &[JSONB, INT4], JSONB, Rows(json::get)),
    strict("->>", &[JSON, TEXT], TEXT, Rows(json::get)),
    strict("->>", &[JSON, INT4], TEXT, Rows(json::get)),
    strict("->>", &[JSONB, TEXT], TEXT, Rows(json::get)),
    strict("->>", &[JSONB, INT4], TEXT, Rows(json::get)),
    strict("#>", &[JSON, TEXTS], JSON, Rows(json::get_path)),
    strict("#>", &[JSONB, TEXTS], JSONB, Rows(json::get_path)),
    strict("#>>", &[JSON, TEXTS], TEXT, Rows(json::get_path)),
    strict("#>>", &[JSONB, TEXTS], TEXT, Rows(json::get_path)),
    strict("@>", &[JSONB, JSONB], BOOL, Rows(json::contains)),
    strict("<@", &[JSONB, JSONB], BOOL, Rows(json::contained)),
    strict("?", &[JSONB, TEXT], BOOL, Rows(json::has_key)),
    strict("?|", &[JSONB, TEXTS], BOOL, Rows(json::has_any_key)),
    strict("?&", &[JSONB, TEXTS], BOOL, Rows(json::has_all_keys)),
    strict("||", &[JSONB, JSONB], JSONB, Rows(json::concat)),
    strict("-", &[JSONB, TEXT], JSONB, Rows(json::delete_key)),
    strict("-", &[JSONB, INT4], JSONB, Rows(json::delete_element)),
    strict("-", &[JSONB, TEXTS], JSONB, Rows(json::delete_keys)),
    strict("#-", &[JSONB, TEXTS], JSONB, Rows(json::delete_path)),
    strict("@?", &[JSONB, PATH], BOOL, Rows(json::path_exists)),
    strict("@@", &[JSONB, PATH], BOOL, Rows(json::path_match)),
];

/// A function over a jsonpath.
const fn over_path(name: &'static str, result: Param, kernel: Kernel) -> Entry {
    named(
        strict(name, &[JSONB, PATH, JSONB, BOOL], result, kernel),
        &["target", "path", "vars={}", "silent=false"],
    )
}

/// As [`over_path`], with the time zone of the session.
const fn over_path_tz(name: &'static str, result: Param, kernel: Kernel) -> Entry {
    Entry {
        volatility: Volatility::Stable,
        ..over_path(name, result, kernel)
    }
}

/// `VARIADIC text[]` that knows no NULL.
const fn steps(name: &'static str, args: &'static [Param], result: Param) -> Entry {
    Entry {
        strict: true,
        ..variadic(name, args, result, Rows(json::extract_path))
    }
}

const fn changing(
    name: &'static str,
    kernel: fn(&crate::tree::Row<'_>) -> varve_types::Result<varve_types::Value>,
    names: &'static [&'static str],
) -> Entry {
    named(
        strict(name, &[JSONB, TEXTS, JSONB, BOOL], JSONB, Rows(kernel)),
        names,
    )
}

pub(super) static ROWS: &[Entry] = &[
    steps("json_extract_path", &[JSON, TEXT], JSON),
    steps("jsonb_extract_path", &[JSONB, TEXT], JSONB),
    steps("json_extract_path_text", &[JSON, TEXT], TEXT),
    steps("jsonb_extract_path_text", &[JSONB, TEXT], TEXT),
    strict("json_typeof", &[JSON], TEXT, Rows(json::type_of)),
    strict("jsonb_typeof", &[JSONB], TEXT, Rows(json::type_of)),
    strict("json_array_length", &[JSON], INT4, Rows(json::array_length)),
    strict(
        "jsonb_array_length",
        &[JSONB],
        INT4,
        Rows(json::array_length),
    ),
    strict("json_strip_nulls", &[JSON], JSON, Rows(json::strip_nulls)),
    strict(
        "jsonb_strip_nulls",
        &[JSONB],
        JSONB,
        Rows(json::strip_nulls),
    ),
    strict("jsonb_pretty", &[JSONB], TEXT, Text(json::pretty)),
    strict(
        "jsonb_contains",
        &[JSONB, JSONB],
        BOOL,
        Rows(json::contains),
    ),
    strict(
        "jsonb_contained",
        &[JSONB, JSONB],
        BOOL,
        Rows(json::contained),
    ),
    strict("jsonb_exists", &[JSONB, TEXT], BOOL, Rows(json::has_key)),
    strict(
        "jsonb_exists_any",
        &[JSONB, TEXTS],
        BOOL,
        Rows(json::has_any_key),
    ),
    strict(
        "jsonb_exists_all",
        &[JSONB, TEXTS],
        BOOL,
        Rows(json::has_all_keys),
    ),
    strict("jsonb_concat", &[JSONB, JSONB], JSONB, Rows(json::concat)),
    changing(
        "jsonb_set",
        json::set,
        &["jsonb_in", "path", "replacement", "create_if_missing=true"],
    ),
    changing(
        "jsonb_insert",
        json::insert,
        &["jsonb_in", "path", "replacement", "insert_after=false"],
    ),
    named(
        lax(
            "jsonb_set_lax",
            &[JSONB, TEXTS, JSONB, BOOL, TEXT],
            JSONB,
            Rows(json::set_lax),
        ),
        &[
            "jsonb_in",
            "path",
            "replacement",
            "create_if_missing=true",
            "null_value_treatment=use_json_null",
        ],
    ),
];

pub(super) static BUILDERS: &[Entry] = &[
    stable("to_json", &[ELEMENT], JSON, Rows(json::to_json)),
    stable("to_jsonb", &[ELEMENT], JSONB, Rows(json::to_json)),
    stable(
        "array_to_json",
        &[ELEMENTS],
        JSON,
        Rows(json::array_to_json),
    ),
    stable(
        "array_to_json",
        &[ELEMENTS, BOOL],
        JSON,
        Rows(json::array_to_json),
    ),
    builder("json_build_array", &[ANY], JSON, Rows(json::build_array)),
    builder("jsonb_build_array", &[ANY], JSONB, Rows(json::build_array)),
    builder("json_build_object", &[ANY], JSON, Rows(json::build_object)),
    builder(
        "jsonb_build_object",
        &[ANY],
        JSONB,
        Rows(json::build_object),
    ),
    stable("json_build_array", &[], JSON, Rows(json::build_array)),
    stable("jsonb_build_array", &[], JSONB, Rows(json::build_array)),
    stable("json_build_object", &[], JSON, Rows(json::build_object)),
    stable("jsonb_build_object", &[], JSONB, Rows(json::build_object)),
    stable("row_to_json", &[ELEMENT], JSON, Rows(json::row_in_lines)),
    stable(
        "row_to_json",
        &[ELEMENT, BOOL],
        JSON,
        Rows(json::row_in_lines),
    ),
    lax("\0line", &[JSON], JSON, Text(json::line)),
    builder("\0object", &[ANY], JSON, Rows(json::row_object)),
    builder(
        "\0json array",
        &[ELEMENT, ANY],
        ELEMENT,
        Rows(json::constructed_array),
    ),
    builder(
        "\0json object",
        &[ELEMENT, ANY],
        ELEMENT,
        Rows(json::constructed_object),
    ),
    strict("\0is json", &[ANY, INT4], BOOL, Rows(json::is_json)),
    variadic(
        "\0assign json",
        &[JSONB, JSONB, ANY],
        JSONB,
        Rows(json::assign),
    ),
    strict("json_object", &[TEXTS], JSON, Rows(json::object)),
    strict("jsonb_object", &[TEXTS], JSONB, Rows(json::object)),
    strict(
        "json_object",
        &[TEXTS, TEXTS],
        JSON,
        Rows(json::object_of_two),
    ),
    strict(
        "jsonb_object",
        &[TEXTS, TEXTS],
        JSONB,
        Rows(json::object_of_two),
    ),
];

const fn builder(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    kernel: Kernel,
) -> Entry {
    Entry {
        volatility: Volatility::Stable,
        ..variadic(name, args, result, kernel)
    }
}

pub(super) static PATHS: &[Entry] = &[
    over_path("jsonb_path_exists", BOOL, Rows(json::path_exists)),
    over_path("jsonb_path_match", BOOL, Rows(json::path_match)),
    over_path("jsonb_path_query", JSONB, Set(json::path_query)),
    over_path("jsonb_path_query_array", JSONB, Rows(json::path_array)),
    over_path("jsonb_path_query_first", JSONB, Rows(json::path_first)),
    over_path_tz("jsonb_path_exists_tz", BOOL, Rows(json::path_exists_tz)),
    over_path_tz("jsonb_path_match_tz", BOOL, Rows(json::path_match_tz)),
    over_path_tz("jsonb_path_query_tz", JSONB, Set(json::path_query_tz)),
    over_path_tz(
        "jsonb_path_query_array_tz",
        JSONB,
        Rows(json::path_array_tz),
    ),
    over_path_tz(
        "jsonb_path_query_first_tz",
        JSONB,
        Rows(json::path_first_tz),
    ),
];

/// The members of a value as rows of these columns.
const fn members(
    name: &'static str,
    args: &'static [Param],
    kernel: fn(&crate::tree::Row<'_>) -> varve_types::Result<Box<dyn crate::tree::SetRows>>,
    names: &'static [(&'static str, Param)],
) -> Entry {
    let entry = strict(name, args, Param::RECORD, Set(kernel));
    named(columns(entry, names), &["from_json"])
}

/// What calls of [`record_of`] with a column definition list become.
const RECORDS: &str = "\0json records";

/// A function whose columns the call lists.
const fn record_of(name: &'static str, args: &'static [Param]) -> Entry {
    stable(name, args, Param::RECORD, Set(json::records))
}

const JSON_BASE: &[Param] = &[ELEMENT, JSON, BOOL];
const JSONB_BASE: &[Param] = &[ELEMENT, JSONB, BOOL];

/// A function that fills a row.
const fn populated(name: &'static str, args: &'static [Param], kernel: Kernel) -> Entry {
    let entry = with_nulls(stable(name, args, ELEMENT, kernel));
    named(entry, &["base", "from_json", "use_json_as_text=false"])
}

const PAIR_JSON: &[(&str, Param)] = &[("key", TEXT), ("value", JSON)];
const PAIR_JSONB: &[(&str, Param)] = &[("key", TEXT), ("value", JSONB)];
const PAIR_TEXT: &[(&str, Param)] = &[("key", TEXT), ("value", TEXT)];

pub(super) static SETS: &[Entry] = &[
    members("json_each", &[JSON], json::each, PAIR_JSON),
    members("jsonb_each", &[JSONB], json::each, PAIR_JSONB),
    members("json_each_text", &[JSON], json::each_text, PAIR_TEXT),
    members("jsonb_each_text", &[JSONB], json::each_text, PAIR_TEXT),
    members(
        "json_array_elements",
        &[JSON],
        json::array_elements,
        &[("value", JSON)],
    ),
    members(
        "jsonb_array_elements",
        &[JSONB],
        json::array_elements,
        &[("value", JSONB)],
    ),
    members(
        "json_array_elements_text",
        &[JSON],
        json::array_elements,
        &[("value", TEXT)],
    ),
    members(
        "jsonb_array_elements_text",
        &[JSONB],
        json::array_elements,
        &[("value", TEXT)],
    ),
    record_of("json_to_record", &[JSON]),
    record_of("json_to_recordset", &[JSON]),
    record_of("jsonb_to_record", &[JSONB]),
    record_of("jsonb_to_recordset", &[JSONB]),
    with_nulls(repeated(stable(
        RECORDS,
        &[ANY],
        Param::RECORD,
        Set(json::records),
    ))),
    populated(
        "json_populate_record",
        JSON_BASE,
        Rows(json::populate_record),
    ),
    populated(
        "jsonb_populate_record",
        JSONB_BASE,
        Rows(json::populate_record),
    ),
    populated(
        "json_populate_recordset",
        JSON_BASE,
        Set(json::populate_recordset),
    ),
    populated(
        "jsonb_populate_recordset",
        JSONB_BASE,
        Set(json::populate_recordset),
    ),
    strict("json_object_keys", &[JSON], TEXT, Set(json::object_keys)),
    strict("jsonb_object_keys", &[JSONB], TEXT, Set(json::object_keys)),
];
