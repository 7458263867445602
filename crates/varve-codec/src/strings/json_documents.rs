//! Puts documents together from their template's literals and the columns of their fields.

use crate::CodecError;
use crate::integers::{self, IntegerKind};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::Strings;
use crate::strings::json::template::Template;
use crate::strings::json_fields::{Fields, within};
use crate::strings::{decode_plain, gather_plain};

/// The documents of a vector.
pub(crate) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let mut stored = Stored::take(scope, reader)?;
    let scope = scope.nested()?;
    let codes = integers::decode_plain(scope, IntegerKind::Int32, stored.codes, rows)?;
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
pub(crate) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let mut stored = Stored::take(scope, reader)?;
    let scope = scope.nested()?;
    let all = integers::decode_plain(scope, IntegerKind::Int32, stored.codes, rows)?;
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
        for (at, (literal, _)) in self.template.fields.iter().enumerate() {
            out.extend_from_slice(literal);
            self.fields.put(at, self.next, out);
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
