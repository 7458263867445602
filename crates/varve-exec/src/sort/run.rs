//! Sorted rows, in memory or in scratch space.

use std::collections::VecDeque;

use varve_types::{Batch, LogicalType, Result};

use crate::{Scratch, ScratchTicket};

/// Sorted extended batches, given from the front.
pub(crate) struct Run<'a> {
    parts: VecDeque<Part<'a>>,
    pub(crate) types: Vec<LogicalType>,
}

enum Part<'a> {
    Memory(Batch),
    Spilled(Spilled<'a>),
}

/// A batch in scratch space; gives the space back when dropped.
struct Spilled<'a> {
    scratch: &'a dyn Scratch,
    ticket: ScratchTicket,
}

impl Drop for Spilled<'_> {
    fn drop(&mut self) {
        self.scratch.free(self.ticket);
    }
}

impl<'a> Run<'a> {
    pub(crate) fn new(types: Vec<LogicalType>) -> Run<'a> {
        Run {
            parts: VecDeque::new(),
            types,
        }
    }

    pub(crate) fn push(&mut self, batch: Batch) {
        self.parts.push_back(Part::Memory(batch));
    }

    /// Adds a batch by writing it out.
    pub(crate) async fn spill(&mut self, scratch: &'a dyn Scratch, batch: &Batch) -> Result<()> {
        let ticket = scratch.write(batch).await?;
        self.parts
            .push_back(Part::Spilled(Spilled { scratch, ticket }));
        Ok(())
    }

    /// The next batch, and whether it was read back and so takes memory that nobody booked.
    pub(crate) async fn next(&mut self) -> Result<Option<(Batch, bool)>> {
        match self.parts.pop_front() {
            None => Ok(None),
            Some(Part::Memory(batch)) => Ok(Some((batch, false))),
            Some(Part::Spilled(spilled)) => {
                let batch = spilled.scratch.read(spilled.ticket, &self.types).await?;
                Ok(Some((batch.compact(), true)))
            }
        }
    }
}
