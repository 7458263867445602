//! The rows of one tree in memory, every version of them.

use std::ops::Bound;

use varve_types::{Broken, CommitSeq};

use crate::memtable::arena::{Arena, Slot};
use crate::memtable::art::ArtIndex;
use crate::memtable::key_index::KeyIndex;
use crate::slab::Slab;

/// The end of a version that nothing has deleted.
const ALIVE: u64 = u64::MAX;
const NO_VERSION: u32 = u32::MAX;
/// What a version costs beside its key and row: itself, lengths and padding, and its share of the
/// index.
const VERSION_BYTES: u64 = 64;

/// One version of a row: seen by snapshots from its begin up to, but without, its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowVersion {
    begin: u64,
    end: u64,
    row: Slot,
    /// The version that this one replaced in the index.
    previous: u32,
}

impl RowVersion {
    /// The commit that wrote it.
    pub(crate) fn begin(&self) -> CommitSeq {
        CommitSeq(self.begin)
    }

    /// Whether a snapshot of this commit sees the version.
    pub(crate) fn is_visible(&self, seq: CommitSeq) -> bool {
        self.begin <= seq.0 && seq.0 < self.end
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.end == ALIVE
    }
}

/// Row versions under their keys. Versions are numbered in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct RowTable {
    index: ArtIndex,
    versions: Slab<RowVersion>,
    rows: Arena,
    bytes: u64,
    /// Versions that nothing has deleted.
    alive: u64,
    /// The newest commit that began or ended a version.
    newest: u64,
}

impl RowTable {
    /// Adds a version that is alive from `begin` on.
    pub(crate) fn insert(
        &mut self,
        key: &[u8],
        row: &[u8],
        begin: CommitSeq,
    ) -> Result<(), Broken> {
        let number = self.versions.next_number();
        let row_slot = self.rows.push(row, &[])?;
        let previous = self.index.insert(key, number)?;
        debug_assert!(previous.is_none_or(|previous| previous < number));
        let added = self.versions.add(RowVersion {
            begin: begin.0,
            end: ALIVE,
            row: row_slot,
            previous: previous.unwrap_or(NO_VERSION),
        })?;
        debug_assert_eq!(added, number, "no version gives its number back");
        self.alive += 1;
        self.newest = self.newest.max(begin.0);
        self.bytes += RowTable::cost_bytes(key, row);
        Ok(())
    }

    /// What a row will take in memory.
    pub(crate) fn cost_bytes(key: &[u8], row: &[u8]) -> u64 {
        key.len() as u64 + row.len() as u64 + VERSION_BYTES
    }

    /// Ends a version that is alive; false if it was not.
    pub(crate) fn end(&mut self, version: u32, at: CommitSeq) -> bool {
        match self.versions.get_mut(version) {
            Some(version) if version.is_alive() => {
                version.end = at.0;
                self.alive -= 1;
                self.newest = self.newest.max(at.0);
                true
            }
            _ => false,
        }
    }

    /// Makes a version that was ended alive again.
    pub(crate) fn revive(&mut self, version: u32) {
        if let Some(version) = self.versions.get_mut(version)
            && !version.is_alive()
        {
            version.end = ALIVE;
            self.alive += 1;
        }
    }

    /// Hides the versions that began at `begin` or later from everyone. Versions must have come in
    /// the order of their begins, as those of one transaction do.
    pub(crate) fn hide_since(&mut self, begin: CommitSeq) {
        for number in (0..self.versions.next_number()).rev() {
            let Some(version) = self.versions.get_mut(number) else {
                break;
            };
            if version.begin < begin.0 {
                break;
            }
            if version.is_alive() {
                self.alive -= 1;
            }
            version.end = version.begin;
        }
    }

    /// The number of the first version that began at `begin` or later, under the same condition.
    pub(crate) fn first_since(&self, begin: CommitSeq) -> u32 {
        let (mut low, mut high) = (0, self.versions.next_number());
        while low < high {
            let middle = low + (high - low) / 2;
            let began = self.versions.get(middle).map(|version| version.begin);
            if began.is_some_and(|began| began < begin.0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The version under a key that a snapshot sees.
    pub(crate) fn find(&self, key: &[u8], seq: CommitSeq) -> Option<u32> {
        self.visible(self.index.get(key)?, seq)
    }

    /// The visible one among a version and those that it replaced.
    fn visible(&self, newest: u32, seq: CommitSeq) -> Option<u32> {
        let mut number = newest;
        loop {
            let version = self.versions.get(number)?;
            if version.is_visible(seq) {
                return Some(number);
            }
            number = version.previous;
        }
    }

    pub(crate) fn version(&self, number: u32) -> Option<&RowVersion> {
        self.versions.get(number)
    }

    pub(crate) fn row(&self, number: u32) -> Option<&[u8]> {
        Some(self.rows.get(self.version(number)?.row))
    }

    /// Number of versions.
    pub(crate) fn versions(&self) -> usize {
        self.versions.next_number() as usize
    }

    pub(crate) fn count_visible(&self, seq: CommitSeq) -> u64 {
        if seq.0 >= self.newest {
            return self.alive;
        }
        let visible = self
            .versions
            .iter()
            .filter(|version| version.is_visible(seq));
        visible.count() as u64
    }

    /// The lowest and the highest key of any version.
    pub(crate) fn key_range(&self) -> Option<(&[u8], &[u8])> {
        self.index.range()
    }

    /// Visible rows upwards from a lower bound: key, and the number of the version.
    pub(crate) fn ascend<'a>(
        &'a self,
        from: Bound<&[u8]>,
        seq: CommitSeq,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        let entries = self.index.ascend(from);
        entries.filter_map(move |(key, newest)| Some((key, self.visible(newest, seq)?)))
    }

    /// Visible rows downwards from an upper bound.
    pub(crate) fn descend<'a>(
        &'a self,
        from: Bound<&[u8]>,
        seq: CommitSeq,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        let entries = self.index.descend(from);
        entries.filter_map(move |(key, newest)| Some((key, self.visible(newest, seq)?)))
    }

    /// Bytes that the rows take in memory, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
