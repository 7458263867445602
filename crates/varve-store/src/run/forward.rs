//! Where the rows of a run went when a compaction took its place.
//!
//! Rows keep their order, and mostly stay close together, so that a map is much smaller than four
//! bytes a row.

use std::sync::Arc;

use varve_types::{Broken, Invariant, Reservation, VECTOR_ROWS, invariant};

use crate::error::Result;
use crate::run::RunTrace;

/// What stands for a row that was not written again.
const DEAD: u32 = u32::MAX;
/// The same as a distance.
const NEAR_DEAD: u16 = u16::MAX;

/// From the ordinals of an input run to rows of the outputs. Kept for transactions that began
/// before the outputs were published.
pub(crate) struct ForwardMap {
    /// The outputs, each with the number of rows in those before it.
    outputs: Vec<(u32, Arc<RunTrace>)>,
    /// By 1,024 rows of the input.
    parts: Vec<Part>,
    /// What the parts take in memory.
    _reservation: Reservation,
}

/// Where up to 1,024 rows of an input went, by numbers that go on from output to output.
#[derive(Debug, PartialEq)]
enum Part {
    /// So many, one after the other.
    Stretch {
        first: u32,
        rows: u32,
    },
    /// Distances from the first.
    Near(u32, Box<[u16]>),
    Far(Box<[u32]>),
}

impl Part {
    fn of(rows: &[u32]) -> Result<Part, Broken> {
        let first = rows.iter().copied().find(|row| *row != DEAD);
        let Some(first) = first else {
            return Ok(Part::Far([].into()));
        };
        if rows.iter().zip(first..).all(|(row, next)| *row == next) {
            let rows = u32::try_from(rows.len()).or_broken("rows of a part")?;
            return Ok(Part::Stretch { first, rows });
        }
        let near = rows.iter().map(|row| match *row {
            DEAD => Some(NEAR_DEAD),
            row => {
                let distance = row.checked_sub(first).map(u16::try_from)?;
                distance.ok().filter(|distance| *distance != NEAR_DEAD)
            }
        });
        Ok(match near.collect::<Option<Box<[u16]>>>() {
            Some(near) => Part::Near(first, near),
            None => Part::Far(rows.into()),
        })
    }

    fn row(&self, at: usize) -> Option<u32> {
        match self {
            Part::Stretch { first, rows } => {
                let at = u32::try_from(at).ok().filter(|at| at < rows)?;
                first.checked_add(at)
            }
            Part::Near(first, rows) => {
                let distance = rows.get(at).filter(|distance| **distance != NEAR_DEAD)?;
                first.checked_add(u32::from(*distance))
            }
            Part::Far(rows) => rows.get(at).copied().filter(|row| *row != DEAD),
        }
    }

    fn bytes(&self) -> u64 {
        let rows = match self {
            Part::Stretch { .. } => 0,
            Part::Near(_, rows) => 2 * rows.len(),
            Part::Far(rows) => 4 * rows.len(),
        };
        (size_of::<Part>() + rows) as u64
    }
}

impl ForwardMap {
    /// Where a row went; `None` if it was dead.
    pub(crate) fn row(&self, ordinal: u32) -> Option<(&Arc<RunTrace>, u32)> {
        let ordinal = ordinal as usize;
        let part = self.parts.get(ordinal / VECTOR_ROWS)?;
        let row = part.row(ordinal % VECTOR_ROWS)?;
        let after = self.outputs.partition_point(|(first, _)| *first <= row);
        let (first, output) = self.outputs.get(after.checked_sub(1)?)?;
        Some((output, row - first))
    }
}

/// Collects where the rows of one input go, in ascending order.
pub(crate) struct ForwardBuilder {
    parts: Vec<Part>,
    pending: Vec<u32>,
    reservation: Reservation,
    bytes: u64,
}

impl ForwardBuilder {
    pub(crate) fn new(reservation: Reservation) -> ForwardBuilder {
        ForwardBuilder {
            parts: Vec::new(),
            pending: Vec::with_capacity(VECTOR_ROWS),
            reservation,
            bytes: 0,
        }
    }

