//! Overload resolution, as in PostgreSQL.

use varve_types::{Error, LogicalType, Result, SqlState};

use crate::conversions::{common_type, implicit_cast_allowed};
use crate::functions::entries_of;
use crate::tree::{Binding, Entry, Function, Param, bind};

use LogicalType as T;

/// The arguments of a call as they are written; a type is `None` where it is not known yet (a
/// string literal, NULL or a parameter).
#[derive(Clone, Copy, Debug, Default)]
pub struct Arguments<'a> {
    /// Their types.
    pub types: &'a [Option<LogicalType>],
    /// The names of the last of them, for `name => value`.
    pub names: &'a [String],
    /// `VARIADIC` stands before the last.
    pub spread: bool,
}

/// What an argument of the function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The argument that was written at this place.
    Given(usize),
    /// This literal.
    Default(&'static str),
}

/// The function that `name(args)` means; `None` is an argument whose type is not known yet.
pub fn resolve_function(
    name: &str,
    args: &[Option<LogicalType>],
    position: u32,
) -> Result<Function> {
    let args = Arguments {
        types: args,
        ..Arguments::default()
    };
    resolve_call(name, args, position).map(|(function, _)| function)
}

/// The function that a call means, and what its arguments are.
pub fn resolve_call(
    name: &str,
    args: Arguments<'_>,
    position: u32,
) -> Result<(Function, Vec<Slot>)> {
    if matches!(name, "greatest" | "least") && common_type(args.types).is_none() {
        let names: Vec<String> = args
            .types
            .iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        let (name, names) = (name.to_ascii_uppercase(), names.join(" and "));
        let message = format!("{name} types {names} cannot be matched");
        return Err(placed(
            Error::new(SqlState::DATATYPE_MISMATCH, message),
            position,
        ));
    }
    resolve(name, args, position, false)
}

/// The operator that `op` means: one argument for a prefix operator, two for an infix one.
///
/// Arithmetic `+ - * / % ^`, `||`, and `~~ !~~ ~~* !~~*` for LIKE, NOT LIKE, ILIKE, NOT ILIKE.
pub fn resolve_operator(op: &str, args: &[Option<LogicalType>], position: u32) -> Result<Function> {
    let args = Arguments {
        types: args,
        ..Arguments::default()
    };
    resolve(op, args, position, true).map(|(function, _)| function)
}

/// A function that may be meant.
#[derive(Clone)]
struct Candidate {
    function: Function,
    slots: Vec<Slot>,
    /// The parameter of each argument that was written.
    params: Vec<Param>,
}

fn resolve(
    name: &str,
    args: Arguments<'_>,
    position: u32,
    is_operator: bool,
) -> Result<(Function, Vec<Slot>)> {
    let known = entries_of(name).iter().copied();
    let mut known = known.filter(|entry| entry.is_operator() == is_operator);
    resolve_among(&mut known, name, args, is_operator).map_err(|error| placed(error, position))
}

/// The row among these, all of one name, that a call means.
pub(crate) fn resolve_among(
    known: &mut dyn Iterator<Item = &'static Entry>,
    name: &str,
    args: Arguments<'_>,
    is_operator: bool,
) -> Result<(Function, Vec<Slot>)> {
    let fitting: Vec<Candidate> = known
        .filter_map(|entry| candidate(entry, args))
        .filter(|candidate| accepts(candidate, args.types) != Binding::Conflict)
        .collect();
    let error = match choose(fitting, args.types, is_operator) {
        Choice::One(mut chosen) => match accepts(&chosen, args.types) {
            Binding::Of(ty) => {
                chosen.function.bound = Some(ty);
                return Ok((chosen.function, chosen.slots));
            }
            Binding::Plain => return Ok((chosen.function, chosen.slots)),
            Binding::Unknown | Binding::Conflict => {
                return Err(Error::new(
                    SqlState::DATATYPE_MISMATCH,
                    "could not determine polymorphic type because input has type unknown",
                ));
            }
        },
        Choice::None => unknown(name, args, is_operator),
        Choice::Many => ambiguous(name, args, is_operator),
    };
    Err(error)
}

