//! The vectors of a block as stored: frames of up to eight vectors, each with or without a general
//! stage.
//!
//! Layout: for each frame: vectors (u8), stage (u8: 0 none, 1 LZ4), bytes before the stage, bytes
//! stored (varints); then the stored bytes of the frames. Before the stage a frame is the lengths
//! of its vectors (varints), then the vectors.

use std::ops::Range;
use std::sync::OnceLock;

use crate::reader::ByteReader;
use crate::stage::{compress_lz4, decompress_lz4};
use crate::writer::put_varint;
use crate::{BLOCK_VECTORS_MAX, CodecError};

const STAGE_NONE: u8 = 0;
const STAGE_LZ4: u8 = 1;
/// The most vectors in a frame.
pub(crate) const FRAME_VECTORS_MAX: usize = 8;
/// A frame ends with the vector in which it passes this.
const FRAME_BYTES_MAX: usize = 256 << 10;
/// Frames above this are stored without a general stage, so that undoing one never allocates more.
const STAGED_BYTES_MAX: usize = 16 << 20;

/// The general stage over the frames of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// No general stage: for columns of point reads.
    None,
    /// LZ4 where it saves more than a tenth of a frame.
    Lz4,
}

/// A frame as it is stored.
#[derive(Clone, Debug)]
pub struct WrittenFrame {
    vectors: usize,
    stage: u8,
    raw_bytes: usize,
    stored: Vec<u8>,
}

impl WrittenFrame {
    /// Number of vectors.
    pub fn vectors(&self) -> usize {
        self.vectors
    }

    /// Bytes after the general stage.
    pub fn bytes(&self) -> usize {
        self.stored.len()
    }
}

/// Frames of encoded vectors.
pub fn write_frames<'a>(
    vectors: impl Iterator<Item = &'a [u8]>,
    stage: Stage,
) -> Vec<WrittenFrame> {
    let mut frames = Vec::new();
    let mut pending: Vec<&[u8]> = Vec::new();
    let mut pending_bytes = 0;
    for vector in vectors {
        pending.push(vector);
        pending_bytes += vector.len();
        if pending.len() == FRAME_VECTORS_MAX || pending_bytes > FRAME_BYTES_MAX {
            frames.push(write_frame(&pending, stage));
            pending.clear();
            pending_bytes = 0;
        }
    }
    if !pending.is_empty() {
        frames.push(write_frame(&pending, stage));
    }
    frames
}

fn write_frame(vectors: &[&[u8]], stage: Stage) -> WrittenFrame {
    let mut raw = Vec::new();
    for vector in vectors {
        put_varint(vector.len() as u64, &mut raw);
    }
    for vector in vectors {
        raw.extend_from_slice(vector);
    }
    let raw_bytes = raw.len();
    let (stage, stored) = match stage {
        Stage::Lz4 if raw_bytes <= STAGED_BYTES_MAX => match compress_lz4(&raw) {
            // The general stage must save more than a tenth.
            block if block.len() * 10 < raw_bytes * 9 => (STAGE_LZ4, block),
            _ => (STAGE_NONE, raw),
        },
        Stage::None | Stage::Lz4 => (STAGE_NONE, raw),
    };
    WrittenFrame {
        vectors: vectors.len(),
        stage,
        raw_bytes,
        stored,
    }
}

/// Appends these frames behind their directory.
pub fn put_frames(frames: &[WrittenFrame], out: &mut Vec<u8>) {
    for frame in frames {
        out.push(u8::try_from(frame.vectors).unwrap_or(u8::MAX));
        out.push(frame.stage);
        put_varint(frame.raw_bytes as u64, out);
        put_varint(frame.stored.len() as u64, out);
    }
    for frame in frames {
        out.extend_from_slice(&frame.stored);
    }
}

/// One of the frames that are read.
#[derive(Debug)]
pub struct Frame {
    first_vector: usize,
    vectors: usize,
    stage: u8,
    raw_bytes: usize,
    /// Where in the bytes its stored bytes are.
    stored: Range<usize>,
    /// The bytes before the stage, once they were needed.
    raw: OnceLock<Vec<u8>>,
}

/// The directory of frames of `vectors` vectors, the first of which is `first_vector` of the block.
pub fn read_frames(
    stored: &[u8],
    first_vector: usize,
    vectors: usize,
) -> Result<Vec<Frame>, CodecError> {
    let mut reader = ByteReader::new(stored);
    let mut frames: Vec<Frame> = Vec::new();
    let (mut seen, mut stored_bytes) = (0, 0);
    while seen < vectors.min(BLOCK_VECTORS_MAX) {
        let count = usize::from(reader.u8()?);
        let stage = reader.u8()?;
        let raw_bytes = reader.count(0, u32::MAX as usize, "frame length")?;
        let bytes = reader.count(0, stored.len(), "frame length")?;
        let sound_stage = match stage {
            STAGE_NONE => raw_bytes == bytes,
            STAGE_LZ4 => true,
            _ => false,
        };
        if count == 0 || !sound_stage {
            return Err(CodecError::Malformed("frame"));
        }
        frames.push(Frame {
            first_vector: first_vector + seen,
            vectors: count,
            stage,
            raw_bytes,
            stored: stored_bytes..stored_bytes + bytes,
            raw: OnceLock::new(),
        });
        seen += count;
        stored_bytes += bytes;
    }
    let header_bytes = stored.len() - reader.rest().len();
    if seen != vectors || reader.rest().len() != stored_bytes {
        return Err(CodecError::Malformed("frame directory"));
    }
    for frame in &mut frames {
        frame.stored.start += header_bytes;
        frame.stored.end += header_bytes;
    }
    Ok(frames)
}

impl Frame {
    /// The first vector in it.
    pub fn first_vector(&self) -> usize {
        self.first_vector
    }

    /// The bytes of vector `vector` of the block; `stored` are the bytes that the frame came from.
    /// A general stage is undone once.
    pub fn vector<'a>(&'a self, stored: &'a [u8], vector: usize) -> Result<&'a [u8], CodecError> {
        let mut reader = ByteReader::new(self.content(stored)?);
        let (mut before, mut bytes) = (0, 0);
        for at in self.first_vector..self.first_vector + self.vectors {
            let length = reader.count(0, self.raw_bytes, "vector length")?;
            if at < vector {
                before += length;
            } else if at == vector {
                bytes = length;
            }
        }
        reader.take(before)?;
        reader.take(bytes)
    }

    fn content<'a>(&'a self, stored: &'a [u8]) -> Result<&'a [u8], CodecError> {
        let stored = stored
            .get(self.stored.clone())
            .ok_or(CodecError::UnexpectedEnd)?;
        if self.stage == STAGE_NONE {
            return Ok(stored);
        }
        if let Some(raw) = self.raw.get() {
            return Ok(raw);
        }
        let raw = decompress_lz4(stored, self.raw_bytes, STAGED_BYTES_MAX)?;
        Ok(self.raw.get_or_init(|| raw))
    }
}
