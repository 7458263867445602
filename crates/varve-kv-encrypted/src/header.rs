//! The header: the data key, encrypted by the user's key, and how that one is made.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic `VARVEKEY` |
//! | 8 | 2 | format version, little-endian |
//! | 10 | 1 | the user's key: 1 from a passphrase by PBKDF2-HMAC-SHA-256, 2 given |
//! | 11 | 1 | 0 |
//! | 12 | 4 | iterations, little-endian; 0 for a given key |
//! | 16 | 16 | salt of the passphrase; random for a given key |
//! | 32 | 12 | nonce |
//! | 44 | 48 | data key under AES-256-GCM, with bytes 0 to 15 as associated data; tag |
//! | 92 | 8 | xxh3-64 of all before, little-endian |
//!
//! The hash tells damage from a wrong key. Values name the salt of their own key where the header
//! has the passphrase's: `salt (16), nonce (12), ciphertext, tag (16)`.

use varve_kv::{Bytes, KvError};
use xxhash_rust::xxh3::xxh3_64;

use crate::cipher::{Crypto, DATA_KEY_BYTES, HEAD_BYTES, NONCE_BYTES, SALT_BYTES, TAG_BYTES};
use crate::cipher::{Salt, head};
use crate::open::{Encryption, EncryptionKey, OpenError};

const MAGIC: [u8; 8] = *b"VARVEKEY";
/// The format version that is written and read.
const VERSION: u16 = 1;
const FIELDS_BYTES: usize = 16;
const SEALED_BYTES: usize = HEAD_BYTES + DATA_KEY_BYTES + TAG_BYTES;
const HASHED_BYTES: usize = FIELDS_BYTES + SEALED_BYTES;
/// Bytes of a header.
pub(crate) const HEADER_BYTES: u32 = 100;

/// What an attacker has to compute for each guess; as OWASP recommended in 2023.
const ITERATIONS: u32 = 600_000;
/// More would not be work but a trap.
const ITERATIONS_MAX: u32 = 100_000_000;

const PASSPHRASE: u8 = 1;
const GIVEN: u8 = 2;

/// A header that was read.
#[derive(Debug)]
pub(crate) struct Header {
    fields: [u8; FIELDS_BYTES],
    is_passphrase: bool,
    iterations: u32,
    salt: Salt,
    sealed: Vec<u8>,
}

/// A header that gives the data key to who has the key of `encryption`.
pub(crate) async fn seal(
    encryption: &Encryption,
    data_key: &[u8; DATA_KEY_BYTES],
) -> Result<Bytes, KvError> {
    let crypto: &dyn Crypto = &*encryption.crypto;
    let mut salt = [0; SALT_BYTES];
    crypto.random(&mut salt)?;
    let mut nonce = [0; NONCE_BYTES];
    crypto.random(&mut nonce)?;
    let (kind, iterations) = match encryption.key {
        EncryptionKey::Passphrase(_) => (PASSPHRASE, ITERATIONS),
        EncryptionKey::Given(_) => (GIVEN, 0),
    };
    let mut fields = MAGIC.to_vec();
    fields.extend_from_slice(&VERSION.to_le_bytes());
    fields.extend_from_slice(&[kind, 0]);
    fields.extend_from_slice(&iterations.to_le_bytes());
    let cipher = encryption.cipher(&salt, iterations).await?;
    let sealed = cipher.seal(head(&salt, &nonce), &fields, data_key).await?;
    let mut header = fields;
    header.extend_from_slice(&sealed);
    header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
    Ok(header.into())
}

