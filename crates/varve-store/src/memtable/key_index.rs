//! From memcomparable key bytes to the newest version of a row.

use std::ops::Bound;

use varve_types::Broken;

/// An ordered map of key bytes; the memtable needs no more of it than this.
pub(crate) trait KeyIndex: Default {
    /// The number at a key.
    fn get(&self, key: &[u8]) -> Option<u32>;

    /// Sets the number at a key; returns the one before.
    fn insert(&mut self, key: &[u8], number: u32) -> Result<Option<u32>, Broken>;

    /// The lowest and the highest key.
    fn range(&self) -> Option<(&[u8], &[u8])>;

    /// Entries upwards from a lower bound.
    fn ascend<'a>(
        &'a self,
        from: Bound<&[u8]>,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a, Self>;

    /// Entries downwards from an upper bound.
    fn descend<'a>(
        &'a self,
        from: Bound<&[u8]>,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a, Self>;

    /// Entries whose keys begin with these bytes, upwards.
    #[cfg(test)]
    fn prefix<'a>(&'a self, prefix: &'a [u8]) -> impl Iterator<Item = (&'a [u8], u32)> {
        let entries = self.ascend(Bound::Included(prefix));
        entries.take_while(move |(key, _)| key.starts_with(prefix))
    }
}

/// The slow twin of the radix tree.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct BTreeIndex(std::collections::BTreeMap<Vec<u8>, u32>);

#[cfg(test)]
impl KeyIndex for BTreeIndex {
    fn get(&self, key: &[u8]) -> Option<u32> {
        self.0.get(key).copied()
    }

    fn insert(&mut self, key: &[u8], number: u32) -> Result<Option<u32>, Broken> {
        Ok(self.0.insert(key.to_vec(), number))
    }

    fn range(&self) -> Option<(&[u8], &[u8])> {
        let (first, _) = self.0.first_key_value()?;
        let (last, _) = self.0.last_key_value()?;
        Some((first, last))
    }

    fn ascend<'a>(&'a self, from: Bound<&[u8]>) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        let range = self.0.range::<[u8], _>((from, Bound::Unbounded));
        range.map(|(key, number)| (key.as_slice(), *number))
    }

    fn descend<'a>(
        &'a self,
        from: Bound<&[u8]>,
    ) -> impl Iterator<Item = (&'a [u8], u32)> + use<'a> {
        let range = self.0.range::<[u8], _>((Bound::Unbounded, from));
        range.rev().map(|(key, number)| (key.as_slice(), *number))
    }
}
