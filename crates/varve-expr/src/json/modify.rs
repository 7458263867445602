//! Jsonb values changed.

use varve_types::{Error, Json, Result, SqlState};

use super::parse::too_deep;

/// Deepest path that is set.
const PATH_MAX: usize = varve_types::JSON_DEPTH_MAX;

/// What is done where a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Delete,
    /// Puts a value there if there is one.
    Replace,
    /// Puts a value there in any case.
    Set,
    InsertBefore,
    InsertAfter,
    /// As an assignment to a subscript: what is missing on the way is made.
    Assign,
}

/// A path through a value: keys, or positions in arrays as text; `None` is NULL.
pub(crate) type Steps<'a> = &'a [Option<String>];

fn invalid(message: impl Into<String>) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

/// `a || b`
pub(crate) fn concat(left: Json, right: Json) -> Json {
    match (left, right) {
        (Json::Object(mut left), Json::Object(right)) => {
            left.extend(right);
            Json::object(left)
        }
        (left, right) => {
            let mut values = elements(left);
            values.extend(elements(right));
            Json::Array(values)
        }
    }
}

fn elements(json: Json) -> Vec<Json> {
    match json {
        Json::Array(values) => values,
        other => vec![other],
    }
}

/// `json - keys`
pub(crate) fn without_keys(json: Json, keys: &[Option<String>]) -> Result<Json> {
    let has = |text: &str| keys.iter().flatten().any(|key| key == text);
    match json {
        Json::Object(mut pairs) => {
            pairs.retain(|(key, _)| !has(key));
            Ok(Json::Object(pairs))
        }
        Json::Array(mut values) => {
            values.retain(|value| !matches!(value, Json::String(text) if has(text)));
            Ok(Json::Array(values))
        }
        _ => Err(invalid("cannot delete from scalar")),
    }
}

/// `json - index`
pub(crate) fn without_element(json: Json, index: i64) -> Result<Json> {
    match json {
        Json::Array(mut values) => {
            if let Some(place) = position(index, values.len()) {
                values.remove(place);
            }
            Ok(Json::Array(values))
        }
        Json::Object(_) => Err(invalid("cannot delete from object using integer index")),
        _ => Err(invalid("cannot delete from scalar")),
    }
}

/// The place of an element counted from 0, or from -1 at the end.
pub(crate) fn position(index: i64, length: usize) -> Option<usize> {
    let signed = i64::try_from(length).ok()?;
    let place = if index < 0 {
        index.checked_add(signed)?
    } else {
        index
    };
    usize::try_from(place).ok().filter(|place| *place < length)
}

/// Changes the value to which a path leads.
pub(crate) fn change(json: &mut Json, path: Steps<'_>, change: Change, new: &Json) -> Result<()> {
    let is_scalar = !matches!(json, Json::Array(_) | Json::Object(_));
    if is_scalar {
        return Err(match change {
            Change::Delete => invalid("cannot delete path in scalar"),
            Change::Assign => replaces_scalar(),
            _ => invalid("cannot set path in scalar"),
        });
    }
    let is_empty = match json {
        Json::Array(values) => values.is_empty(),
        Json::Object(pairs) => pairs.is_empty(),
        _ => false,
    };
    if path.is_empty() || (is_empty && matches!(change, Change::Delete | Change::Replace)) {
        return Ok(());
    }
    if path.len() > PATH_MAX {
        return Err(too_deep());
    }
    Walk { path, change, new }.enter(json, 0)
}

fn replaces_scalar() -> Error {
    invalid("cannot replace existing key")
        .with_detail("The path assumes key is a composite object, but it is a scalar value.")
}

struct Walk<'a> {
    path: Steps<'a>,
    change: Change,
    new: &'a Json,
}

