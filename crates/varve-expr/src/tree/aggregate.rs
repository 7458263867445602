//! What a row of the table of aggregates adds to that of a function.

use varve_types::{LogicalType, Result, Value};

use super::row::Row;
use super::state::State;

/// An aggregate that takes row by row; a strict one those without NULLs among the arguments.
#[derive(Clone, Copy)]
pub(crate) struct Aggregate {
    pub(crate) kind: Kind,
    pub(crate) depends_on_order: bool,
    /// Takes a row of arguments in.
    pub(crate) step: fn(&mut State, &Row<'_>) -> Result<()>,
    /// The result, of this type, of the rows that were taken in.
    pub(crate) finish: fn(&State, LogicalType) -> Result<Value>,
}

/// How it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `f(x)`
    Plain,
    /// `f(direct) WITHIN GROUP (ORDER BY x)`: the arguments are so many direct ones, then those
    /// that are ordered by, in whose order the rows come.
    OrderedSet(usize),
    /// `f(a, b) WITHIN GROUP (ORDER BY x, y)`: the arguments are those of the hypothetical row, as
    /// many that are ordered by, and the directions as a bigint.
    Hypothetical,
}
