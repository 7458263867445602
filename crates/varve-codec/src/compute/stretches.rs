//! The integers of a vector in stretches of equal ones, as its codec has them.

use super::selection::{count_selected, for_each_selected};
use crate::integers::{IntegerKind, decode};
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::tags::TAG_SHARED_DICTIONARY;
use crate::{CodecError, Decoded};

/// Gives each integer and how many selected rows have it: constants and runs at once, integers of a
/// dictionary once each, others row by row. Integers may come more than once and in any order.
pub(super) fn for_each_stretch(
    scope: Scope<'_>,
    kind: IntegerKind,
    bytes: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
    add: &mut dyn FnMut(i64, usize),
) -> Result<(), CodecError> {
    let mut reader = ByteReader::new(bytes);
    if reader.u8()? == TAG_SHARED_DICTIONARY {
        let values = scope.shared.integers(reader.u8()?)?;
        return for_each_code(
            scope,
            reader.rest(),
            rows,
            selection,
            values.len(),
            &mut |code, count| {
                if let Some(integer) = values.get(code) {
                    add(*integer, count);
                }
            },
        );
    }
    match decode(scope, kind, bytes, rows)? {
        Decoded::Plain(integers) => for_each_selected(selection, rows, |row| {
            if let Some(integer) = integers.get(row) {
                add(*integer, 1);
            }
        }),
        Decoded::Constant(integer) => {
            if let Some(integer) = integer.first() {
                add(*integer, count_selected(selection, 0, rows));
            }
        }
        Decoded::Dictionary { codes, values } => {
            let mut counts = vec![0; values.len()];
            count_each(&codes, rows, selection, &mut counts);
            for (integer, count) in values.iter().zip(counts) {
                add(*integer, count);
            }
        }
        Decoded::RunEnds { ends, values } => {
            let mut start = 0;
            for (end, integer) in ends.iter().zip(values) {
                let end = *end as usize;
                add(integer, count_selected(selection, start, end));
                start = end;
            }
        }
        Decoded::Shared { .. } => return Err(CodecError::UnknownTag(TAG_SHARED_DICTIONARY)),
    }
    Ok(())
}

/// As [`for_each_stretch`] for nested codes of a dictionary of `values` values.
pub(super) fn for_each_code(
    scope: Scope<'_>,
    bytes: &[u8],
    rows: usize,
    selection: Option<&[u8]>,
    values: usize,
    add: &mut dyn FnMut(usize, usize),
) -> Result<(), CodecError> {
    let mut sound = true;
    let nested = scope.nested()?;
    for_each_stretch(
        nested,
        IntegerKind::Int32,
        bytes,
        rows,
        selection,
        &mut |code, count| match usize::try_from(code).ok().filter(|code| *code < values) {
            Some(code) => add(code, count),
            None => sound = false,
        },
    )?;
    if sound {
        Ok(())
    } else {
        Err(CodecError::Malformed("dictionary code"))
    }
}

/// Adds up the selected rows of each code.
pub(super) fn count_each(
    codes: &[u32],
    rows: usize,
    selection: Option<&[u8]>,
    counts: &mut [usize],
) {
    for_each_selected(selection, rows, |row| {
        let code = codes.get(row).map(|code| *code as usize);
        if let Some(count) = code.and_then(|code| counts.get_mut(code)) {
            *count += 1;
        }
    });
}
