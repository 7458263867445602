//! Which aggregate a call means.

use varve_types::{Error, LogicalType, Result, SqlState};

use super::function::{AggregateFunction, ListedAggregate};
use super::table::{aggregates, aggregates_of};
use crate::Arguments;
use crate::resolve::{ambiguous, placed, resolve_among, unknown};
use crate::tree::{Aggregate, Entry, Kernel, Kind};

use LogicalType as T;

/// The arguments of an aggregate as a call has them.
#[derive(Clone, Copy, Debug)]
pub enum AggregateArgs<'a> {
    /// `f(*)`
    Star,
    /// `f(a, b)`; `None` is an argument whose type is not known yet.
    List(&'a [Option<LogicalType>]),
    /// `f(a) WITHIN GROUP (ORDER BY b)`: so many before WITHIN GROUP, then those of its ORDER BY.
    WithinGroup(&'a [Option<LogicalType>], usize),
}

const COMMON: [&str; 5] = ["count", "sum", "avg", "min", "max"];

/// The names of all aggregates; one may come more than once.
pub(crate) fn aggregate_names() -> impl Iterator<Item = &'static str> {
    COMMON
        .into_iter()
        .chain(aggregates().map(|entry| entry.name))
}

/// Whether a name is an aggregate's; those that are also a window function's are so only with
/// WITHIN GROUP.
pub fn is_aggregate(name: &str, within_group: bool) -> bool {
    let is_called = |entry: &Entry| within_group || aggregate_of(entry).kind != Kind::Hypothetical;
    COMMON.contains(&name) || aggregates_of(name).any(is_called)
}

fn aggregate_of(entry: &Entry) -> Aggregate {
    match entry.kernel {
        Kernel::Aggregate(aggregate) => aggregate,
        _ => super::table::PLAIN,
    }
}

/// The aggregate that a call of `name` means, or `None` when it is no aggregate's name.
pub fn resolve_aggregate(
    name: &str,
    args: AggregateArgs<'_>,
    position: u32,
) -> Result<Option<AggregateFunction>> {
    let (types, direct) = match args {
        AggregateArgs::Star if name == "count" => return Ok(Some(AggregateFunction::CountStar)),
        AggregateArgs::Star => (&[][..], None),
        AggregateArgs::List(types) => (types, None),
        AggregateArgs::WithinGroup(types, direct) => (types, Some(direct)),
    };
    if !is_aggregate(name, direct.is_some()) {
        return Ok(None);
    }
    let found = match (common(name, types), direct) {
        (Some(function), None) => Ok(function),
        _ => listed(name, types, direct).map(AggregateFunction::Listed),
    };
    found.map(Some).map_err(|error| placed(error, position))
}

/// The aggregates that whole columns are computed by.
fn common(name: &str, types: &[Option<LogicalType>]) -> Option<AggregateFunction> {
    use AggregateFunction::{Avg, Count, Max, Min, Sum};
    let [argument] = types else {
        return None;
    };
    if name == "count" {
        return Some(Count);
    }
    let number = argument.filter(|ty| ty.is_numeric());
    let ordered = match argument {
        None | Some(T::Varchar | T::Name) => Some(T::Text),
        Some(T::Json) => None,
        Some(ty) => Some(*ty),
    };
    match name {
        "sum" => number.map(Sum),
        "avg" => number.map(Avg),
        "min" => ordered.map(Min),
        "max" => ordered.map(Max),
        _ => None,
    }
}

fn listed(
    name: &str,
    types: &[Option<LogicalType>],
    direct: Option<usize>,
) -> Result<ListedAggregate> {
    let args = Arguments {
        types,
        ..Arguments::default()
    };
    let kind = aggregates_of(name).next().map(aggregate_of);
    let kind = kind.map_or(Kind::Plain, |aggregate| aggregate.kind);
    let wrong = |message: String| Err(Error::new(SqlState::WRONG_OBJECT_TYPE, message));
    match (kind, direct) {
        (Kind::Plain, Some(_)) => {
            if common(name, types).is_none() {
                resolve_among(&mut aggregates_of(name), name, args, false)?;
            }
            let message = "is not an ordered-set aggregate, so it cannot have WITHIN GROUP";
            return wrong(format!("{name} {message}"));
        }
        (Kind::OrderedSet(wanted), None) if types.len() != wanted + 1 => {
            return Err(unknown(name, args, false));
        }
        (Kind::OrderedSet(_), None) => {
            return wrong(format!(
                "WITHIN GROUP is required for ordered-set aggregate {name}"
            ));
        }
        (Kind::Hypothetical, Some(direct)) if 2 * direct != types.len() => {
            let ordered = types.len().saturating_sub(direct);
            let hint = format!(
                "To use the hypothetical-set aggregate {name}, the number of hypothetical direct \
                 arguments (here {direct}) must match the number of ordering columns (here \
                 {ordered})."
            );
            return Err(unknown(name, args, false).with_hint(hint));
        }
        _ => {}
    }
    // Numbers and intervals can be summed up, so that a literal may be either.
    if let ("sum" | "avg", [None]) = (name, types) {
        return Err(ambiguous(name, args, false));
    }
    let takes_direct = |entry: &&Entry| match aggregate_of(entry).kind {
        Kind::Hypothetical => direct.is_some_and(|direct| 2 * direct == types.len()),
        Kind::OrderedSet(wanted) => Some(wanted) == direct,
        Kind::Plain => true,
    };
    let mut known = aggregates_of(name).filter(takes_direct);
    let (function, _) = resolve_among(&mut known, name, args, false)?;
    Ok(ListedAggregate {
        function,
        aggregate: aggregate_of(function.entry),
    })
}