impl Walk<'_> {
    /// The step from `level` on, into a container.
    fn enter(&self, json: &mut Json, level: usize) -> Result<()> {
        let Some(step) = self.path.get(level) else {
            return Ok(());
        };
        let Some(step) = step else {
            let state = SqlState::NULL_VALUE_NOT_ALLOWED;
            let message = format!("path element at position {} is null", level + 1);
            return Err(Error::new(state, message));
        };
        match json {
            Json::Array(values) => self.array(values, step, level),
            Json::Object(pairs) => self.object(pairs, step, level),
            _ if self.change == Change::Assign => Err(replaces_scalar()),
            _ => Ok(()),
        }
    }

    fn is_last(&self, level: usize) -> bool {
        level + 1 == self.path.len()
    }

    /// Whether what is missing at the end of the path is added.
    fn adds(&self) -> bool {
        !matches!(self.change, Change::Delete | Change::Replace)
    }

    fn object(&self, pairs: &mut Vec<(String, Json)>, key: &str, level: usize) -> Result<()> {
        let found = pairs.iter().position(|(found, _)| found == key);
        match (found, self.is_last(level)) {
            (Some(place), true) => match self.change {
                Change::Delete => {
                    pairs.remove(place);
                }
                Change::InsertBefore | Change::InsertAfter => {
                    let error = invalid("cannot replace existing key");
                    return Err(
                        error.with_hint("Try using the function jsonb_set to replace key value.")
                    );
                }
                Change::Replace | Change::Set | Change::Assign => {
                    if let Some((_, value)) = pairs.get_mut(place) {
                        *value = self.new.clone();
                    }
                }
            },
            (Some(place), false) => {
                if let Some((_, value)) = pairs.get_mut(place) {
                    self.enter(value, level + 1)?;
                }
            }
            (None, true) if self.adds() => add_pair(pairs, key, self.new.clone()),
            (None, false) if self.change == Change::Assign => {
                add_pair(pairs, key, self.missing(level + 1));
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn array(&self, values: &mut Vec<Json>, step: &str, level: usize) -> Result<()> {
        let Some(index) = parse_index(step) else {
            let position = level + 1;
            return Err(Error::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("path element at position {position} is not an integer: \"{step}\""),
            ));
        };
        let length = values.len();
        let is_assignment = self.change == Change::Assign;
        if let Some(place) = position(index, length) {
            if !self.is_last(level) {
                return match values.get_mut(place) {
                    Some(value) => self.enter(value, level + 1),
                    None => Ok(()),
                };
            }
            match self.change {
                Change::Delete => {
                    values.remove(place);
                }
                Change::InsertBefore => values.insert(place, self.new.clone()),
                Change::InsertAfter => values.insert(place + 1, self.new.clone()),
                Change::Replace | Change::Set | Change::Assign => {
                    if let Some(value) = values.get_mut(place) {
                        *value = self.new.clone();
                    }
                }
            }
            return Ok(());
        }
        if index < 0 && is_assignment {
            let position = level + 1;
            return Err(invalid(format!(
                "path element at position {position} is out of range: {index}"
            )));
        }
        if is_assignment {
            let place = usize::try_from(index).unwrap_or(usize::MAX);
            if place > GAP_MAX + length {
                return Err(Error::new(
                    SqlState::PROGRAM_LIMIT_EXCEEDED,
                    "the number of array elements exceeds the maximum allowed",
                ));
            }
            values.resize(place, Json::Null);
            values.push(if self.is_last(level) {
                self.new.clone()
            } else {
                self.missing(level + 1)
            });
        } else if self.is_last(level) && self.adds() {
            let place = if index < 0 { 0 } else { length };
            values.insert(place, self.new.clone());
        }
        Ok(())
    }

    /// What an assignment makes for the path from `level` on.
    fn missing(&self, level: usize) -> Json {
        let mut made = self.new.clone();
        let rest = self.path.get(level..).unwrap_or_default();
        for step in rest.iter().rev().flatten() {
            made = match parse_index(step).and_then(|index| usize::try_from(index).ok()) {
                Some(index) if index <= GAP_MAX => {
                    let mut values = vec![Json::Null; index];
                    values.push(made);
                    Json::Array(values)
                }
                _ => Json::Object(vec![(step.clone(), made)]),
            };
        }
        made
    }
}

/// Most elements that an assignment to a subscript adds before its own.
const GAP_MAX: usize = 1 << 20;

fn add_pair(pairs: &mut Vec<(String, Json)>, key: &str, value: Json) {
    let place = pairs.partition_point(|(found, _)| varve_types::key_order(found, key).is_lt());
    pairs.insert(place, (key.to_owned(), value));
}

/// A step as a position in an array.
pub(crate) fn parse_index(step: &str) -> Option<i64> {
    let digits = step.trim_start_matches([' ', '\t', '\n', '\r', '\u{b}', '\u{c}']);
    let number: i32 = digits.parse().ok()?;
    Some(i64::from(number))
}

/// `jsonb_strip_nulls`
pub(crate) fn strip_nulls(json: &mut Json) {
    match json {
        Json::Array(values) => values.iter_mut().for_each(strip_nulls),
        Json::Object(pairs) => {
            pairs.retain(|(_, value)| *value != Json::Null);
            pairs.iter_mut().for_each(|(_, value)| strip_nulls(value));
        }
        _ => {}
    }
}
