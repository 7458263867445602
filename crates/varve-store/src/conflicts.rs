//! Which keys commits have inserted since the oldest snapshot: what commit validation compares
//! with.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use varve_types::{CommitSeq, TreeId};

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
