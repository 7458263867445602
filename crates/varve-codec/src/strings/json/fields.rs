//! Puts documents together from their template's literals and the columns of their fields.

use super::number::Spelling;
use super::template::{FieldKind, Template};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::strings::same::Differing;
use crate::strings::{Strings, StringsRef, decode_plain, gather_plain};
use crate::words::{self, WordKind};
use crate::{CodecError, Decoded, TAG_SAME};

const NONE: u16 = u16::MAX;

/// The documents of a vector.
pub(in crate::strings) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let mut stored = Stored::take(scope, reader)?;
    let scope = scope.nested()?;
    let codes = words::decode_plain(scope, WordKind::Int32, stored.codes, rows)?;
    let codes = checked_codes(&codes, stored.templates.len())?;
    let mut left = scope.bytes_max;
    let mut sources = Vec::with_capacity(stored.templates.len());
    for (code, template) in (0..).zip(stored.templates) {
        let count = codes.iter().filter(|other| **other == code).count();
        let fields = stored.fields(template, count)?;
        check_count(count, template, left)?;
        let fields = Fields::decode(scope, &fields, template, count, &mut left)?;
        sources.push(Source::new(template, fields));
    }
    let exceptions = stored.exceptions(&codes)?;
    let exceptions = if exceptions == 0 {
        Strings::with_capacity(0)
    } else {
        let scope = within(scope, left);
        decode_plain(scope, stored.reader.rest(), exceptions)?
    };
    assemble(&codes, sources, &exceptions, scope.bytes_max)
}

/// The documents at `positions`.
pub(in crate::strings) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let mut stored = Stored::take(scope, reader)?;
    let scope = scope.nested()?;
    let all = words::decode_plain(scope, WordKind::Int32, stored.codes, rows)?;
    let all = checked_codes(&all, stored.templates.len())?;
    let (codes, ranks) = ranks(&all, positions, stored.templates.len());
    let mut left = scope.bytes_max;
    let mut sources = Vec::with_capacity(stored.templates.len());
    for ((code, template), ranks) in (0..).zip(stored.templates).zip(&ranks) {
        let count = all.iter().filter(|other| **other == code).count();
        let fields = stored.fields(template, count)?;
        check_count(ranks.len(), template, left)?;
        let fields = Fields::gather(scope, &fields, template, count, ranks, &mut left)?;
        sources.push(Source::new(template, fields));
    }
    let exceptions = stored.exceptions(&all)?;
    let exceptions = match ranks.last() {
        Some(ranks) if !ranks.is_empty() => {
            let scope = within(scope, left);
            gather_plain(scope, stored.reader.rest(), exceptions, ranks)?
        }
        _ => Strings::with_capacity(0),
    };
    assemble(&codes, sources, &exceptions, scope.bytes_max)
}

/// The code of each position, and for each code the positions among the rows of that code.
fn ranks(all: &[u8], positions: &[u16], templates: usize) -> (Vec<u8>, Vec<Vec<u16>>) {
    let mut rank_of_row = Vec::with_capacity(all.len());
    let mut counts = vec![0_u16; templates + 1];
    for code in all {
        if let Some(count) = counts.get_mut(usize::from(*code)) {
            rank_of_row.push(*count);
            *count += 1;
        }
    }
    let mut ranks = vec![Vec::new(); templates + 1];
    let mut codes = Vec::with_capacity(positions.len());
    for position in positions {
        let row = usize::from(*position);
        if let (Some(code), Some(rank)) = (all.get(row), rank_of_row.get(row))
            && let Some(ranks) = ranks.get_mut(usize::from(*code))
        {
            codes.push(*code);
            ranks.push(*rank);
        }
    }
    (codes, ranks)
}

/// A vector as stored.
struct Stored<'a> {
    templates: &'a [Template],
    codes: &'a [u8],
    reader: ByteReader<'a>,
}

impl<'a> Stored<'a> {
    fn take(scope: Scope<'a>, mut reader: ByteReader<'a>) -> Result<Stored<'a>, CodecError> {
        let templates = scope.shared.templates(reader.u8()?)?;
        let codes = reader.nested()?;
        Ok(Stored {
            templates,
            codes,
            reader,
        })
    }

    /// The bytes of the fields of the next template, if it has rows.
    fn fields(&mut self, template: &Template, count: usize) -> Result<Vec<&'a [u8]>, CodecError> {
        if count == 0 {
            return Ok(Vec::new());
        }
        let fields = template.fields.iter();
        fields.map(|_| self.reader.nested()).collect()
    }

    /// How many of the codes are exceptions; without any the vector ends here.
    fn exceptions(&self, codes: &[u8]) -> Result<usize, CodecError> {
        let none = self.templates.len();
        let count = codes.iter().filter(|code| usize::from(**code) == none);
        let count = count.count();
        if count == 0 {
            self.reader.end()?;
        }
        Ok(count)
    }
}

