//! Batches that are sorted in memory.

use varve_types::{Batch, ColumnRef, LogicalType, VECTOR_ROWS};

use super::SortKeys;
use crate::gather::{Pick, gather};
use crate::keys::{KeyBlock, KeyOrder, encode_keys};

/// A batch of sorted rows takes about so much, or is one row.
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Collects extended batches and their keys.
#[derive(Default)]
pub(crate) struct SortBuffer {
    batches: Vec<Batch>,
    rows: Vec<Pick>,
    keys: KeyBlock,
    batch_bytes: usize,
}

impl SortBuffer {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a batch without selection.
    pub(crate) fn push(&mut self, keys: &SortKeys<'_>, extended: Batch) {
        keys.encode(&extended, &mut self.keys);
        self.push_encoded(extended);
    }

    /// Adds a batch without selection that is ordered by these columns.
    pub(crate) fn push_keyed(&mut self, batch: Batch, keys: &[ColumnRef], orders: &[KeyOrder]) {
        encode_keys(keys, orders, batch.rows(), &mut self.keys);
        self.push_encoded(batch);
    }

    fn push_encoded(&mut self, extended: Batch) {
        let Ok(batch) = u32::try_from(self.batches.len()) else {
            return;
        };
        let rows = (0..).take(extended.rows());
        self.rows.extend(rows.map(|row| Pick { batch, row }));
        self.batch_bytes += extended.taken_over_bytes();
        self.batches.push(extended);
    }

    /// Gives the first `keep` rows in order, rows with equal keys as they came, and forgets the
    /// rest.
    pub(crate) fn sort(&mut self, keep: usize) -> Vec<Batch> {
        // The first bytes of the keys decide most comparisons without a look at the rest.
        let mut order: Vec<(u64, usize)> = (0..self.rows.len())
            .map(|i| (prefix(self.keys.get(i)), i))
            .collect();
        order.sort_unstable_by(|(prefix_a, a), (prefix_b, b)| {
            let by_key = || self.keys.get(*a).cmp(self.keys.get(*b));
            prefix_a.cmp(prefix_b).then_with(by_key).then(a.cmp(b))
        });
        order.truncate(keep);
        let types = types_of(self.batches.first());
        let row_bytes = self.batch_bytes / self.rows.len().max(1);
        let rows = (BATCH_BYTES / row_bytes.max(1)).clamp(1, VECTOR_ROWS);
        let batches = order.chunks(rows).map(|chunk| {
            let pick = |(_, i): &(u64, usize)| self.rows.get(*i).copied();
            let picks: Vec<Pick> = chunk.iter().filter_map(pick).collect();
            gather(&self.batches, &types, &picks)
        });
        let sorted = batches.collect();
        self.clear();
        sorted
    }

    fn clear(&mut self) {
        self.batches.clear();
        self.rows.clear();
        self.keys.clear();
        self.batch_bytes = 0;
    }

    /// Bytes held, and those that a sort takes beside them.
    pub(crate) fn memory_bytes(&self) -> usize {
        let rows = self.rows.len() * (size_of::<Pick>() + size_of::<(u64, usize)>());
        rows + self.keys.memory_bytes() + 2 * self.batch_bytes
    }
}

/// The types of a batch's columns.
pub(crate) fn types_of(batch: Option<&Batch>) -> Vec<LogicalType> {
    let columns = batch.map_or(&[][..], |batch| batch.physical_columns());
    columns.iter().map(|column| column.logical_type()).collect()
}

fn prefix(key: &[u8]) -> u64 {
    let mut first = [0; 8];
    for (to, from) in first.iter_mut().zip(key) {
        *to = *from;
    }
    u64::from_be_bytes(first)
}
