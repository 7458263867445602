//! The general stage: byte compression laid over the encoded vectors of a frame.

mod lz4;
mod zstd;

pub use lz4::{compress_lz4, decompress_lz4};
#[cfg(feature = "zstd-encode")]
pub use zstd::{StructuredZstd, train_dictionary};
pub use zstd::{
    ZSTD_DICTIONARY_BYTES_MAX, ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZSTD_TRAINING_BYTES_MAX,
    ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdFraming, ZstdSamples, decompress_zstd,
};