fn checked_codes(codes: &[i64], templates: usize) -> Result<Vec<u8>, CodecError> {
    let code = |code: &i64| {
        let code = u8::try_from(*code).ok();
        code.filter(|code| usize::from(*code) <= templates)
    };
    let codes: Option<Vec<u8>> = codes.iter().map(code).collect();
    codes.ok_or(CodecError::Malformed("template code"))
}

/// Documents have at least a byte for each field, so what the fields take in memory is bounded by
/// the bytes allowed.
fn check_count(count: usize, template: &Template, bytes_max: usize) -> Result<(), CodecError> {
    let bytes = count.saturating_mul(template.fields.len());
    if bytes > bytes_max {
        return Err(CodecError::TooLarge { bytes, bytes_max });
    }
    Ok(())
}

fn within(mut scope: Scope<'_>, bytes_max: usize) -> Scope<'_> {
    scope.bytes_max = bytes_max;
    scope
}

/// The values of one field, one for each document of a template.
enum Values<'a> {
    Plain(Strings),
    Coded {
        codes: Vec<u32>,
        values: Lookup<'a>,
    },
    Words(Vec<i64>, Spelling),
    /// Those of another field, but for the rows whose entry names a string.
    Same {
        of: usize,
        which: Vec<u16>,
        strings: Strings,
    },
}

enum Lookup<'a> {
    Own(Strings),
    Shared(StringsRef<'a>),
}

impl Lookup<'_> {
    fn as_ref(&self) -> StringsRef<'_> {
        match self {
            Lookup::Own(strings) => strings.as_ref(),
            Lookup::Shared(strings) => *strings,
        }
    }
}

struct Fields<'a>(Vec<Values<'a>>);

impl<'a> Fields<'a> {
    fn decode(
        scope: Scope<'a>,
        stored: &[&[u8]],
        template: &Template,
        count: usize,
        left: &mut usize,
    ) -> Result<Fields<'a>, CodecError> {
        let mut fields = Fields(Vec::with_capacity(stored.len()));
        for (bytes, (_, kind)) in stored.iter().zip(&template.fields) {
            let scope = within(scope, *left);
            let values = match kind {
                FieldKind::Number(spelling) => {
                    let words = words::decode_plain(scope, WordKind::Int64, bytes, count)?;
                    Values::Words(words, *spelling)
                }
                FieldKind::Text => match fields.same(bytes)? {
                    Some((of, reader)) => {
                        let differing = Differing::take(scope, reader, count)?;
                        let which = (0..count).map(|row| index(differing.at(row)));
                        Values::Same {
                            of,
                            which: which.collect(),
                            strings: differing.decode(scope)?,
                        }
                    }
                    None => text(scope, bytes, count)?,
                },
            };
            fields.push(values, left);
        }
        Ok(fields)
    }

    fn gather(
        scope: Scope<'a>,
        stored: &[&[u8]],
        template: &Template,
        count: usize,
        ranks: &[u16],
        left: &mut usize,
    ) -> Result<Fields<'a>, CodecError> {
        let mut fields = Fields(Vec::with_capacity(stored.len()));
        if ranks.is_empty() {
            return Ok(fields);
        }
        for (bytes, (_, kind)) in stored.iter().zip(&template.fields) {
            let scope = within(scope, *left);
            let values = match kind {
                FieldKind::Number(spelling) => {
                    let kind = WordKind::Int64;
                    let words = words::gather_plain(scope, kind, bytes, count, ranks)?;
                    Values::Words(words, *spelling)
                }
                FieldKind::Text => match fields.same(bytes)? {
                    Some((of, reader)) => {
                        let differing = Differing::take(scope, reader, count)?;
                        let (which, strings) = differing.gather(scope, ranks)?;
                        let which = which.into_iter().map(|at| at.unwrap_or(NONE)).collect();
                        Values::Same { of, which, strings }
                    }
                    None => Values::Plain(gather_plain(scope, bytes, count, ranks)?),
                },
            };
            fields.push(values, left);
        }
        Ok(fields)
    }

    fn push(&mut self, values: Values<'a>, left: &mut usize) {
        *left = left.saturating_sub(values.bytes());
        self.0.push(values);
    }

    /// Which field is meant and what follows, if the field is stored as the same as another, which
    /// comes before it and is not stored so itself.
    fn same<'b>(&self, bytes: &'b [u8]) -> Result<Option<(usize, ByteReader<'b>)>, CodecError> {
        let mut reader = ByteReader::new(bytes);
        if reader.u8()? != TAG_SAME {
            return Ok(None);
        }
        let of = usize::from(reader.u8()?);
        match self.0.get(of) {
            Some(Values::Plain(_) | Values::Coded { .. }) => Ok(Some((of, reader))),
            _ => Err(CodecError::Malformed("field")),
        }
    }

    /// Bytes of the strings that are held, none twice.
    fn bytes(&self) -> usize {
        self.0.iter().map(Values::bytes).sum()
    }

    /// Appends the value of a field in one document.
    fn put(&self, values: &Values<'_>, row: usize, out: &mut Vec<u8>) {
        match values {
            Values::Words(words, spelling) => {
                spelling.put(words.get(row).copied().unwrap_or(0), out);
            }
            Values::Same { of, which, strings } => match which.get(row) {
                Some(at) if *at != NONE => {
                    out.extend_from_slice(strings.as_ref().get(usize::from(*at)));
                }
                _ => out.extend_from_slice(self.0.get(*of).map_or(&[], |of| of.text(row))),
            },
            values => out.extend_from_slice(values.text(row)),
        }
    }
}

