//! Light codecs with zstd-3 as general stage in place of LZ4: our cascades, or single codecs.

use super::columnar::{self, Frames};
use super::general::{General, Packer};
use crate::ours::encode_blocks;
use crate::set::{Column, Values};
use varve_codec::{Codec, Stage};

const FRAME_VECTORS: usize = 8;

const DOUBLES: &[Codec] = &[Codec::Plain, Codec::Alp, Codec::Dictionary, Codec::RunEnds];
const INTEGERS: &[Codec] = &[
    Codec::Plain,
    Codec::Delta,
    Codec::Dictionary,
    Codec::RunEnds,
];
const STRINGS: &[Codec] = &[Codec::Plain, Codec::Fsst, Codec::Dictionary, Codec::RunEnds];

/// Bytes that a column takes under zstd-3 and that light codec which is best for it, alone.
pub fn single_bytes(column: &Column) -> u64 {
    let suited = match &column.values {
        Values::Float64(_) => DOUBLES,
        Values::Int32(_) | Values::Int64(_) => INTEGERS,
        Values::Text(_) | Values::Bytes(_) => STRINGS,
        Values::Bool(_) => &[Codec::Auto],
    };
    let bytes = suited.iter().map(|codec| bytes_as(column, *codec));
    bytes.min().unwrap_or(0)
}

/// Bytes that a column takes: a block is the cascade or plain values, whichever is smaller.
pub fn bytes(column: &Column) -> u64 {
    bytes_as(column, Codec::Auto)
}

fn bytes_as(column: &Column, codec: Codec) -> u64 {
    let plain: Frames = columnar::encode(column, General::Zstd);
    let mut plain = plain
        .iter()
        .map(|(rows, packed)| (*rows, packed.stored.len() as u64));
    let mut packer = Packer::new(General::Zstd);
    let mut total = 0;
    let mut before = Vec::new();
    encode_blocks(
        column,
        Stage::None,
        codec,
        |vector_rows, _, shared, vectors| {
            let mut bytes = 0;
            if shared != before {
                bytes += packer.pack(&shared).stored.len() as u64;
                before.clone_from(&shared);
            }
            for frame in vectors.chunks(FRAME_VECTORS) {
                bytes += packer.pack(&frame.concat()).stored.len() as u64;
            }
            let frames = vector_rows.len().div_ceil(FRAME_VECTORS);
            let plain_bytes: u64 = plain.by_ref().take(frames).map(|(_, bytes)| bytes).sum();
            total += bytes.min(plain_bytes);
        },
    );
    total
}