impl Header {
    /// Reads a header; it may be damaged, or of a later version.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Header, OpenError> {
        let (hashed, hash) = bytes.split_last_chunk::<8>().ok_or(OpenError::Damaged)?;
        let (fields, sealed) = hashed
            .split_first_chunk::<FIELDS_BYTES>()
            .ok_or(OpenError::Damaged)?;
        let (magic, rest) = fields.split_first_chunk().ok_or(OpenError::Damaged)?;
        let [v0, v1, kind, _, i0, i1, i2, i3] = *rest else {
            return Err(OpenError::Damaged);
        };
        if *magic != MAGIC || u64::from_le_bytes(*hash) != xxh3_64(hashed) {
            return Err(OpenError::Damaged);
        }
        let version = u16::from_le_bytes([v0, v1]);
        if version > VERSION {
            return Err(OpenError::TooNew(version));
        }
        let iterations = u32::from_le_bytes([i0, i1, i2, i3]);
        let is_passphrase = kind == PASSPHRASE;
        let is_known = is_passphrase || kind == GIVEN;
        let salt = sealed.first_chunk().ok_or(OpenError::Damaged)?;
        if !is_known || hashed.len() != HASHED_BYTES || iterations > ITERATIONS_MAX {
            return Err(OpenError::Damaged);
        }
        Ok(Header {
            fields: *fields,
            is_passphrase,
            iterations,
            salt: *salt,
            sealed: sealed.to_vec(),
        })
    }

    /// Whether a passphrase opens it.
    pub(crate) fn is_passphrase(&self) -> bool {
        self.is_passphrase
    }

    /// The data key, if the key of `encryption` is the right one.
    pub(crate) async fn open(
        &self,
        encryption: &Encryption,
    ) -> Result<[u8; DATA_KEY_BYTES], OpenError> {
        let has_passphrase = matches!(encryption.key, EncryptionKey::Passphrase(_));
        let is_passphrase = self.is_passphrase;
        if has_passphrase != is_passphrase {
            return Err(OpenError::OtherKind { is_passphrase });
        }
        let cipher = encryption.cipher(&self.salt, self.iterations).await?;
        let data_key = cipher.open(&self.fields, &self.sealed).await?;
        let data_key = data_key.ok_or(OpenError::WrongKey { is_passphrase })?;
        data_key.first_chunk().copied().ok_or(OpenError::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use pollster::block_on;

    use super::{HEADER_BYTES, Header, seal};
    use crate::open::{Encryption, OpenError};

    const DATA_KEY: [u8; 32] = [7; 32];

    #[test]
    fn the_right_key_opens_a_header_and_no_other_does() {
        let key = Encryption::key(&[1; 32]);
        let bytes = block_on(seal(&key, &DATA_KEY)).unwrap();
        assert_eq!(bytes.len(), HEADER_BYTES as usize);
        let header = Header::decode(&bytes).unwrap();
        assert_eq!(block_on(header.open(&key)).unwrap(), DATA_KEY);
        let other = block_on(header.open(&Encryption::key(&[2; 32])));
        assert!(matches!(other, Err(OpenError::WrongKey { .. })));
        let passphrase = block_on(header.open(&Encryption::passphrase("secret")));
        assert!(matches!(
            passphrase,
            Err(OpenError::OtherKind {
                is_passphrase: false
            })
        ));
    }

    #[test]
    fn damage_and_later_versions_are_told_from_a_wrong_key() {
        let key = Encryption::key(&[1; 32]);
        let bytes = block_on(seal(&key, &DATA_KEY)).unwrap();
        for at in 0..bytes.len() {
            let mut damaged = bytes.to_vec();
            damaged[at] ^= 1;
            assert!(
                matches!(Header::decode(&damaged), Err(OpenError::Damaged)),
                "{at}"
            );
        }
        for len in 0..bytes.len() {
            assert!(matches!(
                Header::decode(&bytes[..len]),
                Err(OpenError::Damaged)
            ));
        }
        let mut newer = bytes[..92].to_vec();
        newer[8] = 2;
        newer.extend(xxhash_rust::xxh3::xxh3_64(&newer).to_le_bytes());
        assert!(matches!(Header::decode(&newer), Err(OpenError::TooNew(2))));
    }

    #[test]
    fn fields_cannot_be_changed_under_a_sound_hash() {
        let key = Encryption::passphrase("secret");
        let bytes = block_on(seal(&key, &DATA_KEY)).unwrap();
        assert_eq!(bytes[12..16], 600_000_u32.to_le_bytes());
        let mut fewer = bytes[..92].to_vec();
        fewer[12..16].copy_from_slice(&1_u32.to_le_bytes());
        fewer.extend(xxhash_rust::xxh3::xxh3_64(&fewer).to_le_bytes());
        let header = Header::decode(&fewer).unwrap();
        let opened = block_on(header.open(&key));
        assert!(matches!(opened, Err(OpenError::WrongKey { .. })));
    }
}
