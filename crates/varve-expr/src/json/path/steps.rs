//! The steps of a path.

use varve_types::{Decimal, Error, Json, Result, SqlState, Value as Cell};

use super::moment::Moment;
use super::query::{At, Fail, Found, Outcome, Query, Sink, Value, soft};
use super::{Chain, Item, Method, Operator};
use crate::cast::parse_value;
use crate::tree::DEFAULT_LOCALE;

/// What an array accessor finds.
const NO_ARRAY: SqlState = SqlState::SQL_JSON_ARRAY_NOT_FOUND;
const NO_MEMBER: SqlState = SqlState::SQL_JSON_MEMBER_NOT_FOUND;
const NO_OBJECT: SqlState = SqlState::SQL_JSON_OBJECT_NOT_FOUND;
const BAD_SUBSCRIPT: SqlState = SqlState::INVALID_SQL_JSON_SUBSCRIPT;
const NOT_SINGLE: SqlState = SqlState::SINGLETON_SQL_JSON_ITEM_REQUIRED;
const NOT_NUMERIC: SqlState = SqlState::NON_NUMERIC_SQL_JSON_ITEM;

/// A structural error, which lax paths pass over.
fn structural(at: At<'_>, state: SqlState, message: &str) -> Outcome {
    if at.lenient {
        return Ok(false);
    }
    soft(state, message)
}

