//! Prefixes (front coding): of each string how many bytes it shares with the one before, and the
//! bytes after those.
//!
//! Pays on sorted text: keys, addresses of the net, the values of a dictionary. Every sixteenth
//! string starts anew, so one row is put together from sixteen at most. Worst case: text in no
//! order shares nothing, and each row costs what the nested lengths take. Paper: Witten, Moffat,
//! Bell, "Managing Gigabytes" (1999), chapter 4. Layout: bytes of the nested lengths (varint), the
//! shared bytes of each string as nested integers of 32 bits, the rest of each string as nested
//! strings.

use std::sync::Arc;

use crate::integers::{self, IntegerKind, IntegerPlan, choose_integers};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::short::{put_short, repeat_short};
use crate::string_data::{Strings, StringsRef};
use crate::strings::{
    StringCodec, StringPlan, StringSample, choose_strings, decode_plain, gather_plain,
};
use crate::tags::TAG_PREFIXES;
use crate::writer::put_nested;
use crate::{CodecError, SharedWriter};

/// Strings from one that is whole to the next.
const RESTART_ROWS: u16 = 16;

/// How shared lengths and suffixes are written.
#[derive(Debug)]
struct PrefixPlan {
    shared: IntegerPlan,
    suffixes: StringPlan,
}

impl StringCodec for PrefixPlan {
    fn tag(&self) -> u8 {
        TAG_PREFIXES
    }

    fn decode_cost(&self) -> u64 {
        1 + self.shared.decode_cost().max(self.suffixes.decode_cost())
    }

    fn put(&self, strings: StringsRef<'_>, out: &mut Vec<u8>) -> Option<()> {
        let (shared, suffixes) = cut(strings)?;
        put_nested(out, |out| {
            self.shared.encode(IntegerKind::Int32, &shared, out);
        });
        self.suffixes.encode(suffixes.as_ref(), out);
        Some(())
    }
}

/// Both in the basic codecs.
pub(super) fn basic() -> StringPlan {
    StringPlan::Codec(Arc::new(PrefixPlan {
        shared: IntegerPlan::Basic,
        suffixes: StringPlan::Basic,
    }))
}

/// The plan of a block whose neighbouring strings share an eighth of their bytes.
pub(super) fn candidate(
    sample: StringSample<'_>,
    depth: u8,
    shared: &SharedWriter,
) -> Option<(StringPlan, SharedWriter)> {
    let mut lengths = Vec::new();
    let mut suffixes = Vec::new();
    for vector in sample.vectors {
        let (kept, others) = cut(*vector)?;
        lengths.push(kept);
        suffixes.push(others);
    }
    let kept: u64 = lengths
        .iter()
        .flatten()
        .map(|kept| kept.unsigned_abs())
        .sum();
    let others: u64 = suffixes
        .iter()
        .map(|others| others.bytes.len() as u64)
        .sum();
    if kept * 7 < others {
        return None;
    }
    let depth = depth.saturating_sub(1);
    let scale = sample.scale;
    let lengths = choose_integers(IntegerKind::Int32, &lengths, None, scale, depth, shared);
    let suffixes: Vec<StringsRef<'_>> = suffixes.iter().map(Strings::as_ref).collect();
    let suffixes = StringSample {
        vectors: &suffixes,
        block: None,
        staged: false,
        ..sample
    };
    let suffixes = choose_strings(suffixes, depth, &lengths.shared);
    let plan = PrefixPlan {
        shared: lengths.plan,
        suffixes: suffixes.plan,
    };
    Some((StringPlan::Codec(Arc::new(plan)), suffixes.shared))
}

/// Of each string the bytes that it shares with the one before, and the others.
pub(super) fn cut(strings: StringsRef<'_>) -> Option<(Vec<i64>, Strings)> {
    let rows = strings.len();
    let mut shared = Vec::with_capacity(rows);
    let mut suffixes = Strings::with_capacity(rows);
    let mut before: &[u8] = &[];
    for row in 0..rows {
        let string = strings.get(row);
        let kept = match row % usize::from(RESTART_ROWS) {
            0 => 0,
            _ => shared_bytes(before, string),
        };
        shared.push(i64::from(kept));
        suffixes
            .push(string.get(kept as usize..)?, usize::MAX)
            .ok()?;
        before = string;
    }
    Some((shared, suffixes))
}

