//! What expressions mean: an interpreter that shares nothing with the engine's.

use std::cmp::Ordering;

/// A value of the few types that pivots are told by.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Int(i64),
    Bool(bool),
    Text(String),
}

/// Truth with NULL.
pub(super) type Truth = Option<bool>;

impl Value {
    pub(super) fn of_truth(truth: Truth) -> Value {
        truth.map_or(Value::Null, Value::Bool)
    }

    pub(super) fn truth(&self) -> Truth {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// `None` with NULL on a side.
    pub(super) fn order(&self, other: &Value) -> Option<Ordering> {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            (Value::Text(a), Value::Text(b)) => Some(a.as_bytes().cmp(b.as_bytes())),
            _ => None,
        }
    }
}

pub(super) fn compare(op: &str, a: &Value, b: &Value) -> Truth {
    let order = a.order(b)?;
    Some(match op {
        "=" => order == Ordering::Equal,
        "<>" => order != Ordering::Equal,
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        _ => order != Ordering::Less,
    })
}

pub(super) fn and(a: Truth, b: Truth) -> Truth {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

pub(super) fn or(a: Truth, b: Truth) -> Truth {
    not(and(not(a), not(b)))
}

pub(super) fn not(a: Truth) -> Truth {
    a.map(|truth| !truth)
}

/// `a IN (list)`.
pub(super) fn is_in(a: &Value, list: &[Value]) -> Truth {
    list.iter()
        .map(|item| compare("=", a, item))
        .fold(Some(false), or)
}

/// LIKE without escapes.
pub(super) fn like(text: &[char], pattern: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('%', rest)) => (0..=text.len()).any(|from| like(&text[from..], rest)),
        Some((first, rest)) => text
            .split_first()
            .is_some_and(|(c, left)| (*first == '_' || first == c) && like(left, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Value, and, compare, is_in, like, or};

    #[test]
    fn truth_has_three_values() {
        assert_eq!(and(None, Some(false)), Some(false));
        assert_eq!(or(None, Some(true)), Some(true));
        assert_eq!(or(None, Some(false)), None);
        assert_eq!(compare("<", &Value::Null, &Value::Int(1)), None);
        let list = [Value::Int(1), Value::Null];
        assert_eq!(is_in(&Value::Int(1), &list), Some(true));
        assert_eq!(is_in(&Value::Int(2), &list), None);
    }

    #[test]
    fn patterns_match_as_a_whole() {
        let matches = |text: &str, pattern: &str| {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            like(&chars(text), &chars(pattern))
        };
        assert!(matches("abc", "a%") && matches("abc", "_b_") && matches("", "%"));
        assert!(!matches("abc", "b%") && !matches("", "_"));
    }
}
