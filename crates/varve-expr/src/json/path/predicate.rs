//! The conditions of filters: true, false or unknown, which errors are too.

use core::cmp::Ordering;

use varve_types::{Error, Json, Result};

use super::query::{At, Fail, Found, Query, Value};
use super::{Item, Operator};

/// Unknown is `None`.
type Truth = Option<bool>;

/// An error that can be silent as unknown.
fn quiet<T>(result: Result<T, Fail>) -> Result<Option<T>, Fail> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(Fail::Soft(_)) => Ok(None),
        Err(hard) => Err(hard),
    }
}

impl Query<'_> {
    /// The truth of a condition, which is one predicate.
    pub(super) fn truth(&self, condition: &[Item], at: At<'_>) -> Result<Truth, Fail> {
        match condition.first() {
            Some(item) => self.predicate(item, at),
            None => Ok(None),
        }
    }

    pub(super) fn predicate(&self, item: &Item, at: At<'_>) -> Result<Truth, Fail> {
        match item {
            Item::Binary(Operator::And, sides) => {
                let left = self.truth(&sides.0, at)?;
                if left == Some(false) {
                    return Ok(left);
                }
                let right = self.truth(&sides.1, at)?;
                Ok(if right == Some(true) { left } else { right })
            }
            Item::Binary(Operator::Or, sides) => {
                let left = self.truth(&sides.0, at)?;
                if left == Some(true) {
                    return Ok(left);
                }
                let right = self.truth(&sides.1, at)?;
                Ok(if right == Some(false) { left } else { right })
            }
            Item::Unary(Operator::Not, input) => Ok(self.truth(input, at)?.map(|truth| !truth)),
            Item::Unary(Operator::IsUnknown, input) => Ok(Some(self.truth(input, at)?.is_none())),
            Item::Unary(Operator::Exists, input) => quiet(self.any(input, at)),
            Item::Binary(operator, sides) => {
                let unwrap = *operator != Operator::StartsWith;
                let Some(left) = quiet(self.values(&sides.0, at, true))? else {
                    return Ok(None);
                };
                let Some(right) = quiet(self.values(&sides.1, at, unwrap))? else {
                    return Ok(None);
                };
                self.pairs(&left, &right, &|left, right| match operator {
                    Operator::StartsWith => Ok(starts_with(left, right)),
                    _ => self.compare(*operator, left, right),
                })
            }
            Item::LikeRegex {
                input,
                pattern,
                flags,
            } => {
                let Some(found) = quiet(self.values(input, at, true))? else {
                    return Ok(None);
                };
                let regex = super::regex(pattern, *flags).map_err(Fail::Hard)?;
                let nothing = [Found::Json(Json::Null)];
                self.pairs(&found, &nothing, &|value, _| match value.json() {
                    Some(Json::String(text)) => regex.is_match(text).map(Some),
                    _ => Ok(None),
                })
            }
            _ => Ok(None),
        }
    }

    /// Whether the test is true for any pair. A strict path looks at all of them for errors.
    fn pairs(
        &self,
        left: &[Found],
        right: &[Found],
        test: &dyn Fn(Value<'_>, Value<'_>) -> Result<Truth, Error>,
    ) -> Result<Truth, Fail> {
        let mut found = false;
        let mut unknown = false;
        for left in left {
            for right in right {
                match test(left.value(), right.value()).map_err(Fail::Hard)? {
                    None if !self.path.lax => return Ok(None),
                    None => unknown = true,
                    Some(true) if self.path.lax => return Ok(Some(true)),
                    Some(truth) => found |= truth,
                }
            }
        }
        Ok(match (found, unknown) {
            (true, _) => Some(true),
            (false, true) => None,
            (false, false) => Some(false),
        })
    }

    fn compare(&self, operator: Operator, left: Value<'_>, right: Value<'_>) -> Result<Truth> {
        let order = match (left, right) {
            (Value::Moment(left), Value::Moment(right)) => left.compare(right, self.uses_zone)?,
            (Value::Json(left), Value::Json(right)) => match (left, right) {
                (Json::Null, Json::Null) => Some(Ordering::Equal),
                (Json::Boolean(left), Json::Boolean(right)) => Some(left.cmp(right)),
                (Json::Number(left), Json::Number(right)) => Some(left.compare(*right)),
                (Json::String(left), Json::String(right)) => Some(left.cmp(right)),
                _ => None,
            },
            _ => None,
        };
        let is_null = |value: Value<'_>| matches!(value.json(), Some(Json::Null));
        let Some(order) = order else {
            // Null is unlike all else, and neither less nor greater.
            let of_null = is_null(left) || is_null(right);
            return Ok(of_null.then_some(operator == Operator::NotEqual));
        };
        Ok(Some(match operator {
            Operator::Equal => order.is_eq(),
            Operator::NotEqual => order.is_ne(),
            Operator::Less => order.is_lt(),
            Operator::LessOrEqual => order.is_le(),
            Operator::Greater => order.is_gt(),
            _ => order.is_ge(),
        }))
    }
}

fn starts_with(whole: Value<'_>, start: Value<'_>) -> Truth {
    match (whole.json()?, start.json()?) {
        (Json::String(whole), Json::String(start)) => Some(whole.starts_with(start.as_str())),
        _ => None,
    }
}