/// Bytes at the front of both strings, as far as an integer of 32 bits counts.
fn shared_bytes(a: &[u8], b: &[u8]) -> u32 {
    let equal = a.iter().zip(b).take_while(|(a, b)| a == b);
    u32::try_from(equal.count()).map_or(0, |bytes| bytes.min(i32::MAX.cast_unsigned()))
}

pub(super) fn decode(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
) -> Result<Strings, CodecError> {
    let lengths = reader.nested()?;
    let nested = scope.nested()?;
    let shared = integers::decode_plain(nested, IntegerKind::Int32, lengths, rows)?;
    let suffixes = decode_plain(nested, reader.rest(), rows)?;
    let mut strings = Strings::with_capacity(rows);
    let mut start = 0;
    for (row, kept) in shared.iter().enumerate() {
        let kept = checked(*kept, row)?;
        let end = strings.bytes.len();
        if kept > end - start {
            return Err(MALFORMED);
        }
        let (suffix, length) = suffix_at(&suffixes, row);
        let bytes = end + kept + length;
        let offset = u32::try_from(bytes)
            .ok()
            .filter(|_| bytes <= scope.bytes_max);
        let bytes_max = scope.bytes_max;
        let offset = offset.ok_or(CodecError::TooLarge { bytes, bytes_max })?;
        repeat_short(start, kept, &mut strings.bytes);
        put_short(suffix, length, &mut strings.bytes);
        strings.offsets.push(offset);
        start = end;
    }
    Ok(strings)
}

/// The bytes from a suffix on, and its length.
fn suffix_at(suffixes: &Strings, row: usize) -> (&[u8], usize) {
    match (suffixes.offsets.get(row), suffixes.offsets.get(row + 1)) {
        (Some(start), Some(end)) => {
            let bytes = suffixes.bytes.get(*start as usize..).unwrap_or_default();
            (bytes, bytes.len().min(end.saturating_sub(*start) as usize))
        }
        _ => (&[], 0),
    }
}

const MALFORMED: CodecError = CodecError::Malformed("shared prefix");

/// The shared bytes of a row; none where a string must be whole.
fn checked(kept: i64, row: usize) -> Result<usize, CodecError> {
    match usize::try_from(kept) {
        Ok(kept) if kept == 0 || !row.is_multiple_of(usize::from(RESTART_ROWS)) => Ok(kept),
        _ => Err(MALFORMED),
    }
}

