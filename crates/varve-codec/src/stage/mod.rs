//! The general stage: byte compression laid over the encoded vectors of a frame.

mod lz4;
mod zstd;

pub use lz4::{compress_lz4, decompress_lz4};
#[cfg(feature = "zstd-encode")]
pub use zstd::{StructuredZstd, StructuredZstdEncoders, train_dictionary};
pub use zstd::{
    ZSTD_DICTIONARY_BYTES_MAX, ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZSTD_TRAINING_BYTES_MAX,
    ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming, ZstdSamples,
    decompress_zstd, zstd_content_bytes_max,
};

use crate::CodecError;

/// Room for what a header says; refused above `bytes_max`.
fn buffer(raw_bytes: usize, bytes_max: usize) -> Result<Vec<u8>, CodecError> {
    if raw_bytes > bytes_max {
        return Err(CodecError::TooLarge {
            bytes: raw_bytes,
            bytes_max,
        });
    }
    Ok(vec![0; raw_bytes])
}