/// A row of the table as what a call means, by the number and names of the arguments.
fn candidate(entry: &'static Entry, args: Arguments<'_>) -> Option<Candidate> {
    let given = args.types.len();
    let wanted = entry.args.len();
    let mut slots: Vec<Slot> = (0..given).map(Slot::Given).collect();
    let repeats = entry.variadic && !args.spread;
    if args.spread && !entry.variadic {
        return None;
    }
    if !args.names.is_empty() || given < wanted {
        if repeats || given > wanted {
            return None;
        }
        let positional = given.checked_sub(args.names.len())?;
        slots.truncate(positional);
        for parameter in entry.names.get(positional..)? {
            let (name, default) = match parameter.split_once('=') {
                Some((name, default)) => (name, Some(default)),
                None => (*parameter, None),
            };
            let place = args.names.iter().position(|given| given == name);
            slots.push(match place {
                Some(place) => Slot::Given(positional + place),
                None => Slot::Default(default?),
            });
        }
        let used = slots.iter().filter(|slot| matches!(slot, Slot::Given(_)));
        if slots.len() != wanted || used.count() != given {
            return None;
        }
    } else if given > wanted && !repeats {
        return None;
    }
    let mut params = vec![Param::ANY; given];
    for (place, slot) in slots.iter().enumerate() {
        if let Slot::Given(index) = slot {
            let param = entry.param(place)?;
            let is_array = args.spread && place + 1 == wanted;
            *params.get_mut(*index)? = if is_array { param.spread() } else { param };
        }
    }
    let function = Function {
        entry,
        bound: None,
        spread: args.spread,
    };
    Some(Candidate {
        function,
        slots,
        params,
    })
}

/// Whether arguments of these types convert to the parameters, and what placeholders stand for.
fn accepts(candidate: &Candidate, args: &[Option<LogicalType>]) -> Binding {
    let pairs: Vec<(Param, Option<LogicalType>)> = candidate
        .params
        .iter()
        .copied()
        .zip(args.iter().copied())
        .collect();
    let converts = pairs.iter().all(|(param, ty)| match (ty, param.ty(None)) {
        (Some(from), Some(to)) => implicit_cast_allowed(*from, to),
        _ => true,
    });
    let is_array = |ty: Option<LogicalType>| ty.is_none_or(|ty| matches!(ty, T::Array(_)));
    let spreads = candidate.function.spread && candidate.params.last() == Some(&Param::ANY);
    if !converts || (spreads && !args.last().is_some_and(|ty| is_array(*ty))) {
        return Binding::Conflict;
    }
    bind(&pairs)
}

enum Choice {
    One(Candidate),
    None,
    Many,
}

impl Choice {
    fn of(mut left: Vec<Candidate>) -> Choice {
        match (left.pop(), left.is_empty()) {
            (None, _) => Choice::None,
            (Some(only), true) => Choice::One(only),
            (Some(_), false) => Choice::Many,
        }
    }
}

/// PostgreSQL's rules in their order: exact match, most exact arguments, preferred types, then what
/// unknown arguments would rather be, then unknown arguments of the type of the others.
fn choose(mut left: Vec<Candidate>, args: &[Option<LogicalType>], is_operator: bool) -> Choice {
    let known: Vec<LogicalType> = args.iter().copied().flatten().collect();
    let same = known
        .first()
        .filter(|first| known.iter().all(|ty| ty == *first));
    // An operator with one unknown side is first tried with both sides of one type.
    let assumed = same.copied().filter(|_| is_operator && args.len() == 2);
    let is_exact = |candidate: &Candidate| {
        let mut pairs = args.iter().zip(&candidate.params);
        pairs.all(|(arg, param)| {
            arg.or(assumed)
                .is_some_and(|ty| *param == Param::of_type(ty))
        })
    };
    if let Some(place) = left.iter().position(is_exact) {
        return Choice::One(left.swap_remove(place));
    }
    keep_best(&mut left, args, |from, to| to == Param::of_type(from));
    keep_best(&mut left, args, |from, to| {
        let is_preferred = |ty: T| ty.is_preferred() && ty.category() == from.category();
        to == Param::of_type(from) || to.ty(None).is_some_and(is_preferred)
    });
    if left.len() < 2 || known.len() == args.len() {
        return Choice::of(left);
    }
    prefer_for_unknown(&mut left, args);
    if let (Some(same), true) = (same, left.len() > 1) {
        let types = vec![Some(*same); args.len()];
        let fits = |candidate: &&Candidate| accepts(candidate, &types) != Binding::Conflict;
        let mut fitting = left.iter().filter(fits);
        if let (Some(only), None) = (fitting.next(), fitting.next()) {
            return Choice::One(only.clone());
        }
    }
    Choice::of(left)
}

