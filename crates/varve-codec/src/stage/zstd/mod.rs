//! Zstandard frames: matches over a whole frame and its dictionary, then an entropy stage.
//!
//! Pays where bytes stay for long and are read seldom: a third to a half smaller than LZ4 on text
//! and JSON, and with a trained dictionary also for single small rows, where nothing else can share
//! what rows have in common (127 bytes of JSON become 37). Worst case: 3 bytes for each 128 KiB,
//! beside the header.
//!
//! Measured on a MiB of such JSON, in MB/s natively and in wasm under Node: decoding 2000 and 1000,
//! encoding 315 and 132 on level 3, 65 and 15 on level 9, 2 and 2 on level 19. Natively, with a
//! prepared dictionary, 3 million such rows are decoded a second, 500,000 encoded on level 3 and
//! 15,000 on level 19. A dictionary of 112 KiB is trained in 0.6 s, and in 0.7 s in wasm.
//!
//! Format: RFC 8878.
//!
//! Frames come in two framings. A *standard* frame is what the `zstd` tool reads and writes. A
//! *compact* one leaves out all that the caller's own header knows: magic, content size, dictionary
//! id and checksum; it is `ZSTD_f_zstd1_magicless` of the reference library.
//!
//! The decoder is our own, as the crates' are made for streams and several times as large. The
//! encoder and the trainer are crate `structured-zstd`'s, pinned, because the encoder's choices are
//! part of our bytes: `tests/zstd` holds it to the same bytes on every processor and in wasm, and
//! both directions to what other implementations read and write. They are behind feature
//! `zstd-encode`, which the core wasm module leaves out; who needs one takes a [`ZstdEncoder`].

mod decode;
mod decoder;
mod dictionary;
mod encoder;
mod framing;
mod samples;
#[cfg(feature = "zstd-encode")]
mod structured;
#[cfg(feature = "zstd-encode")]
mod train;

pub use decoder::{ZstdDecoder, decompress_zstd, zstd_content_bytes_max};
pub use dictionary::ZstdDictionary;
pub use encoder::{ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZstdEncoder, ZstdEncoders};
pub use framing::ZstdFraming;
pub use samples::{ZSTD_DICTIONARY_BYTES_MAX, ZSTD_TRAINING_BYTES_MAX, ZstdSamples};
#[cfg(feature = "zstd-encode")]
pub use structured::{StructuredZstd, StructuredZstdEncoders};
#[cfg(feature = "zstd-encode")]
pub use train::train_dictionary;

#[cfg(test)]
mod tests;
