//! Window functions in plans.

use varve_expr::{AggregateFunction, Expr};
use varve_types::LogicalType;

use crate::plan::{Plan, SortKeyExpr};

/// Calls over one partitioning and order.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowNode {
    /// Input.
    pub input: Box<Plan>,
    /// PARTITION BY; NULLs are equal.
    pub partition: Vec<Expr>,
    /// ORDER BY.
    pub order: Vec<SortKeyExpr>,
    /// The calls.
    pub calls: Vec<WindowCall>,
}

/// A window function's call.
#[derive(Clone, Debug, PartialEq)]
pub struct WindowCall {
    /// Which one.
    pub function: WindowFunction,
    /// Arguments over the input.
    pub args: Vec<Expr>,
    /// `FILTER (WHERE ...)`, for aggregates.
    pub filter: Option<Expr>,
    /// The frame.
    pub frame: Frame,
    /// The type of the result.
    pub ty: LogicalType,
    /// Where the call stands, for errors.
    pub position: u32,
}

/// The functions of windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WindowFunction {
    /// `row_number()`
    RowNumber,
    /// `rank()`
    Rank,
    /// `dense_rank()`
    DenseRank,
    /// `percent_rank()`
    PercentRank,
    /// `cume_dist()`
    CumeDist,
    /// `ntile(n)`
    Ntile,
    /// `lag(x, offset, default)`
    Lag,
    /// `lead(x, offset, default)`
    Lead,
    /// `first_value(x)`
    FirstValue,
    /// `last_value(x)`
    LastValue,
    /// `nth_value(x, n)`
    NthValue,
    /// An aggregate over the frame.
    Aggregate(AggregateFunction),
}

/// What a frame counts in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnits {
    /// Rows.
    Rows,
    /// Differences of the one order column.
    Range,
    /// Groups of peers.
    Groups,
}

/// Where a frame starts or ends.
#[derive(Clone, Debug, PartialEq)]
pub enum FrameBound {
    /// UNBOUNDED PRECEDING
    First,
    /// `x PRECEDING`; without column references.
    Preceding(Expr),
    /// CURRENT ROW
    Current,
    /// `x FOLLOWING`; without column references.
    Following(Expr),
    /// UNBOUNDED FOLLOWING
    Last,
}

/// Rows of the frame that are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameExclusion {
    /// None.
    NoOthers,
    /// The current row.
    CurrentRow,
    /// The current row and its peers.
    Group,
    /// The peers of the current row.
    Ties,
}

/// The rows around a row that its result is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// What bounds count in.
    pub units: FrameUnits,
    /// The first row.
    pub start: FrameBound,
    /// The last row.
    pub end: FrameBound,
    /// What is left out.
    pub exclusion: FrameExclusion,
}

impl Default for Frame {
    /// From the start of the partition to the last peer of the row.
    fn default() -> Frame {
        Frame {
            units: FrameUnits::Range,
            start: FrameBound::First,
            end: FrameBound::Current,
            exclusion: FrameExclusion::NoOthers,
        }
    }
}

impl WindowFunction {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            WindowFunction::RowNumber => "row_number",
            WindowFunction::Rank => "rank",
            WindowFunction::DenseRank => "dense_rank",
            WindowFunction::PercentRank => "percent_rank",
            WindowFunction::CumeDist => "cume_dist",
            WindowFunction::Ntile => "ntile",
            WindowFunction::Lag => "lag",
            WindowFunction::Lead => "lead",
            WindowFunction::FirstValue => "first_value",
            WindowFunction::LastValue => "last_value",
            WindowFunction::NthValue => "nth_value",
            WindowFunction::Aggregate(function) => function.name(),
        }
    }
}
