//! The fields of the documents of one template, read in the form that they are stored in.

use crate::integers::{self, IntegerKind};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::gather_plain;
use crate::strings::json::number::Spelling;
use crate::strings::json::template::{FieldKind, Template};
use crate::strings::same::Differing;
use crate::tags::TAG_SAME;
use crate::{CodecError, Decoded};

const NONE: u16 = u16::MAX;

/// The scope with another limit.
pub(crate) fn within(mut scope: Scope<'_>, bytes_max: usize) -> Scope<'_> {
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
    Integers(Vec<i64>, Spelling),
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

pub(crate) struct Fields<'a>(Vec<Values<'a>>);

impl<'a> Fields<'a> {
    pub(crate) fn decode(
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
                    let integers = integers::decode_plain(scope, IntegerKind::Int64, bytes, count)?;
                    Values::Integers(integers, *spelling)
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

    pub(crate) fn gather(
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
                    let kind = IntegerKind::Int64;
                    let integers = integers::gather_plain(scope, kind, bytes, count, ranks)?;
                    Values::Integers(integers, *spelling)
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
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(Values::bytes).sum()
    }

    /// Appends the value of field `at` in one document.
    pub(crate) fn put(&self, at: usize, row: usize, out: &mut Vec<u8>) {
        match self.0.get(at) {
            Some(Values::Integers(integers, spelling)) => {
                spelling.put(integers.get(row).copied().unwrap_or(0), out);
            }
            Some(Values::Same { of, which, strings }) => match which.get(row) {
                Some(at) if *at != NONE => {
                    out.extend_from_slice(strings.as_ref().get(usize::from(*at)));
                }
                _ => out.extend_from_slice(self.0.get(*of).map_or(&[], |of| of.text(row))),
            },
            Some(values) => out.extend_from_slice(values.text(row)),
            None => {}
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
            Values::Integers(..) => 0,
        }
    }

    fn text(&self, row: usize) -> &[u8] {
        match self {
            Values::Plain(strings) => strings.as_ref().get(row),
            Values::Coded { codes, values } => {
                let code = codes.get(row).copied().unwrap_or(0);
                values.as_ref().get(code as usize)
            }
            Values::Integers(..) | Values::Same { .. } => &[],
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
