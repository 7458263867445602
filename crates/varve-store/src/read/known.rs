//! Tells of whole vectors what their zone maps know, where a scan wants no more of them.

use std::collections::VecDeque;

use roaring::RoaringBitmap;
use varve_run::GroupIndex;
use varve_types::{Summary, VECTOR_ROWS};

use crate::error::Result;
use crate::read::part::Part;
use crate::read::prune::RunTests;
use crate::read::run_content::reference_position;
use crate::read::run_cursor::{ResolvedScan, RunCursor, live, ordinal};

/// What of a group decides whether its rows are to be read.
pub(super) struct GroupFacts<'a> {
    pub(super) group: usize,
    pub(super) first_row: u32,
    pub(super) index: &'a GroupIndex,
    pub(super) tests: &'a RunTests<'a>,
    pub(super) dead: &'a RoaringBitmap,
}

impl RunCursor {
    /// Leaves those vectors that must be read, and adds up what is known of the others. Answers how
    /// many vectors of columns these are.
    pub(super) fn leave_known(
        &mut self,
        resolved: &ResolvedScan,
        facts: &GroupFacts<'_>,
        vectors: &mut VecDeque<Part>,
    ) -> Result<u64> {
        let before = vectors.len();
        for part in core::mem::take(vectors) {
            match self.known_of(resolved, facts, part)? {
                Some(summary) => self.known.merge(summary),
                None => vectors.push_back(part),
            }
        }
        let columns = resolved.outputs.len().max(1);
        Ok(((before - vectors.len()) * columns) as u64)
    }

    /// What is wanted of a vector, if its zone maps know it and every row of it counts.
    fn known_of(
        &self,
        resolved: &ResolvedScan,
        facts: &GroupFacts<'_>,
        Part { vector, is_edge }: Part,
    ) -> Result<Option<Summary>> {
        let info = self.head.groups().get(facts.group);
        let rows = info.map_or(0, |info| info.vector_rows(vector));
        let first = facts.first_row + ordinal((vector * VECTOR_ROWS) as u64)?;
        let all_count = !is_edge
            && live(facts.dead, first, rows)?.is_none()
            && facts.tests.must_match_vector(facts.index, vector);
        let wanted = resolved.spec.wanted.iter().filter(|_| all_count).flatten();
        let columns = resolved.outputs.iter().zip(wanted).map(|(stored, wanted)| {
            let column = self.position(resolved, *stored)?;
            let zone = facts.index.zone(vector, column)?;
            zone.summary(*wanted)
        });
        let columns: Option<Vec<_>> = columns.collect();
        Ok(columns.filter(|_| all_count).map(|columns| Summary {
            rows: rows as u64,
            columns,
        }))
    }

    /// Whether values that a scan reads may stand elsewhere, so that zone maps do not know them.
    pub(super) fn refers(&self, resolved: &ResolvedScan) -> bool {
        let tested = resolved.tests.0.iter().map(|(stored, _)| stored);
        let reference = |stored: &usize| reference_position(&resolved.tree, &self.head, *stored);
        let mut read = resolved.outputs.iter().chain(tested);
        self.view.run.refers && read.any(|stored| reference(stored).is_some())
    }
}
