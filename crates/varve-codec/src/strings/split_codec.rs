//! Vectors cut by a template: writing them, reading them whole and by row.

use crate::bits::{get, index_width, pack, packed_bytes, unpack};
use crate::integers::{self, IntegerKind, IntegerPlan};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::short::{SHORT_BYTES, put_short};
use crate::string_data::{Strings, StringsRef};
use crate::strings::split::cut::{Cut, Cutter, Values};
use crate::strings::split::number::NumberForm;
use crate::strings::split::template::{Piece, Template};
use crate::strings::{StringPlan, decode as decode_text, decode_plain, gather_plain};
use crate::writer::{low32, put_nested, put_varint};
use crate::{CodecError, Decoded};

/// A vector of which more than one row in this many does not fit is written otherwise.
const FIT_PART: usize = 4;

/// A template while it is written, and how its columns are.
#[derive(Debug)]
pub(crate) struct Split {
    pub(crate) resource: u8,
    pub(crate) template: Template,
    pub(crate) cutter: Cutter,
    pub(crate) columns: Vec<ColumnPlan>,
    /// How the strings that do not fit are written.
    pub(crate) others: StringPlan,
}

/// How a column is written.
#[derive(Clone, Debug)]
pub(crate) enum ColumnPlan {
    Text(StringPlan),
    Numbers(IntegerPlan),
}

impl ColumnPlan {
    fn encode(&self, values: &Values, out: &mut Vec<u8>) {
        match (self, values) {
            (ColumnPlan::Text(plan), Values::Text(texts)) => {
                plan.encode(texts.as_ref(), out);
            }
            (ColumnPlan::Numbers(plan), Values::Numbers(integers)) => {
                plan.encode(IntegerKind::Int64, integers, out);
            }
            // Plans are made for the columns of the template that cut the values.
            _ => {}
        }
    }

    fn decode_cost(&self) -> u64 {
        match self {
            ColumnPlan::Text(plan) => plan.decode_cost(),
            ColumnPlan::Numbers(plan) => plan.decode_cost(),
        }
    }
}

impl Split {
    pub(crate) fn decode_cost(&self) -> u64 {
        let columns = self.columns.iter().map(ColumnPlan::decode_cost);
        1 + columns.max().unwrap_or(0)
    }
}

/// Appends a vector after its tag; `None` where too few rows fit the template.
pub(crate) fn encode(split: &Split, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
    let rows = strings.len();
    let cut = split.cutter.cut(&split.template, strings)?;
    if cut.exceptions.len() * FIT_PART >= rows {
        return None;
    }
    out.push(split.resource);
    put_cut(&cut, rows, &split.columns, &split.others, out);
    Some(())
}

/// Writes what follows the resource. Each nested part but the last has its length before it.
pub(crate) fn put_cut(
    cut: &Cut,
    rows: usize,
    plans: &[ColumnPlan],
    others: &StringPlan,
    out: &mut Vec<u8>,
) {
    put_varint(cut.exceptions.len() as u64, out);
    let positions = cut.exceptions.iter().map(|row| u64::from(*row));
    pack(positions, index_width(rows), out);
    for (at, (plan, values)) in plans.iter().zip(&cut.columns).enumerate() {
        if at + 1 < plans.len() || !cut.exceptions.is_empty() {
            put_nested(out, |out| plan.encode(values, out));
        } else {
            plan.encode(values, out);
        }
    }
    if !cut.exceptions.is_empty() {
        others.encode(cut.others.as_ref(), out);
    }
}

/// The parts of an encoded vector.
struct Parts<'a> {
    template: &'a Template,
    exceptions: Exceptions<'a>,
    /// The columns, then the strings of the exceptions, if any.
    nested: ByteReader<'a>,
}

/// The rows that do not fit, ascending.
#[derive(Clone, Copy)]
struct Exceptions<'a> {
    count: usize,
    width: u32,
    packed: &'a [u8],
}

impl Exceptions<'_> {
    /// Whether a row is an exception, and how many are before it.
    fn find(self, row: u16) -> (bool, usize) {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = (low + high) / 2;
            if get(self.packed, self.width, middle) < u64::from(row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let here = low < self.count && get(self.packed, self.width, low) == u64::from(row);
        (here, low)
    }
}

