//! Where the rows of a run went when a compaction took its place.
//!
//! Rows keep their order, and mostly stay close together, so that a map is much smaller than four
//! bytes a row.

use std::sync::Arc;

use varve_types::{Broken, Invariant, Reservation, VECTOR_ROWS, invariant};

use crate::error::Result;
use crate::run::RunTrace;

/// A row of an output: the number of the output, and the ordinal in it.
type Place = (u32, u32);

/// What stands for the ordinal of a row that was not written again.
const DEAD: u32 = u32::MAX;
/// The same as a distance.
const NEAR_DEAD: u16 = u16::MAX;

/// From the ordinals of an input run to rows of the outputs. Kept for transactions that began
/// before the outputs were published.
pub(crate) struct ForwardMap {
    outputs: Vec<Arc<RunTrace>>,
    /// By 1,024 rows of the input.
    parts: Vec<Part>,
    /// What the parts take in memory.
    _reservation: Reservation,
}

/// Where up to 1,024 rows of an input went.
#[derive(Debug, PartialEq)]
enum Part {
    /// So many, one after the other.
    Stretch {
        output: u32,
        first: u32,
        rows: u32,
    },
    /// Distances from the first.
    Near {
        output: u32,
        first: u32,
        rows: Box<[u16]>,
    },
    Far {
        output: u32,
        rows: Box<[u32]>,
    },
    /// To several outputs.
    Apart(Box<[Place]>),
}

impl Part {
    fn of(places: &[Place]) -> Result<Part, Broken> {
        let first = places.iter().find(|(_, row)| *row != DEAD);
        let Some((output, first)) = first.copied() else {
            return Ok(Part::Apart([].into()));
        };
        if places
            .iter()
            .any(|place| place.1 != DEAD && place.0 != output)
        {
            return Ok(Part::Apart(places.into()));
        }
        let rows = || places.iter().map(|(_, row)| *row);
        if rows().zip(first..).all(|(row, next)| row == next) {
            let rows = u32::try_from(places.len()).or_broken("rows of a part")?;
            return Ok(Part::Stretch {
                output,
                first,
                rows,
            });
        }
        let near = rows().map(|row| match row {
            DEAD => Some(NEAR_DEAD),
            row => {
                let distance = row.checked_sub(first).map(u16::try_from)?;
                distance.ok().filter(|distance| *distance != NEAR_DEAD)
            }
        });
        Ok(match near.collect::<Option<Box<[u16]>>>() {
            Some(rows) => Part::Near {
                output,
                first,
                rows,
            },
            None => Part::Far {
                output,
                rows: rows().collect(),
            },
        })
    }

    fn place(&self, at: usize) -> Option<Place> {
        match self {
            Part::Stretch {
                output,
                first,
                rows,
            } => {
                let at = u32::try_from(at).ok().filter(|at| at < rows)?;
                Some((*output, first.checked_add(at)?))
            }
            Part::Near {
                output,
                first,
                rows,
            } => {
                let distance = rows.get(at).filter(|distance| **distance != NEAR_DEAD)?;
                Some((*output, first.checked_add(u32::from(*distance))?))
            }
            Part::Far { output, rows } => {
                let row = rows.get(at).copied().filter(|row| *row != DEAD)?;
                Some((*output, row))
            }
            Part::Apart(places) => places.get(at).copied().filter(|(_, row)| *row != DEAD),
        }
    }

    fn bytes(&self) -> u64 {
        let rows = match self {
            Part::Stretch { .. } => 0,
            Part::Near { rows, .. } => size_of_val(&**rows),
            Part::Far { rows, .. } => size_of_val(&**rows),
            Part::Apart(places) => size_of_val(&**places),
        };
        (size_of::<Part>() + rows) as u64
    }
}

