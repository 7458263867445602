//! Which aggregates there are.

use varve_types::LogicalType;

/// An aggregate with the type of its argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    /// `count(*)`
    CountStar,
    /// `count(x)`
    Count,
    /// `sum(x)`
    Sum(LogicalType),
    /// `avg(x)`
    Avg(LogicalType),
    /// `min(x)`
    Min(LogicalType),
    /// `max(x)`
    Max(LogicalType),
}

impl AggregateFunction {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => "count",
            AggregateFunction::Sum(_) => "sum",
            AggregateFunction::Avg(_) => "avg",
            AggregateFunction::Min(_) => "min",
            AggregateFunction::Max(_) => "max",
        }
    }

    /// The type of the result: integers sum to bigint, every average is double precision.
    pub fn result_type(self) -> LogicalType {
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => LogicalType::Int8,
            AggregateFunction::Sum(LogicalType::Float8) | AggregateFunction::Avg(_) => {
                LogicalType::Float8
            }
            AggregateFunction::Sum(_) => LogicalType::Int8,
            AggregateFunction::Min(ty) | AggregateFunction::Max(ty) => ty,
        }
    }

    /// The type that the argument must have; `None` where any is taken, or none.
    pub fn argument_type(self) -> Option<LogicalType> {
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => None,
            AggregateFunction::Sum(ty)
            | AggregateFunction::Avg(ty)
            | AggregateFunction::Min(ty)
            | AggregateFunction::Max(ty) => Some(ty),
        }
    }
}
