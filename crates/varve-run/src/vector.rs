//! One column of one vector: validity, then values.
//!
//! Layout: validity as `encode_bits` writes it, then, unless every row is NULL, the values as the
//! codec of their kind writes them. The validity ends by itself. A NULL row of integers holds the
//! value before it, or the first one. Strings leave NULL rows out.
//! Before numeric values stands how they are stored; see `decimal`.

use std::sync::{Arc, OnceLock};

use varve_codec::{
    ByteReader, CodecError, Decoded, DecodedBits, IntegerKind, Shared, Strings, decode_bits,
    decode_integers, decode_plain_integers, decode_plain_strings, decode_same_integers,
    decode_same_strings, decode_strings, doubles_of_integers, gather_bits, gather_integers,
    gather_strings, split_bits,
};
use varve_types::{
    BinaryData, Bitmap, Column, ColumnData, LogicalType, PhysicalType, TextData, Value,
};

use crate::{ROW_BYTES_MAX, VECTOR_BYTES_MAX, decimal};

/// The text of one vector is at most this long, since a vector ends when it passes its limit.
pub(crate) const TEXT_BYTES_MAX: usize = VECTOR_BYTES_MAX + ROW_BYTES_MAX;

/// What the codecs of a vector give, and what becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Integers,
    /// Mantissas of this scale.
    DecimalIntegers(u8),
    Text,
    Binary,
    DecimalStrings,
}

impl Form {
    fn is_integers(self) -> bool {
        matches!(self, Form::Integers | Form::DecimalIntegers(_))
    }
}

/// What the vectors of a column of a group need to be read.
#[derive(Debug)]
pub(crate) struct VectorFormat {
    pub(crate) ty: LogicalType,
    pub(crate) shared: Shared,
    /// The shared dictionaries as columns, once they were needed, in the form that was needed
    /// first.
    dictionaries: Vec<OnceLock<(Form, Arc<Column>)>>,
}

impl VectorFormat {
    /// The format of vectors with the bytes of their shared part.
    pub(crate) fn new(ty: LogicalType, shared: &[u8]) -> Result<VectorFormat, CodecError> {
        let shared = Shared::decode(shared, TEXT_BYTES_MAX)?;
        Ok(VectorFormat {
            ty,
            dictionaries: (0..shared.len()).map(|_| OnceLock::new()).collect(),
            shared,
        })
    }

    /// The column of `rows` rows in `bytes`, in the form that it is stored in where a column has
    /// that form.
    pub(crate) fn decode(&self, bytes: &[u8], rows: usize) -> Result<Column, CodecError> {
        let ty = self.ty;
        let Some((validity, values)) = split_validity(bytes, rows)? else {
            return Ok(Column::constant(ty, &Value::Null, rows));
        };
        match ty.physical() {
            PhysicalType::Bits => match decode_bits(values, rows)? {
                DecodedBits::Constant(bit) if validity.is_none() => {
                    Ok(Column::constant(ty, &Value::Boolean(bit), rows))
                }
                DecodedBits::Constant(bit) => plain_bits(ty, Bitmap::filled(rows, bit), validity),
                DecodedBits::Plain(bits) => {
                    plain_bits(ty, Bitmap::from_bytes(bits, rows), validity)
                }
            },
            _ => {
                let (form, values) = self.form_of(values)?;
                if form.is_integers() {
                    let decoded = decode_integers(integer_kind(ty), &self.shared, values, rows)?;
                    return self.assemble(decoded, rows, validity, form, &|integers, validity| {
                        plain_integers(ty, form, integers, validity)
                    });
                }
                let present = validity.as_ref().map_or(rows, Bitmap::count_ones);
                let decoded = decode_strings(&self.shared, values, present, TEXT_BYTES_MAX)?;
                let decoded = match &validity {
                    Some(bits) => spread(decoded, bits),
                    None => decoded,
                };
                self.assemble(decoded, rows, validity, form, &|strings, validity| {
                    plain_strings(ty, form, strings, validity)
                })
            }
        }
    }

