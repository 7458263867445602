//! Opening: which of four things a store and a key are to each other.

use std::fmt;
use std::sync::Arc;

use varve_kv::{
    Bytes, Durability, Guard, KeyRange, Kv, KvError, LocalFuture, Scan, ScanLimit, WriteBatch,
};

use crate::cipher::{Cipher, Crypto, DATA_KEY_BYTES};
use crate::encrypted_kv::EncryptedKv;
use crate::header::Header;
#[cfg(not(target_arch = "wasm32"))]
use crate::native::NativeCrypto;
use crate::{header, reserved};

/// The user's key.
#[derive(Clone)]
pub enum EncryptionKey {
    /// A text from which a key is stretched.
    Passphrase(Arc<str>),
    /// A key of AES-256-GCM.
    Given(Arc<dyn Cipher>),
}

/// How a store is encrypted: the user's key, and who computes.
#[derive(Clone)]
pub struct Encryption {
    pub(crate) key: EncryptionKey,
    pub(crate) crypto: Arc<dyn Crypto>,
}

/// Why a store does not open with this key, or without one. Nothing was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenError {
    /// The store is encrypted, and no key was given.
    NoKey {
        /// Whether it wants a passphrase.
        is_passphrase: bool,
    },
    /// The key is not the store's.
    WrongKey {
        /// Whether it is a passphrase.
        is_passphrase: bool,
    },
    /// The store wants a passphrase, and a key was given, or the other way round.
    OtherKind {
        /// Whether it wants a passphrase.
        is_passphrase: bool,
    },
    /// A key was given, and the store is not encrypted.
    NotEncrypted,
    /// A later version wrote the header.
    TooNew(u16),
    /// The header and its copy are not what was written.
    Damaged,
    /// The backend failed.
    Kv(KvError),
}

impl From<KvError> for OpenError {
    fn from(error: KvError) -> OpenError {
        OpenError::Kv(error)
    }
}

impl Encryption {
    /// Encryption by a key of the caller's, or by a passphrase.
    pub fn new(key: EncryptionKey, crypto: Arc<dyn Crypto>) -> Encryption {
        Encryption { key, crypto }
    }

    /// Encryption by a passphrase.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn passphrase(passphrase: impl Into<Arc<str>>) -> Encryption {
        let key = EncryptionKey::Passphrase(passphrase.into());
        Encryption::new(key, Arc::new(NativeCrypto))
    }

    /// Encryption by a key of 256 bits, which must be random.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn key(key: &[u8; 32]) -> Encryption {
        let key = EncryptionKey::Given(NativeCrypto::of_key(key));
        Encryption::new(key, Arc::new(NativeCrypto))
    }

    /// The user's key.
    pub fn user_key(&self) -> &EncryptionKey {
        &self.key
    }

    pub(crate) async fn cipher(
        &self,
        salt: &[u8],
        iterations: u32,
    ) -> Result<Arc<dyn Cipher>, KvError> {
        match &self.key {
            EncryptionKey::Given(cipher) => Ok(Arc::clone(cipher)),
            EncryptionKey::Passphrase(text) => {
                self.crypto.of_passphrase(text, salt, iterations).await
            }
        }
    }
}

/// Without the key.
impl fmt::Debug for Encryption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.key {
            EncryptionKey::Passphrase(_) => "Encryption(a passphrase)",
            EncryptionKey::Given(_) => "Encryption(a key)",
        })
    }
}

/// The wrapper through which an encrypted store is used, made where the store is empty; `None` for
/// one that is not encrypted, where no key was given.
pub async fn open(
    kv: &Arc<dyn Kv>,
    encryption: Option<&Encryption>,
) -> Result<Option<Arc<EncryptedKv>>, OpenError> {
    let found = Found::read(&**kv).await?;
    if encryption.is_none() && found.is_absent() {
        return Ok(None);
    }
    open_found(kv, encryption, found).await.map(Some)
}

/// In a box, so that a module can be split before it: most stores are not encrypted.
fn open_found<'a>(
    kv: &'a Arc<dyn Kv>,
    encryption: Option<&'a Encryption>,
    found: Found,
) -> LocalFuture<'a, Result<Arc<EncryptedKv>, OpenError>> {
    Box::pin(async move {
        let header = found.header()?;
        let Some(encryption) = encryption else {
            let is_passphrase = header.is_some_and(|header| header.is_passphrase());
            return Err(OpenError::NoKey { is_passphrase });
        };
        let Some(header) = header else {
            return create(kv, encryption).await;
        };
        let data_key = header.open(encryption).await?;
        let stored = found.whole(&**kv).await;
        let opened = EncryptedKv::new(Arc::clone(kv), encryption, data_key, stored);
        Ok(Arc::new(opened))
    })
}