impl Values<'_> {
    /// Bytes of the strings that are held; each is in one document at least.
    fn bytes(&self) -> usize {
        match self {
            Values::Plain(strings) | Values::Same { strings, .. } => strings.bytes.len(),
            Values::Coded { values, .. } => match values {
                Lookup::Own(strings) => strings.bytes.len(),
                Lookup::Shared(_) => 0,
            },
            Values::Words(..) => 0,
        }
    }

    fn text(&self, row: usize) -> &[u8] {
        match self {
            Values::Plain(strings) => strings.as_ref().get(row),
            Values::Coded { codes, values } => {
                let code = codes.get(row).copied().unwrap_or(0);
                values.as_ref().get(code as usize)
            }
            Values::Words(..) | Values::Same { .. } => &[],
        }
    }
}

fn index(at: Option<usize>) -> u16 {
    at.and_then(|at| u16::try_from(at).ok()).unwrap_or(NONE)
}

/// A text field, left in the form that it is stored in.
fn text<'a>(scope: Scope<'a>, bytes: &[u8], count: usize) -> Result<Values<'a>, CodecError> {
    Ok(match crate::strings::decode(scope, bytes, count)? {
        Decoded::Plain(strings) => Values::Plain(strings),
        Decoded::Constant(strings) => Values::Coded {
            codes: vec![0; count],
            values: Lookup::Own(strings),
        },
        Decoded::Dictionary { codes, values } => Values::Coded {
            codes,
            values: Lookup::Own(values),
        },
        Decoded::Shared { codes, resource } => Values::Coded {
            codes,
            values: Lookup::Shared(scope.shared.strings(resource)?.as_ref()),
        },
        Decoded::RunEnds { ends, values } => {
            let mut codes = Vec::with_capacity(count);
            for (run, end) in (0..).zip(ends) {
                codes.resize(end as usize, run);
            }
            Values::Coded {
                codes,
                values: Lookup::Own(values),
            }
        }
    })
}

/// The documents of one template, taken one after another.
struct Source<'a> {
    template: &'a Template,
    fields: Fields<'a>,
    next: usize,
}

impl<'a> Source<'a> {
    fn new(template: &'a Template, fields: Fields<'a>) -> Source<'a> {
        Source {
            template,
            fields,
            next: 0,
        }
    }

    /// Appends the next document; stops once that has passed `bytes_max`, for many fields may
    /// have one long value.
    fn put_next(&mut self, out: &mut Vec<u8>, bytes_max: usize) {
        for ((literal, _), values) in self.template.fields.iter().zip(&self.fields.0) {
            out.extend_from_slice(literal);
            self.fields.put(values, self.next, out);
            if out.len() > bytes_max {
                return;
            }
        }
        out.extend_from_slice(&self.template.tail);
        self.next += 1;
    }
}

fn assemble(
    codes: &[u8],
    mut sources: Vec<Source<'_>>,
    exceptions: &Strings,
    bytes_max: usize,
) -> Result<Strings, CodecError> {
    let mut strings = Strings::with_capacity(codes.len());
    let rows = codes.len() / sources.len().max(1);
    let expected = sources.iter().fold(0_usize, |expected, source| {
        let literals = source.template.literal_bytes().saturating_mul(rows);
        expected
            .saturating_add(source.fields.bytes())
            .saturating_add(literals)
    });
    strings.bytes.reserve(expected.min(bytes_max));
    let mut exception = 0;
    for code in codes {
        match sources.get_mut(usize::from(*code)) {
            Some(source) => source.put_next(&mut strings.bytes, bytes_max),
            None => {
                let text = exceptions.as_ref().get(exception);
                strings.bytes.extend_from_slice(text);
                exception += 1;
            }
        }
        strings.end_string(bytes_max)?;
    }
    Ok(strings)
}
