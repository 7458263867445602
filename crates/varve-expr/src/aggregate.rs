//! Aggregates.

use varve_types::{Column, Error, LogicalType, Result};

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

/// The running state of one aggregate for many groups.
#[derive(Clone, Debug)]
pub struct Accumulator {
    function: AggregateFunction,
}

impl Accumulator {
    /// No groups yet.
    pub fn new(function: AggregateFunction) -> Accumulator {
        Accumulator { function }
    }

    /// Adds rows: row `i` belongs to group `groups[i]`, below `group_count`. `argument` is `None` for `count(*)`.
    pub fn update(
        &mut self,
        groups: &[u32],
        group_count: usize,
        argument: Option<&Column>,
    ) -> Result<()> {
        let _ = (groups, group_count, argument);
        Err(Error::unsupported(self.function.name()))
    }

    /// One row a group.
    pub fn finish(self, group_count: usize) -> Result<Column> {
        let _ = group_count;
        Err(Error::unsupported(self.function.name()))
    }

    /// Bytes that the state takes.
    pub fn memory_bytes(&self) -> usize {
        size_of::<Accumulator>()
    }
}
