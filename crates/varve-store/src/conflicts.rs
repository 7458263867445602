//! Which keys commits have inserted since the oldest snapshot, and what those of one group write:
//! what commit validation compares with.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

use roaring::RoaringBitmap;
use varve_types::{CommitSeq, RunId, TreeId};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::memtable::MemtableSlot;
use crate::read::OWN_SEQ;
use crate::transaction::{Deletes, Own};

/// Keys and key ranges by the commit that inserted them. Deletes need no entry: of two transactions
/// that delete a row, the second finds it dead.
#[derive(Debug, Default)]
pub(crate) struct RecentKeys {
    keys: BTreeMap<TreeId, BTreeMap<Vec<u8>, CommitSeq>>,
    /// The same keys, oldest first.
    order: VecDeque<(CommitSeq, TreeId, Vec<u8>)>,
    /// Runs that transactions published, whose keys are too many to keep one by one.
    ranges: VecDeque<RecentRange>,
}

#[derive(Debug)]
struct RecentRange {
    seq: CommitSeq,
    tree: TreeId,
    first: Vec<u8>,
    last: Vec<u8>,
}

impl RecentKeys {
    pub(crate) fn add_key(&mut self, tree: TreeId, key: &[u8], seq: CommitSeq) {
        self.keys.entry(tree).or_default().insert(key.to_vec(), seq);
        self.order.push_back((seq, tree, key.to_vec()));
    }

    pub(crate) fn add_range(&mut self, tree: TreeId, first: &[u8], last: &[u8], seq: CommitSeq) {
        self.ranges.push_back(RecentRange {
            seq,
            tree,
            first: first.to_vec(),
            last: last.to_vec(),
        });
    }

    /// Whether a commit after `snapshot` may have inserted this key.
    pub(crate) fn has_key(&self, tree: TreeId, key: &[u8], snapshot: CommitSeq) -> bool {
        let written = self.keys.get(&tree).and_then(|keys| keys.get(key));
        written.is_some_and(|seq| *seq > snapshot) || self.overlaps(tree, key, key, snapshot)
    }

    /// Whether a commit after `snapshot` may have inserted a key of this range.
    pub(crate) fn has_range(
        &self,
        tree: TreeId,
        first: &[u8],
        last: &[u8],
        snapshot: CommitSeq,
    ) -> bool {
        let bounds = (Bound::Included(first), Bound::Included(last));
        let keys = self.keys.get(&tree).into_iter();
        let mut keys = keys.flat_map(|keys| keys.range::<[u8], _>(bounds));
        keys.any(|(_, seq)| *seq > snapshot) || self.overlaps(tree, first, last, snapshot)
    }

    fn overlaps(&self, tree: TreeId, first: &[u8], last: &[u8], snapshot: CommitSeq) -> bool {
        self.ranges.iter().any(|range| {
            range.seq > snapshot
                && range.tree == tree
                && range.first.as_slice() <= last
                && first <= range.last.as_slice()
        })
    }

    /// Drops what every snapshot sees.
    pub(crate) fn forget_through(&mut self, oldest: CommitSeq) {
        while let Some((seq, tree, key)) = self.order.pop_front_if(|(seq, ..)| *seq <= oldest) {
            if let Some(keys) = self.keys.get_mut(&tree)
                && keys.get(&key) == Some(&seq)
            {
                keys.remove(&key);
                if keys.is_empty() {
                    self.keys.remove(&tree);
                }
            }
        }
        while self
            .ranges
            .pop_front_if(|range| range.seq <= oldest)
            .is_some()
        {}
    }

    pub(crate) fn forget_all(&mut self) {
        if !self.order.is_empty() || !self.ranges.is_empty() {
            *self = RecentKeys::default();
        }
    }
}

/// What the transactions of one group write, until it is applied.
#[derive(Debug, Default)]
pub(crate) struct GroupWrites {
    /// Hashes of inserted keys: that two are equal by chance only makes one commit a little later.
    keys: BTreeSet<u64>,
    versions: BTreeMap<(MemtableSlot, TreeId), RoaringBitmap>,
    rows: BTreeMap<RunId, RoaringBitmap>,
}

impl GroupWrites {
    /// Adds a transaction to the group, unless it writes what one in it writes.
    pub(crate) fn admit(&mut self, own: &Own, deletes: &Deletes) -> bool {
        let mut keys = Vec::new();
        for (id, own) in &own.trees {
            let rows = own.buffer.ascend(Bound::Unbounded, OWN_SEQ);
            let written = rows.filter_map(|(key, version)| {
                let row = own.buffer.row(version).unwrap_or_default();
                own.tree.conflict_key(key, row)
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
