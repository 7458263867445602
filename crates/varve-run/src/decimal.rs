//! Decimals as integers or as strings.
//!
//! Before the values of a vector of a numeric column stands a byte: a scale, and the values are the
//! mantissas as integers of 64 bits; or 255, and they are strings as `Decimal::write_bytes` writes
//! them.

use varve_codec::{CodecError, Strings};
use varve_types::{
    Bitmap, Column, ColumnData, DECIMAL_SCALE_MAX, Decimal, DecimalData, LogicalType,
};

use crate::column_encoder::fill_nulls;

/// What stands before values that are strings.
pub(crate) const STRINGS: u8 = 255;
const FORM: CodecError = CodecError::Malformed("numeric");

/// The scale of all decimals of these columns and their mantissas, NULL rows filled; `None` where
/// the scales differ or a mantissa is too wide.
pub(crate) fn integers_of(vectors: &[&Column]) -> Result<Option<(u8, Vec<i64>)>, CodecError> {
    let mut integers = Vec::with_capacity(vectors.iter().map(|column| column.len()).sum());
    let mut common = None;
    for column in vectors {
        let ColumnData::Decimal(numbers) = column.data() else {
            return Err(FORM);
        };
        let start = integers.len();
        for row in 0..column.len() {
            if column.validity().is_some_and(|bits| !bits.get(row)) {
                integers.push(0);
                continue;
            }
            let number = numbers.get(row).ok_or(FORM)?;
            let integer = i64::try_from(number.mantissa()).ok();
            match (integer, common) {
                (Some(integer), None) => {
                    common = Some(number.scale());
                    integers.push(integer);
                }
                (Some(integer), Some(scale)) if scale == number.scale() => integers.push(integer),
                _ => return Ok(None),
            }
        }
        if let (Some(bits), Some(integers)) = (column.validity(), integers.get_mut(start..)) {
            fill_nulls(bits, integers);
        }
    }
    Ok(Some((common.unwrap_or(0), integers)))
}

/// Appends the strings of the decimals that are not NULL.
pub(crate) fn put_strings(column: &Column, strings: &mut Strings) -> Result<(), CodecError> {
    for row in 0..column.len() {
        if let Some(number) = column.decimal_at(row) {
            number.write_bytes(&mut strings.bytes);
            let end = u32::try_from(strings.bytes.len()).map_err(|_| FORM)?;
            strings.offsets.push(end);
        }
    }
    Ok(())
}

/// The column of mantissas of one scale.
pub(crate) fn column_of_integers(
    integers: &[i64],
    scale: u8,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    if scale > DECIMAL_SCALE_MAX {
        return Err(FORM);
    }
    let mantissas = integers
        .iter()
        .map(|integer| i128::from(*integer))
        .collect();
    let data = ColumnData::Decimal(DecimalData::of_scale(mantissas, scale));
    Column::plain(LogicalType::Numeric, data, validity).ok_or(FORM)
}

/// The column of strings; those of NULL rows are empty.
pub(crate) fn column_of_strings(
    strings: &Strings,
    validity: Option<Bitmap>,
) -> Result<Column, CodecError> {
    let rows = strings.offsets.len().saturating_sub(1);
    let mut numbers = DecimalData::with_capacity(rows);
    let spans = strings.offsets.iter().zip(strings.offsets.iter().skip(1));
    for (row, (start, end)) in spans.enumerate() {
        if validity.as_ref().is_some_and(|bits| !bits.get(row)) {
            numbers.push_null();
            continue;
        }
        let bytes = strings.bytes.get(*start as usize..*end as usize);
        let number = bytes.and_then(Decimal::from_bytes);
        numbers.push(number.ok_or(FORM)?);
    }
    Column::plain(LogicalType::Numeric, ColumnData::Decimal(numbers), validity).ok_or(FORM)
}
