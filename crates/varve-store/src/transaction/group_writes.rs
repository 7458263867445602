//! What the transactions of one group write: two that write the same cannot go together.

use std::collections::BTreeSet;
use std::ops::Bound;

use roaring::RoaringBitmap;
use varve_sort::VecMap;
use varve_types::{RunId, TreeId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::memtable::MemtableSlot;
use crate::store::Deletes;
use crate::write_set::{WRITE_SET_SEQ, WriteSet};

/// What the transactions of one group write, until it is applied.
#[derive(Debug, Default)]
pub(crate) struct GroupWrites {
    /// Hashes of inserted keys: that two are equal by chance only makes one commit a little later.
    keys: BTreeSet<u64>,
    versions: VecMap<(MemtableSlot, TreeId), RoaringBitmap>,
    rows: VecMap<RunId, RoaringBitmap>,
}

impl GroupWrites {
    /// Adds a transaction to the group, unless it writes what one in it writes.
    pub(crate) fn admit(&mut self, write_set: &WriteSet, deletes: &Deletes) -> bool {
        let mut keys = Vec::new();
        for (id, write_set) in &write_set.trees {
            let rows = write_set.buffer.ascend(Bound::Unbounded, WRITE_SET_SEQ);
            let written = rows.filter_map(|(key, version)| {
                // There is one, or the check before had failed.
                let row = write_set.buffer.row(version)?;
                write_set.tree.conflict_key(key, row)
            });
            keys.extend(written.map(|key| xxh3_64_with_seed(key, id.0)));
        }
        let versions: Vec<((MemtableSlot, TreeId), RoaringBitmap)> = deletes
            .versions
            .iter()
            .map(|(tree, versions)| {
                (
                    *tree,
                    versions.iter().map(|(version, _)| *version).collect(),
                )
            })
            .collect();
        let disjoint = |of: Option<&RoaringBitmap>, new| of.is_none_or(|of| of.is_disjoint(new));
        let is_new = keys.iter().all(|key| !self.keys.contains(key))
            && versions
                .iter()
                .all(|(tree, new)| disjoint(self.versions.get(tree), new))
            && deletes
                .rows
                .iter()
                .all(|((_, run), new)| disjoint(self.rows.get(run), new));
        if is_new {
            self.keys.extend(keys);
            for (tree, new) in versions {
                *self.versions.entry(tree).or_default() |= new;
            }
            for ((_, run), new) in &deletes.rows {
                *self.rows.entry(*run).or_default() |= new;
            }
        }
        is_new
    }
}
