//! Takes the documents of a vector apart into columns.

use crate::short::strip_short;
use crate::string_data::{Strings, StringsRef};
use crate::strings::json::number::Spelling;
use crate::strings::json::pattern::{Pattern, Slot};
use crate::strings::json::template::{FieldKind, Template};
use crate::writer::length_integer;

/// A pattern, and what is known of the values in its slots.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) pattern: Pattern,
    pub(crate) forms: Vec<Form>,
}

/// What the values of a slot have in common.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// What every value begins and ends with; the whole value of a constant.
    pub(crate) prefix: Vec<u8>,
    pub(crate) suffix: Vec<u8>,
    /// The field that holds the rest, unless the values are constant.
    pub(crate) kind: Option<FieldKind>,
}

/// The values of one field.
#[derive(Clone, Debug)]
pub(crate) enum Column {
    Text(Strings),
    Integers(Vec<i64>),
}

/// The documents of one shape in a vector.
#[derive(Debug)]
pub(crate) struct Rows {
    pub(crate) count: usize,
    pub(crate) columns: Vec<Column>,
}

/// A vector taken apart.
#[derive(Debug)]
pub(crate) struct Parts {
    /// The shape of each row; the number of shapes for an exception.
    pub(crate) codes: Vec<i64>,
    pub(crate) shapes: Vec<Rows>,
    /// The rows that have no shape.
    pub(crate) exceptions: Strings,
}

enum Value<'a> {
    Text(&'a [u8]),
    Integer(i64),
}

impl Shape {
    /// A shape of which no more is known.
    pub(crate) fn new(pattern: Pattern) -> Shape {
        let form = Form {
            prefix: Vec::new(),
            suffix: Vec::new(),
            kind: Some(FieldKind::Text),
        };
        let forms = vec![form; pattern.slots().count()];
        Shape { pattern, forms }
    }

    /// Learns what the values of each slot have in common from all of them; the shape still is one
    /// of which no more is known.
    pub(crate) fn refine(&mut self, rows: &[&Rows]) {
        for (slot, form) in self.forms.iter_mut().enumerate() {
            let columns: Vec<StringsRef<'_>> = rows
                .iter()
                .filter_map(|rows| match rows.columns.get(slot) {
                    Some(Column::Text(strings)) => Some(strings.as_ref()),
                    _ => None,
                })
                .collect();
            *form = Form::of(&columns);
        }
    }

    /// How documents of the shape are put together again.
    pub(crate) fn template(&self) -> Template {
        let mut template = Template::default();
        let mut literals = self.pattern.literals();
        for form in &self.forms {
            template
                .tail
                .extend_from_slice(literals.next().unwrap_or_default());
            template.tail.extend_from_slice(&form.prefix);
            if let Some(kind) = form.kind {
                let literal = core::mem::take(&mut template.tail);
                template.fields.push((literal, kind));
            }
            template.tail.extend_from_slice(&form.suffix);
        }
        template
            .tail
            .extend_from_slice(literals.next().unwrap_or_default());
        template
    }

    /// The slot of each field.
    pub(crate) fn field_slots(&self) -> impl Iterator<Item = Slot> {
        let slots = self.pattern.slots().zip(&self.forms);
        slots.filter_map(|(slot, form)| form.kind.map(|_| slot))
    }

