//! Positions in a vector whose values are gathered.

use crate::{CodecError, ROWS_MAX};

/// The values at `positions` of a vector that had to be decoded whole.
pub(crate) fn pick(values: &[i64], positions: &[u16]) -> Result<Vec<i64>, CodecError> {
    let at = |position: &u16| values.get(usize::from(*position)).copied();
    let integers: Option<Vec<i64>> = positions.iter().map(at).collect();
    integers.ok_or(CodecError::UnexpectedEnd)
}

/// As [`pick`], where `values` are the last of `rows` rows, from the last back.
pub(crate) fn pick_from_end(
    values: &[i64],
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let at = |position: &u16| {
        let back = rows.checked_sub(usize::from(*position) + 1)?;
        values.get(back).copied()
    };
    let integers: Option<Vec<i64>> = positions.iter().map(at).collect();
    integers.ok_or(CodecError::UnexpectedEnd)
}

/// How many rows from the front hold all `positions`.
pub(crate) fn rows_through(positions: &[u16]) -> usize {
    let last = positions.iter().max();
    last.map_or(0, |last| usize::from(*last) + 1)
}

/// Refuses positions outside a vector, and vectors that are too long.
pub(crate) fn check_positions(rows: usize, positions: &[u16]) -> Result<(), CodecError> {
    if rows > ROWS_MAX {
        return Err(CodecError::TooManyRows(rows));
    }
    match positions.iter().max() {
        Some(position) if usize::from(*position) >= rows => Err(CodecError::PositionOutOfRange {
            position: usize::from(*position),
            rows,
        }),
        _ => Ok(()),
    }
}
