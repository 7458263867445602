//! From memcomparable key bytes to the newest version of a row.

use std::collections::BTreeMap;
use std::ops::Bound;

/// An ordered map of key bytes; the memtable needs no more of it than this.
pub(crate) trait KeyIndex: Default + Send {
    /// The number at a key.
    fn get(&self, key: &[u8]) -> Option<u32>;

    /// Sets the number at a key; returns the one before.
    fn insert(&mut self, key: &[u8], number: u32) -> Option<u32>;

    /// The lowest and the highest key.
    fn range(&self) -> Option<(&[u8], &[u8])>;

    /// Entries upwards from the first key above `after`, or from the lowest.
    fn ascend<'a>(&'a self, after: Option<&'a [u8]>) -> impl Iterator<Item = (&'a [u8], u32)>;

    /// Entries downwards from the last key below `before`, or from the highest.
    fn descend<'a>(&'a self, before: Option<&'a [u8]>) -> impl Iterator<Item = (&'a [u8], u32)>;
}

/// The index over a `BTreeMap`.
#[derive(Debug, Default)]
pub(crate) struct BTreeIndex(BTreeMap<Vec<u8>, u32>);

impl KeyIndex for BTreeIndex {
    fn get(&self, key: &[u8]) -> Option<u32> {
        self.0.get(key).copied()
    }

    fn insert(&mut self, key: &[u8], number: u32) -> Option<u32> {
        self.0.insert(key.to_vec(), number)
    }

    fn range(&self) -> Option<(&[u8], &[u8])> {
        let (first, _) = self.0.first_key_value()?;
        let (last, _) = self.0.last_key_value()?;
        Some((first, last))
    }

    fn ascend<'a>(&'a self, after: Option<&'a [u8]>) -> impl Iterator<Item = (&'a [u8], u32)> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        let range = self.0.range::<[u8], _>((from, Bound::Unbounded));
        range.map(|(key, number)| (key.as_slice(), *number))
    }

    fn descend<'a>(&'a self, before: Option<&'a [u8]>) -> impl Iterator<Item = (&'a [u8], u32)> {
        let to = before.map_or(Bound::Unbounded, Bound::Excluded);
        let range = self.0.range::<[u8], _>((Bound::Unbounded, to));
        range.rev().map(|(key, number)| (key.as_slice(), *number))
    }
}
