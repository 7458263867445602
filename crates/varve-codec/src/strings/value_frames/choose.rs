//! Chooses for each vector between frames and other codecs.

use super::encode::{BytesByWay, FramedBlock};
use crate::shared::joined;
use crate::stage::compress_lz4;
use crate::tags::TAG_VALUE_FRAMES;
use crate::{CodecError, EncodedBlock, SharedWriter, Stage};

/// The vectors of a block in other codecs, and those that are smaller as frames.
pub(super) struct VectorChoice {
    other: EncodedBlock,
    /// The general stage that comes over all vectors.
    stage: Stage,
    /// Where the dictionaries of the frames come in the shared part.
    pub(super) first_resource: u8,
    /// The shared part with the dictionaries.
    shared: Vec<u8>,
    dictionary_bytes: usize,
    /// That of the block before.
    last_shared: Vec<u8>,
    /// Of each vector what its values take in other codecs, by their ways.
    bytes: Vec<BytesByWay>,
    /// The frames of vectors where they are smaller.
    smaller: Vec<(usize, Vec<u8>, BytesByWay)>,
    saved_bytes: usize,
}

impl VectorChoice {
    pub(super) fn new(
        other: EncodedBlock,
        dictionaries: &SharedWriter,
        last_shared: &[u8],
        stage: Stage,
    ) -> Result<VectorChoice, CodecError> {
        let (shared, first_resource) = joined(&other.shared, dictionaries)?;
        let dictionary_bytes = match shared == last_shared {
            true => 0,
            false => dictionaries.bytes(),
        };
        Ok(VectorChoice {
            bytes: Vec::with_capacity(other.vectors.len()),
            other,
            stage,
            first_resource,
            shared,
            dictionary_bytes,
            last_shared: last_shared.to_vec(),
            smaller: Vec::new(),
            saved_bytes: 0,
        })
    }

    /// Offers the frames of the next vector, number `at`.
    pub(super) fn offer(&mut self, at: usize, frames: Vec<u8>, bytes: BytesByWay) {
        let other = self.other.vectors.get(at).map_or(&[][..], Vec::as_slice);
        let other_bytes = match self.stage {
            Stage::None => other.len(),
            Stage::Lz4 => other.len().min(compress_lz4(other).len()),
        };
        let raw_bytes: u64 = bytes.values().map(|way| way.raw).sum();
        let mut shares = bytes.clone();
        for way in shares.values_mut() {
            // Nobody can tell what a single value takes.
            way.stored = (way.raw * other_bytes as u64)
                .checked_div(raw_bytes)
                .unwrap_or(0);
        }
        self.bytes.push(shares);
        if frames.len() < other_bytes {
            self.saved_bytes += other_bytes - frames.len();
            self.smaller.push((at, frames, bytes));
        }
    }

    /// The block: without frames where they do not pay for their dictionaries.
    pub(super) fn finish(mut self) -> FramedBlock {
        if self.saved_bytes > self.dictionary_bytes {
            for (at, frames, bytes) in self.smaller {
                let vectors = self.other.vectors.get_mut(at);
                if let (Some(vector), Some(slot)) = (vectors, self.bytes.get_mut(at)) {
                    *vector = frames;
                    *slot = bytes;
                }
            }
            self.other.shared = self.shared;
            self.other.tags |= 1 << TAG_VALUE_FRAMES;
        }
        let mut all = BytesByWay::default();
        for (way, bytes) in self.bytes.into_iter().flatten() {
            *all.entry(way).or_default() += bytes;
        }
        let shared_bytes = match self.other.shared == self.last_shared {
            true => 0,
            false => self.other.shared.len() as u64,
        };
        let raw_bytes: u64 = all.values().map(|way| way.raw).sum();
        for way in all.values_mut() {
            way.stored += (way.raw * shared_bytes).checked_div(raw_bytes).unwrap_or(0);
        }
        FramedBlock {
            block: self.other,
            bytes: all,
        }
    }
}
