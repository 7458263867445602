//! Bound expressions: the one function table (signature and kernel), casts, aggregates and constant
//! folding over columns. It knows nothing of SQL text, tables or storage.
//!
//! Invariant: an expression is evaluated for the chosen rows only; a row that is not reached raises
//! no error.
//! Invariant: integer arithmetic is checked, and transcendental functions come from `libm`, so that
//! native and wasm builds answer with the same bits.
//! Invariant: what [`format_value`] writes, [`parse_value`] reads back as the same value.

#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::string_slice,
        reason = "test values are small"
    )
)]

mod aggregate;
mod cast;
mod conversions;
mod datetime;
mod evaluate;
mod fold;
mod functions;
mod json;
mod json_spelling;
mod kernels;
mod listing;
mod numeral;
#[cfg(feature = "planted")]
pub mod planted;
mod regex;
mod resolve;
mod summary;
mod tree;

pub use aggregate::{
    Accumulator, AggregateArgs, AggregateFunction, ListedAggregate, RowGroups, is_aggregate,
    resolve_aggregate,
};
pub use cast::{
    cast_value, coerce_length, depends_on_time, format_value, is_immutable_cast, parse_value,
    parse_value_with_mod, reads_locale, write_cell, write_value,
};
pub use conversions::{
    assignment_cast_allowed, common_type, explicit_cast_allowed, implicit_cast_allowed,
};
pub use datetime::{Zone, check_date, check_timestamp};
pub use evaluate::{evaluate, evaluate_constant, evaluate_filter, set_rows};
pub use fold::{fold, fold_condition};
pub use functions::{
    FunctionFacts, function_facts, function_name, function_number, is_function, is_set_function,
    operator_named, repeats_any,
};
pub use json_spelling::same_value;
pub use kernels::shifted_value;
pub use listing::function_names;
pub use resolve::{Arguments, Slot, resolve_call, resolve_function, resolve_operator};
pub use tree::walk;
pub use tree::{
    AdvisoryCall, AdvisoryKey, AdvisoryLock, ByteaOutput, DEFAULT_LOCALE, DateOrder, DateStyle,
    EnumLabels, Enums, EvalContext, Expr, Function, Host, IntervalStyle, JobOrder, Locale, Names,
    NamesRef, Parameter, Parameters, Placeholder, RowCount, SequenceCall, SequenceRef, SetRows,
    Volatility, Zstd, ZstdForm, provide_zstd,
};
