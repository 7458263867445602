//! A vector that a scan still has to look at.

use varve_run::GroupIndex;

use crate::read::run_cursor::ResolvedScan;

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
