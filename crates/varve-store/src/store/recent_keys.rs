//! Which keys commits have inserted since the oldest snapshot: commit validation compares with
//! them.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;

use varve_sort::VecMap;
use varve_types::{CommitSeq, TreeId};

/// A generation is full at this many keys and ranges.
const GENERATION_MAX: usize = 4096;
/// Of more generations than this, the older half becomes one of ranges.
const GENERATIONS_MAX: usize = 16;
/// Ranges of one tree in such a generation.
const RANGES_MAX: usize = 1024;

/// Keys and key ranges with the commit that inserted them last. Deletes need no entry: of two
/// transactions that delete a row, the second finds it dead.
///
/// Whatever the age of the oldest snapshot, this stays small: old keys become ranges, which may
/// hold keys that nobody inserted.
#[derive(Debug, Default)]
pub(crate) struct RecentKeys {
    /// Oldest first.
    generations: VecDeque<Generation>,
}

#[derive(Debug, Default)]
struct Generation {
    newest: CommitSeq,
    trees: VecMap<TreeId, Inserted>,
    count: usize,
}

/// The last key of a range, and the newest commit that inserted into it.
type RangeEnd = (Vec<u8>, CommitSeq);

#[derive(Debug, Default)]
struct Inserted {
    keys: BTreeMap<Vec<u8>, CommitSeq>,
    /// Disjoint, by first key: the last one, and the newest commit.
    ranges: BTreeMap<Vec<u8>, RangeEnd>,
}

impl Inserted {
    fn add_range(&mut self, first: &[u8], last: &[u8], seq: CommitSeq) {
        let (mut first, mut last, mut seq) = (first.to_vec(), last.to_vec(), seq);
        while let Some((known, (end, newest))) = self.range_before(&last)
            && *end >= first
        {
            first = first.min(known.clone());
            last = last.max(end.clone());
            seq = seq.max(*newest);
            let known = known.clone();
            self.ranges.remove(&known);
        }
        self.ranges.insert(first, (last, seq));
    }

    /// The last range that begins at a key or before.
    fn range_before(&self, key: &[u8]) -> Option<(&Vec<u8>, &RangeEnd)> {
        let upto = (Bound::Unbounded, Bound::Included(key));
        self.ranges.range::<[u8], _>(upto).next_back()
    }

    fn has_range(&self, first: &[u8], last: &[u8], snapshot: CommitSeq) -> bool {
        let bounds = (Bound::Included(first), Bound::Included(last));
        let mut keys = self.keys.range::<[u8], _>(bounds);
        let before = self.range_before(first);
        let before = before.filter(|(_, (end, _))| end.as_slice() >= first);
        let mut within = self.ranges.range::<[u8], _>(bounds);
        keys.any(|(_, seq)| *seq > snapshot)
            || before.is_some_and(|(_, (_, seq))| *seq > snapshot)
            || within.any(|(_, (_, seq))| *seq > snapshot)
    }

    fn has_key(&self, key: &[u8], snapshot: CommitSeq) -> bool {
        self.keys.get(key).is_some_and(|seq| *seq > snapshot)
            || self
                .range_before(key)
                .is_some_and(|(_, (end, seq))| end.as_slice() >= key && *seq > snapshot)
    }

    /// Puts all into ranges, neighbours together where there are many.
    fn into_ranges(self) -> Inserted {
        let mut all = Inserted {
            keys: BTreeMap::new(),
            ranges: self.ranges,
        };
        for (key, seq) in self.keys {
            all.add_range(&key, &key, seq);
        }
        let together = all.ranges.len().div_ceil(RANGES_MAX);
        if together > 1 {
            let ranges: Vec<_> = core::mem::take(&mut all.ranges).into_iter().collect();
            for ranges in ranges.chunks(together) {
                if let (Some((first, _)), Some((_, (last, _)))) = (ranges.first(), ranges.last()) {
                    let seqs = ranges.iter().map(|(_, (_, seq))| *seq);
                    let seq = seqs.max().unwrap_or_default();
                    all.ranges.insert(first.clone(), (last.clone(), seq));
                }
            }
        }
        all
    }
}

impl RecentKeys {
    pub(crate) fn add_key(&mut self, tree: TreeId, key: &[u8], seq: CommitSeq) {
        if let Some(inserted) = self.inserted(tree, seq) {
            inserted.keys.insert(key.to_vec(), seq);
        }
    }

    pub(crate) fn add_range(&mut self, tree: TreeId, first: &[u8], last: &[u8], seq: CommitSeq) {
        if let Some(inserted) = self.inserted(tree, seq) {
            inserted.add_range(first, last, seq);
        }
    }

    /// Where the keys of a commit go.
    fn inserted(&mut self, tree: TreeId, seq: CommitSeq) -> Option<&mut Inserted> {
        let full = self.generations.back();
        if full.is_none_or(|last| last.count >= GENERATION_MAX) {
            self.begin_generation();
        }
        let last = self.generations.back_mut()?;
        last.newest = seq;
        last.count += 1;
        Some(last.trees.entry(tree).or_default())
    }

