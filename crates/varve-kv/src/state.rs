//! What a batch does to a plain ordered map: the meaning of a commit, shared by the memory backend
//! and the fault wrapper.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::{Bytes, Direction, Entry, Key, KeyRange, Scan, Write};

/// The entries of a store.
pub(crate) type Entries = BTreeMap<Key, Bytes>;

/// Carries out writes in order.
pub(crate) fn apply(entries: &mut Entries, writes: &[Write]) {
    for write in writes {
        match write {
            Write::Put { key, value } => {
                entries.insert(key.clone(), value.clone());
            }
            Write::Delete { key } => {
                entries.remove(key);
            }
            Write::DeleteRange(range) => {
                for key in keys_in(entries, range) {
                    entries.remove(&key);
                }
            }
        }
    }
}

/// Answers a scan.
pub(crate) fn scan(entries: &Entries, scan: &Scan) -> Vec<Entry> {
    if scan.range.is_empty() {
        return Vec::new();
    }
    let range = entries.range(bounds(&scan.range));
    match scan.direction {
        Direction::Forward => take(range, scan),
        Direction::Reverse => take(range.rev(), scan),
    }
}

/// The bytes of one entry as scan limits and quotas count them.
pub(crate) fn entry_bytes(key: &[u8], value: &[u8]) -> u64 {
    key.len() as u64 + value.len() as u64
}

fn take<'a>(range: impl Iterator<Item = (&'a Key, &'a Bytes)>, scan: &Scan) -> Vec<Entry> {
    let mut answer = Vec::new();
    let (mut count, mut bytes) = (0u64, 0u64);
    for (key, value) in range {
        answer.push((key.clone(), value.clone()));
        count = count.saturating_add(1);
        bytes = bytes.saturating_add(entry_bytes(key, value));
        if scan.limit.is_reached(count, bytes) {
            break;
        }
    }
    answer
}

fn keys_in(entries: &Entries, range: &KeyRange) -> Vec<Key> {
    if range.is_empty() {
        return Vec::new();
    }
    entries
        .range(bounds(range))
        .map(|(key, _)| key.clone())
        .collect()
}

/// The caller has excluded empty ranges, on which `BTreeMap::range` would panic.
fn bounds(range: &KeyRange) -> (Bound<Key>, Bound<Key>) {
    let end = range.end.clone().map_or(Bound::Unbounded, Bound::Excluded);
    (Bound::Included(range.start.clone()), end)
}
