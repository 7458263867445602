//! The envelope around every value of the store; values of runs have their own.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | magic `VSTO` |
//! | 4 | 2 | format version, little-endian |
//! | 6 | 1 | kind |
//! | 7 | 1 | 0 |
//! | 8 | 8 | xxh3-64 of the payload, seeded with the hash of the key, little-endian |
//! | 16 | | payload |
//!
//! The seed makes a sound value at the wrong key as corrupt as a broken one.

use varve_codec::CodecError;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::format::keys;

const MAGIC: [u8; 4] = *b"VSTO";
/// The format version that is written and read.
const VERSION: u16 = 1;
const ENVELOPE_BYTES: usize = 16;

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Epoch = 1,
    Manifest = 2,
    Catalog = 3,
    Intent = 4,
    Log = 5,
    DeletionVector = 6,
    Scratch = 7,
    Quarantine = 8,
    MergedLog = 9,
}

/// The value to store at `key`.
pub(crate) fn seal(kind: Kind, key: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(ENVELOPE_BYTES + payload.len());
    value.extend_from_slice(&expected(kind, key, payload));
    value.extend_from_slice(payload);
    value
}

/// The payload of a value found at `key`, if its envelope is sound.
pub(crate) fn open<'a>(kind: Kind, key: &[u8], value: &'a [u8]) -> Result<&'a [u8]> {
    let malformed = |what| corrupt(key, CodecError::Malformed(what));
    let (envelope, payload) = value
        .split_first_chunk::<ENVELOPE_BYTES>()
        .ok_or_else(|| corrupt(key, CodecError::UnexpectedEnd))?;
    let [m0, m1, m2, m3, v0, v1, ..] = *envelope;
    let version = u16::from_le_bytes([v0, v1]);
    if [m0, m1, m2, m3] != MAGIC {
        Err(malformed("magic"))
    } else if version > VERSION {
        let record = keys::describe(key);
        Err(StoreErrorKind::FormatTooNew {
            record,
            version,
            known: VERSION,
        }
        .into())
    } else if *envelope != expected(kind, key, payload) {
        Err(malformed("checksum"))
    } else {
        Ok(payload)
    }
}

/// Whether a value says that it is of a kind; [`open`] tells whether it is.
pub(crate) fn is_of(kind: Kind, value: &[u8]) -> bool {
    value.get(6) == Some(&(kind as u8))
}

/// The error of a record whose bytes are not what was written.
pub(crate) fn corrupt(key: &[u8], detail: CodecError) -> StoreError {
    StoreError::corrupted(format!("{} is corrupt: {detail}", keys::describe(key)))
}

fn expected(kind: Kind, key: &[u8], payload: &[u8]) -> [u8; ENVELOPE_BYTES] {
    let code = kind as u8;
    let seed = xxh3_64(key) ^ u64::from(code);
    let [m0, m1, m2, m3] = MAGIC;
    let [v0, v1] = VERSION.to_le_bytes();
    let [c0, c1, c2, c3, c4, c5, c6, c7] = xxh3_64_with_seed(payload, seed).to_le_bytes();
    [
        m0, m1, m2, m3, v0, v1, code, 0, c0, c1, c2, c3, c4, c5, c6, c7,
    ]
}

#[cfg(test)]
mod tests {
    use super::{Kind, keys, open, seal};

    #[test]
    fn every_changed_byte_is_noticed_and_a_later_version_named() {
        let key = keys::manifest();
        let value = seal(Kind::Manifest, &key, b"payload");
        assert_eq!(open(Kind::Manifest, &key, &value).unwrap(), b"payload");
        for at in 0..value.len() {
            let mut damaged = value.clone();
            damaged[at] ^= 1;
            let error = open(Kind::Manifest, &key, &damaged).unwrap_err();
            // Byte 4 made the version 0, byte 5 made it 257.
            let code = if at == 5 { "0A000" } else { "XX001" };
            assert_eq!(error.state().code(), code, "{at}");
            assert!(error.message().contains("the manifest"), "{error}");
        }
        assert!(open(Kind::Manifest, &keys::epoch(), &value).is_err());
        assert!(open(Kind::Epoch, &key, &value).is_err());
        assert!(open(Kind::Manifest, &key, &value[..9]).is_err());
        let mut later = value;
        later[4] = 2;
        let error = open(Kind::Manifest, &key, &later).unwrap_err();
        assert!(error.message().starts_with("format_too_new: the manifest"));
    }
}
