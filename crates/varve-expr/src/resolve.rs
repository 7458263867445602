//! Overload resolution and the rules of implicit conversion, as in PostgreSQL.

use varve_types::{Error, LogicalType, Result, SqlState};

use crate::function::{Entry, entries};
use crate::kernels::SETS;
use crate::{AggregateFunction, Function};

use LogicalType as T;

/// The function that `name(args)` means; `None` is an argument whose type is not known yet (a
/// string literal, NULL or a parameter).
pub fn resolve_function(
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
) -> Result<Function> {
    if !matches!(name, "greatest" | "least") {
        return resolve(name, args, position, false);
    }
    let Some(common) = common_type(args) else {
        let names: Vec<&str> = args.iter().flatten().map(|ty| ty.name()).collect();
        let (name, names) = (name.to_ascii_uppercase(), names.join(" and "));
        let message = format!("{name} types {names} cannot be matched");
        return Err(placed(
            Error::new(SqlState::DATATYPE_MISMATCH, message),
            position,
        ));
    };
    resolve(name, &vec![Some(common); args.len()], position, false)
}

/// The operator that `op` means: one argument for a prefix operator, two for an infix one.
///
/// Arithmetic `+ - * / % ^`, `||`, and `~~ !~~ ~~* !~~*` for LIKE, NOT LIKE, ILIKE, NOT ILIKE.
pub fn resolve_operator(op: &str, args: &[Option<LogicalType>], position: u32) -> Result<Function> {
    if op == "||" && args.iter().all(|arg| arg.is_some_and(|ty| !ty.is_string())) {
        return Err(placed(unknown(op, args, true), position));
    }
    resolve(op, args, position, true)
}

/// The set-returning function that `name(args)` means.
pub fn resolve_set_function(
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
) -> Result<Function> {
    resolve_among(SETS.iter(), name, args, position, false)
}

fn resolve(
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
    is_operator: bool,
) -> Result<Function> {
    resolve_among(entries(), name, args, position, is_operator)
}

fn resolve_among(
    entries: impl Iterator<Item = &'static Entry>,
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
    is_operator: bool,
) -> Result<Function> {
    let fitting = entries
        .filter(|entry| entry.name == name && is_operator == Function(entry).is_operator())
        .filter(|entry| accepts(entry, args))
        .collect();
    match choose(fitting, args, is_operator) {
        Choice::One(entry) => Ok(Function(entry)),
        Choice::None => Err(placed(unknown(name, args, is_operator), position)),
        Choice::Many => Err(placed(ambiguous(name, args, is_operator), position)),
    }
}

fn accepts(entry: &'static Entry, args: &[Option<LogicalType>]) -> bool {
    let arity_fits = if entry.variadic {
        !args.is_empty()
    } else {
        args.len() == entry.args.len()
    };
    arity_fits
        && args.iter().enumerate().all(|(i, arg)| {
            match (arg, Function(entry).arg_type(i)) {
                (Some(from), Some(to)) => {
                    // Anything concatenates with text, by way of its text form.
                    implicit_cast_allowed(*from, to) || (entry.name == "||" && to == T::Text)
                }
                _ => true,
            }
        })
}

enum Choice {
    One(&'static Entry),
    None,
    Many,
}

/// PostgreSQL's rules in their order: exact match, most exact arguments, preferred types, then what
/// unknown arguments would rather be, then unknown arguments of the type of the others.
fn choose(
    mut left: Vec<&'static Entry>,
    args: &[Option<LogicalType>],
    is_operator: bool,
) -> Choice {
    let known: Vec<LogicalType> = args.iter().copied().flatten().collect();
    let same = known
        .first()
        .filter(|first| known.iter().all(|ty| ty == *first));
    // An operator with one unknown side is first tried with both sides of one type.
    let assumed = same.copied().filter(|_| is_operator && args.len() == 2);
    let is_exact = |entry: &'static Entry| {
        args.iter().enumerate().all(|(i, arg)| {
            let arg = arg.or(assumed);
            arg.is_some() && arg == Function(entry).arg_type(i)
        })
    };
    if let Some(found) = left.iter().find(|entry| is_exact(entry)) {
        return Choice::One(found);
    }
    keep_best(&mut left, args, |from, to| from == Some(to));
    keep_best(&mut left, args, |from, to| {
        from.is_some_and(|from| from == to || to.is_preferred())
    });
    for (i, _) in args.iter().enumerate().filter(|(_, arg)| arg.is_none()) {
        prefer_for_unknown(&mut left, i);
    }
    if let (Some(same), true) = (same, left.len() > 1) {
        keep_best(&mut left, &vec![Some(*same); args.len()], |from, to| {
            from == Some(to)
        });
    }
    match left.as_slice() {
        [] => Choice::None,
        [one] => Choice::One(one),
        _ => Choice::Many,
    }
}

