//! Whether a jsonb value holds another, or keys.

use varve_types::Json;

/// `whole @> part`
pub(crate) fn contains(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        // An array holds a scalar, at the top only.
        (Json::Array(values), scalar) if !is_container(scalar) => {
            values.iter().any(|value| same_scalar(value, scalar))
        }
        _ => holds(whole, part),
    }
}

fn is_container(json: &Json) -> bool {
    matches!(json, Json::Array(_) | Json::Object(_))
}

fn holds(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        (Json::Object(whole), Json::Object(part)) => part.iter().all(|(key, part)| {
            let found = whole.iter().find(|(found, _)| found == key);
            found.is_some_and(|(_, value)| holds(value, part))
        }),
        (Json::Array(whole), Json::Array(part)) => part
            .iter()
            .all(|part| whole.iter().any(|value| holds(value, part))),
        (whole, part) => same_scalar(whole, part),
    }
}

fn same_scalar(left: &Json, right: &Json) -> bool {
    match (left, right) {
        (Json::Null, Json::Null) => true,
        (Json::Boolean(left), Json::Boolean(right)) => left == right,
        (Json::Number(left), Json::Number(right)) => left.compare(*right).is_eq(),
        (Json::String(left), Json::String(right)) => left == right,
        _ => false,
    }
}

/// `json ? key`: a key of an object, or a string among an array or alone.
pub(crate) fn has_key(json: &Json, key: &str) -> bool {
    match json {
        Json::Object(pairs) => pairs.iter().any(|(found, _)| found == key),
        Json::Array(values) => values
            .iter()
            .any(|value| matches!(value, Json::String(text) if text == key)),
        Json::String(text) => text == key,
        _ => false,
    }
}