async fn create(kv: &Arc<dyn Kv>, encryption: &Encryption) -> Result<Arc<EncryptedKv>, OpenError> {
    let any = Scan::forward(KeyRange::all(), ScanLimit::entries(1));
    if !kv.scan(&any).await?.is_empty() {
        return Err(OpenError::NotEncrypted);
    }
    let mut data_key = [0; DATA_KEY_BYTES];
    encryption.crypto.random(&mut data_key)?;
    let header = header::seal(encryption, &data_key).await?;
    write(&**kv, &header, None).await?;
    let opened = EncryptedKv::new(Arc::clone(kv), encryption, data_key, header);
    Ok(Arc::new(opened))
}

/// Puts a header and its copy in the place of the one found.
pub(crate) async fn write(
    kv: &dyn Kv,
    header: &Bytes,
    found: Option<Bytes>,
) -> Result<(), KvError> {
    let key = reserved::HEADER.to_vec();
    let mut batch = WriteBatch::new();
    for key in reserved::KEYS {
        batch.put(*key, Bytes::clone(header));
    }
    batch.guard(match found {
        Some(value) => Guard::Holds { key, value },
        None => Guard::Absent { key },
    });
    match kv.commit(batch.clone(), Durability::Strict).await {
        // The guard makes the repeat of a commit that took effect harmless.
        Err(error) if error.outcome_is_unknown() => kv.commit(batch, Durability::Strict).await,
        answer => answer,
    }
}

/// What lies at the keys of the header and its copy.
struct Found(Vec<Result<Option<Bytes>, KvError>>);

impl Found {
    async fn read(kv: &dyn Kv) -> Result<Found, KvError> {
        let keys = reserved::KEYS.map(<[u8]>::to_vec);
        match kv.get_many(&keys).await {
            Ok(values) => Ok(Found(values.into_iter().map(Ok).collect())),
            // One value that cannot be read fails the call.
            Err(KvError::Corrupt { .. }) => {
                let mut found = Vec::new();
                for key in &keys {
                    let value = kv.get_many(std::slice::from_ref(key)).await;
                    found.push(value.map(|values| values.into_iter().next().flatten()));
                }
                Ok(Found(found))
            }
            Err(error) => Err(error),
        }
    }

    /// Whether nothing says that the store is encrypted. What cannot be read does not: a key that
    /// is not there may lie where a backend finds damage.
    fn is_absent(&self) -> bool {
        let says_so = |found: &Result<Option<Bytes>, KvError>| match found {
            Ok(value) => value.is_some(),
            Err(KvError::Corrupt { .. }) => false,
            Err(_) => true,
        };
        !self.0.iter().any(says_so)
    }

    /// The first sound one; `None` where there is none, sound or not.
    fn header(&self) -> Result<Option<Header>, OpenError> {
        let mut answer = Ok(None);
        for found in &self.0 {
            let read = match found {
                Ok(None) => continue,
                Ok(Some(bytes)) => Header::decode(bytes),
                Err(KvError::Corrupt { .. }) => Err(OpenError::Damaged),
                Err(error) => Err(OpenError::Kv(error.clone())),
            };
            match read {
                Ok(header) => return Ok(Some(header)),
                Err(error) => answer = Err(error),
            }
        }
        answer
    }

    /// The header as it is stored from now on: where one of the two is damaged, the other one is
    /// put in its place. If that fails, the next opening tries again.
    async fn whole(&self, kv: &dyn Kv) -> Bytes {
        let sound = |found: &Result<Option<Bytes>, KvError>| {
            let bytes = found.as_ref().ok()?.as_ref()?;
            Header::decode(bytes).is_ok().then(|| Bytes::clone(bytes))
        };
        let sound = self.0.iter().map(sound);
        let sound: Vec<Option<Bytes>> = sound.collect();
        let header = sound.iter().flatten().next().cloned().unwrap_or_default();
        if sound.iter().any(Option::is_none) {
            let first = self.0.first().and_then(|first| first.as_ref().ok());
            drop(write(kv, &header, first.cloned().flatten()).await);
        }
        header
    }
}