/// Keeps the entries with the most arguments for which `scores(argument, parameter)` holds.
fn keep_best(
    left: &mut Vec<&'static Entry>,
    args: &[Option<LogicalType>],
    scores: impl Fn(Option<LogicalType>, LogicalType) -> bool,
) {
    let score = |entry: &'static Entry| {
        let pairs = args.iter().enumerate();
        pairs
            .filter(|(i, arg)| {
                Function(entry)
                    .arg_type(*i)
                    .is_some_and(|to| scores(**arg, to))
            })
            .count()
    };
    let best = left.iter().map(|entry| score(entry)).max().unwrap_or(0);
    left.retain(|entry| score(entry) == best);
}

/// An unknown argument is text where a candidate takes text; else of the one category that all
/// candidates take there, as its preferred type where one takes that.
fn prefer_for_unknown(left: &mut Vec<&'static Entry>, i: usize) {
    let type_of = |entry: &&'static Entry| Function(entry).arg_type(i);
    if left.iter().any(|entry| type_of(entry) == Some(T::Text)) {
        return left.retain(|entry| type_of(entry) == Some(T::Text));
    }
    let mut categories: Vec<Option<u8>> = left
        .iter()
        .map(|entry| type_of(entry).map(LogicalType::category))
        .collect();
    categories.dedup();
    let takes_preferred =
        |entry: &&'static Entry| type_of(entry).is_some_and(LogicalType::is_preferred);
    if categories.len() == 1 && left.iter().any(takes_preferred) {
        left.retain(takes_preferred);
    }
}

fn signature(name: &str, args: &[Option<LogicalType>], is_operator: bool) -> String {
    let names: Vec<&str> = args
        .iter()
        .map(|arg| arg.map_or("unknown", LogicalType::name))
        .collect();
    match (is_operator, names.as_slice()) {
        (true, [right]) => format!("{name} {right}"),
        (true, [left, right]) => format!("{left} {name} {right}"),
        _ => format!("{name}({})", names.join(", ")),
    }
}

fn unknown(name: &str, args: &[Option<LogicalType>], is_operator: bool) -> Error {
    let asked = signature(name, args, is_operator);
    let message = if is_operator {
        format!("operator does not exist: {asked}")
    } else {
        format!("function {asked} does not exist")
    };
    let kind = if is_operator { "operator" } else { "function" };
    let mut hint = format!(
        "No {kind} matches the given name and argument types. You might need to add explicit type casts."
    );
    let known: Vec<String> = entries()
        .filter(|entry| entry.name == name)
        .map(|entry| {
            let args: Vec<_> = entry.args.iter().copied().map(Some).collect();
            signature(name, &args, is_operator)
        })
        .collect();
    if !known.is_empty() {
        hint.push_str(" There is: ");
        hint.push_str(&known.join("; "));
        hint.push('.');
    }
    Error::new(SqlState::UNDEFINED_FUNCTION, message).with_hint(hint)
}

fn ambiguous(name: &str, args: &[Option<LogicalType>], is_operator: bool) -> Error {
    let asked = signature(name, args, is_operator);
    let (kind, message) = if is_operator {
        ("operator", format!("operator is not unique: {asked}"))
    } else {
        ("function", format!("function {asked} is not unique"))
    };
    let hint = format!(
        "Could not choose a best candidate {kind}. You might need to add explicit type casts."
    );
    Error::new(SqlState::AMBIGUOUS_FUNCTION, message).with_hint(hint)
}

