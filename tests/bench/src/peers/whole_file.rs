//! The reference zstd over a whole file.

use super::general::ZSTD_LEVEL;
use std::io::{Read, Write};

/// What zstd makes of the file.
pub fn encode(file: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), ZSTD_LEVEL).expect("the level exists");
    encoder.write_all(file).expect("memory suffices");
    encoder.finish().expect("memory suffices")
}

/// Reads it again, and returns its length.
pub fn decode(packed: &[u8]) -> u64 {
    let mut decoder = zstd::Decoder::new(packed).expect("memory suffices");
    let mut buffer = vec![0; 1 << 17];
    let mut bytes = 0;
    loop {
        match decoder.read(&mut buffer).expect("we compressed it") {
            0 => return bytes,
            read => bytes += read as u64,
        }
    }
}