impl<'a> Parts<'a> {
    fn take(
        scope: Scope<'a>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<Parts<'a>, CodecError> {
        let template = scope.shared.template(reader.u8()?)?;
        let count = reader.count(0, rows, "number of exceptions")?;
        let width = index_width(rows);
        let packed = reader.take(packed_bytes(count, width))?;
        let positions = unpack(packed, width, count, |row| row);
        let ascending = positions.is_sorted_by(|a, b| a < b);
        if !ascending || positions.last().is_some_and(|row| *row >= rows as u64) {
            return Err(CodecError::Malformed("exceptions"));
        }
        Ok(Parts {
            template,
            exceptions: Exceptions {
                count,
                width,
                packed,
            },
            nested: reader,
        })
    }

    /// The bytes of the next nested part.
    fn next(&mut self, last: bool) -> Result<&'a [u8], CodecError> {
        if last {
            return Ok(self.nested.rest());
        }
        self.nested.nested()
    }
}

/// Text of a column, as its codec had it.
struct TextColumn {
    values: Strings,
    /// Which of the values each row has; without, they are in order of the rows.
    codes: Option<Vec<u32>>,
}

/// A piece while strings are put together.
enum Source<'a> {
    /// Bytes, and how many of them count.
    Constant(Vec<u8>, usize),
    Numbers(NumberForm, Vec<i64>),
    Text(TextColumn),
    SharedText(&'a Strings, Vec<u32>),
}

impl Source<'_> {
    fn bytes(&self) -> usize {
        match self {
            Source::Text(column) => column.values.bytes.len(),
            _ => 0,
        }
    }

    fn put(&self, row: usize, out: &mut Vec<u8>) -> Result<(), CodecError> {
        match self {
            Source::Constant(bytes, length) => put_short(bytes, *length, out),
            Source::Numbers(form, integers) => {
                let integer = integers.get(row).ok_or(CodecError::UnexpectedEnd)?;
                form.put(*integer, out);
            }
            Source::Text(TextColumn { values, codes }) => {
                let at = match codes {
                    Some(codes) => *codes.get(row).ok_or(CodecError::UnexpectedEnd)? as usize,
                    None => row,
                };
                put_text(values, at, out);
            }
            Source::SharedText(values, codes) => {
                let code = codes.get(row).ok_or(CodecError::UnexpectedEnd)?;
                put_text(values, *code as usize, out);
            }
        }
        Ok(())
    }
}

/// Appends string `at`, or nothing past the end.
fn put_text(values: &Strings, at: usize, out: &mut Vec<u8>) {
    if let (Some(start), Some(end)) = (values.offsets.get(at), values.offsets.get(at + 1)) {
        let bytes = values.bytes.get(*start as usize..).unwrap_or_default();
        put_short(bytes, end.saturating_sub(*start) as usize, out);
    }
}

/// The text of a column of `rows` rows.
fn text_source<'a>(scope: Scope<'a>, bytes: &[u8], rows: usize) -> Result<Source<'a>, CodecError> {
    let (values, codes) = match decode_text(scope, bytes, rows)? {
        Decoded::Plain(values) => (values, None),
        Decoded::Constant(values) => (values, Some(vec![0; rows])),
        Decoded::Dictionary { codes, values } => (values, Some(codes)),
        Decoded::Shared { codes, resource } => {
            return Ok(Source::SharedText(scope.shared.strings(resource)?, codes));
        }
        Decoded::RunEnds { ends, values } => {
            let mut codes = Vec::with_capacity(rows);
            for (run, end) in (0_u32..).zip(ends) {
                codes.resize(end as usize, run);
            }
            (values, Some(codes))
        }
    };
    Ok(Source::Text(TextColumn { values, codes }))
}

/// The pieces of the template, read in turn; and the scope of what comes after them.
fn sources<'a>(
    scope: Scope<'a>,
    parts: &mut Parts<'a>,
    numbers: impl Fn(Scope<'a>, &'a [u8]) -> Result<Vec<i64>, CodecError>,
    text: impl Fn(Scope<'a>, &'a [u8]) -> Result<Source<'a>, CodecError>,
) -> Result<(Vec<Source<'a>>, Scope<'a>), CodecError> {
    let mut nested = scope.nested()?;
    let template = parts.template;
    let mut sources = Vec::with_capacity(template.pieces().len());
    let mut columns_left = template.columns().count();
    for piece in template.pieces() {
        if let Piece::Constant(bytes) = piece {
            let length = bytes.len();
            let mut bytes = bytes.clone();
            bytes.resize(length.max(SHORT_BYTES), 0);
            sources.push(Source::Constant(bytes, length));
            continue;
        }
        columns_left -= 1;
        let bytes = parts.next(columns_left == 0 && parts.exceptions.count == 0)?;
        let source = match piece {
            Piece::Number(form) => Source::Numbers(*form, numbers(nested, bytes)?),
            _ => text(nested, bytes)?,
        };
        nested.bytes_max = nested.bytes_max.saturating_sub(source.bytes());
        sources.push(source);
    }
    Ok((sources, nested))
}

