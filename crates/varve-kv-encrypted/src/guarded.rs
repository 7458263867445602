//! Commits under a guard.

use varve_kv::{Bytes, Durability, Guard, GuardOutcome, Key, KvError, Write, WriteBatch};

use crate::encrypted_kv::{EncryptedKv, lock};
use crate::reserved::is_reserved;

/// What a key holds.
#[derive(Clone)]
pub(crate) struct Seen {
    key: Key,
    /// As it is stored, and decrypted; `None` for an absent key.
    value: Option<(Bytes, Bytes)>,
}

impl Seen {
    fn outcome(&self, batch: &WriteBatch) -> GuardOutcome {
        let value = self.value.as_ref();
        batch.check_guard(value.map(|(_, value)| &**value))
    }

    /// That the key still holds the same.
    fn guard(&self) -> Guard {
        let key = self.key.clone();
        match &self.value {
            Some((stored, _)) => Guard::Holds {
                key,
                value: Bytes::clone(stored),
            },
            None => Guard::Absent { key },
        }
    }
}

impl EncryptedKv {
    pub(crate) async fn commit_guarded(
        &self,
        batch: &WriteBatch,
        key: &Key,
        durability: Durability,
    ) -> Result<(), KvError> {
        // What is remembered may be out of date, so it decides only what the backend checks again.
        let remembered = lock(&self.seen).clone();
        let remembered = remembered
            .filter(|seen| seen.key == *key && seen.outcome(batch) == GuardOutcome::Apply);
        let mut seen = match remembered {
            Some(seen) => seen,
            None => self.look(key).await?,
        };
        loop {
            match seen.outcome(batch) {
                GuardOutcome::Apply => {}
                GuardOutcome::AlreadyApplied => {
                    return self.inner.commit(WriteBatch::new(), durability).await;
                }
                GuardOutcome::Mismatch => {
                    return Err(KvError::GuardMismatch {
                        key: key.clone(),
                        found: seen.value.map(|(_, value)| value),
                    });
                }
            }
            let mut sealed = self.sealed(batch).await?;
            sealed.guard(seen.guard());
            match self.inner.commit(sealed, durability).await {
                Err(KvError::GuardMismatch { found, .. }) => {
                    seen = self.seen_as(key, found).await?;
                }
                answer => {
                    let is_written = batch.writes.iter().any(|write| touches(write, key));
                    let is_kept = answer.is_ok() && !is_written;
                    *lock(&self.seen) = is_kept.then_some(seen);
                    return answer;
                }
            }
        }
    }

    async fn look(&self, key: &Key) -> Result<Seen, KvError> {
        let stored = self.inner.get_many(std::slice::from_ref(key)).await?;
        self.seen_as(key, stored.into_iter().next().flatten()).await
    }

    async fn seen_as(&self, key: &Key, stored: Option<Bytes>) -> Result<Seen, KvError> {
        let value = match stored.filter(|_| !is_reserved(key)) {
            None => None,
            Some(stored) => {
                let mut opened = self.values.open(&[(key, &stored)]).await?;
                opened.pop().map(|value| (stored, value))
            }
        };
        Ok(Seen {
            key: key.clone(),
            value,
        })
    }
}

fn touches(write: &Write, guarded: &Key) -> bool {
    match write {
        Write::Put { key, .. } | Write::Delete { key } => key == guarded,
        Write::DeleteRange(range) => range.contains(guarded),
    }
}
