//! What cases say when a backend breaks a promise, and the short words in which they are written.

use std::fmt;

use crate::{Bytes, Durability, Entry, Key, Kv, KvError, Scan, WriteBatch};

/// Why a case failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<KvError> for Failure {
    fn from(error: KvError) -> Self {
        Self(format!("unexpected error: {error}"))
    }
}

/// Fails unless both are equal.
pub(super) fn equal<T: PartialEq + fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(Failure(format!(
        "{what}: found {}, expected {}",
        short(&found),
        short(&expected)
    )))
}

/// Fails unless it holds.
pub(super) fn holds(what: &str, condition: bool) -> Result<(), Failure> {
    if condition {
        Ok(())
    } else {
        Err(Failure(what.to_owned()))
    }
}

fn short(value: &impl fmt::Debug) -> String {
    let text = format!("{value:?}");
    if text.len() <= 300 {
        text
    } else {
        text.chars().take(300).chain("...".chars()).collect()
    }
}

pub(super) fn keys(keys: &[&[u8]]) -> Vec<Key> {
    keys.iter().map(|key| key.to_vec()).collect()
}

pub(super) fn puts(entries: &[(&[u8], &[u8])]) -> WriteBatch {
    let mut batch = WriteBatch::new();
    for (key, value) in entries {
        batch.put(*key, *value);
    }
    batch
}

pub(super) async fn commit(kv: &dyn Kv, batch: &WriteBatch) -> Result<(), KvError> {
    kv.commit(batch.clone(), Durability::Relaxed).await
}

pub(super) async fn get(kv: &dyn Kv, key: &[u8]) -> Result<Option<Bytes>, KvError> {
    Ok(kv
        .get_many(&[key.to_vec()])
        .await?
        .into_iter()
        .next()
        .flatten())
}

/// Everything that a scan covers, read page by page.
pub(super) async fn all_pages(kv: &dyn Kv, scan: Scan) -> Result<Vec<Entry>, KvError> {
    let mut entries = Vec::new();
    let mut next = Some(scan);
    while let Some(scan) = next {
        let page = kv.scan(&scan).await?;
        next = scan.rest(&page);
        entries.extend(page);
    }
    Ok(entries)
}

pub(super) fn keys_of(entries: &[Entry]) -> Vec<Key> {
    entries.iter().map(|(key, _)| key.clone()).collect()
}

/// Bytes that no compressor shrinks and no two seeds share.
pub(super) fn noise(seed: u64, bytes: usize) -> Bytes {
    let mut random = crate::fault::SplitMix64::new(seed);
    let words = std::iter::repeat_with(|| random.next_u64().to_le_bytes());
    words.flatten().take(bytes).collect()
}