    /// How the values of a vector are stored, and their bytes without what tells it.
    fn form_of<'a>(&self, values: &'a [u8]) -> Result<(Form, &'a [u8]), CodecError> {
        Ok(match self.ty.physical() {
            PhysicalType::Bytes => (Form::Text, values),
            PhysicalType::Binary => (Form::Binary, values),
            PhysicalType::Decimal => {
                let (form, rest) = values.split_first().ok_or(CodecError::UnexpectedEnd)?;
                let form = match *form {
                    decimal::STRINGS => Form::DecimalStrings,
                    scale => Form::DecimalIntegers(scale),
                };
                (form, rest)
            }
            _ => (Form::Integers, values),
        })
    }

    /// The column of `rows` rows whose differences from the vector in `reference_bytes`, of format
    /// `reference`, are in `bytes`.
    pub(crate) fn decode_same(
        &self,
        bytes: &[u8],
        rows: usize,
        reference: &VectorFormat,
        reference_bytes: &[u8],
    ) -> Result<Column, CodecError> {
        let Some((validity, values)) = split_validity(bytes, rows)? else {
            return Ok(Column::constant(self.ty, &Value::Null, rows));
        };
        let (_, reference_values) = split_bits(reference_bytes, rows)?;
        let shared = &reference.shared;
        let (form, values) = self.form_of(values)?;
        if matches!(form, Form::Text | Form::Binary) {
            let present = validity.as_ref().map_or(rows, Bitmap::count_ones);
            let strings = decode_plain_strings(shared, reference_values, present, TEXT_BYTES_MAX)?;
            let strings =
                decode_same_strings(&self.shared, values, strings.as_ref(), TEXT_BYTES_MAX)?;
            let strings = match &validity {
                Some(bits) => spread_strings(strings, bits),
                None => strings,
            };
            plain_strings(self.ty, form, strings, validity)
        } else if form == Form::Integers {
            let kind = integer_kind(self.ty);
            let integers = decode_plain_integers(kind, shared, reference_values, rows)?;
            let integers = decode_same_integers(kind, &self.shared, values, &integers)?;
            plain_integers(self.ty, form, integers, validity)
        } else {
            Err(FORM)
        }
    }

    /// The rows at `positions`, each wanted once, without decoding the others where the codec
    /// allows it.
    pub(crate) fn gather(
        &self,
        bytes: &[u8],
        rows: usize,
        positions: &[u16],
    ) -> Result<Column, CodecError> {
        let ty = self.ty;
        let (validity_bytes, values) = split_bits(bytes, rows)?;
        let present = gather_bits(validity_bytes, rows, positions)?;
        if values.is_empty() {
            return Ok(Column::constant(ty, &Value::Null, positions.len()));
        }
        let validity: Option<Bitmap> =
            (!present.iter().all(|bit| *bit)).then(|| present.iter().copied().collect());
        match ty.physical() {
            PhysicalType::Bits => {
                let bits = gather_bits(values, rows, positions)?;
                plain_bits(ty, bits.into_iter().collect(), validity)
            }
            _ => {
                let (form, values) = self.form_of(values)?;
                if form.is_integers() {
                    let kind = integer_kind(ty);
                    let integers = gather_integers(kind, &self.shared, values, rows, positions)?;
                    return plain_integers(ty, form, integers, validity);
                }
                let all = decode_bits(validity_bytes, rows)?;
                let strings = match all {
                    DecodedBits::Plain(bits) => {
                        let bits = Bitmap::from_bytes(bits, rows);
                        self.gather_present(values, &bits, positions)?
                    }
                    _ => gather_strings(&self.shared, values, rows, positions, TEXT_BYTES_MAX)?,
                };
                plain_strings(ty, form, strings, validity)
            }
        }
    }

    /// The strings at `positions` of a vector that leaves NULL rows out; those are empty.
    fn gather_present(
        &self,
        values: &[u8],
        validity: &Bitmap,
        positions: &[u16],
    ) -> Result<Strings, CodecError> {
        let mut ranks = Vec::with_capacity(validity.len());
        let mut count = 0_u16;
        for present in validity.iter() {
            ranks.push(present.then_some(count));
            count += u16::from(present);
        }
        let rank = |position: &u16| ranks.get(usize::from(*position)).copied().flatten();
        let present: Vec<u16> = positions.iter().filter_map(rank).collect();
        let rows = usize::from(count);
        let strings = gather_strings(&self.shared, values, rows, &present, TEXT_BYTES_MAX)?;
        let bits: Bitmap = positions.iter().map(|at| rank(at).is_some()).collect();
        Ok(spread_strings(strings, &bits))
    }

    /// Puts values and validity together, in the form that the values have.
    fn assemble<V>(
        &self,
        decoded: Decoded<V>,
        rows: usize,
        validity: Option<Bitmap>,
        form: Form,
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
            (Decoded::Shared { codes, resource }, validity) => {
                Column::dictionary(codes, self.dictionary(resource, form)?, validity)
            }
            (Decoded::RunEnds { ends, values }, None) => {
                Column::run_ends(ends, Arc::new(plain(values, None)?))
            }
            (Decoded::RunEnds { ends, values }, Some(bits)) => {
                Some(runs_with_nulls(&ends, &plain(values, None)?, &bits))
            }
        };
        column.ok_or(FORM)
    }

    /// A shared dictionary, the same column for all vectors.
    fn dictionary(&self, resource: u8, form: Form) -> Result<Arc<Column>, CodecError> {
        let slot = self.dictionaries.get(usize::from(resource)).ok_or(FORM)?;
        if let Some((_, column)) = slot.get().filter(|(known, _)| *known == form) {
            return Ok(Arc::clone(column));
        }
        let column = if form.is_integers() {
            plain_integers(
                self.ty,
                form,
                self.shared.integers(resource)?.to_vec(),
                None,
            )?
        } else {
            plain_strings(self.ty, form, self.shared.strings(resource)?.clone(), None)?
        };
        let column = Arc::new(column);
        slot.get_or_init(|| (form, Arc::clone(&column)));
        Ok(column)
    }
}