    /// Notes that `rows` rows from `ordinal` on are now those from `row` on, counted over all
    /// outputs. Ordinals that are left out are those of dead rows.
    pub(crate) fn push(&mut self, ordinal: u32, row: u32, rows: u32) -> Result<(), Broken> {
        let ordinal = ordinal as usize;
        invariant!(self.next() <= ordinal, "order of rows in a compaction");
        while self.next() < ordinal {
            self.push_row(DEAD)?;
        }
        for row in (row..).take(rows as usize) {
            self.push_row(row)?;
        }
        Ok(())
    }

    /// The ordinal of the row after the last one noted.
    fn next(&self) -> usize {
        self.parts.len() * VECTOR_ROWS + self.pending.len()
    }

    fn push_row(&mut self, row: u32) -> Result<(), Broken> {
        self.pending.push(row);
        if self.pending.len() == VECTOR_ROWS {
            self.end_part()?;
        }
        Ok(())
    }

    fn end_part(&mut self) -> Result<(), Broken> {
        let part = Part::of(&self.pending)?;
        self.bytes += part.bytes();
        self.parts.push(part);
        self.pending.clear();
        Ok(())
    }

    /// Books the memory taken since the last time.
    pub(crate) fn reserve(&mut self) -> Result<()> {
        Ok(self.reservation.resize(self.bytes)?)
    }

    /// The map, given the outputs with their rows.
    pub(crate) fn finish(mut self, outputs: &[(Arc<RunTrace>, u32)]) -> Result<ForwardMap> {
        if !self.pending.is_empty() {
            self.end_part()?;
        }
        self.reserve()?;
        let mut before = 0_u32;
        let mut numbered = Vec::with_capacity(outputs.len());
        for (output, rows) in outputs {
            numbered.push((before, Arc::clone(output)));
            before = before.checked_add(*rows).or_broken("rows of outputs")?;
        }
        Ok(ForwardMap {
            outputs: numbered,
            parts: self.parts,
            _reservation: self.reservation,
        })
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "test data is small")]
mod tests {
    use super::{ForwardBuilder, Part};
    use crate::run::RunTrace;
    use proptest::collection::vec;
    use proptest::prelude::proptest;
    use std::sync::Arc;
    use varve_types::{MemoryBudget, Reservation, RunId, TreeId};

    fn trace(run: u64) -> Arc<RunTrace> {
        RunTrace::new(RunId(run), TreeId(1))
    }

    fn reservation() -> Reservation {
        Reservation::new(Arc::new(MemoryBudget::new(1 << 20)))
    }

    proptest! {
        /// Gaps of dead rows and stretches of living ones, the outputs' rows as far apart.
        #[test]
        fn rows_are_found_again(
            stretches in vec((0_u32..1500, 0_u32..40_000, 1_u32..3000), 0..20),
        ) {
            let mut builder = ForwardBuilder::new(reservation());
            let (mut ordinal, mut row) = (0, 0);
            let mut expected = Vec::new();
            for (dead, others, rows) in stretches {
                ordinal += dead;
                row += others;
                builder.push(ordinal, row, rows).unwrap();
                expected.resize(ordinal as usize, None);
                expected.extend((row..row + rows).map(Some));
                ordinal += rows;
                row += rows;
            }
            let outputs = [trace(5), trace(6), trace(7)];
            let rows = [row / 3, row / 2, row];
            let outputs: Vec<_> = outputs.into_iter().zip(rows).collect();
            let map = builder.finish(&outputs).unwrap();
            for (ordinal, row) in expected.iter().enumerate() {
                let found = map.row(ordinal as u32);
                let found = found.map(|(run, row)| match run.id {
                    RunId(5) => row,
                    RunId(6) => rows[0] + row,
                    _ => rows[0] + rows[1] + row,
                });
                assert_eq!(found, *row);
            }
            // Dead rows at the end are not noted.
            assert!(map.row(expected.len() as u32).is_none());
        }
    }

    #[test]
    fn what_stays_together_takes_no_memory() {
        let far = Part::of(&[1, u32::MAX, 100_000]).unwrap();
        let cases = [
            (Part::of(&[5, 6, 7]), Part::Stretch { first: 5, rows: 3 }),
            (
                Part::of(&[5, u32::MAX, 9]),
                Part::Near(5, [0, u16::MAX, 4].into()),
            ),
            (Part::of(&[u32::MAX, u32::MAX]), Part::Far([].into())),
        ];
        for (found, expected) in cases {
            assert_eq!(found.unwrap(), expected);
        }
        assert!(matches!(far, Part::Far(_)));
    }
}