impl ForwardMap {
    /// Where a row went; `None` if it was dead.
    pub(crate) fn row(&self, ordinal: u32) -> Option<(&Arc<RunTrace>, u32)> {
        let ordinal = ordinal as usize;
        let part = self.parts.get(ordinal / VECTOR_ROWS)?;
        let (output, row) = part.place(ordinal % VECTOR_ROWS)?;
        Some((self.outputs.get(output as usize)?, row))
    }
}

/// Collects where the rows of one input go, in ascending order.
pub(crate) struct ForwardBuilder {
    parts: Vec<Part>,
    pending: Vec<Place>,
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

    /// Notes that `rows` rows from `ordinal` on are now those from `row` on of an output. Ordinals
    /// that are left out are those of dead rows.
    pub(crate) fn push(
        &mut self,
        ordinal: u32,
        output: u32,
        row: u32,
        rows: u32,
    ) -> Result<(), Broken> {
        let ordinal = ordinal as usize;
        invariant!(self.next() <= ordinal, "order of rows in a compaction");
        while self.next() < ordinal {
            self.push_place((0, DEAD))?;
        }
        for row in (row..).take(rows as usize) {
            self.push_place((output, row))?;
        }
        Ok(())
    }

    /// The ordinal of the row after the last one noted.
    fn next(&self) -> usize {
        self.parts.len() * VECTOR_ROWS + self.pending.len()
    }

    fn push_place(&mut self, place: Place) -> Result<(), Broken> {
        self.pending.push(place);
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

    /// The map, given the outputs by their numbers.
    pub(crate) fn finish(mut self, outputs: Vec<Arc<RunTrace>>) -> Result<ForwardMap> {
        if !self.pending.is_empty() {
            self.end_part()?;
        }
        self.reserve()?;
        Ok(ForwardMap {
            outputs,
            parts: self.parts,
            _reservation: self.reservation,
        })
    }
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "test data is small")]
mod tests {
    use super::{DEAD, ForwardBuilder, Part};
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
            stretches in vec((0_u32..1500, 0_u32..3, 0_u32..40_000, 1_u32..3000), 0..20),
        ) {
            let mut builder = ForwardBuilder::new(reservation());
            let mut ordinal = 0;
            let mut next = [0_u32; 3];
            let mut expected = Vec::new();
            for (dead, output, others, rows) in stretches {
                let row = &mut next[output as usize];
                ordinal += dead;
                *row += others;
                builder.push(ordinal, output, *row, rows).unwrap();
                expected.resize(ordinal as usize, None);
                expected.extend((*row..*row + rows).map(|row| Some((5 + u64::from(output), row))));
                ordinal += rows;
                *row += rows;
            }
            let map = builder.finish([5, 6, 7].map(trace).into()).unwrap();
            for (ordinal, row) in expected.iter().enumerate() {
                let found = map.row(ordinal as u32);
                assert_eq!(found.map(|(run, row)| (run.id.0, row)), *row);
            }
            // Dead rows at the end are not noted.
            assert!(map.row(expected.len() as u32).is_none());
        }
    }

    #[test]
    fn what_stays_together_takes_no_memory() {
        let dead = (0, DEAD);
        let (output, first) = (2, 5);
        let cases = [
            (
                Part::of(&[(2, 5), (2, 6), (2, 7)]),
                Part::Stretch {
                    output,
                    first,
                    rows: 3,
                },
            ),
            (
                Part::of(&[(2, 5), dead, (2, 9)]),
                Part::Near {
                    output,
                    first,
                    rows: [0, u16::MAX, 4].into(),
                },
            ),
            (Part::of(&[dead, dead]), Part::Apart([].into())),
        ];
        for (found, expected) in cases {
            assert_eq!(found.unwrap(), expected);
        }
        let far = Part::of(&[(2, 1), dead, (2, 100_000)]).unwrap();
        assert!(matches!(far, Part::Far { output: 2, .. }));
        let apart = Part::of(&[dead, (1, 1), (2, 2)]).unwrap();
        assert!(matches!(apart, Part::Apart(_)));
    }
}
