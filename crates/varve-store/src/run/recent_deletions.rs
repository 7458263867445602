//! Deletions in a run since the last flush, with the commits that made them.

use std::collections::BTreeMap;

use roaring::RoaringBitmap;
use varve_types::CommitSeq;

/// So many rows of one commit are noted one by one.
const FEW_ROWS: u64 = 4096;
/// As long as there are not more than so many of these.
const FEW_MAX: usize = 1 << 18;

/// Deleted rows by ordinal, each once.
#[derive(Default)]
pub(crate) struct RecentDeletions {
    all: RoaringBitmap,
    /// The newest commit that deleted any.
    newest: CommitSeq,
    few: BTreeMap<u32, CommitSeq>,
    /// Of commits that deleted more rows.
    many: Vec<(CommitSeq, RoaringBitmap)>,
}

impl RecentDeletions {
    /// Notes rows that a commit deleted; those that are known stay what they are.
    pub(crate) fn add(&mut self, rows: RoaringBitmap, seq: CommitSeq) {
        let new = rows - &self.all;
        if new.is_empty() {
            return;
        }
        self.all |= &new;
        self.newest = self.newest.max(seq);
        if new.len() <= FEW_ROWS && self.few.len() < FEW_MAX {
            self.few.extend(new.iter().map(|ordinal| (ordinal, seq)));
        } else {
            self.many.push((seq, new));
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(crate) fn len(&self) -> u64 {
        self.all.len()
    }

    /// How many rows a snapshot does not see.
    pub(crate) fn count(&self, seq: CommitSeq) -> u64 {
        if self.newest <= seq {
            return self.all.len();
        }
        let few = self
            .few
            .values()
            .filter(|deleted_at| **deleted_at <= seq)
            .count();
        let many = self
            .many
            .iter()
            .filter(|(deleted_at, _)| *deleted_at <= seq);
        few as u64 + many.map(|(_, rows)| rows.len()).sum::<u64>()
    }

    /// Whether a snapshot does not see a row.
    pub(crate) fn hides(&self, ordinal: u32, seq: CommitSeq) -> bool {
        self.all.contains(ordinal)
            && (self.newest <= seq
                || self
                    .get(ordinal)
                    .is_some_and(|deleted_at| deleted_at <= seq))
    }

    /// The commit that deleted a row.
    fn get(&self, ordinal: u32) -> Option<CommitSeq> {
        let few = self.few.get(&ordinal).copied();
        few.or_else(|| {
            let mut many = self.many.iter();
            let found = many.find(|(_, rows)| rows.contains(ordinal));
            found.map(|(seq, _)| *seq)
        })
    }

    /// Whether none of these rows is deleted.
    pub(crate) fn is_disjoint(&self, rows: &RoaringBitmap) -> bool {
        self.all.is_disjoint(rows)
    }

    /// Adds the rows `start..end` that a snapshot does not see.
    pub(crate) fn collect(&self, start: u32, end: u32, seq: CommitSeq, dead: &mut RoaringBitmap) {
        if self.newest <= seq {
            *dead |= within(&self.all, start, end);
            return;
        }
        if self.all.range_cardinality(start..end) == 0 {
            return;
        }
        let few = self.few.range(start..end);
        dead.extend(
            few.filter(|(_, deleted_at)| **deleted_at <= seq)
                .map(|(row, _)| *row),
        );
        for (_, rows) in self
            .many
            .iter()
            .filter(|(deleted_at, _)| *deleted_at <= seq)
        {
            *dead |= within(rows, start, end);
        }
    }

    pub(crate) fn add_to(&self, all: &mut RoaringBitmap) {
        *all |= &self.all;
    }
}

/// The part of a bitmap in `start..end`.
pub(crate) fn within(bitmap: &RoaringBitmap, start: u32, end: u32) -> RoaringBitmap {
    if bitmap.range_cardinality(start..end) == 0 {
        return RoaringBitmap::new();
    }
    let mut part = RoaringBitmap::new();
    part.insert_range(start..end);
    part & bitmap
}

#[cfg(test)]
mod tests {
    use super::RecentDeletions;
    use proptest::collection::vec;
    use proptest::prelude::proptest;
    use roaring::RoaringBitmap;
    use std::collections::BTreeMap;
    use varve_types::CommitSeq;

    proptest! {
        #[test]
        fn recent_deletions_are_a_map_from_rows_to_commits(
            commits in vec((0_u32..5000, 0_u32..9000, 1_u32..4), 0..12),
            seq in 0_u64..14,
            (start, rows) in (0_u32..12000, 0_u32..3000),
        ) {
            let mut deletions = RecentDeletions::default();
            let mut model = BTreeMap::new();
            for (at, (first, rows, step)) in (1..).zip(commits) {
                let ordinals = || (first..).step_by(step as usize).take(rows as usize);
                deletions.add(ordinals().collect(), CommitSeq(at));
                for ordinal in ordinals() {
                    model.entry(ordinal).or_insert(CommitSeq(at));
                }
            }
            let seen: Vec<u32> = model
                .iter()
                .filter(|(_, deleted_at)| deleted_at.0 <= seq)
                .map(|(row, _)| *row)
                .collect();
            assert_eq!(deletions.len(), model.len() as u64);
            assert_eq!(deletions.is_empty(), model.is_empty());
            assert_eq!(deletions.count(CommitSeq(seq)), seen.len() as u64);
            let mut all = RoaringBitmap::new();
            deletions.add_to(&mut all);
            assert!(all.iter().eq(model.keys().copied()));
            for row in start..start + 50 {
                assert_eq!(deletions.get(row), model.get(&row).copied());
                let hidden = model.get(&row).is_some_and(|deleted_at| deleted_at.0 <= seq);
                assert_eq!(deletions.hides(row, CommitSeq(seq)), hidden);
                let single = RoaringBitmap::from([row]);
                assert_eq!(deletions.is_disjoint(&single), !model.contains_key(&row));
            }
            let mut dead = RoaringBitmap::new();
            deletions.collect(start, start + rows, CommitSeq(seq), &mut dead);
            let expected = seen.iter().filter(|row| (start..start + rows).contains(row));
            assert!(dead.iter().eq(expected.copied()));
        }
    }
}
