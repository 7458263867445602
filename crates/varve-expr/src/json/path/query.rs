//! Paths followed through a value.
//!
//! Values come out depth first, as PostgreSQL gives them: where an error is silent, those before it
//! stay.

use core::cell::Cell;

use varve_types::meter::{self, Growth};
use varve_types::{Error, Json, Result, SqlState};

use super::moment::Moment;
use super::{Item, Path};
use crate::json::parse::too_deep;

/// Deepest recursion: steps, and levels of the value below `**`.
const DEPTH_MAX: u32 = 400;

/// A path, and what it is followed through.
pub(crate) struct Query<'q> {
    pub(super) path: &'q Path,
    pub(super) root: &'q Json,
    /// The object of the variables.
    pub(super) variables: Option<&'q Json>,
    /// Whether casts may use the time zone of the session.
    pub(super) uses_zone: bool,
    /// The number of the next object that `.keyvalue()` makes.
    pub(super) made: Cell<i64>,
}

/// A value that a path leads to.
#[derive(Clone, Debug)]
pub(crate) enum Found {
    Json(Json),
    Moment(Moment),
}

impl Found {
    pub(crate) fn into_json(self) -> Json {
        match self {
            Found::Json(json) => json,
            Found::Moment(moment) => Json::String(moment.to_text()),
        }
    }

    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Found::Json(json) => Value::Json(json),
            Found::Moment(moment) => Value::Moment(moment),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Json(&'a Json),
    Moment(&'a Moment),
}

impl<'a> Value<'a> {
    pub(super) fn json(self) -> Option<&'a Json> {
        match self {
            Value::Json(json) => Some(json),
            Value::Moment(_) => None,
        }
    }

    pub(super) fn array(self) -> Option<&'a [Json]> {
        match self {
            Value::Json(Json::Array(values)) => Some(values),
            _ => None,
        }
    }

    fn to_found(self) -> Found {
        match self {
            Value::Json(json) => Found::Json(json.clone()),
            Value::Moment(moment) => Found::Moment(*moment),
        }
    }
}

/// An error of a path.
pub(super) enum Fail {
    /// One that predicates make unknown and silent calls pass over.
    Soft(Error),
    Hard(Error),
}

/// An error that can be silent.
pub(super) fn soft<T>(state: SqlState, message: impl Into<String>) -> Result<T, Fail> {
    Err(Fail::Soft(Error::new(state, message)))
}

/// Where values go.
pub(super) enum Sink {
    /// The first one decides.
    Any,
    All(FoundList),
}

/// Values that a path leads to, and what they take.
#[derive(Default)]
pub(crate) struct FoundList {
    values: Vec<Found>,
    growth: Growth,
}

impl FoundList {
    fn push(&mut self, value: Value<'_>) -> Result<()> {
        match value {
            Value::Json(json) => json.count_bytes(&mut self.growth)?,
            Value::Moment(_) => self.growth.add(size_of::<Found>())?,
        }
        self.values.push(value.to_found());
        Ok(())
    }

    /// The values, no longer booked.
    pub(crate) fn into_values(self) -> Vec<Found> {
        self.values
    }

    /// Takes them one by one; what they take stays booked to the end.
    pub(crate) fn into_rows(self) -> FoundRows {
        FoundRows {
            values: self.values.into_iter(),
            _growth: self.growth,
        }
    }
}

/// What is left of values.
pub(crate) struct FoundRows {
    values: std::vec::IntoIter<Found>,
    _growth: Growth,
}

impl Iterator for FoundRows {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        self.values.next()
    }
}

impl Sink {
    pub(super) fn takes_all(&self) -> bool {
        matches!(self, Sink::All(_))
    }

    pub(super) fn put(&mut self, value: Value<'_>) -> Outcome {
        if let Sink::All(found) = self {
            found.push(value).map_err(Fail::Hard)?;
        }
        Ok(true)
    }
}

/// Where a path has come to.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) value: Value<'a>,
    /// `@`
    pub(super) current: Value<'a>,
    /// What the ids of `.keyvalue()` count from, and its own number.
    pub(super) base: (&'a Json, i64),
    /// The length of the array whose subscripts are evaluated.
    pub(super) length: Option<i64>,
    /// Whether structural errors are passed over.
    pub(super) lenient: bool,
    pub(super) depth: u32,
}

