//! Same as another: integers that mostly equal those of another column row by row, as the rows
//! where they differ and the integers there.
//!
//! Pays on copies of a column with few changes, such as a time of change that is mostly the time of
//! creation. Worst case: when all rows differ, ten bits a row over the integers alone. Both columns
//! have the same number of rows; it is the caller who knows which column is meant.
//! Layout: number of differing rows (varint); if any, the bytes of those rows (varint) and those,
//! as ascending nested integers of 32 bits, then the integers there as a nested vector.

use crate::integers::{IntegerKind, IntegerPlan, decode_plain, gather_plain};
use crate::positions::check_positions;
use crate::reader::ByteReader;
use crate::scope::Scope;
use crate::writer::{low32, put_nested, put_varint};
use crate::{CodecError, ROWS_MAX, Shared};

/// Stretches that are compared, and the rows of each.
const STRETCHES: usize = 16;
const STRETCH_ROWS: usize = 64;

/// Appends how `values` differ from `reference`, each a vector of as many rows.
pub fn encode_same_integers(
    kind: IntegerKind,
    reference: &[i64],
    values: &[i64],
    out: &mut Vec<u8>,
) -> Result<(), CodecError> {
    if values.len() > ROWS_MAX {
        return Err(CodecError::TooManyRows(values.len()));
    }
    if reference.len() != values.len() {
        return Err(CodecError::Malformed("row count"));
    }
    let pairs = (0_i64..).zip(reference.iter().zip(values));
    let differing = pairs.filter(|(_, (reference, value))| reference != value);
    let (rows, integers): (Vec<i64>, Vec<i64>) =
        differing.map(|(row, (_, value))| (row, *value)).unzip();
    put_rows(&rows, out);
    if !integers.is_empty() {
        IntegerPlan::Basic.encode(kind, &integers, out);
    }
    Ok(())
}

/// The integers that [`encode_same_integers`] wrote, given the same reference.
pub fn decode_same_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    reference: &[i64],
) -> Result<Vec<i64>, CodecError> {
    let scope = Scope::new(shared, 0);
    let mut reader = ByteReader::new(bytes);
    let rows = take_rows(scope, &mut reader, reference.len())?;
    if rows.is_empty() {
        reader.end()?;
        return Ok(reference.to_vec());
    }
    let integers = decode_plain(scope.nested()?, kind, reader.rest(), rows.len())?;
    let mut all = reference.to_vec();
    for (row, integer) in rows.iter().zip(integers) {
        if let Some(slot) = all.get_mut(usize::from(*row)) {
            *slot = integer;
        }
    }
    Ok(all)
}

/// The integers at `positions` of `rows`, given the reference's integers at those positions.
pub fn gather_same_integers(
    kind: IntegerKind,
    shared: &Shared,
    bytes: &[u8],
    rows: usize,
    positions: &[u16],
    reference: &[i64],
) -> Result<Vec<i64>, CodecError> {
    check_positions(rows, positions)?;
    if reference.len() != positions.len() {
        return Err(CodecError::Malformed("row count"));
    }
    let scope = Scope::new(shared, 0);
    let mut reader = ByteReader::new(bytes);
    let differing = take_rows(scope, &mut reader, rows)?;
    if differing.is_empty() {
        reader.end()?;
        return Ok(reference.to_vec());
    }
    let mut integers = reference.to_vec();
    let (mut slots, mut wanted) = (Vec::new(), Vec::new());
    for (slot, position) in positions.iter().enumerate() {
        if let Ok(at) = differing.binary_search(position) {
            slots.push(slot);
            wanted.push(u16::try_from(at).map_err(|_| ROWS)?);
        }
    }
    let nested = scope.nested()?;
    let found = gather_plain(nested, kind, reader.rest(), differing.len(), &wanted)?;
    for (slot, integer) in slots.into_iter().zip(found) {
        if let Some(slot) = integers.get_mut(slot) {
            *slot = integer;
        }
    }
    Ok(integers)
}

/// How many of a thousand rows are equal, by stretches of rows spread over the columns.
pub fn equal_integers_per_mille(reference: &[i64], values: &[i64]) -> u32 {
    let rows = reference.len().min(values.len());
    equal_per_mille(rows, |row| reference.get(row) == values.get(row))
}

/// How many of a thousand of `rows` rows are equal.
pub(crate) fn equal_per_mille(rows: usize, equal: impl Fn(usize) -> bool) -> u32 {
    let (mut seen, mut same) = (0_u32, 0_u32);
    let mut state = rows as u64;
    for stretch in 0..STRETCHES {
        // A random start in each part, so that no period can hide.
        let (from, to) = (rows * stretch / STRETCHES, rows * (stretch + 1) / STRETCHES);
        state = crate::distinct::mix(state, stretch as u64 + 1);
        let room = to.saturating_sub(from + STRETCH_ROWS) as u64 + 1;
        let start = from + low32((state >> 33) % room) as usize;
        for row in start..to.min(start + STRETCH_ROWS) {
            seen += 1;
            same += u32::from(equal(row));
        }
    }
    same * 1000 / seen.max(1)
}

