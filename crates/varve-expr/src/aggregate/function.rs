//! Which aggregates there are.

use varve_types::{LogicalType, Value};

use super::Accumulator;
use crate::tree::{Aggregate, Function, Kind};

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
    /// One of the table of aggregates.
    Listed(ListedAggregate),
}

/// A row of the table of aggregates with the types of a call.
#[derive(Clone, Copy)]
pub struct ListedAggregate {
    pub(crate) function: Function,
    pub(crate) aggregate: Aggregate,
}

impl PartialEq for ListedAggregate {
    fn eq(&self, other: &ListedAggregate) -> bool {
        self.function == other.function
    }
}

impl Eq for ListedAggregate {}

impl core::fmt::Debug for ListedAggregate {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.function.fmt(f)
    }
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
            AggregateFunction::Listed(listed) => listed.function.name(),
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
            AggregateFunction::Listed(listed) => listed.function.result_type(),
        }
    }

    /// The type that argument `index` must have; `None` where any is taken, or none.
    pub fn argument_type(self, index: usize) -> Option<LogicalType> {
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => None,
            AggregateFunction::Sum(ty)
            | AggregateFunction::Avg(ty)
            | AggregateFunction::Min(ty)
            | AggregateFunction::Max(ty) => Some(ty),
            AggregateFunction::Listed(listed) => listed.function.arg_type(index),
        }
    }

    /// Whether the result depends on the order of the rows.
    pub fn depends_on_order(self) -> bool {
        match self {
            AggregateFunction::Sum(ty) | AggregateFunction::Avg(ty) => {
                matches!(ty, LogicalType::Float4 | LogicalType::Float8)
            }
            AggregateFunction::Listed(listed) => listed.aggregate.depends_on_order,
            _ => false,
        }
    }

    /// Where only the rows with the greatest (true) or least value of an argument decide the
    /// result: which argument that is.
    pub fn decided_by(&self) -> Option<(usize, bool)> {
        match self {
            AggregateFunction::Max(_) => Some((0, true)),
            AggregateFunction::Min(_) => Some((0, false)),
            AggregateFunction::Listed(listed) => match listed.function.name() {
                "last" => Some((1, true)),
                "first" => Some((1, false)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether it wants the sum, and whether the extremes, of rows of which a summary is known;
    /// `None` where it must see the rows.
    pub fn wants_of_summary(self) -> Option<(bool, bool)> {
        use LogicalType::{Int2, Int4, Int8};
        match self {
            AggregateFunction::CountStar | AggregateFunction::Count => Some((false, false)),
            AggregateFunction::Sum(Int2 | Int4 | Int8)
            | AggregateFunction::Avg(Int2 | Int4 | Int8) => Some((true, false)),
            AggregateFunction::Min(_) | AggregateFunction::Max(_) => Some((false, true)),
            _ => None,
        }
    }

    /// How many arguments stand in parentheses before WITHIN GROUP; `None` of what does not take
    /// it, and all of them of a hypothetical row.
    pub fn direct_arguments(self) -> Option<usize> {
        match self {
            AggregateFunction::Listed(listed) => match listed.aggregate.kind {
                Kind::Plain => None,
                Kind::OrderedSet(direct) => Some(direct),
                Kind::Hypothetical => Some(usize::MAX),
            },
            _ => None,
        }
    }

    /// What it is over no rows.
    pub fn over_nothing(self) -> Value {
        let result = Accumulator::new(self).finish(1);
        result.map_or(Value::Null, |column| column.value(0))
    }
}