/// Keeps the candidates with the most known arguments for which `scores(argument, parameter)`
/// holds.
fn keep_best(
    left: &mut Vec<Candidate>,
    args: &[Option<LogicalType>],
    scores: fn(LogicalType, Param) -> bool,
) {
    if left.len() < 2 {
        return;
    }
    let score = |candidate: &Candidate| {
        let pairs = args.iter().zip(&candidate.params);
        pairs
            .filter(|(arg, param)| arg.is_some_and(|arg| scores(arg, **param)))
            .count()
    };
    let best = left.iter().map(score).max().unwrap_or(0);
    left.retain(|candidate| score(candidate) == best);
}

/// Unknown arguments are strings where a candidate takes them as such, else of the one category
/// that all candidates take there; as its preferred type where one takes that.
fn prefer_for_unknown(left: &mut Vec<Candidate>, args: &[Option<LogicalType>]) {
    let mut wanted: Vec<(usize, u8, bool)> = Vec::new();
    let is_preferred = |param: Param| param.ty(None).is_some_and(LogicalType::is_preferred);
    for (i, _) in args.iter().enumerate().filter(|(_, arg)| arg.is_none()) {
        let params = left.iter().filter_map(|candidate| candidate.params.get(i));
        let categories: Vec<u8> = params.clone().map(|param| param.category()).collect();
        let first = categories.first().copied().unwrap_or(b'P');
        let category = if categories.contains(&b'S') {
            b'S'
        } else if categories.iter().all(|category| *category == first) {
            first
        } else {
            return;
        };
        let of_category = |param: &&Param| param.category() == category && is_preferred(**param);
        wanted.push((i, category, params.clone().any(|param| of_category(&param))));
    }
    let fits = |candidate: &Candidate| {
        wanted.iter().all(|(i, category, preferred)| {
            let param = candidate.params.get(*i).copied().unwrap_or(Param::ANY);
            param.category() == *category && (!preferred || is_preferred(param))
        })
    };
    if left.iter().any(fits) {
        left.retain(fits);
    }
}

fn signature(name: &str, args: Arguments<'_>, is_operator: bool) -> String {
    let first_named = args.types.len().saturating_sub(args.names.len());
    let shown = args.types.iter().enumerate().map(|(i, ty)| {
        let ty = ty.map_or_else(|| "unknown".to_owned(), |ty| ty.to_string());
        let named = i.checked_sub(first_named).and_then(|i| args.names.get(i));
        let name = named.map_or(String::new(), |name| format!("{name} => "));
        format!("{name}{ty}")
    });
    let shown: Vec<String> = shown.collect();
    match (is_operator, shown.as_slice()) {
        (true, [right]) => format!("{name} {right}"),
        (true, [left, right]) => format!("{left} {name} {right}"),
        _ => format!("{name}({})", shown.join(", ")),
    }
}

pub(crate) fn unknown(name: &str, args: Arguments<'_>, is_operator: bool) -> Error {
    let asked = signature(name, args, is_operator);
    let (kind, message) = if is_operator {
        ("operator", format!("operator does not exist: {asked}"))
    } else {
        ("function", format!("function {asked} does not exist"))
    };
    let (types, casts) = match (is_operator, args.types.len()) {
        (true, 1) => ("type", "an explicit type cast"),
        _ => ("types", "explicit type casts"),
    };
    Error::new(SqlState::UNDEFINED_FUNCTION, message).with_hint(format!(
        "No {kind} matches the given name and argument {types}. You might need to add {casts}."
    ))
}

pub(crate) fn ambiguous(name: &str, args: Arguments<'_>, is_operator: bool) -> Error {
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

pub(crate) fn placed(error: Error, position: u32) -> Error {
    if position > 0 {
        error.at(position)
    } else {
        error
    }
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