/// Appends the number of differing rows, and where they are.
pub(crate) fn put_rows(rows: &[i64], out: &mut Vec<u8>) {
    put_varint(rows.len() as u64, out);
    if rows.is_empty() {
        return;
    }
    put_nested(out, |out| {
        IntegerPlan::Basic.encode(IntegerKind::Int32, rows, out);
    });
}

/// What [`put_rows`] wrote: ascending, each below `rows`.
pub(crate) fn take_rows(
    scope: Scope<'_>,
    reader: &mut ByteReader<'_>,
    rows: usize,
) -> Result<Vec<u16>, CodecError> {
    let count = reader.count(0, rows.min(ROWS_MAX), "number of differing rows")?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let nested = reader.nested()?;
    let differing = decode_plain(scope.nested()?, IntegerKind::Int32, nested, count)?;
    let differing: Result<Vec<u16>, _> = differing.into_iter().map(u16::try_from).collect();
    let differing = differing.map_err(|_| ROWS)?;
    let last = differing.last().copied().map_or(0, usize::from);
    if last >= rows || !differing.is_sorted_by(|a, b| a < b) {
        return Err(ROWS);
    }
    Ok(differing)
}

const ROWS: CodecError = CodecError::Malformed("differing rows");

#[cfg(test)]
mod tests {
    use super::{
        decode_same_integers, encode_same_integers, equal_integers_per_mille, gather_same_integers,
    };
    use crate::testing::mutations;
    use crate::{IntegerKind, Shared};
    use proptest::prelude::{prop_assert_eq, proptest};

    fn encoded(reference: &[i64], values: &[i64]) -> Vec<u8> {
        let mut out = Vec::new();
        encode_same_integers(IntegerKind::Int64, reference, values, &mut out).unwrap();
        out
    }

    #[test]
    fn golden_bytes() {
        assert_eq!(encoded(&[1, 2, 3], &[1, 2, 3]), [0]);
        assert_eq!(encoded(&[1, 2, 3], &[1, 9, 3]), [1, 2, 1, 2, 1, 18]);
        assert!(encode_same_integers(IntegerKind::Int64, &[1], &[], &mut Vec::new()).is_err());
    }

    #[test]
    fn the_share_of_equal_rows() {
        let integers: Vec<i64> = (0..3000).collect();
        let changed: Vec<i64> = (0..3000).map(|i| if i % 2 == 0 { i } else { -1 }).collect();
        assert_eq!(equal_integers_per_mille(&integers, &integers), 1000);
        assert_eq!(equal_integers_per_mille(&integers, &changed), 500);
        assert_eq!(equal_integers_per_mille(&[], &[]), 0);
    }

    proptest! {
        #[test]
        fn integers_come_back(pairs: Vec<(i64, Option<i64>)>, seed: u16) {
            let of = |(reference, value): &(i64, Option<i64>)| {
                (*reference, value.unwrap_or(*reference))
            };
            let (reference, values): (Vec<i64>, Vec<i64>) = pairs.iter().map(of).unzip();
            let bytes = encoded(&reference, &values);
            let (kind, none, rows) = (IntegerKind::Int64, Shared::default(), pairs.len());
            let back = decode_same_integers(kind, &none, &bytes, &reference);
            prop_assert_eq!(back, Ok(values.clone()));
            if rows > 0 {
                let positions = [seed, seed / 2, seed / 3].map(|at| at % rows as u16);
                let pick = |from: &[i64]| positions.map(|at| from[usize::from(at)]).to_vec();
                let few = pick(&reference);
                let back = gather_same_integers(kind, &none, &bytes, rows, &positions, &few);
                prop_assert_eq!(back, Ok(pick(&values)));
            }
        }
    }

    #[test]
    fn damage_is_an_answer() {
        let reference = vec![7; 100];
        let values: Vec<i64> = (0..100).map(|i| if i % 9 == 0 { i } else { 7 }).collect();
        mutations(&encoded(&reference, &values), 3000, |bytes| {
            let (kind, none) = (IntegerKind::Int64, Shared::default());
            let whole = decode_same_integers(kind, &none, bytes, &reference);
            let some = gather_same_integers(kind, &none, bytes, 100, &[0, 9, 99], &[7; 3]);
            if let (Ok(whole), Ok(some)) = (whole, some) {
                assert_eq!(some, [0, 9, 99].map(|at: usize| whole[at]));
            }
        });
    }
}
