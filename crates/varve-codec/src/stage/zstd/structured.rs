//! Bytes to frames, by crate `structured-zstd`.

use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, FrameCompressor};

use super::encoder::{ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZstdEncoder};
use crate::{CodecError, ZstdDictionary, ZstdFraming};

/// The encoder. It keeps its tables, and what it prepared of the last dictionary, from frame to
/// frame: some MiB at the highest levels.
pub struct StructuredZstd {
    compressor: FrameCompressor,
    level: u8,
    dictionary: Option<ZstdDictionary>,
}

impl StructuredZstd {
    /// An encoder that holds nothing yet.
    pub fn new() -> StructuredZstd {
        StructuredZstd {
            compressor: FrameCompressor::new(numbered(ZSTD_LEVEL_MIN)),
            level: ZSTD_LEVEL_MIN,
            dictionary: None,
        }
    }

    fn set_level(&mut self, level: u8) -> Result<(), CodecError> {
        if !(ZSTD_LEVEL_MIN..=ZSTD_LEVEL_MAX).contains(&level) {
            return Err(CodecError::Malformed("zstd level"));
        }
        if self.level != level {
            self.compressor.set_compression_level(numbered(level));
            self.level = level;
        }
        Ok(())
    }

    fn set_dictionary(&mut self, dictionary: Option<&ZstdDictionary>) -> Result<(), CodecError> {
        let unchanged = match (&self.dictionary, dictionary) {
            (Some(prepared), Some(dictionary)) => prepared.is_same(dictionary),
            (None, None) => true,
            _ => false,
        };
        if unchanged {
            return Ok(());
        }
        self.compressor.clear_dictionary();
        self.dictionary = None;
        if let Some(dictionary) = dictionary {
            let malformed = |_| CodecError::Malformed("zstd dictionary");
            let prepared = EncoderDictionary::from_serialized_or_raw_content(dictionary.bytes())
                .map_err(malformed)?;
            self.compressor
                .set_encoder_dictionary(prepared)
                .map_err(malformed)?;
            self.dictionary = Some(dictionary.clone());
        }
        Ok(())
    }
}

fn numbered(level: u8) -> CompressionLevel {
    CompressionLevel::from_level(i32::from(level))
}

impl ZstdEncoder for StructuredZstd {
    fn compress(
        &mut self,
        raw: &[u8],
        level: u8,
        dictionary: Option<&ZstdDictionary>,
        framing: ZstdFraming,
    ) -> Result<Vec<u8>, CodecError> {
        self.set_level(level)?;
        self.set_dictionary(dictionary)?;
        let compact = framing.is_compact();
        self.compressor.set_magicless(compact);
        self.compressor.set_content_size_flag(!compact);
        self.compressor.set_dictionary_id_flag(!compact);
        self.compressor.set_content_checksum(!compact);
        Ok(self.compressor.compress_independent_frame(raw))
    }
}

impl Default for StructuredZstd {
    fn default() -> StructuredZstd {
        StructuredZstd::new()
    }
}

impl core::fmt::Debug for StructuredZstd {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StructuredZstd")
            .field("level", &self.level)
            .field("dictionary", &self.dictionary)
            .finish_non_exhaustive()
    }
}
