//! The wrapper.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_kv::{
    Bytes, Durability, Entry, Key, Kv, KvError, KvSetting, LocalFuture, ReadResult, Scan, Write,
    WriteBatch,
};

use crate::cipher::DATA_KEY_BYTES;
use crate::guarded::Seen;
use crate::open::Encryption;
use crate::reserved::{self, is_reserved};
use crate::value_keys::ValueKeys;
use crate::{header, open};

/// A backend whose values are encrypted. [`open`](crate::open()) makes one.
pub struct EncryptedKv {
    pub(crate) inner: Arc<dyn Kv>,
    pub(crate) values: ValueKeys,
    /// The header as this handle knows it.
    header: Mutex<Bytes>,
    /// What a guarded key was last seen to hold.
    pub(crate) seen: Mutex<Option<Seen>>,
}

impl EncryptedKv {
    pub(crate) fn new(
        inner: Arc<dyn Kv>,
        encryption: &Encryption,
        data_key: [u8; DATA_KEY_BYTES],
        header: Bytes,
    ) -> EncryptedKv {
        EncryptedKv {
            inner,
            values: ValueKeys::new(Arc::clone(&encryption.crypto), data_key),
            header: Mutex::new(header),
            seen: Mutex::new(None),
        }
    }

    /// Puts another key, of either kind, in the place of the user's. No value is written anew.
    /// Where somebody else changed the header since it was opened, it answers
    /// [`KvError::GuardMismatch`] and changes nothing.
    pub async fn change_key(&self, encryption: &Encryption) -> Result<(), KvError> {
        let found = Bytes::clone(&*lock(&self.header));
        let header = header::seal(encryption, self.values.data_key()).await?;
        open::write(&*self.inner, &header, Some(found)).await?;
        *lock(&self.header) = header;
        Ok(())
    }

    /// The writes with their values encrypted, without a guard.
    pub(crate) async fn sealed(&self, batch: &WriteBatch) -> Result<WriteBatch, KvError> {
        let puts = batch.writes.iter().filter_map(|write| match write {
            Write::Put { key, value } => Some((key, value)),
            Write::Delete { .. } | Write::DeleteRange(_) => None,
        });
        let puts: Vec<(&Key, &Bytes)> = puts.collect();
        if let Some((key, _)) = puts.iter().find(|(key, _)| is_reserved(key)) {
            let message = format!("the key {key:?} is the encryption's own");
            return Err(KvError::Backend { message });
        }
        let mut values = self.values.seal(&puts).await?.into_iter();
        let mut sealed = WriteBatch::new();
        for write in &batch.writes {
            match write {
                Write::Put { key, .. } => {
                    if let Some(value) = values.next() {
                        sealed.put(key.clone(), value);
                    }
                }
                Write::Delete { key } if is_reserved(key) => {}
                Write::Delete { key } => drop(sealed.delete(key.clone())),
                Write::DeleteRange(range) => {
                    for part in reserved::parts(range) {
                        sealed.delete_range(part);
                    }
                }
            }
        }
        Ok(sealed)
    }

    /// What keys hold, of what was stored under them.
    async fn open_values(
        &self,
        keys: &[Key],
        stored: Vec<Option<Bytes>>,
    ) -> Result<Vec<Option<Bytes>>, KvError> {
        let there = keys.iter().zip(&stored);
        let there = there.filter(|(key, _)| !is_reserved(key));
        let there = there.filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let there: Vec<(&Key, &Bytes)> = there.collect();
        let mut opened = self.values.open(&there).await?.into_iter();
        let values = keys.iter().zip(&stored).map(|(key, value)| {
            let is_there = value.is_some() && !is_reserved(key);
            is_there.then(|| opened.next()).flatten()
        });
        Ok(values.collect())
    }

    /// What a scan answers, of the stored entries.
    async fn open_entries(
        &self,
        scan: &Scan,
        mut stored: Vec<Entry>,
    ) -> Result<Vec<Entry>, KvError> {
        stored.retain(|(key, _)| !is_reserved(key));
        let values: Vec<(&Key, &Bytes)> = stored.iter().map(|(key, value)| (key, value)).collect();
        let values = self.values.open(&values).await?;
        let keys = stored.into_iter().map(|(key, _)| key);
        let mut entries: Vec<Entry> = keys.zip(values).collect();
        // The stored scan had room for the header, which it may not have met.
        let mut bytes = 0_u64;
        let reached = entries.iter().zip(1..).position(|((key, value), count)| {
            bytes = bytes.saturating_add(key.len() as u64 + value.len() as u64);
            scan.limit.is_reached(count, bytes)
        });
        if let Some(last) = reached {
            entries.truncate(last.saturating_add(1));
        }
        Ok(entries)
    }
}

impl Kv for EncryptedKv {
    fn get_many<'a>(
        &'a self,
        keys: &'a [Key],
    ) -> LocalFuture<'a, Result<Vec<Option<Bytes>>, KvError>> {
        Box::pin(async move {
            let stored = self.inner.get_many(keys).await?;
            self.open_values(keys, stored).await
        })
    }

    fn scan<'a>(&'a self, scan: &'a Scan) -> LocalFuture<'a, Result<Vec<Entry>, KvError>> {
        Box::pin(async move {
            let stored = self.inner.scan(&reserved::stored_scan(scan)).await?;
            self.open_entries(scan, stored).await
        })
    }

    fn read<'a>(
        &'a self,
        gets: &'a [Key],
        scan: Option<&'a Scan>,
    ) -> LocalFuture<'a, Result<ReadResult, KvError>> {
        Box::pin(async move {
            let stored_scan = scan.map(reserved::stored_scan);
            let stored = self.inner.read(gets, stored_scan.as_ref()).await?;
            let values = self.open_values(gets, stored.values).await?;
            let entries = match scan {
                Some(scan) => self.open_entries(scan, stored.entries).await?,
                None => Vec::new(),
            };
            Ok(ReadResult { values, entries })
        })
    }

    fn commit(
        &self,
        batch: WriteBatch,
        durability: Durability,
    ) -> LocalFuture<'_, Result<(), KvError>> {
        Box::pin(async move {
            match &batch.guard {
                Some(guard) => self.commit_guarded(&batch, guard.key(), durability).await,
                None => {
                    let sealed = self.sealed(&batch).await?;
                    self.inner.commit(sealed, durability).await
                }
            }
        })
    }

    fn is_nearly_full(&self) -> bool {
        self.inner.is_nearly_full()
    }

    fn settings(&self) -> Vec<KvSetting> {
        self.inner.settings()
    }

    fn close(&self) -> LocalFuture<'_, Result<(), KvError>> {
        self.inner.close()
    }
}

impl fmt::Debug for EncryptedKv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EncryptedKv")
    }
}

/// No step under these locks can panic half-way.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