impl Query<'_> {
    pub(super) fn key(&self, key: &str, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        let Some(Json::Object(pairs)) = at.value.json() else {
            let message = "jsonpath member accessor can only be applied to an object";
            return structural(at, NO_MEMBER, message);
        };
        match pairs.iter().find(|(found, _)| found == key) {
            Some((_, value)) => self.next(steps, at.with(Value::Json(value)), sink),
            None if at.lenient => Ok(false),
            None => soft(
                NO_MEMBER,
                format!("JSON object does not contain key \"{key}\""),
            ),
        }
    }

    pub(super) fn any_key(&self, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        let Some(Json::Object(pairs)) = at.value.json() else {
            let message = "jsonpath wildcard member accessor can only be applied to an object";
            return structural(at, NO_OBJECT, message);
        };
        let mut found = false;
        for (_, value) in pairs {
            found = self.one(steps, at.with(Value::Json(value)), self.path.lax, sink)?;
            if found && !sink.takes_all() {
                break;
            }
        }
        Ok(found)
    }

    pub(super) fn any_element(&self, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        match at.value.array() {
            Some(elements) => self.each(steps, at, elements, self.path.lax, sink),
            None if self.path.lax => self.next(steps, at, sink),
            None => structural(
                at,
                NO_ARRAY,
                "jsonpath wildcard array accessor can only be applied to an array",
            ),
        }
    }

    pub(super) fn elements(
        &self,
        subscripts: &[(Chain, Option<Chain>)],
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let elements = at.value.array();
        if elements.is_none() && !self.path.lax {
            let message = "jsonpath array accessor can only be applied to an array";
            return structural(at, NO_ARRAY, message);
        }
        let length = elements.map_or(1, <[Json]>::len);
        let length = i64::try_from(length).unwrap_or(i64::MAX);
        let inner = At {
            length: Some(length),
            ..at
        };
        let mut found = false;
        for (from, to) in subscripts {
            let from = self.subscript(from, inner)?;
            let to = match to {
                Some(to) => self.subscript(to, inner)?,
                None => from,
            };
            if !at.lenient && (from < 0 || from > to || to >= length) {
                return soft(BAD_SUBSCRIPT, "jsonpath array subscript is out of bounds");
            }
            found = false;
            for index in from.max(0)..=to.min(length - 1) {
                let value = match elements {
                    None => at.value,
                    Some(elements) => {
                        let place = usize::try_from(index).unwrap_or(usize::MAX);
                        match elements.get(place) {
                            Some(element) => Value::Json(element),
                            None => continue,
                        }
                    }
                };
                found = self.next(steps, inner.with(value), sink)?;
                if found && !sink.takes_all() {
                    return Ok(true);
                }
            }
        }
        Ok(found)
    }

    fn subscript(&self, chain: &[Item], at: At<'_>) -> Result<i64, Fail> {
        let found = self.values(chain, at, false)?;
        let [Found::Json(Json::Number(number))] = found.as_slice() else {
            let message = "jsonpath array subscript is not a single numeric value";
            return soft(BAD_SUBSCRIPT, message);
        };
        let whole = number.truncated(0).map_err(Fail::Soft)?.to_i64();
        match whole.filter(|index| i32::try_from(*index).is_ok()) {
            Some(index) => Ok(index),
            None => soft(
                BAD_SUBSCRIPT,
                "jsonpath array subscript is out of integer range",
            ),
        }
    }

    pub(super) fn any_depth(
        &self,
        first: u32,
        last: u32,
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let mut found = false;
        if first == 0 {
            found = self.next(
                steps,
                At {
                    lenient: true,
                    ..at
                },
                sink,
            )?;
            if found && !sink.takes_all() {
                return Ok(true);
            }
        }
        match at.value.json() {
            Some(json @ (Json::Array(_) | Json::Object(_))) => {
                let inner = At {
                    lenient: true,
                    ..at
                };
                self.below(json, (1, first, last), steps, inner, sink)
            }
            _ => Ok(found),
        }
    }

    /// The values below one, `levels` being that of its members, the first and the last wanted.
    fn below(
        &self,
        json: &Json,
        levels: (u32, u32, u32),
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let (level, first, last) = levels;
        let mut result = false;
        if level > last {
            return Ok(false);
        }
        let (elements, pairs): (&[Json], &[(String, Json)]) = match json {
            Json::Array(elements) => (elements, &[]),
            Json::Object(pairs) => (&[], pairs),
            _ => return Ok(false),
        };
        let members = elements.iter().chain(pairs.iter().map(|(_, value)| value));
        for member in members {
            let has_members = matches!(member, Json::Array(_) | Json::Object(_));
            let leaves_only = first == u32::MAX && last == u32::MAX;
            if level >= first || (leaves_only && !has_members) {
                result = self.one(steps, at.with(Value::Json(member)), self.path.lax, sink)?;
                if result && !sink.takes_all() {
                    return Ok(true);
                }
            }
            if level < last && has_members {
                result = self.below(member, (level + 1, first, last), steps, at, sink)?;
                if result && !sink.takes_all() {
                    return Ok(true);
                }
            }
        }
        Ok(result)
    }

    pub(super) fn method(
        &self,
        method: Method,
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let name = method.name();
        let wanted = |state: SqlState, what: &str| {
            soft(
                state,
                format!("jsonpath item method .{name}() can only be applied to {what}"),
            )
        };
        let number = match (method, at.value) {
            (Method::Type, value) => {
                let name = Json::String(type_name(value).to_owned());
                return self.made_value(&name, steps, at, sink);
            }
            (Method::Size, value) => match value.array() {
                Some(elements) => Decimal::from(i64::try_from(elements.len()).unwrap_or(i64::MAX)),
                None if self.path.lax => Decimal::from(1),
                None if at.lenient => return Ok(false),
                None => return wanted(NO_ARRAY, "an array"),
            },
            (Method::KeyValue, value) => match value.json() {
                Some(json @ Json::Object(pairs)) => {
                    return self.key_values(json, pairs, steps, at, sink);
                }
                _ => return wanted(NO_OBJECT, "an object"),
            },
            (Method::Double, Value::Json(Json::Number(number))) => {
                if number.to_f64().is_infinite() {
                    return soft(
                        NOT_NUMERIC,
                        "numeric argument of jsonpath item method .double() is out of range for \
                         type double precision",
                    );
                }
                *number
            }
            (Method::Double, Value::Json(Json::String(text))) => double(text)?,
            (Method::Double, _) => return wanted(NOT_NUMERIC, "a string or numeric value"),
            (_, Value::Json(Json::Number(number))) => {
                let computed = match method {
                    Method::Abs => Ok(number.absolute()),
                    Method::Ceiling => number.ceiling(),
                    _ => number.floor(),
                };
                computed.map_err(Fail::Soft)?
            }
            _ => return wanted(NOT_NUMERIC, "a numeric value"),
        };
        self.made_value(&Json::Number(number), steps, at, sink)
    }

    fn key_values(
        &self,
        json: &Json,
        pairs: &[(String, Json)],
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let (base, number) = at.base;
        let place = super::place::offset_of(base, json).unwrap_or(0);
        let id = place.saturating_add(number.saturating_mul(10_000_000_000));
        let mut found = false;
        for (key, value) in pairs {
            let object = Json::object(vec![
                ("key".to_owned(), Json::String(key.clone())),
                ("value".to_owned(), value.clone()),
                ("id".to_owned(), Json::Number(id.into())),
            ]);
            let made = self.made.get();
            self.made.set(made.saturating_add(1));
            let inner = At {
                base: (&object, made),
                ..at.with(Value::Json(&object))
            };
            found = self.next(steps, inner, sink)?;
            if found && !sink.takes_all() {
                break;
            }
        }
        Ok(found)
    }

    pub(super) fn datetime(
        &self,
        template: Option<&str>,
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let Some(Json::String(text)) = at.value.json() else {
            return soft(
                SqlState::INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
                "jsonpath item method .datetime() can only be applied to a string",
            );
        };
        let moment = match template {
            Some(template) => Moment::parse(text, template).map_err(Fail::Soft)?,
            None => match Moment::parse_any(text) {
                Some(moment) => moment,
                None => {
                    return Err(Fail::Soft(
                        Error::new(
                            SqlState::INVALID_ARGUMENT_FOR_SQL_JSON_DATETIME_FUNCTION,
                            format!("datetime format is not recognized: \"{text}\""),
                        )
                        .with_hint(
                            "Use a datetime template argument to specify the input data format.",
                        ),
                    ));
                }
            },
        };
        self.next(steps, at.with(Value::Moment(&moment)), sink)
    }

    pub(super) fn arithmetic(
        &self,
        operator: Operator,
        (left, right): &(Chain, Chain),
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let left = self.values(left, at, true)?;
        let right = self.values(right, at, true)?;
        let single = |side: &str, found: &[Found]| match found {
            [Found::Json(Json::Number(number))] => Ok(*number),
            _ => soft(
                NOT_SINGLE,
                format!(
                    "{side} operand of jsonpath operator {} is not a single numeric value",
                    operator.symbol()
                ),
            ),
        };
        let left = single("left", &left)?;
        let right = single("right", &right)?;
        let number = match operator {
            Operator::Plus => left.plus(right),
            Operator::Minus => left.minus(right),
            Operator::Times => left.times(right),
            Operator::Divide => left.divided_by(right),
            _ => left.remainder(right),
        };
        let number = number.map_err(Fail::Soft)?;
        self.made_value(&Json::Number(number), steps, at, sink)
    }

    pub(super) fn sign(
        &self,
        operator: Operator,
        input: &[Item],
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        let mut result = false;
        for value in self.values(input, at, true)? {
            let number = match value {
                Found::Json(Json::Number(number)) if operator == Operator::Minus => {
                    number.negated()
                }
                Found::Json(Json::Number(number)) => number,
                _ if steps.is_empty() && !sink.takes_all() => continue,
                _ => {
                    let symbol = operator.symbol();
                    return soft(
                        SqlState::SQL_JSON_NUMBER_NOT_FOUND,
                        format!(
                            "operand of unary jsonpath operator {symbol} is not a numeric value"
                        ),
                    );
                }
            };
            result |= self.made_value(&Json::Number(number), steps, at, sink)?;
            if result && !sink.takes_all() {
                break;
            }
        }
        Ok(result)
    }
}

/// `.double()` of a string.
fn double(text: &str) -> Result<Decimal, Fail> {
    let parsed = parse_value(text, varve_types::LogicalType::Float8, &DEFAULT_LOCALE);
    match parsed {
        Ok(Cell::Float8(number)) if number.is_finite() => {
            Decimal::from_f64(number).map_err(Fail::Soft)
        }
        _ => soft(
            NOT_NUMERIC,
            "string argument of jsonpath item method .double() is not a valid representation of a \
             double precision number",
        ),
    }
}

fn type_name(value: Value<'_>) -> &'static str {
    match value {
        Value::Moment(moment) => moment.type_name(),
        Value::Json(json) => crate::json::kind_name(json),
    }
}