pub(super) fn gather(
    scope: Scope<'_>,
    mut reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Strings, CodecError> {
    if positions.len() * usize::from(RESTART_ROWS) > rows {
        let all = decode(scope, reader, rows)?;
        let mut strings = Strings::with_capacity(positions.len());
        for position in positions {
            let string = all.as_ref().get(usize::from(*position));
            strings.push(string, scope.bytes_max)?;
        }
        return Ok(strings);
    }
    let lengths = reader.nested()?;
    let nested = scope.nested()?;
    // The rows that those wanted build on, gathered at once: of prefixes nested in prefixes each
    // level would otherwise be read once for every row wanted of the one above.
    let start = |position: u16| position - position % RESTART_ROWS;
    let needed: Vec<u16> = positions
        .iter()
        .flat_map(|position| start(*position)..=*position)
        .collect();
    let shared = integers::gather_plain(nested, IntegerKind::Int32, lengths, rows, &needed)?;
    let suffixes = gather_plain(nested, reader.rest(), rows, &needed)?;
    let mut strings = Strings::with_capacity(positions.len());
    let mut string: Vec<u8> = Vec::new();
    let mut parts = shared.iter().enumerate();
    for position in positions {
        string.clear();
        for row in start(*position)..=*position {
            let (at, kept) = parts.next().ok_or(CodecError::UnexpectedEnd)?;
            let kept = checked(*kept, usize::from(row))?;
            if kept > string.len() {
                return Err(MALFORMED);
            }
            string.truncate(kept);
            string.extend_from_slice(suffixes.as_ref().get(at));
        }
        strings.push(&string, scope.bytes_max)?;
    }
    Ok(strings)
}

#[cfg(test)]
mod tests {
    use super::{RESTART_ROWS, basic};
    use crate::string_data::Strings;
    use crate::tags::{TAG_CONSTANT, TAG_PREFIXES};
    use crate::testing::mutations;
    use crate::{Decoded, Shared, decode_strings, gather_strings};
    use proptest::collection::vec;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn encoded(texts: &[Vec<u8>]) -> (u8, Vec<u8>) {
        let mut strings = Strings::with_capacity(texts.len());
        for text in texts {
            strings.push(text, usize::MAX).unwrap();
        }
        let mut out = Vec::new();
        let tag = basic().encode(strings.as_ref(), &mut out);
        (tag, out)
    }

    fn at(strings: &Strings, row: usize) -> Vec<u8> {
        strings.as_ref().get(row).to_vec()
    }

    fn keys(rows: usize) -> Vec<Vec<u8>> {
        let key = |i| format!("https://example.org/archive/{:05}/index", i * 3);
        (0..rows).map(|i| key(i).into_bytes()).collect()
    }

    #[test]
    fn golden_bytes() {
        let texts: Vec<Vec<u8>> = ["interest", "interested", "interesting", "into", "x", ""]
            .map(|text| text.as_bytes().to_vec())
            .into();
        let (tag, bytes) = encoded(&texts);
        assert_eq!(tag, TAG_PREFIXES);
        let lengths: &[u8] = &[4, 0, 4, 0x80, 0x38, 0];
        let suffixes: &[u8] = b"\x00\x00\x04\x28\x13\x01interestedingox";
        let mut expected = vec![TAG_PREFIXES, lengths.len() as u8];
        expected.extend_from_slice(lengths);
        expected.extend_from_slice(suffixes);
        assert_eq!(bytes, expected);
    }

    #[test]
    fn sorted_keys_are_small() {
        let (tag, bytes) = encoded(&keys(1024));
        assert_eq!(tag, TAG_PREFIXES);
        assert!(bytes.len() < 14 * 1024, "{}", bytes.len());
    }

    #[test]
    fn prefixes_of_prefixes_are_read_once_each() {
        // Nothing is shared (constant 0), and at the end all strings are "x".
        let mut bytes = [TAG_PREFIXES, 2, TAG_CONSTANT, 0].repeat(7);
        bytes.extend_from_slice(&[TAG_CONSTANT, b'x']);
        let positions: Vec<u16> = (0..64).map(|i| i * 16 + 15).collect();
        let some = gather_strings(&Shared::default(), &bytes, 1024, &positions, 1024).unwrap();
        assert_eq!(some.bytes, [b'x'; 64]);
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let (_, bytes) = encoded(&keys(200));
        let shared = Shared::default();
        mutations(&bytes, 4000, |bytes| {
            let whole = decode_strings(&shared, bytes, 200, 1 << 16);
            let some = gather_strings(&shared, bytes, 200, &[0, 199, 17], 1 << 16);
            if let (Ok(Decoded::Plain(whole)), Ok(some)) = (whole, some) {
                for (i, row) in [0, 199, 17].into_iter().enumerate() {
                    assert_eq!(at(&whole, row), at(&some, i));
                }
            }
        });
    }

    #[test]
    fn output_stays_below_the_limit() {
        // Each string is the one before and a byte more.
        let texts: Vec<Vec<u8>> = (0..16).map(|i| vec![b'x'; 100 + i]).collect();
        let (tag, bytes) = encoded(&texts);
        assert_eq!(tag, TAG_PREFIXES);
        let total: usize = texts.iter().map(Vec::len).sum();
        let shared = Shared::default();
        assert!(decode_strings(&shared, &bytes, 16, total).is_ok());
        assert!(decode_strings(&shared, &bytes, 16, total - 1).is_err());
    }

    proptest! {
        #[test]
        fn strings_come_back(
            mut texts in vec(vec(0..3_u8, 0..12), 1..200),
            sorted: bool,
        ) {
            if sorted {
                texts.sort();
            }
            let (_, bytes) = encoded(&texts);
            let rows = texts.len();
            let shared = Shared::default();
            let scope = crate::scope::Scope::new(&shared, 1 << 16);
            let back = crate::strings::decode_plain(scope, &bytes, rows).unwrap();
            for (row, text) in texts.iter().enumerate() {
                prop_assert_eq!(&at(&back, row), text);
            }
            for step in [1, usize::from(RESTART_ROWS) * 2] {
                let positions: Vec<u16> = (0..rows as u16).rev().step_by(step).collect();
                let some = gather_strings(&shared, &bytes, rows, &positions, 1 << 16).unwrap();
                for (i, position) in positions.iter().enumerate() {
                    prop_assert_eq!(&at(&some, i), &texts[usize::from(*position)]);
                }
            }
        }
    }
}
