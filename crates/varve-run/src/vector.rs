//! One column of one vector: validity, then values.
//!
//! Layout: validity as `encode_bits` writes it, then, unless every row is NULL, the values as the
//! codec of their kind writes them. The validity ends by itself: only its plain form is longer than
//! its tag.

use std::sync::Arc;

use varve_codec::{
    ByteReader, CodecError, Decoded, DecodedBits, Shared, Strings, StringsRef, TAG_CONSTANT,
    TAG_PLAIN, WordKind, decode_bits, decode_strings, decode_words, encode_bits, encode_strings,
    encode_words, f64_from_word, gather_bits, gather_strings, gather_words, word_from_f64,
};
use varve_types::{Bitmap, Column, ColumnData, LogicalType, PhysicalType, TextData, Value};

use crate::{ROW_BYTES_MAX, VECTOR_BYTES_MAX};

/// The text of one vector is at most this long, since a vector ends when it passes its limit.
const TEXT_BYTES_MAX: usize = VECTOR_BYTES_MAX + ROW_BYTES_MAX;

/// Appends a plain column. Returns a bit for each codec tag used.
pub(crate) fn encode(column: &Column, out: &mut Vec<u8>) -> Result<u32, CodecError> {
    let rows = column.len();
    let all_null = column.null_count() == rows;
    match column.validity() {
        None => encode_bits(Bitmap::filled(rows, true).as_bytes(), rows, out)?,
        Some(bits) => encode_bits(bits.as_bytes(), rows, out)?,
    };
    if all_null {
        return Ok(1 << TAG_CONSTANT);
    }
    let tag = match column.data() {
        ColumnData::Boolean(bits) => {
            let tag = encode_bits(bits.as_bytes(), rows, out)?;
            if tag == TAG_PLAIN {
                TAG_PLAIN
            } else {
                TAG_CONSTANT
            }
        }
        ColumnData::Int32(values) => {
            let words = values.iter().map(|value| i64::from(*value)).collect();
            encode_words(WordKind::Int32, &filled(words, column), out)?
        }
        ColumnData::Int64(values) => {
            encode_words(WordKind::Int64, &filled(values.clone(), column), out)?
        }
        ColumnData::Float64(values) => {
            let words = values.iter().map(|value| word_from_f64(*value)).collect();
            encode_words(WordKind::Float64, &filled(words, column), out)?
        }
        ColumnData::Text(strings) => {
            let strings = StringsRef {
                offsets: strings.offsets(),
                bytes: strings.text().as_bytes(),
            };
            encode_strings(strings, out)?
        }
        ColumnData::Dictionary { .. } | ColumnData::Constant(_) | ColumnData::RunEnds { .. } => {
            return Err(CodecError::Malformed("column form"));
        }
    };
    Ok(1 << tag)
}

/// NULL rows take the value before them, or the first one: that costs the least in every codec.
fn filled(mut words: Vec<i64>, column: &Column) -> Vec<i64> {
    if let Some(bits) = column.validity() {
        let first = bits.iter().position(|bit| bit).unwrap_or(0);
        let mut last = words.get(first).copied().unwrap_or(0);
        for (word, present) in words.iter_mut().zip(bits.iter()) {
            if present {
                last = *word;
            } else {
                *word = last;
            }
        }
    }
    words
}

/// The column of `rows` rows in `bytes`, in the form that it is stored in where a column has that
/// form.
pub(crate) fn decode(ty: LogicalType, bytes: &[u8], rows: usize) -> Result<Column, CodecError> {
    let (validity, values) = split_validity(bytes, rows)?;
    let validity = match decode_bits(validity, rows)? {
        DecodedBits::Constant(false) if rows > 0 => {
            ByteReader::new(values).end()?;
            return Ok(Column::constant(ty, &Value::Null, rows));
        }
        DecodedBits::Constant(_) => None,
        DecodedBits::Plain(bits) => Some(Bitmap::from_bytes(bits, rows)),
    };
    match ty.physical() {
        PhysicalType::Bits => match decode_bits(values, rows)? {
            DecodedBits::Constant(bit) if validity.is_none() => {
                Ok(Column::constant(ty, &Value::Boolean(bit), rows))
            }
            DecodedBits::Constant(bit) => plain_bits(ty, Bitmap::filled(rows, bit), validity),
            DecodedBits::Plain(bits) => plain_bits(ty, Bitmap::from_bytes(bits, rows), validity),
        },
        PhysicalType::Bytes => {
            let decoded = decode_strings(&Shared::default(), values, rows, TEXT_BYTES_MAX)?;
            assemble(decoded, rows, validity, &|strings, validity| {
                plain_text(ty, strings, validity)
            })
        }
        _ => {
            let decoded = decode_words(word_kind(ty), &Shared::default(), values, rows)?;
            assemble(decoded, rows, validity, &|words, validity| {
                plain_words(ty, words, validity)
            })
        }
    }
}

