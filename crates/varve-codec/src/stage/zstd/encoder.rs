//! What code that makes frames needs, without saying who makes them.

use crate::{CodecError, ZstdDictionary, ZstdFraming};

/// The fastest level.
pub const ZSTD_LEVEL_MIN: u8 = 1;
/// The level with the smallest frames.
pub const ZSTD_LEVEL_MAX: u8 = 22;

/// Makes frames. Equal arguments give equal bytes on every target, whatever was compressed before.
pub trait ZstdEncoder {
    /// The frame of `raw`; `level` is [`ZSTD_LEVEL_MIN`] to [`ZSTD_LEVEL_MAX`].
    ///
    /// A dictionary is prepared once while calls pass the same one (or clones of it); after that a
    /// small row costs only its own bytes.
    fn compress(
        &mut self,
        raw: &[u8],
        level: u8,
        dictionary: Option<&ZstdDictionary>,
        framing: ZstdFraming,
    ) -> Result<Vec<u8>, CodecError>;
}

/// Makes encoders, which do not go from thread to thread, and dictionaries.
pub trait ZstdEncoders: Send + Sync {
    /// A new encoder.
    fn encoder(&self) -> Box<dyn ZstdEncoder>;

    /// A dictionary of at most `dictionary_bytes_max` for rows like `samples`: all of them one
    /// after another, with their `lengths` (see [`crate::ZstdSamples`]). Its id comes from its
    /// content. The `zstd` tool reads it with `-D`.
    ///
    /// Fewer than seven samples, or samples that have nothing in common, make no dictionary.
    fn train(
        &self,
        samples: &[u8],
        lengths: &[u32],
        dictionary_bytes_max: usize,
    ) -> Result<Vec<u8>, CodecError>;
}
