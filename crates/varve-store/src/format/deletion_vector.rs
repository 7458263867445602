//! The deleted rows of a run as one value, under a new key for every version.
//!
//! Layout: a roaring bitmap of row ordinals in its portable format.

use roaring::RoaringBitmap;
use varve_codec::CodecError;
use varve_types::RunId;

use crate::error::{Result, StoreError};
use crate::format::envelope::{Kind, corrupt, open, seal};
use crate::format::keys;

/// The value at [`keys::deletion_vector`].
pub(crate) fn encode(run: RunId, version: u64, deletion_vector: &RoaringBitmap) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(deletion_vector.serialized_size());
    deletion_vector
        .serialize_into(&mut out)
        .map_err(|error| StoreError::internal(error.to_string()))?;
    Ok(seal(
        Kind::DeletionVector,
        &keys::deletion_vector(run, version),
        &out,
    ))
}

pub(crate) fn decode(run: RunId, version: u64, value: &[u8]) -> Result<RoaringBitmap> {
    let key = keys::deletion_vector(run, version);
    let payload = open(Kind::DeletionVector, &key, value)?;
    RoaringBitmap::deserialize_from(payload)
        .map_err(|_| corrupt(&key, CodecError::Malformed("bitmap")))
}