/// The strings of a vector, after its tag.
pub(crate) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Decoded<Strings>, CodecError> {
    let mut parts = Parts::take(scope, reader, rows)?;
    let exceptions = parts.exceptions;
    let fitting = rows - exceptions.count;
    let (sources, nested) = sources(
        scope,
        &mut parts,
        |nested, bytes| integers::decode_plain(nested, IntegerKind::Int64, bytes, fitting),
        |nested, bytes| text_source(nested, bytes, fitting),
    )?;
    let others = match exceptions.count {
        0 => Strings::with_capacity(0),
        count => decode_plain(nested, parts.next(true)?, count)?,
    };
    let strings = join(scope, &sources, exceptions, &others, rows)?;
    Ok(Decoded::Plain(strings))
}

/// The most bytes that are set aside because the first row asks for them.
const RESERVED_BYTES_MAX: usize = 64 << 10;

/// Puts `rows` strings together.
fn join(
    scope: Scope<'_>,
    sources: &[Source<'_>],
    exceptions: Exceptions<'_>,
    others: &Strings,
    rows: usize,
) -> Result<Strings, CodecError> {
    let mut strings = Strings::with_capacity(rows);
    let mut put = 0;
    for other in 0..=exceptions.count {
        let end = match other < exceptions.count {
            true => low32(get(exceptions.packed, exceptions.width, other)) as usize,
            false => rows,
        };
        // The rows before `end` that fit are those less the exceptions before.
        for row in put..end - other {
            for source in sources {
                source.put(row, &mut strings.bytes)?;
                check_length(&strings.bytes, scope.bytes_max)?;
            }
            strings.end_string(scope.bytes_max)?;
            if row == 0 {
                let all = strings.bytes.len().saturating_mul(rows);
                strings.bytes.reserve(all.min(RESERVED_BYTES_MAX));
            }
        }
        put = end - other;
        if other < exceptions.count {
            strings.push(others.as_ref().get(other), scope.bytes_max)?;
        }
    }
    Ok(strings)
}

/// Refuses more bytes than are allowed, after each piece: many pieces may have one long text.
fn check_length(out: &[u8], bytes_max: usize) -> Result<(), CodecError> {
    let bytes = out.len();
    if bytes > bytes_max {
        return Err(CodecError::TooLarge { bytes, bytes_max });
    }
    Ok(())
}

/// The strings at `positions` of a vector, after its tag.
pub(crate) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let mut parts = Parts::take(scope, reader, rows)?;
    let exceptions = parts.exceptions;
    let fitting = rows - exceptions.count;
    let mut fields_at = Vec::with_capacity(positions.len());
    let mut others_at = Vec::new();
    for position in positions {
        let (exception, before) = exceptions.find(*position);
        let before = u16::try_from(before).unwrap_or(u16::MAX);
        if exception {
            others_at.push(before);
        } else {
            fields_at.push(position.saturating_sub(before));
        }
    }
    let (sources, nested) = sources(
        scope,
        &mut parts,
        |nested, bytes| {
            integers::gather_plain(nested, IntegerKind::Int64, bytes, fitting, &fields_at)
        },
        |nested, bytes| {
            let values = gather_plain(nested, bytes, fitting, &fields_at)?;
            let codes = None;
            Ok(Source::Text(TextColumn { values, codes }))
        },
    )?;
    let others = match exceptions.count {
        0 => Strings::with_capacity(0),
        count => gather_plain(nested, parts.next(true)?, count, &others_at)?,
    };
    let mut strings = Strings::with_capacity(positions.len());
    let (mut field, mut other) = (0, 0);
    for position in positions {
        if exceptions.find(*position).0 {
            strings.push(others.as_ref().get(other), scope.bytes_max)?;
            other += 1;
            continue;
        }
        for source in &sources {
            source.put(field, &mut strings.bytes)?;
            check_length(&strings.bytes, scope.bytes_max)?;
        }
        strings.end_string(scope.bytes_max)?;
        field += 1;
    }
    Ok(strings)
}
