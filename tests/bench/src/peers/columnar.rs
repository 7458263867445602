//! Columns as plain bytes under a general-purpose compressor, in frames of as many rows as a frame
//! of ours: eight vectors.

use super::general::{General, Packed, Packer};
use super::plain::{Rows, put};
use crate::ours::vector_rows;
use crate::set::{Column, Set};
use std::hint::black_box;

const FRAME_VECTORS: usize = 8;

/// The frames of a column: rows and bytes.
pub type Frames = Vec<(usize, Packed)>;

/// Encodes a column.
pub fn encode(column: &Column, general: General) -> Frames {
    let mut codec = Packer::new(general);
    let mut raw = Vec::new();
    let mut first = 0;
    let vectors = vector_rows(column);
    let frame = |vectors: &[usize]| {
        let rows: usize = vectors.iter().sum();
        raw.clear();
        put(column, first..first + rows, &mut raw);
        first += rows;
        (rows, codec.pack(&raw))
    };
    vectors.chunks(FRAME_VECTORS).map(frame).collect()
}

/// Bytes that the frames take.
pub fn bytes(frames: &Frames) -> u64 {
    frames
        .iter()
        .map(|(_, packed)| packed.stored.len() as u64)
        .sum()
}

/// Decodes a column, frame by frame into the same buffers.
pub fn decode(column: &Column, frames: &Frames, general: General) {
    let mut codec = Packer::new(general);
    let mut out = Rows::default();
    for (rows, packed) in frames {
        out.read(column, *rows, codec.unpack(packed));
        black_box(&out);
    }
}

/// Encodes every column of a set.
pub fn encode_set(set: &Set, general: General) -> Vec<Frames> {
    set.columns
        .iter()
        .map(|column| encode(column, general))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{FRAME_VECTORS, encode};
    use crate::generate::{Size, generator};
    use crate::ours::vector_rows;
    use crate::peers::general::{General, Packer};
    use crate::peers::plain::{Rows, put};

    #[test]
    fn frames_come_back() {
        let set = generator("D7 readings").unwrap().set(Size::S);
        for column in &set.columns {
            for general in [General::Lz4, General::Zstd] {
                let mut codec = Packer::new(general);
                let mut first = 0;
                for (rows, packed) in encode(column, general) {
                    let mut raw = Vec::new();
                    put(column, first..first + rows, &mut raw);
                    assert_eq!(codec.unpack(&packed), raw);
                    let mut read = Rows::default();
                    read.read(column, rows, &raw);
                    let read_rows = read.ints.len() + read.doubles.len() + read.texts.len();
                    assert_eq!(read_rows, rows);
                    first += rows;
                }
                assert_eq!(first, column.rows());
            }
            let vectors = vector_rows(column);
            assert_eq!(
                encode(column, General::Lz4).len(),
                vectors.len().div_ceil(FRAME_VECTORS)
            );
        }
    }
}
