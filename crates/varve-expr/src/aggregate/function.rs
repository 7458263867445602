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

    /// The type of the result: small integers sum to bigint, bigint to numeric; averages of
    /// doubles are doubles, all others numeric.
    pub fn result_type(self) -> LogicalType {
        use LogicalType::{Float4, Float8, Int2, Int4, Int8, Numeric};
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => Int8,
            AggregateFunction::Sum(Int2 | Int4) => Int8,
            AggregateFunction::Sum(ty @ (Float4 | Float8)) => ty,
            AggregateFunction::Avg(Float4 | Float8) => Float8,
            AggregateFunction::Sum(_) | AggregateFunction::Avg(_) => Numeric,
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
