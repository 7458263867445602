//! The vectors of a group that a scan still has to look at.

use std::collections::VecDeque;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_run::{GroupIndex, GroupParts};

use crate::error::Result;
use crate::read::known::GroupFacts;
use crate::read::prune::RunTests;
use crate::read::run_cursor::{ResolvedScan, RunCursor};
use crate::store::Store;

/// A vector of an open group.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) vector: usize,
    /// Whether it may have keys outside of the range.
    pub(super) is_edge: bool,
}

impl Part {
    /// A vector whose keys are all in the range.
    pub(super) fn inner(vector: usize) -> Part {
        Part {
            vector,
            is_edge: false,
        }
    }

    /// Whether the vector may have keys that are wanted; notes whether it may have others.
    pub(super) fn meets(
        &mut self,
        resolved: &ResolvedScan,
        index: &GroupIndex,
        last_key: &[u8],
    ) -> bool {
        let first = |vector: usize| index.vectors().get(vector);
        let Some(this) = first(self.vector) else {
            return false;
        };
        // The first key of the next vector is above all of this one.
        let next = first(self.vector + 1).map(|next| next.first_key.as_slice());
        let last = next.unwrap_or(last_key);
        self.is_edge = !resolved.spec.range.covers(&this.first_key, last);
        let starts_above = |from: &Vec<u8>| from.as_slice() >= last && next.is_some();
        resolved.tested_range.meets(&this.first_key, last)
            && !resolved
                .tested_range
                .from
                .as_ref()
                .is_some_and(starts_above)
    }
}

impl RunCursor {
    /// The vectors of a group that may hold rows that pass, and the zone maps that tell what is cut
    /// off while they are read. What is known of rows without reading them is counted.
    pub(super) async fn vectors(
        &mut self,
        store: &Store,
        resolved: &ResolvedScan,
        group: usize,
        tests: &RunTests<'_>,
        (first_row, dead): (u32, &RoaringBitmap),
    ) -> Result<(VecDeque<Part>, Option<Arc<GroupParts>>)> {
        let Some(info) = self.head.groups().get(group) else {
            return Ok((VecDeque::new(), None));
        };
        let mut vectors: VecDeque<Part> = (0..info.vectors()).map(Part::inner).collect();
        let last_key = &info.last_key;
        let is_edge = !resolved.tested_range.covers(&info.first_key, last_key);
        let may_be_known = resolved.spec.wanted.is_some() && !self.refers(resolved);
        let cutoff = self.cutoff(resolved);
        if !is_edge && tests.is_empty() && !may_be_known && cutoff.is_none() {
            return Ok((vectors, None));
        }
        let parts = self.index(store, group).await?;
        if let Some(index) = parts.index() {
            vectors.retain(|part| tests.may_match_vector(index, part.vector));
            if is_edge {
                vectors.retain_mut(|part| part.meets(resolved, index, last_key));
            }
            if may_be_known {
                let facts = GroupFacts {
                    group,
                    first_row,
                    index,
                    tests,
                    dead,
                };
                let known = self.leave_known(resolved, &facts, &mut vectors)?;
                store.count_known(known);
            }
            if let Some(cutoff) = &cutoff {
                cutoff.sort(index, vectors.make_contiguous());
            }
        }
        Ok((vectors, cutoff.is_some().then_some(parts)))
    }
}