/// The aggregate that `name` means, or `None` when it is no aggregate's name. `argument` is `None`
/// for `count(*)`; `Some(None)` is an argument of unknown type.
pub fn resolve_aggregate(
    name: &str,
    argument: Option<Option<LogicalType>>,
    position: u32,
) -> Result<Option<AggregateFunction>> {
    type Make = fn(LogicalType) -> AggregateFunction;
    let (make, numbers_only): (Make, bool) = match name {
        "count" if argument.is_none() => return Ok(Some(AggregateFunction::CountStar)),
        "count" => return Ok(Some(AggregateFunction::Count)),
        "sum" => (AggregateFunction::Sum, true),
        "avg" => (AggregateFunction::Avg, true),
        "min" => (AggregateFunction::Min, false),
        "max" => (AggregateFunction::Max, false),
        _ => return Ok(None),
    };
    match argument {
        Some(Some(T::Varchar)) if !numbers_only => Ok(Some(make(T::Text))),
        Some(Some(ty)) if ty.is_numeric() || !numbers_only => Ok(Some(make(ty))),
        Some(None) if !numbers_only => Ok(Some(make(T::Text))),
        Some(None) => Err(placed(ambiguous(name, &[None], false), position)),
        other => {
            let args: Vec<_> = other.into_iter().collect();
            Err(placed(unknown(name, &args, false), position))
        }
    }
}

/// Whether an expression of type `from` may stand where `to` is wanted, without being asked.
pub fn implicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return implicit_cast_allowed(from.logical(), to.logical());
    }
    from == to
        || matches!(
            (from, to),
            (
                T::Int2,
                T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid
            ) | (
                T::Int4,
                T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid
            ) | (T::Int8, T::Float4 | T::Float8 | T::Numeric | T::Oid)
                | (T::Numeric, T::Float4 | T::Float8)
                | (T::Float4, T::Float8)
                | (T::Text | T::Varchar, T::Bpchar)
                | (T::Text | T::Bpchar, T::Varchar)
                | (T::Varchar | T::Bpchar, T::Text)
                | (T::Date, T::Timestamp | T::TimestampTz)
                | (T::Timestamp, T::TimestampTz)
                | (T::Time, T::Interval)
        )
}

/// Whether a value of type `from` may be stored in a column of type `to`.
pub fn assignment_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return assignment_cast_allowed(from.logical(), to.logical());
    }
    implicit_cast_allowed(from, to)
        || to.is_string()
        || matches!(
            (from, to),
            (
                T::Int4 | T::Int8 | T::Float4 | T::Float8 | T::Numeric,
                T::Int2
            ) | (
                T::Int8 | T::Float4 | T::Float8 | T::Numeric | T::Oid,
                T::Int4
            ) | (T::Float4 | T::Float8 | T::Numeric | T::Oid, T::Int8)
                | (T::Float4 | T::Float8, T::Numeric)
                | (T::Float8, T::Float4)
                | (T::Timestamp, T::Date | T::Time)
                | (T::TimestampTz, T::Date | T::Timestamp | T::Time)
                | (T::Interval, T::Time)
                | (T::Json, T::Jsonb)
                | (T::Jsonb, T::Json)
        )
}

/// Whether `CAST` converts `from` to `to`.
pub fn explicit_cast_allowed(from: LogicalType, to: LogicalType) -> bool {
    if let (T::Array(from), T::Array(to)) = (from, to) {
        return explicit_cast_allowed(from.logical(), to.logical());
    }
    assignment_cast_allowed(from, to)
        || from.is_string()
        || matches!(
            (from, to),
            (T::Boolean, T::Int4)
                | (T::Int4, T::Boolean)
                | (
                    T::Jsonb,
                    T::Boolean | T::Numeric | T::Int2 | T::Int4 | T::Int8 | T::Float4 | T::Float8
                )
        )
}

/// The type of a CASE, COALESCE, IN, VALUES column or comparison over arguments of these types;
/// `None` where they do not go together. Arguments of unknown type follow the others; text where
/// all are unknown.
pub fn common_type(types: &[Option<LogicalType>]) -> Option<LogicalType> {
    let mut known = types.iter().copied().flatten();
    let Some(mut common) = known.next() else {
        return Some(T::Text);
    };
    for ty in known {
        let (up, down) = (
            implicit_cast_allowed(common, ty),
            implicit_cast_allowed(ty, common),
        );
        if up && !down {
            common = ty;
        } else if !down {
            return None;
        }
    }
    Some(common)
}

fn placed(error: Error, position: u32) -> Error {
    if position > 0 {
        error.at(position)
    } else {
        error
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