impl<'a> At<'a> {
    pub(super) fn with(self, value: Value<'a>) -> At<'a> {
        At { value, ..self }
    }
}

/// Whether there was a value.
pub(super) type Outcome = Result<bool, Fail>;

impl<'q> Query<'q> {
    /// `22023` where the variables are no object.
    pub(crate) fn new(
        path: &'q Path,
        root: &'q Json,
        variables: Option<&'q Json>,
        uses_zone: bool,
    ) -> Result<Query<'q>> {
        if variables.is_some_and(|variables| !matches!(variables, Json::Object(_))) {
            return Err(Error::new(
                SqlState::INVALID_PARAMETER_VALUE,
                "\"vars\" argument is not an object",
            )
            .with_detail(
                "Jsonpath parameters should be encoded as key-value pairs of \"vars\" object.",
            ));
        }
        Ok(Query {
            path,
            root,
            variables,
            uses_zone,
            made: Cell::new(1 + i64::from(variables.is_some())),
        })
    }

    fn start(&self) -> At<'_> {
        At {
            value: Value::Json(self.root),
            current: Value::Json(self.root),
            base: (self.root, 0),
            length: None,
            lenient: self.path.lax,
            depth: 0,
        }
    }

    /// All values, those before an error where it is silent.
    pub(crate) fn all(&self, silent: bool) -> Result<FoundList> {
        let mut sink = Sink::All(FoundList::default());
        match self.item(&self.path.chain, self.start(), self.path.lax, &mut sink) {
            Err(Fail::Soft(_)) if silent => {}
            Err(Fail::Soft(error) | Fail::Hard(error)) => return Err(error),
            Ok(_) => {}
        }
        match sink {
            Sink::All(found) => Ok(found),
            Sink::Any => Ok(FoundList::default()),
        }
    }

    /// Whether there is a value; `None` for an error that is silent.
    pub(crate) fn exists(&self, silent: bool) -> Result<Option<bool>> {
        match self.any(&self.path.chain, self.start()) {
            Err(Fail::Soft(_)) if silent => Ok(None),
            Err(Fail::Soft(error) | Fail::Hard(error)) => Err(error),
            Ok(found) => Ok(Some(found)),
        }
    }

    /// Whether a chain leads to a value. A strict path is followed to all, for their errors.
    pub(super) fn any(&self, chain: &[Item], at: At<'_>) -> Outcome {
        if self.path.lax {
            return self.item(chain, at, true, &mut Sink::Any);
        }
        let mut sink = Sink::All(FoundList::default());
        self.item(chain, at, false, &mut sink)?;
        Ok(matches!(sink, Sink::All(found) if !found.values.is_empty()))
    }

    /// The values of a chain, with arrays taken apart where `unwrap` and the path is lax.
    pub(super) fn values(
        &self,
        chain: &[Item],
        at: At<'_>,
        unwrap: bool,
    ) -> Result<Vec<Found>, Fail> {
        let mut sink = Sink::All(FoundList::default());
        self.item(chain, at, self.path.lax, &mut sink)?;
        let Sink::All(found) = sink else {
            return Ok(Vec::new());
        };
        let found = found.into_values();
        if !unwrap || !self.path.lax {
            return Ok(found);
        }
        let mut values = Vec::with_capacity(found.len());
        for value in found {
            match value {
                Found::Json(Json::Array(elements)) => {
                    values.extend(elements.into_iter().map(Found::Json));
                }
                other => values.push(other),
            }
        }
        Ok(values)
    }

    /// Goes on with the steps behind the head of a chain.
    pub(super) fn next(&self, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        if steps.is_empty() {
            return sink.put(at.value);
        }
        self.item(steps, at, self.path.lax, sink)
    }

    /// Follows a chain from its head; `unwrap` says whether a step that wants no array looks into
    /// it.
    pub(super) fn item(
        &self,
        chain: &[Item],
        mut at: At<'_>,
        unwrap: bool,
        sink: &mut Sink,
    ) -> Outcome {
        at.depth += 1;
        meter::steps(1).map_err(Fail::Hard)?;
        if at.depth > DEPTH_MAX {
            return Err(Fail::Hard(too_deep()));
        }
        let Some((head, steps)) = chain.split_first() else {
            return Ok(false);
        };
        if unwrap
            && let (Value::Json(Json::Array(elements)), true) = (at.value, looks_into_arrays(head))
        {
            return self.each(chain, at, elements, false, sink);
        }
        self.step(head, steps, at, sink)
    }

    /// Follows the head of a chain, and what is behind it.
    fn step(&self, head: &Item, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        match head {
            Item::Null => self.made_value(&Json::Null, steps, at, sink),
            Item::Boolean(bit) => self.made_value(&Json::Boolean(*bit), steps, at, sink),
            Item::Number(number) => self.made_value(&Json::Number(*number), steps, at, sink),
            Item::String(text) => {
                if steps.is_empty() && !sink.takes_all() {
                    return Ok(true);
                }
                self.made_value(&Json::String(text.clone()), steps, at, sink)
            }
            Item::Variable(name) => self.variable(name, steps, at, sink),
            Item::Root => {
                let root = Value::Json(self.root);
                let base = (self.root, 0);
                self.next(
                    steps,
                    At {
                        base,
                        ..at.with(root)
                    },
                    sink,
                )
            }
            Item::Current => self.next(steps, at.with(at.current), sink),
            Item::Last => {
                let last = at.length.unwrap_or(0) - 1;
                self.made_value(&Json::Number(last.into()), steps, at, sink)
            }
            Item::Key(key) => self.key(key, steps, at, sink),
            Item::AnyKey => self.any_key(steps, at, sink),
            Item::AnyElement => self.any_element(steps, at, sink),
            Item::Elements(subscripts) => self.elements(subscripts, steps, at, sink),
            Item::AnyDepth { first, last } => self.any_depth(*first, *last, steps, at, sink),
            Item::Filter(condition) => {
                let inner = At {
                    current: at.value,
                    ..at
                };
                match self.truth(condition, inner)? {
                    Some(true) => self.next(steps, at, sink),
                    _ => Ok(false),
                }
            }
            Item::Method(method) => self.method(*method, steps, at, sink),
            Item::Datetime(template) => self.datetime(template.as_deref(), steps, at, sink),
            Item::Binary(operator, sides) if !operator.is_predicate() => {
                self.arithmetic(*operator, sides, steps, at, sink)
            }
            Item::Unary(operator, input) if !operator.is_predicate() => {
                self.sign(*operator, input, steps, at, sink)
            }
            Item::Binary(..) | Item::Unary(..) | Item::LikeRegex { .. } => {
                let truth = self.predicate(head, at)?;
                let truth = truth.map_or(Json::Null, Json::Boolean);
                self.made_value(&truth, steps, at, sink)
            }
        }
    }

    /// Goes on from a value that is no part of the document.
    pub(super) fn made_value(
        &self,
        value: &Json,
        steps: &[Item],
        at: At<'_>,
        sink: &mut Sink,
    ) -> Outcome {
        self.next(steps, at.with(Value::Json(value)), sink)
    }

    /// The whole chain from each of some values.
    pub(super) fn each(
        &self,
        chain: &[Item],
        at: At<'_>,
        values: &[Json],
        unwrap: bool,
        sink: &mut Sink,
    ) -> Outcome {
        let mut found = false;
        for value in values {
            found = self.one(chain, at.with(Value::Json(value)), unwrap, sink)?;
            if found && !sink.takes_all() {
                break;
            }
        }
        Ok(found)
    }

    /// A chain that may be empty.
    pub(super) fn one(&self, chain: &[Item], at: At<'_>, unwrap: bool, sink: &mut Sink) -> Outcome {
        if chain.is_empty() {
            return sink.put(at.value);
        }
        self.item(chain, at, unwrap, sink)
    }

    fn variable(&self, name: &str, steps: &[Item], at: At<'_>, sink: &mut Sink) -> Outcome {
        let Some(variables) = self.variables else {
            return self.made_value(&Json::Null, steps, at, sink);
        };
        let found = match variables {
            Json::Object(pairs) => pairs.iter().find(|(key, _)| key == name),
            _ => None,
        };
        let Some((_, value)) = found else {
            return Err(Fail::Hard(Error::new(
                SqlState::UNDEFINED_OBJECT,
                format!("could not find jsonpath variable \"{name}\""),
            )));
        };
        let base = (variables, 1);
        self.next(
            steps,
            At {
                base,
                ..at.with(Value::Json(value))
            },
            sink,
        )
    }
}

/// Whether a step of a lax path goes to the elements of an array in its place.
fn looks_into_arrays(step: &Item) -> bool {
    use super::Method;
    match step {
        Item::Key(_) | Item::AnyKey | Item::Filter(_) | Item::Datetime(_) => true,
        Item::Method(method) => !matches!(method, Method::Size | Method::Type),
        _ => false,
    }
}