/// Which rows have a value, all where this tells nothing, and the bytes of the values; `None` where
/// no row has one.
#[expect(clippy::type_complexity, reason = "taken apart where it is made")]
fn split_validity(
    bytes: &[u8],
    rows: usize,
) -> Result<Option<(Option<Bitmap>, &[u8])>, CodecError> {
    let (validity, values) = split_bits(bytes, rows)?;
    match decode_bits(validity, rows)? {
        DecodedBits::Constant(false) if rows > 0 => {
            ByteReader::new(values).end()?;
            Ok(None)
        }
        DecodedBits::Constant(_) => Ok(Some((None, values))),
        DecodedBits::Plain(bits) => Ok(Some((Some(Bitmap::from_bytes(bits, rows)), values))),
    }
}

/// Gives the rows that are not NULL their places among all rows.
fn spread(decoded: Decoded<Strings>, validity: &Bitmap) -> Decoded<Strings> {
    let codes_of_rows = |codes: Vec<u32>| {
        let mut codes = codes.into_iter();
        let code = |present| if present { codes.next() } else { None };
        validity
            .iter()
            .map(code)
            .map(Option::unwrap_or_default)
            .collect()
    };
    match decoded {
        Decoded::Plain(strings) => Decoded::Plain(spread_strings(strings, validity)),
        Decoded::Constant(value) => Decoded::Constant(value),
        Decoded::Dictionary { codes, values } => Decoded::Dictionary {
            codes: codes_of_rows(codes),
            values,
        },
        Decoded::Shared { codes, resource } => Decoded::Shared {
            codes: codes_of_rows(codes),
            resource,
        },
        Decoded::RunEnds { ends, values } => {
            // The row that each run ends before, NULL rows after it left to the next run.
            let rows = (1_u32..).zip(validity.iter());
            let mut after_present = rows.filter(|(_, present)| *present).map(|(row, _)| row);
            let mut seen = 0;
            let mut ends: Vec<u32> = ends
                .iter()
                .filter_map(|end| {
                    let nth = end.checked_sub(seen + 1)?;
                    seen = *end;
                    after_present.nth(nth as usize)
                })
                .collect();
            if let (Some(last), Ok(rows)) = (ends.last_mut(), u32::try_from(validity.len())) {
                *last = rows;
            }
            Decoded::RunEnds { ends, values }
        }
    }
}

