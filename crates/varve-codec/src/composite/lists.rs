//! Lists: how long each is, and the elements of all one after another.
//!
//! Elements are encoded by 1,024 as any vector, so an array of doubles takes the codec that the
//! doubles alone would take. Worst case: a byte or two a list over the elements. Format: Arrow's
//! list layout, with lengths in place of offsets. Layout: bytes of the lengths (varint), the
//! lengths as nested integers of 32 bits; 0 or 1 and, by 1,024 elements, which of them are not NULL
//! as encoded bits; then by 1,024 elements the bytes (varint) of their nested vector, and those.
//! NULL elements of integers hold any integer, of strings the empty one.

use crate::bitmap::{DecodedBits, decode_bits, encode_bits, split_bits};
use crate::integers::{self, IntegerKind, IntegerPlan};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::string_data::{Strings, StringsRef};
use crate::strings::{self, StringPlan};
use crate::writer::put_nested;
use crate::{CodecError, ROWS_MAX, Shared};

/// Lists of integers: list `i` is `ends[i - 1]..ends[i]` of the elements, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntegerLists {
    /// One past the last element of each list.
    pub ends: Vec<u32>,
    /// The elements of all lists.
    pub integers: Vec<i64>,
    /// A bit for each element, set where it is not NULL; `None` when none is NULL.
    pub validity: Option<Vec<u8>>,
}

/// Lists of strings, as [`IntegerLists`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StringLists {
    /// One past the last element of each list.
    pub ends: Vec<u32>,
    /// The elements of all lists.
    pub strings: Strings,
    /// A bit for each element, set where it is not NULL; `None` when none is NULL.
    pub validity: Option<Vec<u8>>,
}

/// Appends the lists of one vector.
pub fn encode_integer_lists(
    kind: IntegerKind,
    lists: &IntegerLists,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    put_shape(
        &lists.ends,
        lists.integers.len(),
        lists.validity.as_deref(),
        out,
    )?;
    for chunk in lists.integers.chunks(ROWS_MAX) {
        put_nested(out, |out| {
            IntegerPlan::Basic.encode(kind, chunk, out);
        });
    }
    Ok(())
}

/// The `rows` lists in `bytes`, of at most `elements_max` elements together.
pub fn decode_integer_lists(
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    elements_max: usize,
) -> Result<IntegerLists, CodecError> {
    let mut reader = ByteReader::new(bytes);
    let shape = Shape::take(&mut reader, rows, elements_max)?;
    let shared = Shared::default();
    let scope = Scope::new(&shared, 0);
    let mut integers = Vec::new();
    for count in shape.chunks() {
        let nested = reader.nested()?;
        integers.append(&mut integers::decode_plain(scope, kind, nested, count)?);
    }
    reader.end()?;
    Ok(IntegerLists {
        ends: shape.ends,
        integers,
        validity: shape.validity,
    })
}

/// Appends the lists of one vector.
pub fn encode_string_lists(lists: &StringLists, out: &mut Vec<u8>) -> Result<(), CodecError> {
    let strings: StringsRef<'_> = lists.strings.as_ref();
    put_shape(&lists.ends, strings.len(), lists.validity.as_deref(), out)?;
    for start in (0..strings.len()).step_by(ROWS_MAX) {
        put_nested(out, |out| {
            StringPlan::Basic.encode(strings.slice(start, start + ROWS_MAX), out);
        });
    }
    Ok(())
}

/// The `rows` lists in `bytes`, of at most `elements_max` elements and `bytes_max` bytes together.
pub fn decode_string_lists(
    bytes: &[u8],
    rows: usize,
    elements_max: usize,
    bytes_max: usize,
) -> Result<StringLists, CodecError> {
    let mut reader = ByteReader::new(bytes);
    let shape = Shape::take(&mut reader, rows, elements_max)?;
    let shared = Shared::default();
    let mut all = Strings::with_capacity(0);
    for count in shape.chunks() {
        let left = bytes_max.saturating_sub(all.bytes.len());
        let scope = Scope::new(&shared, left);
        let chunk = strings::decode_plain(scope, reader.nested()?, count)?;
        for row in 0..count {
            all.push(chunk.as_ref().get(row), bytes_max)?;
        }
    }
    reader.end()?;
    Ok(StringLists {
        ends: shape.ends,
        strings: all,
        validity: shape.validity,
    })
}

const ENDS: CodecError = CodecError::Malformed("list ends");

fn put_shape(
    ends: &[u32],
    elements: usize,
    validity: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    if ends.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(ends.len()));
    }
    let last = ends.last().map_or(0, |end| *end as usize);
    if last != elements || !ends.is_sorted() || i32::try_from(elements).is_err() {
        return Err(ENDS);
    }
    let starts = [0].into_iter().chain(ends.iter().copied());
    let lengths: Vec<i64> = starts
        .zip(ends)
        .map(|(start, end)| i64::from(end - start))
        .collect();
    put_nested(out, |out| {
        IntegerPlan::Basic.encode(IntegerKind::Int32, &lengths, out);
    });
    out.push(u8::from(validity.is_some()));
    if let Some(bits) = validity {
        for start in (0..elements).step_by(ROWS_MAX) {
            let chunk = bits.get(start / 8..).unwrap_or_default();
            encode_bits(chunk, (elements - start).min(ROWS_MAX), out)?;
        }
    }
    Ok(())
}

/// How the elements of a vector make lists.
struct Shape {
    ends: Vec<u32>,
    elements: usize,
    validity: Option<Vec<u8>>,
}

impl Shape {
    fn take(
        reader: &mut ByteReader<'_>,
        rows: usize,
        elements_max: usize,
    ) -> Result<Shape, CodecError> {
        let shared = Shared::default();
        let scope = Scope::new(&shared, 0);
        let lengths = integers::decode_plain(scope, IntegerKind::Int32, reader.nested()?, rows)?;
        let mut ends = Vec::with_capacity(rows);
        let mut end = 0_u32;
        for length in lengths {
            let length = u32::try_from(length).map_err(|_| ENDS)?;
            end = end.checked_add(length).ok_or(ENDS)?;
            ends.push(end);
        }
        let elements = end as usize;
        if elements > elements_max {
            return Err(CodecError::TooLarge {
                bytes: elements,
                bytes_max: elements_max,
            });
        }
        let mut shape = Shape {
            ends,
            elements,
            validity: None,
        };
        if reader.count(0, 1, "flag")? == 1 {
            let mut validity = Vec::new();
            for count in shape.chunks() {
                let (bits, rest) = split_bits(reader.rest(), count)?;
                match decode_bits(bits, count)? {
                    DecodedBits::Constant(bit) => {
                        let byte = if bit { 0xff } else { 0 };
                        validity.extend(core::iter::repeat_n(byte, count.div_ceil(8)));
                    }
                    DecodedBits::Plain(mut bits) => validity.append(&mut bits),
                }
                *reader = ByteReader::new(rest);
            }
            shape.validity = Some(validity);
        }
        Ok(shape)
    }

    /// How many elements each nested vector has.
    fn chunks(&self) -> impl Iterator<Item = usize> + use<> {
        let elements = self.elements;
        (0..elements)
            .step_by(ROWS_MAX)
            .map(move |start| (elements - start).min(ROWS_MAX))
    }
}
