//! The general stage: byte compression laid over the encoded vectors of a frame.

mod lz4;

pub use lz4::{compress_lz4, decompress_lz4};
