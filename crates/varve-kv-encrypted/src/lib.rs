//! Encryption at rest: a wrapper around any backend that encrypts values and leaves keys in clear,
//! since they hold ids and counters only. It knows no table and no platform: who computes is a
//! [`Crypto`], natively [`NativeCrypto`], in a browser WebCrypto, and both give the same bytes.
//!
//! Invariant: no value reaches the backend but as AES-256-GCM of it, with its key as associated
//! data: one that was changed, or moved to another key, answers [`KvError::Corrupt`].
//! Invariant: nothing is written before a key has opened the header, and the header is written
//! before any value.
//! Invariant: ciphers are never waited for while a backend's call is under way: IndexedDB ends a
//! transaction in which nothing is pending.
//!
//! # Keys
//!
//! - The *data key*, 256 random bits, is made with the store and never changes. It lies in the
//!   header (`header.rs`), encrypted by the user's key; so changing that one rewrites no value.
//! - The *user's key* is stretched from a passphrase by PBKDF2-HMAC-SHA-256, or given.
//! - *Value keys* are derived from the data key by HKDF-SHA-256 under a random salt of 128 bits,
//!   which each value names. Every handle writes under its own, and takes another after
//!   [`VALUES_PER_KEY_MAX`] values.
//!
//! # Nonces
//!
//! They are 96 random bits for each value. Under one key 2^30 of them meet with a chance of 2^-37;
//! NIST SP 800-38D allows 2^32 (2^-32). A bound on one key that lasts as long as the store could
//! be kept by a stored counter only, and a busy native store would reach it within days: hence a
//! key for each handle, whose writes are counted in memory. Two of 2^48 handles get the same salt
//! with a chance of 2^-33, and even then only share one bound. Counters in the place of chance
//! would repeat after a snapshot of a machine was resumed twice.
//!
//! # Guards
//!
//! Equal values have different ciphertexts, so a guard is compared here, decrypted, and handed on
//! as the ciphertext that was compared. The backend then compares and writes in one transaction;
//! where it finds another ciphertext, that one is decrypted and compared in turn. What the guarded
//! key held last is remembered, so a commit usually costs no read.

mod cipher;
mod encrypted_kv;
mod guarded;
mod header;
#[cfg(not(target_arch = "wasm32"))]
mod native;
mod open;
mod reserved;
mod value_keys;

pub use cipher::{Cipher, Crypto, DATA_KEY_BYTES, HEAD_BYTES, NONCE_BYTES, SALT_BYTES, TAG_BYTES};
pub use encrypted_kv::EncryptedKv;
#[cfg(not(target_arch = "wasm32"))]
pub use native::NativeCrypto;
pub use open::{Encryption, EncryptionKey, OpenError, open};
pub use value_keys::VALUES_PER_KEY_MAX;

#[cfg(doc)]
use varve_kv::KvError;
