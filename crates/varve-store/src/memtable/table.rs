//! The rows of one tree in memory, every version of them.

use varve_types::CommitSeq;

use crate::memtable::arena::{Arena, Slot};
use crate::memtable::key_index::{BTreeIndex, KeyIndex};

/// The end of a version that nothing has deleted.
const ALIVE: u64 = u64::MAX;
const NO_VERSION: u32 = u32::MAX;
/// What a version costs beside its key and row, roughly.
const VERSION_BYTES: u64 = 96;

/// One version of a row: seen by snapshots from its begin up to, but without, its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowVersion {
    row: Slot,
    begin: u64,
    end: u64,
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
    index: BTreeIndex,
    versions: Vec<RowVersion>,
    arena: Arena,
    bytes: u64,
}

impl RowTable {
    /// Adds a version that is alive from `begin` on.
    pub(crate) fn insert(&mut self, key: &[u8], row: &[u8], begin: CommitSeq) {
        let number = u32::try_from(self.versions.len()).unwrap_or(NO_VERSION);
        let previous = self.index.insert(key, number).unwrap_or(NO_VERSION);
        self.versions.push(RowVersion {
            row: self.arena.push(row),
            begin: begin.0,
            end: ALIVE,
            previous,
        });
        self.bytes += RowTable::cost_bytes(key, row);
    }

    /// What a row will take in memory.
    pub(crate) fn cost_bytes(key: &[u8], row: &[u8]) -> u64 {
        key.len() as u64 + row.len() as u64 + VERSION_BYTES
    }

    /// Ends a version that is alive; false if it was not.
    pub(crate) fn end(&mut self, version: u32, at: CommitSeq) -> bool {
        match self.versions.get_mut(version as usize) {
            Some(version) if version.is_alive() => {
                version.end = at.0;
                true
            }
            _ => false,
        }
    }

    /// The version under a key that a snapshot sees.
    pub(crate) fn find(&self, key: &[u8], seq: CommitSeq) -> Option<u32> {
        self.visible(self.index.get(key)?, seq)
    }

    /// The visible one among a version and those that it replaced.
    fn visible(&self, newest: u32, seq: CommitSeq) -> Option<u32> {
        let mut number = newest;
        loop {
            let version = self.versions.get(number as usize)?;
            if version.is_visible(seq) {
                return Some(number);
            }
            number = version.previous;
        }
    }

    pub(crate) fn version(&self, number: u32) -> Option<&RowVersion> {
        self.versions.get(number as usize)
    }

    pub(crate) fn row(&self, number: u32) -> Option<&[u8]> {
        Some(self.arena.get(self.version(number)?.row))
    }

    /// Number of versions.
    pub(crate) fn versions(&self) -> usize {
        self.versions.len()
    }

    pub(crate) fn count_visible(&self, seq: CommitSeq) -> u64 {
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

    /// Visible rows upwards from the first key above `after`: key, and the number of the version.
    pub(crate) fn ascend<'a>(
        &'a self,
        after: Option<&'a [u8]>,
        seq: CommitSeq,
    ) -> impl Iterator<Item = (&'a [u8], u32)> {
        let entries = self.index.ascend(after);
        entries.filter_map(move |(key, newest)| Some((key, self.visible(newest, seq)?)))
    }

    /// Visible rows downwards from the last key below `before`.
    pub(crate) fn descend<'a>(
        &'a self,
        before: Option<&'a [u8]>,
        seq: CommitSeq,
    ) -> impl Iterator<Item = (&'a [u8], u32)> {
        let entries = self.index.descend(before);
        entries.filter_map(move |(key, newest)| Some((key, self.visible(newest, seq)?)))
    }

    /// Bytes that the rows take in memory, roughly.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
