//! Packed text: the codes of FSST, entropy-coded by the code before each.
//!
//! Pays on text whose parts follow one another unevenly: names, addresses, sentences. A code costs
//! about what is new in it after the one before, mostly four bits. Worst case: as FSST, and 1.5
//! bytes for each code that never followed before; a read of one row decodes the codes of 256.
//! Papers: as [`super::fsst`] and [`crate::entropy`].
//! Layout: symbol table (resource, u8), contexts (resource, u8), bytes of the lengths (varint), the
//! lengths of the strings in codes as nested integers of 32 bits; for each 256 strings but the last
//! ones the bytes of their codes (varint), then those codes as [`crate::entropy`] has columns.

use std::sync::Arc;

use crate::entropy::{
    BitWriter, COLUMN_STRINGS, ContextCounts, ContextDecoder, ContextEncoder, Span, decode_columns,
    encode_columns,
};
use crate::fsst::{SymbolTable, decode_into, decode_strings};
use crate::integers::{self, IntegerKind};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::fsst::{FsstPlan, codes_of};
use crate::strings::{StringCodec, StringSample};
use crate::tags::TAG_PACKED;
use crate::writer::{put_nested, put_varint};
use crate::{CodecError, ROWS_MAX, SharedWriter};

/// Packed text while it is written.
#[derive(Debug)]
pub(crate) struct PackedPlan {
    pub(crate) fsst: Arc<FsstPlan>,
    pub(crate) contexts: u8,
    pub(crate) encoder: ContextEncoder,
}

/// Vectors that contexts are counted on, at most.
const TRAINED_VECTORS: usize = 16;

/// Whether FSST finds anything in the first strings: without, their codes are noise too.
pub(super) fn may_pay(sample: StringSample<'_>, fsst: &FsstPlan) -> bool {
    let shrinks = |vector: &StringsRef<'_>| {
        let (_, codes) = codes_of(&fsst.encoder, *vector);
        codes.len() <= vector.text().len()
    };
    sample.vectors.first().is_some_and(shrinks)
}

/// Packed text over a plan of FSST.
pub(super) fn candidate(
    sample: StringSample<'_>,
    fsst: &Arc<FsstPlan>,
    shared: &SharedWriter,
) -> Option<(PackedPlan, SharedWriter)> {
    let vectors = sample.block.unwrap_or(sample.vectors);
    let apart = vectors.len().div_ceil(TRAINED_VECTORS).max(1);
    let mut counts = ContextCounts::new();
    let mut rows = 0;
    for vector in vectors.iter().step_by(apart) {
        rows += vector.len() as u64;
        let (lengths, codes) = codes_of(&fsst.encoder, *vector);
        for (start, end) in spans(&lengths, usize::MAX).ok()? {
            counts.add(codes.get(start as usize..end as usize)?);
        }
    }
    let contexts = counts.contexts((rows, sample.scale.block_rows));
    let mut grown = shared.clone();
    let plan = PackedPlan {
        fsst: Arc::clone(fsst),
        contexts: grown.add_contexts(&contexts)?,
        encoder: ContextEncoder::new(&contexts),
    };
    Some((plan, grown))
}

impl StringCodec for PackedPlan {
    fn tag(&self) -> u8 {
        TAG_PACKED
    }

    fn put(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
        encode(self, strings, out)
    }

    fn decode_cost(&self) -> u64 {
        2
    }
}