    /// The values of a document's fields, if it has the shape.
    fn values<'a>(
        &self,
        text: &'a [u8],
        cut: &mut Vec<&'a [u8]>,
        values: &mut Vec<Value<'a>>,
    ) -> Option<()> {
        self.pattern.cut(text, cut)?;
        values.clear();
        for (text, form) in cut.iter().zip(&self.forms) {
            let text = strip_short(text, &form.prefix)?;
            let (text, suffix) =
                text.split_at_checked(text.len().checked_sub(form.suffix.len())?)?;
            strip_short(suffix, &form.suffix)?;
            match form.kind {
                Some(FieldKind::Text) => values.push(Value::Text(text)),
                Some(FieldKind::Number(spelling)) => {
                    values.push(Value::Integer(spelling.integer(text)?));
                }
                None if text.is_empty() => {}
                None => return None,
            }
        }
        Some(())
    }

    fn no_rows(&self) -> Rows {
        let kinds = self.forms.iter().filter_map(|form| form.kind);
        let columns = kinds
            .map(|kind| match kind {
                FieldKind::Text => Column::Text(Strings::with_capacity(0)),
                FieldKind::Number(_) => Column::Integers(Vec::new()),
            })
            .collect();
        Rows { count: 0, columns }
    }
}

impl Form {
    fn of(columns: &[StringsRef<'_>]) -> Form {
        let values = columns
            .iter()
            .flat_map(|column| (0..column.len()).map(|row| column.get(row)));
        let first = values.clone().next().unwrap_or_default();
        let (mut prefix, mut suffix, mut shortest) = (first.len(), first.len(), first.len());
        for value in values.clone() {
            shortest = shortest.min(value.len());
            prefix = equal(first.iter().take(prefix), value.iter());
            suffix = equal(first.iter().rev().take(suffix), value.iter().rev());
        }
        if prefix == first.len() && values.clone().all(|value| value.len() == prefix) {
            return Form {
                prefix: first.to_vec(),
                suffix: Vec::new(),
                kind: None,
            };
        }
        // A number is kept whole, since the values to come share fewer digits.
        let in_number = |byte: &&u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
        let tail = first.iter().take(prefix).rev();
        prefix -= tail.take_while(in_number).count();
        suffix = suffix.min(shortest - prefix);
        let head = first.iter().rev().take(suffix).rev();
        suffix -= head.take_while(in_number).count();
        let inner = values.map(|value| {
            let rest = value.get(prefix..value.len() - suffix);
            rest.unwrap_or_default()
        });
        let (prefix, _) = first.split_at(prefix);
        let (_, suffix) = first.split_at(first.len() - suffix);
        Form {
            prefix: prefix.to_vec(),
            suffix: suffix.to_vec(),
            kind: Some(Spelling::of(inner).map_or(FieldKind::Text, FieldKind::Number)),
        }
    }
}

/// How many items at the front are equal.
fn equal<'a>(a: impl Iterator<Item = &'a u8>, b: impl Iterator<Item = &'a u8>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).count()
}

/// Takes a vector apart.
pub(crate) fn split(shapes: &[Shape], strings: StringsRef<'_>) -> Parts {
    let mut parts = Parts {
        codes: Vec::with_capacity(strings.len()),
        shapes: shapes.iter().map(Shape::no_rows).collect(),
        exceptions: Strings::with_capacity(0),
    };
    let (mut cut, mut values) = (Vec::new(), Vec::new());
    for row in 0..strings.len() {
        let text = strings.get(row);
        let fits = |shape: &Shape| shape.values(text, &mut cut, &mut values).is_some();
        let code = shapes.iter().position(fits).unwrap_or(shapes.len());
        parts.codes.push(length_integer(code));
        match parts.shapes.get_mut(code) {
            Some(rows) => rows.push(&values),
            None => push(&mut parts.exceptions, text),
        }
    }
    parts
}

impl Rows {
    fn push(&mut self, values: &[Value<'_>]) {
        self.count += 1;
        for (column, value) in self.columns.iter_mut().zip(values) {
            match (column, value) {
                (Column::Text(strings), Value::Text(text)) => push(strings, text),
                (Column::Integers(integers), Value::Integer(integer)) => integers.push(*integer),
                _ => {}
            }
        }
    }
}

fn push(strings: &mut Strings, text: &[u8]) {
    // Strings of one vector come from a buffer with offsets of 32 bits, so they fit one.
    let pushed = strings.push(text, usize::MAX);
    debug_assert!(pushed.is_ok());
}
