//! A column stored as its differences from another column of the group.
//!
//! A vector is its validity, which is that of the other column's, then, unless every row is NULL,
//! what `encode_same_integers` or `encode_same_strings` writes.

use varve_codec::tags::TAG_SAME_COLUMN;
use varve_codec::{
    CodecError, encode_same_integers, encode_same_strings, equal_integers_per_mille,
    equal_strings_per_mille,
};
use varve_types::{Column, LogicalType, PhysicalType};

use crate::column_encoder::{EncodedColumn, integers, present_strings, put_validity};
use crate::vector::integer_kind;

/// Columns are tried against each other when so many of a thousand rows are equal.
const EQUAL_PER_MILLE: u32 = 500;

/// `vectors` as they differ from those of `reference`, both of type `ty`; `None` where they differ
/// too often or in what is NULL.
pub(crate) fn encode_same(
    ty: LogicalType,
    reference: &[Column],
    vectors: &[Column],
) -> Result<Option<EncodedColumn>, CodecError> {
    if matches!(ty.physical(), PhysicalType::Bits | PhysicalType::Decimal)
        || !alike(ty, reference, vectors)?
    {
        return Ok(None);
    }
    let mut encoded = EncodedColumn {
        codecs: 1 << TAG_SAME_COLUMN,
        ..EncodedColumn::default()
    };
    for (reference, column) in reference.iter().zip(vectors) {
        let mut bytes = Vec::new();
        put_validity(column, &mut bytes)?;
        if column.null_count() < column.len() {
            if is_strings(ty) {
                let (reference, values) = (present_strings(reference)?, present_strings(column)?);
                encode_same_strings(reference.as_ref(), values.as_ref(), &mut bytes)?;
            } else {
                let (reference, values) = (integers(reference)?, integers(column)?);
                encode_same_integers(integer_kind(ty), &reference, &values, &mut bytes)?;
            }
        }
        encoded.vectors.push(bytes);
    }
    Ok(Some(encoded))
}

fn is_strings(ty: LogicalType) -> bool {
    matches!(ty.physical(), PhysicalType::Bytes | PhysicalType::Binary)
}

/// Whether it may pay: NULLs in the same rows, and in the first vector with values most of them
/// equal.
fn alike(ty: LogicalType, reference: &[Column], vectors: &[Column]) -> Result<bool, CodecError> {
    let mut pairs = reference.iter().zip(vectors);
    if !pairs.clone().all(|(a, b)| a.validity() == b.validity()) {
        return Ok(false);
    }
    let Some((a, b)) = pairs.find(|(a, _)| a.null_count() < a.len()) else {
        return Ok(false);
    };
    let per_mille = if is_strings(ty) {
        equal_strings_per_mille(present_strings(a)?.as_ref(), present_strings(b)?.as_ref())
    } else {
        equal_integers_per_mille(&integers(a)?, &integers(b)?)
    };
    Ok(per_mille >= EQUAL_PER_MILLE)
}
