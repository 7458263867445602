//! Ciphers in Rust.

use std::sync::Arc;

use aes_gcm::aead::{Aead, KeyInit, Payload};
use aes_gcm::{Aes256Gcm, Key};
use hkdf::Hkdf;
use sha2::Sha256;
use varve_kv::{Bytes, KvError, LocalFuture};

use crate::cipher::{Cipher, Crypto, DATA_KEY_BYTES, HEAD_BYTES, SALT_BYTES};

/// Randomness of the operating system and the ciphers of the RustCrypto project.
#[derive(Debug, Clone, Copy, Default)]
pub struct NativeCrypto;

struct NativeCipher(Aes256Gcm);

impl NativeCrypto {
    /// The cipher of a key.
    pub fn of_key(key: &[u8; 32]) -> Arc<dyn Cipher> {
        Arc::new(NativeCipher(Aes256Gcm::new(&Key::<Aes256Gcm>::from(*key))))
    }
}

impl Crypto for NativeCrypto {
    fn random(&self, bytes: &mut [u8]) -> Result<(), KvError> {
        getrandom::fill(bytes).map_err(|error| backend(&error.to_string()))
    }

    fn of_passphrase<'a>(
        &'a self,
        passphrase: &'a str,
        salt: &'a [u8],
        iterations: u32,
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>> {
        let mut key = [0; 32];
        pbkdf2::pbkdf2_hmac::<Sha256>(passphrase.as_bytes(), salt, iterations, &mut key);
        Box::pin(std::future::ready(Ok(NativeCrypto::of_key(&key))))
    }

    fn derived<'a>(
        &'a self,
        data_key: &'a [u8; DATA_KEY_BYTES],
        salt: &'a [u8],
        info: &'a [u8],
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>> {
        let mut key = [0; 32];
        let expanded = Hkdf::<Sha256>::new(Some(salt), data_key).expand(info, &mut key);
        let cipher = expanded.map(|()| NativeCrypto::of_key(&key));
        let cipher = cipher.map_err(|error| backend(&error.to_string()));
        Box::pin(std::future::ready(cipher))
    }
}

impl Cipher for NativeCipher {
    fn seal(
        &self,
        head: [u8; HEAD_BYTES],
        associated: &[u8],
        value: &[u8],
    ) -> LocalFuture<'static, Result<Bytes, KvError>> {
        let nonce = nonce(&head);
        let payload = Payload {
            msg: value,
            aad: associated,
        };
        let sealed = self.0.encrypt(&nonce.into(), payload);
        let sealed = sealed.map_err(|_| backend("the value is too large to be encrypted"));
        Box::pin(std::future::ready(sealed.map(|sealed| {
            let bytes = head.into_iter().chain(sealed);
            bytes.collect()
        })))
    }

    fn open(
        &self,
        associated: &[u8],
        sealed: &[u8],
    ) -> LocalFuture<'static, Result<Option<Bytes>, KvError>> {
        let value = sealed.split_first_chunk::<HEAD_BYTES>();
        let value = value.and_then(|(head, ciphertext)| {
            let payload = Payload {
                msg: ciphertext,
                aad: associated,
            };
            self.0.decrypt(&nonce(head).into(), payload).ok()
        });
        Box::pin(std::future::ready(Ok(value.map(Bytes::from))))
    }
}

fn nonce(head: &[u8; HEAD_BYTES]) -> [u8; HEAD_BYTES - SALT_BYTES] {
    let [_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, nonce @ ..] = *head;
    nonce
}

fn backend(message: &str) -> KvError {
    KvError::Backend {
        message: message.to_owned(),
    }
}