/// As many strings as bits: the given ones where a bit is set, else empty ones.
fn spread_strings(strings: Strings, validity: &Bitmap) -> Strings {
    let mut ends = strings.offsets.iter().skip(1);
    let mut end = 0;
    let mut offsets = Vec::with_capacity(validity.len() + 1);
    offsets.push(0);
    for present in validity.iter() {
        if present {
            end = ends.next().copied().unwrap_or(end);
        }
        offsets.push(end);
    }
    Strings {
        offsets,
        bytes: strings.bytes,
    }
}

const FORM: CodecError = CodecError::Malformed("column form");

pub(crate) fn integer_kind(ty: LogicalType) -> IntegerKind {
    match ty.physical() {
        PhysicalType::Int32 => IntegerKind::Int32,
        PhysicalType::Float64 => IntegerKind::Float64,
        _ => IntegerKind::Int64,
    }
}

fn plain_integers(
    ty: LogicalType,
    form: Form,
    integers: Vec<i64>,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    if let Form::DecimalIntegers(scale) = form {
        return decimal::column_of_integers(&integers, scale, validity);
    }
    let data = match integer_kind(ty) {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "the codec checks that 32-bit integers fit"
        )]
        IntegerKind::Int32 => {
            ColumnData::Int32(integers.into_iter().map(|integer| integer as i32).collect())
        }
        IntegerKind::Int64 => ColumnData::Int64(integers),
        IntegerKind::Float64 => ColumnData::Float64(doubles_of_integers(&integers)),
    };
    Column::plain(ty, data, validity).ok_or(FORM)
}

fn plain_strings(
    ty: LogicalType,
    form: Form,
    strings: Strings,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    let data = match form {
        Form::DecimalStrings => return decimal::column_of_strings(&strings, validity),
        Form::Binary => {
            let values = BinaryData::from_parts(strings.offsets, strings.bytes);
            ColumnData::Binary(values.ok_or(CodecError::Malformed("offsets"))?)
        }
        _ => {
            let utf8 = CodecError::Malformed("UTF-8 text");
            let text = String::from_utf8(strings.bytes).map_err(|_| utf8)?;
            ColumnData::Text(TextData::from_parts(strings.offsets, text).ok_or(utf8)?)
        }
    };
    Column::plain(ty, data, validity).ok_or(FORM)
}

fn plain_bits(
    ty: LogicalType,
    bits: Bitmap,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    Column::plain(ty, ColumnData::Boolean(bits), validity).ok_or(FORM)
}

/// A run-end column keeps its NULLs among the values of its runs, so runs are cut where NULLs begin
/// and end.
fn runs_with_nulls(ends: &[u32], values: &Column, validity: &Bitmap) -> Column {
    const NULL: u32 = u32::MAX;
    let mut sources = Vec::with_capacity(validity.len());
    let mut run = 0_u32;
    for (row, present) in (0_u32..).zip(validity.iter()) {
        while ends.get(run as usize).is_some_and(|end| *end <= row) {
            run += 1;
        }
        sources.push(if present { run } else { NULL });
    }
    Column::in_runs(values, &sources)
}
