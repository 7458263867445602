//! Our light codecs with zstd-3 as general stage in place of LZ4. A block is the cascade or plain
//! values, whichever is smaller under zstd.

use super::columnar::{self, Frames};
use super::general::{General, Packer};
use crate::ours::encode_blocks;
use crate::set::Column;
use varve_codec::{Codec, Stage};

const FRAME_VECTORS: usize = 8;

/// Bytes that a column takes.
pub fn bytes(column: &Column) -> u64 {
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
        Codec::Auto,
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
