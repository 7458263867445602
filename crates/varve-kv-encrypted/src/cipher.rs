//! What a platform computes.

use std::sync::Arc;

use varve_kv::{Bytes, KvError, LocalFuture};

/// Bytes of a salt.
pub const SALT_BYTES: usize = 16;
/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 12;
/// What stands before a ciphertext: the salt of its key, then its nonce.
pub const HEAD_BYTES: usize = SALT_BYTES + NONCE_BYTES;
/// Bytes of an authentication tag.
pub const TAG_BYTES: usize = 16;
/// Bytes of the data key.
pub const DATA_KEY_BYTES: usize = 32;

/// What encryption adds to a value.
pub(crate) const OVERHEAD_BYTES: u32 = 44;
const _: () = assert!(OVERHEAD_BYTES as usize == HEAD_BYTES + TAG_BYTES);

/// The salt by which a key was made.
pub(crate) type Salt = [u8; SALT_BYTES];

/// AES-256-GCM under one key. The work begins at the call, not when its future is polled, so that
/// the work of several calls is under way together.
pub trait Cipher: Send + Sync {
    /// Encrypts a value. Answers the head, whose end is the nonce, then ciphertext and tag.
    fn seal(
        &self,
        head: [u8; HEAD_BYTES],
        associated: &[u8],
        value: &[u8],
    ) -> LocalFuture<'static, Result<Bytes, KvError>>;

    /// The value of what [`Cipher::seal`] answered; `None` where the bytes, the associated data or
    /// the key are other ones.
    fn open(
        &self,
        associated: &[u8],
        sealed: &[u8],
    ) -> LocalFuture<'static, Result<Option<Bytes>, KvError>>;
}

/// Randomness and keys.
pub trait Crypto: Send + Sync {
    /// Fills `bytes` with what nobody can guess.
    fn random(&self, bytes: &mut [u8]) -> Result<(), KvError>;

    /// The cipher of a passphrase: PBKDF2-HMAC-SHA-256 over its UTF-8.
    fn of_passphrase<'a>(
        &'a self,
        passphrase: &'a str,
        salt: &'a [u8],
        iterations: u32,
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>>;

    /// The cipher of a key derived from the data key: HKDF-SHA-256, whose info is `info`.
    fn derived<'a>(
        &'a self,
        data_key: &'a [u8; DATA_KEY_BYTES],
        salt: &'a [u8],
        info: &'a [u8],
    ) -> LocalFuture<'a, Result<Arc<dyn Cipher>, KvError>>;
}

/// The salt that sealed bytes name; `None` for bytes too short to be sealed ones.
pub(crate) fn salt_of(sealed: &[u8]) -> Option<Salt> {
    let is_whole = sealed.len() >= HEAD_BYTES + TAG_BYTES;
    sealed.first_chunk().copied().filter(|_: &Salt| is_whole)
}

/// A head of salt and nonce.
pub(crate) fn head(salt: &Salt, nonce: &[u8; NONCE_BYTES]) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    let parts = salt.iter().chain(nonce);
    for (byte, part) in head.iter_mut().zip(parts) {
        *byte = *part;
    }
    head
}
