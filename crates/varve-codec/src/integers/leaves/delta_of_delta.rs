//! Delta of delta: how much each step from value to value differs from the one before, as
//! Simple-8b.
//!
//! Pays on timestamps at a steady pace with rare changes of it: a run of equal steps is one
//! integer. Worst case: 64-bit noise takes nine bytes a value; a read of one row adds up all
//! between it and the nearer end. Paper: Pelkonen et al., "Gorilla: A Fast, Scalable, In-Memory
//! Time Series Database" (2015), with [`super::simple8b`] in place of its variable bits. Layout:
//! first value, first step, how far the last value lies from the first, last step (zigzag varints),
//! the differences of the further steps, folded as in a zigzag, as Simple-8b. With the last value
//! and the last step it is decoded from the end as well.

use crate::CodecError;
use crate::integers::leaves::block_leaf::BlockLeaf;
use crate::integers::leaves::delta::steps;
use crate::integers::leaves::simple8b::{self, Stored};
use crate::positions::{pick, pick_from_end, rows_through};
use crate::reader::ByteReader;
use crate::tags::TAG_DELTA_OF_DELTA;
use crate::writer::{fold, put_zigzag, unfold};

pub(crate) static LEAF: BlockLeaf = BlockLeaf {
    tag: TAG_DELTA_OF_DELTA,
    for_doubles: false,
    rows_min: 2,
    decode_cost: 4,
    encode: |values, out| {
        encode(values, out);
        Some(())
    },
    decode,
    gather,
};

/// Appends at least two values.
pub(crate) fn encode(values: &[i64], out: &mut Vec<u8>) {
    let at = |value: Option<&i64>| value.copied().unwrap_or(0);
    let steps_taken = steps(values);
    put_zigzag(at(values.first()), out);
    put_zigzag(at(steps_taken.first()), out);
    put_zigzag(at(values.last()).wrapping_sub(at(values.first())), out);
    put_zigzag(at(steps_taken.last()), out);
    let folded: Vec<u64> = steps(&steps_taken).into_iter().map(fold).collect();
    simple8b::encode(&folded, out);
}

/// A vector as stored.
struct Ends<'a> {
    first: i64,
    first_step: i64,
    last: i64,
    last_step: i64,
    changes: Stored<'a>,
}

impl<'a> Ends<'a> {
    fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Ends<'a>, CodecError> {
        let changes = rows
            .checked_sub(2)
            .ok_or(CodecError::Malformed("row count"))?;
        let first = reader.zigzag()?;
        Ok(Ends {
            first,
            first_step: reader.zigzag()?,
            last: first.wrapping_add(reader.zigzag()?),
            last_step: reader.zigzag()?,
            changes: Stored::take(reader, changes)?,
        })
    }

    /// The first `count` values.
    fn front(&self, count: usize) -> Result<Vec<i64>, CodecError> {
        let changes = self.changes.front(count.saturating_sub(2))?;
        let (mut value, mut step) = (self.first, self.first_step);
        let changes = changes.into_iter().chain([0, 0]).take(count);
        Ok(changes
            .map(|change| {
                let reached = value;
                value = value.wrapping_add(step);
                step = step.wrapping_add(unfold(change));
                reached
            })
            .collect())
    }

    /// The last `count` of `rows` values, from the last back.
    fn back(&self, rows: usize, count: usize) -> Result<Vec<i64>, CodecError> {
        let changes = self.changes.back(rows - 2, count.saturating_sub(2))?;
        let (mut value, mut step) = (self.last, self.last_step);
        let changes = changes.into_iter().chain([0, 0]).take(count);
        Ok(changes
            .map(|change| {
                let reached = value;
                value = value.wrapping_sub(step);
                step = step.wrapping_sub(unfold(change));
                reached
            })
            .collect())
    }
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    Ends::take(reader, rows)?.front(rows)
}

/// Starts at the end that is nearer to the positions.
pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let ends = Ends::take(reader, rows)?;
    let least = positions.iter().min().map_or(0, |min| usize::from(*min));
    let front = rows_through(positions);
    let back = rows.saturating_sub(least);
    if front <= back {
        return pick(&ends.front(front)?, positions);
    }
    pick_from_end(&ends.back(rows, back)?, rows, positions)
}

#[cfg(test)]
mod tests {
    use super::{Ends, encode};
    use crate::reader::ByteReader;
    use crate::testing::{Random, mutations};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    #[test]
    fn golden_bytes() {
        let mut out = Vec::new();
        encode(&[100, 150, 200, 250, 301, 351], &mut out);
        let header = [200, 1, 100, 246, 3, 100];
        // Changes of 0, 0, 1, -1, folded to 0, 0, 2, 1.
        let simple8b = [1, 1, 0b0110_0000, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(out, [header.as_slice(), &simple8b].concat());
    }

    #[test]
    fn a_million_even_stamps_take_less_than_40_kilobytes() {
        let stamps: Vec<i64> = (0..1_000_000).map(|i| 1_700_000_000_000 + 50 * i).collect();
        let mut out = Vec::new();
        for vector in stamps.chunks(1024) {
            encode(vector, &mut out);
        }
        assert!(out.len() < 40_000, "{}", out.len());
    }

    proptest! {
        #[test]
        fn forward_and_backward_agree(
            values in proptest::collection::vec(any::<i64>(), 2..300),
            steady: bool,
            part in 0..=100_usize,
        ) {
            let values: Vec<i64> = if steady {
                (0..).zip(&values).map(|(i, value)| i * 1000 + value % 3).collect()
            } else {
                values
            };
            let rows = values.len();
            let mut out = Vec::new();
            encode(&values, &mut out);
            let ends = Ends::take(ByteReader::new(&out), rows).unwrap();
            let some = rows * part / 100;
            prop_assert_eq!(ends.front(some).unwrap(), &values[..some]);
            let mut back = ends.back(rows, some).unwrap();
            back.reverse();
            prop_assert_eq!(back, &values[rows - some..]);
        }
    }

    #[test]
    fn any_bytes_are_an_answer() {
        let mut random = Random(3);
        let mut at = 0;
        let values: Vec<i64> = (0..500)
            .map(|_| {
                at += 50 + random.below(40) as i64 / 39;
                at
            })
            .collect();
        let mut out = Vec::new();
        encode(&values, &mut out);
        mutations(&out, 5000, |bytes| {
            if let Ok(ends) = Ends::take(ByteReader::new(bytes), 500) {
                let _ = ends.front(500);
                let _ = ends.back(500, 300);
            }
        });
    }
}
