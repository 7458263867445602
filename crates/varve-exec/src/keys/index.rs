//! Numbers for distinct keys, in the order in which they first appear.

use varve_types::{ColumnRef, LogicalType, PhysicalType};

use super::KeyBlock;
use super::batch_keys::{BatchKeys, Keys, int_at};
use super::hash::{hash_bytes, hash_int};
use super::table::HashTable;
use crate::chunked::Chunked;

/// The number of a key that is not there.
pub(crate) const ABSENT: u32 = u32::MAX;
/// Keys of one block of the byte store.
const BLOCK_KEYS: usize = 4096;

/// Numbers distinct rows of some columns from 0. NULLs are equal to each other.
#[derive(Debug)]
pub(crate) struct KeyIndex {
    table: HashTable,
    store: Store,
    len: u32,
}

#[derive(Debug)]
enum Store {
    /// One integer column.
    Ints {
        values: Chunked<i64>,
        null: Option<u32>,
    },
    Bytes {
        blocks: Vec<KeyBlock>,
        bytes: usize,
    },
}

impl KeyIndex {
    /// An index of no keys; `types` are those of the key columns.
    pub(crate) fn new(types: &[LogicalType]) -> KeyIndex {
        let store = match types.iter().map(|ty| ty.physical()).collect::<Vec<_>>()[..] {
            [PhysicalType::Int32 | PhysicalType::Int64] => Store::Ints {
                values: Chunked::default(),
                null: None,
            },
            _ => Store::Bytes {
                blocks: Vec::new(),
                bytes: 0,
            },
        };
        KeyIndex {
            table: HashTable::new(),
            store,
            len: 0,
        }
    }

    /// Number of distinct keys.
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    /// Replaces `ids` with the number of each row, new keys added, and `new_rows` with the rows
    /// that brought one.
    pub(crate) fn insert(
        &mut self,
        columns: &[ColumnRef],
        rows: usize,
        ids: &mut Vec<u32>,
        new_rows: &mut Vec<u32>,
    ) {
        new_rows.clear();
        let batch = self.batch_keys(columns, rows);
        number_rows(&batch, rows, ids, |row, key| {
            let found = self.find_one(&batch.keys, key);
            found.unwrap_or_else(|hash| {
                new_rows.extend(u32::try_from(row));
                self.add_one(&batch.keys, key, hash)
            })
        });
    }

    /// Replaces `ids` with the number of each row, [`ABSENT`] for keys that are not there.
    pub(crate) fn find(&self, columns: &[ColumnRef], rows: usize, ids: &mut Vec<u32>) {
        let batch = self.batch_keys(columns, rows);
        number_rows(&batch, rows, ids, |_, key| {
            self.find_one(&batch.keys, key).unwrap_or(ABSENT)
        });
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let stored = match &self.store {
            Store::Ints { values, .. } => values.memory_bytes(),
            Store::Bytes { bytes, .. } => *bytes,
        };
        stored + self.table.memory_bytes()
    }

    fn batch_keys(&self, columns: &[ColumnRef], rows: usize) -> BatchKeys {
        BatchKeys::new(columns, rows, matches!(self.store, Store::Ints { .. }))
    }

    /// The number of a key, or the hash under which to add it.
    fn find_one(&self, keys: &Keys, key: usize) -> Result<u32, u64> {
        match (keys, &self.store) {
            (Keys::Ints(column), Store::Ints { values, null }) => {
                let Some(number) = int_at(column, key) else {
                    return null.ok_or(0);
                };
                let hash = hash_int(number);
                let found = self.table.find(hash, |id| values.get(id) == Some(&number));
                found.ok_or(hash)
            }
            (Keys::Bytes(block), Store::Bytes { blocks, .. }) => {
                let bytes = block.get(key);
                let hash = hash_bytes(bytes);
                let same = |id: u32| {
                    let block = blocks.get(id as usize / BLOCK_KEYS);
                    block.is_some_and(|block| block.get(id as usize % BLOCK_KEYS) == bytes)
                };
                self.table.find(hash, same).ok_or(hash)
            }
            _ => Ok(ABSENT),
        }
    }

    fn add_one(&mut self, keys: &Keys, key: usize, hash: u64) -> u32 {
        let id = self.len;
        self.len += 1;
        match (keys, &mut self.store) {
            (Keys::Ints(column), Store::Ints { values, null }) => {
                let number = int_at(column, key);
                values.push(number.unwrap_or(0));
                if number.is_none() {
                    *null = Some(id);
                    return id;
                }
            }
            (Keys::Bytes(block), Store::Bytes { blocks, bytes }) => {
                if (id as usize).is_multiple_of(BLOCK_KEYS) {
                    blocks.push(KeyBlock::default());
                }
                if let Some(last) = blocks.last_mut() {
                    last.push(block.get(key));
                    *bytes += block.get(key).len() + size_of::<usize>();
                }
            }
            _ => {}
        }
        self.table.insert(hash, id);
        id
    }
}

/// Asks for the number of each row; once for each key where rows share them.
fn number_rows(
    batch: &BatchKeys,
    rows: usize,
    ids: &mut Vec<u32>,
    mut number: impl FnMut(usize, usize) -> u32,
) {
    ids.clear();
    let Some(row_keys) = &batch.row_keys else {
        return ids.extend((0..rows).map(|row| number(row, row)));
    };
    let mut known: Vec<Option<u32>> = vec![None; batch.key_count];
    ids.extend(row_keys.iter().enumerate().map(|(row, key)| {
        let key = *key as usize;
        let Some(known) = known.get_mut(key) else {
            return ABSENT;
        };
        *known.get_or_insert_with(|| number(row, key))
    }));
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