/// The rows at `positions`, each wanted once, without decoding the others where the codec allows
/// it.
pub(crate) fn gather(
    ty: LogicalType,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
) -> Result<Column, CodecError> {
    let (validity, values) = split_validity(bytes, rows)?;
    let present = gather_bits(validity, rows, positions)?;
    if values.is_empty() {
        return Ok(Column::constant(ty, &Value::Null, positions.len()));
    }
    let validity: Option<Bitmap> =
        (!present.iter().all(|bit| *bit)).then(|| present.into_iter().collect());
    match ty.physical() {
        PhysicalType::Bits => {
            let bits = gather_bits(values, rows, positions)?;
            plain_bits(ty, bits.into_iter().collect(), validity)
        }
        PhysicalType::Bytes => {
            let strings =
                gather_strings(&Shared::default(), values, rows, positions, TEXT_BYTES_MAX)?;
            plain_text(ty, strings, validity)
        }
        _ => {
            let words = gather_words(word_kind(ty), &Shared::default(), values, rows, positions)?;
            plain_words(ty, words, validity)
        }
    }
}

const FORM: CodecError = CodecError::Malformed("column form");

fn split_validity(bytes: &[u8], rows: usize) -> Result<(&[u8], &[u8]), CodecError> {
    let tag = ByteReader::new(bytes).u8()?;
    let bits = if tag == TAG_PLAIN {
        rows.div_ceil(8)
    } else {
        0
    };
    bytes
        .split_at_checked(1 + bits)
        .ok_or(CodecError::UnexpectedEnd)
}

fn word_kind(ty: LogicalType) -> WordKind {
    match ty.physical() {
        PhysicalType::Int32 => WordKind::Int32,
        PhysicalType::Float64 => WordKind::Float64,
        _ => WordKind::Int64,
    }
}

fn plain_words(
    ty: LogicalType,
    words: Vec<i64>,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    let data = match word_kind(ty) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the codec checks that 32-bit words fit"
        )]
        WordKind::Int32 => ColumnData::Int32(words.into_iter().map(|word| word as i32).collect()),
        WordKind::Int64 => ColumnData::Int64(words),
        WordKind::Float64 => ColumnData::Float64(words.into_iter().map(f64_from_word).collect()),
    };
    Column::plain(ty, data, validity).ok_or(FORM)
}

fn plain_text(
    ty: LogicalType,
    strings: Strings,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    let utf8 = CodecError::Malformed("UTF-8 text");
    let text = String::from_utf8(strings.bytes).map_err(|_| utf8)?;
    let data = TextData::from_parts(strings.offsets, text).ok_or(utf8)?;
    Column::plain(ty, ColumnData::Text(data), validity).ok_or(FORM)
}

fn plain_bits(
    ty: LogicalType,
    bits: Bitmap,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    Column::plain(ty, ColumnData::Boolean(bits), validity).ok_or(FORM)
}

/// Puts values and validity together, in the form that the values have.
fn assemble<V>(
    decoded: Decoded<V>,
    rows: usize,
    validity: Option<Bitmap>,
    plain: &dyn Fn(V, Option<Bitmap>) -> Result<Column, CodecError>,
) -> Result<Column, CodecError> {
    let column = match (decoded, validity) {
        (Decoded::Plain(values), validity) => return plain(values, validity),
        (Decoded::Constant(value), None) => {
            let value = plain(value, None)?;
            let ty = value.logical_type();
            Some(Column::constant(ty, &value.value(0), rows))
        }
        (Decoded::Constant(value), validity) => {
            Column::dictionary(vec![0; rows], Arc::new(plain(value, None)?), validity)
        }
        (Decoded::Dictionary { codes, values }, validity) => {
            Column::dictionary(codes, Arc::new(plain(values, None)?), validity)
        }
        (Decoded::Shared { .. }, _) => None,
        (Decoded::RunEnds { ends, values }, None) => {
            Column::run_ends(ends, Arc::new(plain(values, None)?))
        }
        (Decoded::RunEnds { ends, values }, Some(bits)) => {
            runs_with_nulls(&ends, &plain(values, None)?, &bits)
        }
    };
    column.ok_or(FORM)
}

/// A run-end column keeps its NULLs among the values of its runs, so runs are cut where NULLs begin
/// and end. Where that leaves many, the column becomes plain.
fn runs_with_nulls(ends: &[u32], values: &Column, validity: &Bitmap) -> Option<Column> {
    const NULL: u32 = u32::MAX;
    let mut sources = Vec::with_capacity(validity.len());
    let mut run = 0;
    for (row, present) in (0_u32..).zip(validity.iter()) {
        while ends.get(run).is_some_and(|end| *end <= row) {
            run += 1;
        }
        sources.push(if present {
            u32::try_from(run).unwrap_or(NULL)
        } else {
            NULL
        });
    }
    let cuts: Vec<(u32, u32)> = sources
        .chunk_by(|a, b| a == b)
        .scan(0_u32, |end, stretch| {
            *end += u32::try_from(stretch.len()).unwrap_or(0);
            Some((*end, stretch.first().copied().unwrap_or(NULL)))
        })
        .collect();
    if cuts.len() > validity.len() / 2 {
        return Some(values.take(&sources));
    }
    let (ends, sources): (Vec<u32>, Vec<u32>) = cuts.into_iter().unzip();
    Column::run_ends(ends, Arc::new(values.take(&sources)))
}