/// Appends the strings; `None` when their codes are too long for the format.
fn encode(plan: &PackedPlan, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
    let (lengths, codes) = codes_of(&plan.fsst.encoder, strings);
    i32::try_from(codes.len()).ok()?;
    out.push(plan.fsst.resource);
    out.push(plan.contexts);
    put_nested(out, |out| {
        plan.fsst.lengths.encode(IntegerKind::Int32, &lengths, out);
    });
    let spans = spans(&lengths, usize::MAX).ok()?;
    let columns = spans.chunks(COLUMN_STRINGS).map(|spans| {
        let mut bits = BitWriter::default();
        encode_columns(&plan.encoder, &codes, spans, &mut bits)?;
        Some(bits.finish())
    });
    let columns: Vec<Vec<u8>> = columns.collect::<Option<_>>()?;
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
        let lengths = reader.nested()?;
        let lengths = integers::decode_plain(scope.nested()?, IntegerKind::Int32, lengths, rows)?;
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

#[cfg(test)]
mod tests {
    use super::super::{StringPlan, StringSample, Strings, StringsRef, choose, decode_plain};
    use super::{PackedPlan, candidate, decode, encode, gather};
    use crate::integers::Scale;
    use crate::reader::ByteReader;
    use crate::scope::Scope;
    use crate::tags::TAG_PACKED;
    use crate::testing::{Random, mutations};
    use crate::{Shared, SharedWriter};
    use proptest::prelude::{any, proptest};
    use std::sync::Arc;

    const BYTES_MAX: usize = 1 << 20;

    fn strings<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> Strings {
        let mut strings = Strings::with_capacity(0);
        for text in texts {
            strings.push(text, usize::MAX).unwrap();
        }
        strings
    }

    fn trained(sample: StringsRef<'_>) -> (PackedPlan, Vec<u8>) {
        let sample = StringSample {
            vectors: &[sample],
            block: None,
            scale: Scale {
                sample_rows: sample.len() as u64,
                block_rows: sample.len() as u64,
            },
            staged: false,
        };
        let fsst = choose::fsst(sample, 1, &SharedWriter::default());
        let Some((StringPlan::Fsst(fsst), shared)) = fsst else {
            unreachable!()
        };
        let (plan, shared) = candidate(sample, &fsst, &shared).unwrap();
        (plan, shared.finish())
    }

    /// Encodes as packed text, whether or not another codec would be smaller.
    fn check(packed: &PackedPlan, shared: &[u8], texts: StringsRef<'_>) -> Vec<u8> {
        let shared = Shared::decode(shared, 0).unwrap();
        let scope = Scope::new(&shared, BYTES_MAX);
        let mut bytes = vec![];
        encode(packed, texts, &mut bytes).unwrap();
        let back = decode(scope, ByteReader::new(&bytes), texts.len()).unwrap();
        let positions: Vec<u16> = (0..texts.len() as u16).rev().step_by(7).collect();
        let some = gather(scope, ByteReader::new(&bytes), texts.len(), &positions).unwrap();
        for (at, position) in positions.iter().enumerate() {
            assert_eq!(some.as_ref().get(at), texts.get(usize::from(*position)));
        }
        for row in 0..texts.len() {
            assert_eq!(back.as_ref().get(row), texts.get(row));
        }
        bytes
    }

    fn names(random: &mut Random, rows: usize) -> Strings {
        let parts = [
            "an", "ber", "lin", "ham", "burg", "stadt", "dorf", "ost", "west", "new ", "old ",
            "ton",
        ];
        let mut strings = Strings::with_capacity(rows);
        for _ in 0..rows {
            let parts = (0..1 + random.below(4)).map(|_| parts[random.below(parts.len())]);
            let text: String = parts.collect();
            strings.push(text.as_bytes(), usize::MAX).unwrap();
        }
        strings
    }

    #[test]
    fn text_takes_less_than_its_codes() {
        let mut random = Random(4);
        let texts = names(&mut random, 1000);
        let (plan, shared) = trained(texts.as_ref());
        let bytes = check(&plan, &shared, texts.as_ref());
        // 2.5 parts of 3.6 bits each, and 3 bits for how many codes there are.
        assert!(bytes.len() < 1700, "{}", bytes.len());
        let mut planned = Vec::new();
        let plan = StringPlan::Codec(Arc::new(plan));
        assert_eq!(plan.encode(texts.as_ref(), &mut planned), TAG_PACKED);
        let shared = Shared::decode(&shared, 0).unwrap();
        let back = decode_plain(Scope::new(&shared, BYTES_MAX), &planned, 1000).unwrap();
        assert_eq!(back, texts);
        let too_few = decode_plain(Scope::new(&shared, 100), &planned, 1000);
        assert!(too_few.is_err());
    }

    #[test]
    fn golden_bytes() {
        let sample: Vec<&[u8]> = [b"abcab".as_slice(), b"ab", b"cab", b""].repeat(9);
        let (plan, shared) = trained(strings(sample).as_ref());
        let texts: [&[u8]; 4] = [b"cabab", b"xyz", b"", b"ab"];
        let bytes = check(&plan, &shared, strings(texts).as_ref());
        let resources = [
            2, 2, 18, 0, 1, 1, 0, 1, 0, 0, 0, 97, 98, 99, 97, 98, 97, 98, 99, 97, 98, 6, 45, 0, 0,
            7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0, 0, 0, 0, 0, 160, 1, 168, 4, 80, 9, 160, 18,
        ];
        assert_eq!(shared, resources);
        let vector = [
            0, 1, 5, 4, 0, 3, 50, 2, 155, 50, 179, 34, 0, 225, 127, 128, 199, 254, 179, 188, 241,
            15, 122,
        ];
        assert_eq!(bytes, vector);
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let mut random = Random(4);
        let texts = names(&mut random, 600);
        let (plan, shared) = trained(texts.as_ref());
        let others = names(&mut random, 600);
        let bytes = check(&plan, &shared, others.as_ref());
        let decoded = Shared::decode(&shared, 0).unwrap();
        let scope = Scope::new(&decoded, BYTES_MAX);
        mutations(&bytes, 3000, |bytes| {
            let _ = decode(scope, ByteReader::new(bytes), 600);
            let _ = gather(scope, ByteReader::new(bytes), 600, &[0, 599]);
        });
        mutations(&shared, 1000, |shared| {
            if let Ok(shared) = Shared::decode(shared, 0) {
                let scope = Scope::new(&shared, BYTES_MAX);
                let _ = decode(scope, ByteReader::new(&bytes), 600);
            }
        });
    }

    proptest! {
        #[test]
        fn all_strings_can_be_written(
            sample in proptest::collection::vec("[a-e]{0,12}", 1..300),
            others in proptest::collection::vec(any::<Vec<u8>>(), 0..40),
        ) {
            let sample = strings(sample.iter().map(String::as_bytes));
            let (plan, shared) = trained(sample.as_ref());
            check(&plan, &shared, sample.as_ref());
            check(&plan, &shared, strings(others.iter().map(Vec::as_slice)).as_ref());
        }
    }
}
