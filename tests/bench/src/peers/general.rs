//! General-purpose compressors, block by block.

use zstd::bulk::{Compressor, Decompressor};

/// The level of zstd that peers use.
pub const ZSTD_LEVEL: i32 = 3;

/// A compressor of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum General {
    /// `lz4_flex`.
    Lz4,
    /// The reference zstd at level 3.
    Zstd,
}

/// A block, compressed unless that is longer.
#[derive(Debug)]
pub struct Packed {
    raw_bytes: usize,
    /// What is stored.
    pub stored: Vec<u8>,
    compressed: bool,
}

/// Compresses and decompresses; contexts and buffers are used again.
pub struct Packer {
    general: General,
    compressor: Compressor<'static>,
    decompressor: Decompressor<'static>,
    buffer: Vec<u8>,
}

impl Packer {
    /// A packer of that kind.
    pub fn new(general: General) -> Packer {
        Packer {
            general,
            compressor: Compressor::new(ZSTD_LEVEL).expect("the level exists"),
            decompressor: Decompressor::new().expect("memory suffices"),
            buffer: Vec::new(),
        }
    }

    /// Compresses a block.
    pub fn pack(&mut self, raw: &[u8]) -> Packed {
        let packed = match self.general {
            General::Lz4 => lz4_flex::block::compress(raw),
            General::Zstd => self.compressor.compress(raw).expect("memory suffices"),
        };
        let compressed = packed.len() < raw.len();
        Packed {
            raw_bytes: raw.len(),
            stored: if compressed { packed } else { raw.to_vec() },
            compressed,
        }
    }

    /// The block as it was.
    pub fn unpack<'a>(&'a mut self, packed: &'a Packed) -> &'a [u8] {
        if !packed.compressed {
            return &packed.stored;
        }
        if self.buffer.len() < packed.raw_bytes {
            self.buffer.resize(packed.raw_bytes, 0);
        }
        let out = &mut self.buffer[..packed.raw_bytes];
        match self.general {
            General::Lz4 => {
                lz4_flex::block::decompress_into(&packed.stored, out).expect("we compressed it");
            }
            General::Zstd => {
                let done = self.decompressor.decompress_to_buffer(&packed.stored, out);
                done.expect("we compressed it");
            }
        }
        &self.buffer[..packed.raw_bytes]
    }
}