    fn begin_generation(&mut self) {
        if self.generations.len() >= GENERATIONS_MAX {
            let mut old = Generation::default();
            for generation in self.generations.drain(..GENERATIONS_MAX / 2) {
                old.newest = generation.newest;
                for (tree, inserted) in generation.trees {
                    let all = old.trees.entry(tree).or_default();
                    for (key, seq) in inserted.keys {
                        all.add_range(&key, &key, seq);
                    }
                    for (first, (last, seq)) in inserted.ranges {
                        all.add_range(&first, &last, seq);
                    }
                }
            }
            let trees = old.trees.into_iter();
            old.trees = trees
                .map(|(tree, inserted)| (tree, inserted.into_ranges()))
                .collect();
            self.generations.push_front(old);
        }
        self.generations.push_back(Generation::default());
    }

    /// Whether a commit after `snapshot` may have inserted this key.
    pub(crate) fn has_key(&self, tree: TreeId, key: &[u8], snapshot: CommitSeq) -> bool {
        let mut recent = self.of(tree, snapshot);
        recent.any(|inserted| inserted.has_key(key, snapshot))
    }

    /// Whether a commit after `snapshot` may have inserted a key of this range.
    pub(crate) fn has_range(
        &self,
        tree: TreeId,
        first: &[u8],
        last: &[u8],
        snapshot: CommitSeq,
    ) -> bool {
        let mut recent = self.of(tree, snapshot);
        recent.any(|inserted| inserted.has_range(first, last, snapshot))
    }

    fn of(&self, tree: TreeId, snapshot: CommitSeq) -> impl Iterator<Item = &Inserted> {
        let recent = self.generations.iter().rev();
        let recent = recent.take_while(move |generation| generation.newest > snapshot);
        recent.filter_map(move |generation| generation.trees.get(&tree))
    }

    /// Drops what every snapshot sees.
    pub(crate) fn forget_through(&mut self, oldest: CommitSeq) {
        while self
            .generations
            .pop_front_if(|generation| generation.newest <= oldest)
            .is_some()
        {}
    }

    pub(crate) fn forget_all(&mut self) {
        self.generations.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::{GENERATION_MAX, GENERATIONS_MAX, RANGES_MAX, RecentKeys};
    use proptest::prelude::{any, prop_assert, proptest};
    use varve_types::{CommitSeq, TreeId};

    const TREE: TreeId = TreeId(1);

    fn key(number: u32) -> Vec<u8> {
        number.to_be_bytes().to_vec()
    }

    proptest! {
        #[test]
        fn what_was_inserted_is_known(
            inserted in proptest::collection::vec((0_u32..60, 0_u32..4, any::<bool>()), 1..80),
            snapshot in 0_u64..80,
            probe in (0_u32..60, 0_u32..6),
        ) {
            let mut recent = RecentKeys::default();
            let mut expected = false;
            let (first, last) = (probe.0, probe.0 + probe.1);
            let mut hit = false;
            for ((at, width, is_range), seq) in inserted.into_iter().zip(1_u64..) {
                if is_range {
                    recent.add_range(TREE, &key(at), &key(at + width), CommitSeq(seq));
                } else {
                    recent.add_key(TREE, &key(at), CommitSeq(seq));
                }
                let end = if is_range { at + width } else { at };
                if seq > snapshot {
                    expected |= at <= last && first <= end;
                    hit |= at <= first && first <= end;
                }
            }
            let snapshot = CommitSeq(snapshot);
            // Neighbouring ranges grow together, with the newest commit of both; nothing is lost.
            let found = recent.has_range(TREE, &key(first), &key(last), snapshot);
            prop_assert!(found || !expected);
            prop_assert!(recent.has_key(TREE, &key(first), snapshot) || !hit);
            prop_assert!(!recent.has_key(TREE, &key(1000), snapshot));
            prop_assert!(!recent.has_key(TreeId(2), &key(first), snapshot));
            recent.forget_through(CommitSeq(80));
            prop_assert!(!recent.has_range(TREE, &key(0), &key(100), CommitSeq(0)));
        }
    }

    #[test]
    fn many_keys_become_ranges_that_miss_none() {
        let mut recent = RecentKeys::default();
        let count = u32::try_from(3 * GENERATION_MAX * GENERATIONS_MAX).unwrap();
        // In an order that mixes the generations.
        let keys = (0..count).map(|i| i.wrapping_mul(7919) % count * 10);
        for (number, seq) in keys.zip(1..) {
            recent.add_key(TREE, &key(number), CommitSeq(seq));
        }
        for number in (0..count).step_by(97) {
            assert!(recent.has_key(TREE, &key(number * 10), CommitSeq(0)));
        }
        assert!(!recent.has_key(TREE, &key(count * 10), CommitSeq(0)));
        let kept: usize = recent
            .generations
            .iter()
            .flat_map(|generation| generation.trees.values())
            .map(|inserted| inserted.keys.len() + inserted.ranges.len())
            .sum();
        assert!(
            kept <= GENERATION_MAX * GENERATIONS_MAX + RANGES_MAX,
            "{kept}"
        );
        // The newest are still known one by one.
        let last = CommitSeq(u64::from(count) - 100);
        let mut between = (0..count).filter(|i| recent.has_key(TREE, &key(i * 10 + 5), last));
        assert_eq!(between.next(), None);
    }
}
