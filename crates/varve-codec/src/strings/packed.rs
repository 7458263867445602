//! Packed text: the codes of FSST, entropy-coded by the code before each.
//!
//! Pays on text whose parts follow one another unevenly: names, addresses, sentences. A code costs
//! about what is new in it after the one before, mostly four bits. Worst case: as FSST, and 1.5
//! bytes for each code that never followed before; a read of one row decodes the codes of 256.
//! Papers: as [`super::fsst`] and [`crate::entropy`].
//! Layout: symbol table (resource, u8), contexts (resource, u8), bytes of the lengths (varint), the
//! lengths of the strings in codes as nested words of 32 bits; for each 256 strings but the last
//! ones the bytes of their codes (varint), then those codes as [`crate::entropy`] has columns.

use std::sync::Arc;

use super::fsst::{FsstPlan, codes_of};
use super::{Strings, StringsRef};
use crate::entropy::{
    BitWriter, COLUMN_STRINGS, ContextDecoder, ContextEncoder, Span, decode_columns,
    encode_columns,
};
use crate::fsst::{SymbolTable, decode_into, decode_strings};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::words::{self, WordKind};
use crate::writer::put_varint;
use crate::{CodecError, ROWS_MAX};

/// Packed text while it is written.
#[derive(Debug)]
pub(crate) struct PackedPlan {
    pub(crate) fsst: Arc<FsstPlan>,
    pub(crate) contexts: u8,
    pub(crate) encoder: ContextEncoder,
}

/// Appends the strings; `None` when their codes are too long for the format.
pub(super) fn encode(plan: &PackedPlan, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
    let (lengths, codes) = codes_of(&plan.fsst.encoder, strings);
    i32::try_from(codes.len()).ok()?;
    out.push(plan.fsst.resource);
    out.push(plan.contexts);
    let mut nested = Vec::new();
    let lengths_plan = &plan.fsst.lengths;
    lengths_plan.encode(WordKind::Int32, &lengths, &mut nested);
    put_varint(nested.len() as u64, out);
    out.extend_from_slice(&nested);
    let spans = spans(&lengths, usize::MAX).ok()?;
    let columns = spans.chunks(COLUMN_STRINGS).map(|spans| {
        let mut bits = BitWriter::default();
        encode_columns(&plan.encoder, &codes, spans, &mut bits);
        bits.finish()
    });
    let columns: Vec<Vec<u8>> = columns.collect();
    for group in columns.iter().rev().skip(1).rev() {
        put_varint(group.len() as u64, out);
    }
    for group in columns {
        out.extend(group);
    }
    Some(())
}

const LENGTHS: CodecError = CodecError::Malformed("string lengths");

/// Where the codes of each string lie, of at most `codes_max` codes.
fn spans(lengths: &[i64], codes_max: usize) -> Result<Vec<Span>, CodecError> {
    let mut spans = Vec::with_capacity(lengths.len());
    let mut end = 0_u32;
    for length in lengths {
        let start = end;
        let length = u32::try_from(*length).map_err(|_| LENGTHS)?;
        end = end.checked_add(length).ok_or(LENGTHS)?;
        spans.push((start, end));
    }
    if end as usize > codes_max {
        return Err(LENGTHS);
    }
    Ok(spans)
}

/// A vector as stored.
struct Stored<'a> {
    symbols: &'a SymbolTable,
    contexts: &'a ContextDecoder,
    spans: Vec<Span>,
    /// The bytes of each group of strings.
    groups: Vec<&'a [u8]>,
}

impl<'a> Stored<'a> {
    fn take(
        scope: Scope<'a>,
        mut reader: ByteReader<'a>,
        rows: usize,
    ) -> Result<Stored<'a>, CodecError> {
        let symbols = scope.shared.symbols(reader.u8()?)?;
        let contexts = scope.shared.contexts(reader.u8()?)?;
        let nested = reader.count(0, reader.rest().len(), "length of lengths")?;
        let nested = reader.take(nested)?;
        let lengths = words::decode_plain(scope.nested()?, WordKind::Int32, nested, rows)?;
        // A code stands for a byte at least, and two codes do where the first is an escape.
        let spans = spans(&lengths, scope.bytes_max.saturating_mul(2))?;
        let count = rows.min(ROWS_MAX).div_ceil(COLUMN_STRINGS);
        let mut sizes = Vec::with_capacity(count);
        for _ in 1..count {
            sizes.push(reader.count(0, reader.rest().len(), "length of codes")?);
        }
        let mut groups = Vec::with_capacity(count);
        for bytes in sizes {
            groups.push(reader.take(bytes)?);
        }
        if count > 0 {
            groups.push(reader.rest());
        } else {
            reader.end()?;
        }
        Ok(Stored {
            symbols,
            contexts,
            spans,
            groups,
        })
    }

    /// Room for all codes.
    fn room(&self) -> Vec<u8> {
        vec![0; self.spans.last().map_or(0, |(_, end)| *end as usize)]
    }
}

pub(super) fn decode(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let mut codes = stored.room();
    for (spans, bytes) in stored.spans.chunks(COLUMN_STRINGS).zip(&stored.groups) {
        decode_columns(stored.contexts, bytes, spans, &mut codes)?;
    }
    let ends: Vec<u32> = stored.spans.iter().map(|(_, end)| *end).collect();
    decode_strings(stored.symbols, &codes, &ends, scope.bytes_max)
}

pub(super) fn gather(
    scope: Scope<'_>,
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    let stored = Stored::take(scope, reader, rows)?;
    let mut codes = stored.room();
    let groups = stored.spans.chunks(COLUMN_STRINGS).zip(&stored.groups);
    for (group, (spans, bytes)) in groups.enumerate() {
        let mut asked = positions.iter().map(|at| usize::from(*at));
        if asked.any(|at| at / COLUMN_STRINGS == group) {
            decode_columns(stored.contexts, bytes, spans, &mut codes)?;
        }
    }
    let mut strings = Strings::with_capacity(positions.len());
    for position in positions {
        let span = stored.spans.get(usize::from(*position));
        let codes = span.and_then(|(start, end)| codes.get(*start as usize..*end as usize));
        let left = scope.bytes_max.saturating_sub(strings.bytes.len());
        decode_into(
            stored.symbols,
            codes.ok_or(LENGTHS)?,
            &mut strings.bytes,
            left,
        )?;
        let end = u32::try_from(strings.bytes.len()).map_err(|_| LENGTHS)?;
        strings.offsets.push(end);
    }
    Ok(strings)
}
