//! Cutting strings into the columns of a template.
//!
//! Constants are the anchors: what lies before one reaches up to its first occurrence. Within such
//! a span numbers are taken off its end, and text is what is left.

use crate::short::strip_short;
use crate::string_data::{Strings, StringsRef};
use crate::strings::split::counter::{Counter, LOOK_ROWS};
use crate::strings::split::number::NumberForm;
use crate::strings::split::template::{Piece, Template};

/// A template taken apart into spans.
#[derive(Clone, Debug)]
pub(crate) struct Cutter {
    spans: Vec<Span>,
    columns: usize,
}

/// Columns up to a constant, or to the end of the string.
#[derive(Clone, Debug, Default)]
struct Span {
    columns: Vec<Column>,
    anchor: Vec<u8>,
    /// Bytes of the columns where they are of fixed width.
    width: Option<usize>,
    last: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Text,
    Number(NumberForm),
}

/// The values of one column.
#[derive(Clone, Debug)]
pub(crate) enum Values {
    Text(Strings),
    Numbers(Vec<i64>),
}

/// The strings of a vector, cut.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// Of the rows that fit the template.
    pub(crate) columns: Vec<Values>,
    /// The rows that do not, ascending.
    pub(crate) exceptions: Vec<u16>,
    /// Their strings.
    pub(crate) others: Strings,
}

/// One field of a row.
#[derive(Clone, Copy)]
enum Field<'a> {
    Text(&'a [u8]),
    Number(i64),
}

impl Cutter {
    pub(crate) fn new(template: &Template) -> Cutter {
        let mut spans = Vec::new();
        let mut span = Span::default();
        let mut columns = 0;
        for piece in template.pieces() {
            match piece {
                Piece::Constant(bytes) => {
                    span.anchor.clone_from(bytes);
                    spans.push(core::mem::take(&mut span));
                    continue;
                }
                Piece::Text => span.columns.push(Column::Text),
                Piece::Number(form) => span.columns.push(Column::Number(*form)),
            }
            columns += 1;
        }
        if !span.columns.is_empty() {
            spans.push(span);
        }
        for span in &mut spans {
            let width = |column: &Column| match column {
                Column::Number(form) if form.width() > 0 => Some(form.width()),
                _ => None,
            };
            span.width = span.columns.iter().map(width).sum();
        }
        if let Some(span) = spans.last_mut() {
            span.last = true;
        }
        Cutter { spans, columns }
    }

    /// Cuts the strings of a vector.
    pub(crate) fn cut(&self, template: &Template, strings: StringsRef<'_>) -> Option<Cut> {
        let rows = strings.len();
        let values = |piece: &Piece| match piece {
            Piece::Number(_) => Values::Numbers(Vec::with_capacity(rows)),
            _ => Values::Text(Strings::with_capacity(rows)),
        };
        let mut cut = Cut {
            columns: template.columns().map(values).collect(),
            exceptions: Vec::new(),
            others: Strings::with_capacity(0),
        };
        let mut counter = self.counter(strings);
        let mut fields = Vec::with_capacity(self.columns);
        for row in (0_u16..).take(rows) {
            let string = strings.get(usize::from(row));
            let before = counter;
            fields.clear();
            if self.cut_one(string, &mut counter, &mut fields).is_none() {
                counter = before;
                cut.exceptions.push(row);
                cut.others.push(string, usize::MAX).ok()?;
                continue;
            }
            for (values, field) in cut.columns.iter_mut().zip(&fields) {
                match (values, field) {
                    (Values::Numbers(integers), Field::Number(integer)) => integers.push(*integer),
                    (Values::Text(texts), Field::Text(text)) => {
                        texts.push(text, usize::MAX).ok()?;
                    }
                    _ => {}
                }
            }
        }
        Some(cut)
    }

    /// The counter of a vector, where the template has one.
    fn counter(&self, strings: StringsRef<'_>) -> Option<Counter> {
        let counts = |span: &Span| {
            let last = span.columns.last();
            matches!(last, Some(Column::Number(form)) if form.is_counter())
        };
        let at = self.spans.iter().position(counts)?;
        let texts = (0..strings.len()).map(|row| strings.get(row));
        let parts = texts.filter_map(|string| self.span_of(at, string));
        let parts: Vec<&[u8]> = parts.take(LOOK_ROWS).collect();
        Counter::find(&parts).map(|(counter, _)| counter)
    }

