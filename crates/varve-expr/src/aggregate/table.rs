//! The table of aggregates that take row by row.

use varve_types::{LogicalType, Result, Value};

use super::{collect, json, moments, ordered, simple, summary_table, train};
use crate::kernels::strict as function;
use crate::tree::{Aggregate, Entry, Kernel, Kind, Param, Row, State};

const BOOL: Param = Param::of(LogicalType::Boolean);
const INT2: Param = Param::of(LogicalType::Int2);
pub(super) const INT4: Param = Param::of(LogicalType::Int4);
const INT8: Param = Param::of(LogicalType::Int8);
const NUM: Param = Param::of(LogicalType::Numeric);
const FLOAT4: Param = Param::of(LogicalType::Float4);
pub(super) const FLOAT8: Param = Param::of(LogicalType::Float8);
pub(super) const TEXT: Param = Param::of(LogicalType::Text);
pub(super) const BYTEA: Param = Param::of(LogicalType::Bytea);
const SPAN: Param = Param::of(LogicalType::Interval);
pub(super) const ANY: Param = Param::ANY;
const ELEMENT: Param = Param::ELEMENT;

type Step = fn(&mut State, &Row<'_>) -> Result<()>;
type Finish = fn(&State, LogicalType) -> Result<Value>;

pub(super) const PLAIN: Aggregate = Aggregate {
    kind: Kind::Plain,
    depends_on_order: false,
    step: simple::any_value,
    finish: simple::kept,
};

/// NULLs are left out, and the order of rows does not matter.
pub(super) const fn strict(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    step: Step,
    finish: Finish,
) -> Entry {
    let aggregate = Aggregate {
        step,
        finish,
        ..PLAIN
    };
    function(name, args, result, Kernel::Aggregate(aggregate))
}

/// NULLs are left out, and the order of rows matters.
pub(super) const fn in_order(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    step: Step,
    finish: Finish,
) -> Entry {
    let aggregate = Aggregate {
        depends_on_order: true,
        step,
        finish,
        ..PLAIN
    };
    function(name, args, result, Kernel::Aggregate(aggregate))
}

/// NULLs are taken in, and the order of rows matters.
const fn all(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    step: Step,
    finish: Finish,
) -> Entry {
    Entry {
        strict: false,
        ..in_order(name, args, result, step, finish)
    }
}

/// Doubles, whose sums hang on the order of the rows.
const fn doubles(name: &'static str, args: &'static [Param], finish: Finish) -> Entry {
    let step = match args.len() {
        1 => moments::add_double,
        _ => moments::add_pair,
    };
    in_order(name, args, FLOAT8, step, finish)
}

const fn pairs(name: &'static str, finish: Finish) -> Entry {
    doubles(name, &[FLOAT8, FLOAT8], finish)
}

const fn exact(name: &'static str, args: &'static [Param], finish: Finish) -> Entry {
    strict(name, args, NUM, moments::add_decimal, finish)
}

const fn within_group(
    name: &'static str,
    args: &'static [Param],
    result: Param,
    finish: Finish,
) -> Entry {
    let (step, direct): (Step, usize) = match args.len() {
        1 => (ordered::values, 0),
        _ => (ordered::with_direct, 1),
    };
    let aggregate = Aggregate {
        kind: Kind::OrderedSet(direct),
        depends_on_order: true,
        step,
        finish,
    };
    Entry {
        strict: false,
        ..function(name, args, result, Kernel::Aggregate(aggregate))
    }
}

const fn hypothetical(name: &'static str, result: Param, finish: Finish) -> Entry {
    let aggregate = Aggregate {
        kind: Kind::Hypothetical,
        depends_on_order: true,
        step: ordered::compare_row,
        finish,
    };
    Entry {
        strict: false,
        variadic: true,
        ..function(name, &[ANY], result, Kernel::Aggregate(aggregate))
    }
}

/// A measure of variation for each type of number.
macro_rules! variation {
    ($name:literal, $exact:ident, $double:ident) => {
        [
            exact($name, &[INT2], moments::$exact),
            exact($name, &[INT4], moments::$exact),
            exact($name, &[INT8], moments::$exact),
            exact($name, &[NUM], moments::$exact),
            doubles($name, &[FLOAT4], moments::$double),
            doubles($name, &[FLOAT8], moments::$double),
        ]
    };
}

static VARIATIONS: [[Entry; 6]; 6] = [
    variation!("stddev", exact_stddev_samp, stddev_samp),
    variation!("stddev_samp", exact_stddev_samp, stddev_samp),
    variation!("stddev_pop", exact_stddev_pop, stddev_pop),
    variation!("variance", exact_var_samp, var_samp),
    variation!("var_samp", exact_var_samp, var_samp),
    variation!("var_pop", exact_var_pop, var_pop),
];

macro_rules! bits {
    ($name:literal, $step:ident) => {
        [
            strict($name, &[INT2], INT2, simple::$step, simple::kept),
            strict($name, &[INT4], INT4, simple::$step, simple::kept),
            strict($name, &[INT8], INT8, simple::$step, simple::kept),
        ]
    };
}

static BITS: [[Entry; 3]; 3] = [
    bits!("bit_and", bit_and),
    bits!("bit_or", bit_or),
    bits!("bit_xor", bit_xor),
];

static OTHERS: &[Entry] = &[
    strict("bool_and", &[BOOL], BOOL, simple::bool_and, simple::kept),
    strict("every", &[BOOL], BOOL, simple::bool_and, simple::kept),
    strict("bool_or", &[BOOL], BOOL, simple::bool_or, simple::kept),
    strict(
        "sum",
        &[SPAN],
        SPAN,
        simple::add_interval,
        simple::sum_of_intervals,
    ),
    strict(
        "avg",
        &[SPAN],
        SPAN,
        simple::add_interval,
        simple::mean_of_intervals,
    ),
    in_order(
        "any_value",
        &[ELEMENT],
        ELEMENT,
        simple::any_value,
        simple::kept,
    ),
    all(
        "first",
        &[ELEMENT, ANY],
        ELEMENT,
        simple::first,
        simple::kept,
    ),
    all("last", &[ELEMENT, ANY], ELEMENT, simple::last, simple::kept),
    all(
        "array_agg",
        &[Param::NON_ARRAY],
        Param::ARRAY_OF_ELEMENT,
        collect::push,
        collect::array,
    ),
    all(
        "array_agg",
        &[Param::ARRAY_OF_ELEMENT],
        Param::ARRAY_OF_ELEMENT,
        collect::push_array,
        collect::stacked,
    ),
    all(
        "string_agg",
        &[TEXT, TEXT],
        TEXT,
        collect::string_agg,
        collect::joined,
    ),
    all(
        "string_agg",
        &[BYTEA, BYTEA],
        BYTEA,
        collect::string_agg_bytes,
        collect::joined,
    ),
    in_order(
        "zstd_train_dict",
        &[TEXT, INT8, INT8],
        BYTEA,
        train::offer,
        train::dictionary,
    ),
    in_order(
        "zstd_train_dict",
        &[BYTEA, INT8, INT8],
        BYTEA,
        train::offer,
        train::dictionary,
    ),
    strict(
        "histogram",
        &[FLOAT8, FLOAT8, FLOAT8, INT4],
        INT4.array(),
        collect::histogram,
        collect::counts,
    ),
    pairs("corr", moments::corr),
    pairs("covar_pop", moments::covar_pop),
    pairs("covar_samp", moments::covar_samp),
    pairs("regr_avgx", moments::regr_avgx),
    pairs("regr_avgy", moments::regr_avgy),
    in_order(
        "regr_count",
        &[FLOAT8, FLOAT8],
        INT8,
        moments::add_pair,
        moments::regr_count,
    ),
    pairs("regr_intercept", moments::regr_intercept),
    pairs("regr_r2", moments::regr_r2),
    pairs("regr_slope", moments::regr_slope),
    pairs("regr_sxx", moments::regr_sxx),
    pairs("regr_sxy", moments::regr_sxy),
    pairs("regr_syy", moments::regr_syy),
    within_group("mode", &[ELEMENT], ELEMENT, ordered::mode),
    within_group(
        "percentile_cont",
        &[FLOAT8, FLOAT8],
        FLOAT8,
        ordered::percentile_cont,
    ),
    within_group(
        "percentile_cont",
        &[FLOAT8, SPAN],
        SPAN,
        ordered::percentile_cont,
    ),
    within_group(
        "percentile_cont",
        &[FLOAT8.array(), FLOAT8],
        FLOAT8.array(),
        ordered::percentile_cont,
    ),
    within_group(
        "percentile_cont",
        &[FLOAT8.array(), SPAN],
        SPAN.array(),
        ordered::percentile_cont,
    ),
    within_group(
        "percentile_disc",
        &[FLOAT8, ELEMENT],
        ELEMENT,
        ordered::percentile_disc,
    ),
    within_group(
        "percentile_disc",
        &[FLOAT8.array(), ELEMENT],
        Param::ARRAY_OF_ELEMENT,
        ordered::percentile_disc,
    ),
    hypothetical("rank", INT8, ordered::rank),
    hypothetical("dense_rank", INT8, ordered::dense_rank),
    hypothetical("percent_rank", FLOAT8, ordered::percent_rank),
    hypothetical("cume_dist", FLOAT8, ordered::cume_dist),
];

const fn pairs_of(name: &'static str, result: Param, step: Step, finish: Finish) -> Entry {
    all(name, &[ANY, ANY], result, step, finish)
}

const JSON: Param = Param::of(LogicalType::Json);
const JSONB: Param = Param::of(LogicalType::Jsonb);

/// PostgreSQL's, and SQLite's `json_group_...`.
static OF_JSON: &[Entry] = &[
    all("json_agg", &[ELEMENT], JSON, json::add_text, json::array),
    all("jsonb_agg", &[ELEMENT], JSONB, json::add_jsonb, json::array),
    all(
        "json_group_array",
        &[ELEMENT],
        JSON,
        json::add_text,
        json::array,
    ),
    in_order(
        "json_agg_strict",
        &[ELEMENT],
        JSON,
        json::add_text,
        json::array,
    ),
    in_order(
        "jsonb_agg_strict",
        &[ELEMENT],
        JSONB,
        json::add_jsonb,
        json::array,
    ),
    pairs_of("json_object_agg", JSON, json::add_pair, json::all_pairs),
    pairs_of(
        "jsonb_object_agg",
        JSONB,
        json::add_jsonb_pair,
        json::all_pairs,
    ),
    pairs_of("json_group_object", JSON, json::add_pair, json::all_pairs),
    pairs_of(
        "json_object_agg_strict",
        JSON,
        json::add_pair_strict,
        json::all_pairs,
    ),
    pairs_of(
        "jsonb_object_agg_strict",
        JSONB,
        json::add_jsonb_pair_strict,
        json::all_pairs,
    ),
    pairs_of(
        "json_object_agg_unique",
        JSON,
        json::add_pair,
        json::unique_object,
    ),
    pairs_of(
        "jsonb_object_agg_unique",
        JSONB,
        json::add_jsonb_pair,
        json::unique_object,
    ),
    pairs_of(
        "json_object_agg_unique_strict",
        JSON,
        json::add_unique_pair,
        json::unique_object,
    ),
    pairs_of(
        "jsonb_object_agg_unique_strict",
        JSONB,
        json::add_unique_jsonb_pair,
        json::unique_object,
    ),
];

/// All rows of the table.
pub(crate) fn aggregates() -> impl Iterator<Item = &'static Entry> {
    let numbers = VARIATIONS.iter().flatten().chain(BITS.iter().flatten());
    let others = OTHERS.iter().chain(OF_JSON);
    numbers.chain(others).chain(summary_table::ROWS)
}

/// The rows of the table with this name.
pub(crate) fn aggregates_of(name: &str) -> impl Iterator<Item = &'static Entry> {
    aggregates().filter(move |entry| entry.name == name)
}
