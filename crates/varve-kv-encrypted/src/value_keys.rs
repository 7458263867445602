//! The keys of values: which one is written under, and those that were met.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use varve_kv::{Bytes, Key, KvError};
use varve_sort::VecMap;

use crate::cipher::{Cipher, Crypto, DATA_KEY_BYTES, NONCE_BYTES, SALT_BYTES, Salt, head, salt_of};

/// How many values are written under one key.
pub const VALUES_PER_KEY_MAX: u32 = 1 << 30;

/// What values' keys are derived for, so that no other use of the data key gives the same ones.
const INFO: &[u8] = b"varve value";
/// So many are remembered; each opening of a store that wrote something has one.
const KNOWN_MAX: usize = 4096;

/// Seals and opens values.
pub(crate) struct ValueKeys {
    crypto: Arc<dyn Crypto>,
    data_key: [u8; DATA_KEY_BYTES],
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    known: VecMap<Salt, Arc<dyn Cipher>>,
    /// None before the first write.
    writing: Option<Writing>,
}

#[derive(Clone)]
struct Writing {
    salt: Salt,
    cipher: Arc<dyn Cipher>,
    values_left: u32,
}

impl ValueKeys {
    pub(crate) fn new(crypto: Arc<dyn Crypto>, data_key: [u8; DATA_KEY_BYTES]) -> ValueKeys {
        ValueKeys {
            crypto,
            data_key,
            state: Mutex::default(),
        }
    }

    pub(crate) fn data_key(&self) -> &[u8; DATA_KEY_BYTES] {
        &self.data_key
    }

    /// Encrypts values, all of them at the same time where the platform can.
    pub(crate) async fn seal(&self, values: &[(&Key, &Bytes)]) -> Result<Vec<Bytes>, KvError> {
        let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
        if count == 0 {
            return Ok(Vec::new());
        }
        let writing = self.writing(count).await?;
        let mut nonces = vec![0; values.len() * NONCE_BYTES];
        self.crypto.random(&mut nonces)?;
        let (nonces, _) = nonces.as_chunks::<NONCE_BYTES>();
        let under_way = values.iter().zip(nonces).map(|((key, value), nonce)| {
            let head = head(&writing.salt, nonce);
            writing.cipher.seal(head, key, value)
        });
        let under_way: Vec<_> = under_way.collect();
        let mut sealed = Vec::with_capacity(values.len());
        for value in under_way {
            sealed.push(value.await?);
        }
        Ok(sealed)
    }

    /// Decrypts values, all of them at the same time where the platform can.
    pub(crate) async fn open(&self, values: &[(&Key, &Bytes)]) -> Result<Vec<Bytes>, KvError> {
        let mut ciphers = Vec::with_capacity(values.len());
        for (key, sealed) in values {
            let salt = salt_of(sealed).ok_or_else(|| corrupt(key))?;
            ciphers.push(self.cipher(salt).await?);
        }
        let under_way = values.iter().zip(&ciphers);
        let under_way = under_way.map(|((key, sealed), cipher)| cipher.open(key, sealed));
        let under_way: Vec<_> = under_way.collect();
        let mut opened = Vec::with_capacity(values.len());
        for ((key, _), value) in values.iter().zip(under_way) {
            opened.push(value.await?.ok_or_else(|| corrupt(key))?);
        }
        Ok(opened)
    }

    /// What to write so many values under.
    async fn writing(&self, count: u32) -> Result<Writing, KvError> {
        if let Some(writing) = self.state().take_share(count) {
            return Ok(writing);
        }
        let mut salt = [0; SALT_BYTES];
        self.crypto.random(&mut salt)?;
        let cipher = self.cipher(salt).await?;
        let writing = Writing {
            salt,
            cipher,
            values_left: VALUES_PER_KEY_MAX.saturating_sub(count),
        };
        self.state().writing = Some(writing.clone());
        Ok(writing)
    }

    async fn cipher(&self, salt: Salt) -> Result<Arc<dyn Cipher>, KvError> {
        if let Some(cipher) = self.state().known.get(&salt) {
            return Ok(Arc::clone(cipher));
        }
        let cipher = self.crypto.derived(&self.data_key, &salt, INFO).await?;
        let mut state = self.state();
        if state.known.len() >= KNOWN_MAX {
            state.known = VecMap::new();
        }
        state.known.insert(salt, Arc::clone(&cipher));
        Ok(cipher)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step under this lock can panic half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_share(&mut self, count: u32) -> Option<Writing> {
        let writing = self.writing.as_mut()?;
        writing.values_left = writing.values_left.checked_sub(count)?;
        Some(writing.clone())
    }
}

fn corrupt(key: &Key) -> KvError {
    KvError::Corrupt {
        key: Some(key.clone()),
        message: "it is not what was encrypted for this key".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use pollster::block_on;
    use varve_kv::Bytes;

    use super::{VALUES_PER_KEY_MAX, ValueKeys};
    use crate::cipher::salt_of;
    use crate::native::NativeCrypto;

    #[test]
    fn a_key_that_wrote_its_share_is_changed_for_another() {
        let keys = ValueKeys::new(Arc::new(NativeCrypto), [3; 32]);
        let (key, value) = (b"k".to_vec(), Bytes::from(*b"value"));
        let seal = || block_on(keys.seal(&[(&key, &value)])).unwrap().remove(0);
        let first = seal();
        let second = seal();
        assert_ne!(first, second, "nonces differ");
        assert_eq!(salt_of(&first), salt_of(&second));
        let left = keys.state().writing.as_ref().unwrap().values_left;
        assert_eq!(left, VALUES_PER_KEY_MAX - 2);
        keys.state().writing.as_mut().unwrap().values_left = 1;
        let all = [first, second, seal(), seal()];
        let salts: BTreeSet<_> = all.iter().map(|sealed| salt_of(sealed)).collect();
        assert_eq!(salts.len(), 2);
        let sealed: Vec<_> = all.iter().map(|sealed| (&key, sealed)).collect();
        assert_eq!(
            block_on(keys.open(&sealed)).unwrap(),
            vec![value.clone(); 4]
        );
    }
}
