//! Batches, reads and errors between the contract and RocksDB.

use rocksdb::{DB, ErrorKind, ReadOptions};
use varve_kv::{Bytes, Direction, Entry, Key, KvError, Scan, Write, WriteBatch};

/// What RocksDB reports, sorted by its kind and, where kinds are too coarse, by its words.
pub(crate) fn error(error: rocksdb::Error) -> KvError {
    let message = error.to_string();
    match error.kind() {
        ErrorKind::Corruption => KvError::Corrupt { key: None, message },
        ErrorKind::IOError if is_full(&message) => KvError::StorageFull,
        ErrorKind::IOError if is_locked(&message) => KvError::Locked { message },
        // It reads only what it has written.
        ErrorKind::IOError if message.contains("No such file") => {
            KvError::Corrupt { key: None, message }
        }
        _ => KvError::Backend { message },
    }
}

/// What the platform answers for a file of the store.
pub(crate) fn io_error(error: &std::io::Error) -> KvError {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded => KvError::StorageFull,
        _ => KvError::Backend {
            message: error.to_string(),
        },
    }
}

fn is_full(message: &str) -> bool {
    message.contains("No space left on device") || message.contains("Disk quota exceeded")
}

/// The two ways in which `LOCK` is taken: by this process, and by another one.
fn is_locked(message: &str) -> bool {
    message.contains("lock hold by current process") || message.contains("While lock file")
}

/// The batch as RocksDB takes it. No commit may come between this and its write, because ranges
/// without an end are closed behind the last key.
pub(crate) fn batch(db: &DB, batch: &WriteBatch) -> Result<rocksdb::WriteBatch, KvError> {
    let mut converted = rocksdb::WriteBatch::default();
    for write in &batch.writes {
        match write {
            Write::Put { key, value } => converted.put(key, value),
            Write::Delete { key } => converted.delete(key),
            // RocksDB refuses a range that ends before it begins.
            Write::DeleteRange(range) if range.is_empty() => {}
            Write::DeleteRange(range) => match &range.end {
                Some(end) => converted.delete_range(&range.start, end),
                None => converted.delete_range(range.start.clone(), behind_all(db, batch)?),
            },
        }
    }
    Ok(converted)
}

/// A key above every key that is stored or put by the batch: RocksDB has no range without an end.
fn behind_all(db: &DB, batch: &WriteBatch) -> Result<Key, KvError> {
    let mut iterator = db.raw_iterator();
    iterator.seek_to_last();
    let stored = iterator.key().map(<[u8]>::to_vec);
    iterator.status().map_err(error)?;
    let put = batch.writes.iter().filter_map(|write| match write {
        Write::Put { key, .. } => Some(key.clone()),
        Write::Delete { .. } | Write::DeleteRange(_) => None,
    });
    let mut key = put.chain(stored).max().unwrap_or_default();
    key.push(u8::MAX);
    Ok(key)
}

/// Reads keys one after another under the snapshot that the options name.
pub(crate) fn get_many(
    db: &DB,
    keys: &[Key],
    options: &ReadOptions,
) -> Result<Vec<Option<Bytes>>, KvError> {
    let get = |key: &Key| {
        let value = db.get_pinned_opt(key, options).map_err(error)?;
        Ok(value.map(|value| Bytes::from(&*value)))
    };
    keys.iter().map(get).collect()
}

/// Reads a range; the options name the snapshot and get the bounds.
pub(crate) fn scan(db: &DB, scan: &Scan, mut options: ReadOptions) -> Result<Vec<Entry>, KvError> {
    if scan.range.is_empty() {
        return Ok(Vec::new());
    }
    options.set_iterate_lower_bound(scan.range.start.clone());
    if let Some(end) = &scan.range.end {
        options.set_iterate_upper_bound(end.clone());
    }
    let mut iterator = db.raw_iterator_opt(options);
    match scan.direction {
        Direction::Forward => iterator.seek_to_first(),
        Direction::Reverse => iterator.seek_to_last(),
    }
    let mut entries = Vec::new();
    let (mut count, mut bytes) = (0u64, 0u64);
    while let Some((key, value)) = iterator.item() {
        entries.push((key.to_vec(), Bytes::from(value)));
        let entry_bytes = key.len().saturating_add(value.len());
        count = count.saturating_add(1);
        bytes = bytes.saturating_add(entry_bytes as u64);
        if scan.limit.is_reached(count, bytes) {
            break;
        }
        match scan.direction {
            Direction::Forward => iterator.next(),
            Direction::Reverse => iterator.prev(),
        }
    }
    // An iterator that meets an error looks like one that has reached its end.
    iterator.status().map_err(error)?;
    Ok(entries)
}