    /// What span `at` holds of a string.
    fn span_of<'a>(&self, at: usize, string: &'a [u8]) -> Option<&'a [u8]> {
        let mut rest = string;
        let mut part = None;
        for span in self.spans.iter().take(at + 1) {
            let (held, after) = span.take(rest)?;
            part = Some(held);
            rest = after;
        }
        part
    }

    /// Appends the fields of a string, one a column; `None` where it does not fit.
    fn cut_one<'a>(
        &self,
        string: &'a [u8],
        counter: &mut Option<Counter>,
        fields: &mut Vec<Field<'a>>,
    ) -> Option<()> {
        let mut rest = string;
        for span in &self.spans {
            let (part, after) = span.take(rest)?;
            span.cut(part, counter, fields)?;
            rest = after;
        }
        rest.is_empty().then_some(())
    }
}

impl Span {
    /// What the columns of the span hold, and the bytes after its anchor.
    fn take<'a>(&self, rest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
        let anchor = self.anchor.as_slice();
        if self.last {
            let (part, end) = rest.split_at_checked(rest.len().checked_sub(anchor.len())?)?;
            strip_short(end, anchor)?;
            return Some((part, &[]));
        }
        let at = match self.width {
            Some(width) => width,
            None => find(rest, anchor)?,
        };
        let (part, after) = rest.split_at_checked(at)?;
        match strip_short(after, anchor) {
            Some(after) => Some((part, after)),
            // A number may be longer than the width that it is padded to.
            None => {
                let (part, after) = rest.split_at_checked(find(rest, anchor)?)?;
                Some((part, strip_short(after, anchor)?))
            }
        }
    }

    /// Appends the fields of the span, the last column first found.
    fn cut<'a>(
        &self,
        part: &'a [u8],
        counter: &mut Option<Counter>,
        fields: &mut Vec<Field<'a>>,
    ) -> Option<()> {
        if let [Column::Text] = self.columns.as_slice() {
            fields.push(Field::Text(part));
            return Some(());
        }
        let start = fields.len();
        let mut rest = part;
        for (at, column) in self.columns.iter().enumerate().rev() {
            let field;
            (rest, field) = match column {
                Column::Text if at == 0 => (&[][..], Field::Text(rest)),
                Column::Text => {
                    let (before, text) = split_run(rest, |byte| !byte.is_ascii_digit());
                    (before, Field::Text(text))
                }
                Column::Number(form) if at == 0 => (&[][..], Field::Number(form.parse(rest)?)),
                Column::Number(form) if form.is_counter() => {
                    let (before, value) = counter.as_mut()?.cut(rest)?;
                    (before, Field::Number(value))
                }
                Column::Number(form) => {
                    let (before, digits) = split_number(rest, *form)?;
                    (before, Field::Number(form.parse(digits)?))
                }
            };
            fields.push(field);
        }
        if let Some(found) = fields.get_mut(start..) {
            found.reverse();
        }
        rest.is_empty().then_some(())
    }
}

/// The number at the end of a text: as many digits as its form is wide, or all there are; zeros
/// before an unpadded number belong to the text.
fn split_number(text: &[u8], form: NumberForm) -> Option<(&[u8], &[u8])> {
    if form.width() > 0 {
        return text.split_at_checked(text.len().checked_sub(form.width())?);
    }
    let (_, run) = split_run(text, |byte| byte.is_ascii_digit());
    let most = run.len().min(form.digits_max());
    let run = run.get(run.len() - most..)?;
    let zeros = run.iter().take_while(|byte| **byte == b'0').count();
    let digits = run.len() - zeros.min(run.len().checked_sub(1)?);
    text.split_at_checked(text.len() - digits)
}

/// The longest run at the end whose bytes all pass.
fn split_run(text: &[u8], passes: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let run = text.iter().rev().take_while(|byte| passes(**byte)).count();
    text.split_at_checked(text.len() - run)
        .unwrap_or((text, &[]))
}

/// The first place of `wanted` in `text`.
pub(crate) fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    let (first, after) = wanted.split_first()?;
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let at = from + rest.iter().position(|byte| byte == first)?;
        if strip_short(text.get(at + 1..)?, after).is_some() {
            return Some(at);
        }
        from = at + 1;
    }
}
