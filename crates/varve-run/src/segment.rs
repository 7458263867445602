//! Consecutive vectors of one column as stored: frames of up to eight vectors, each with or without
//! a general stage.
//!
//! Layout: for each frame: vectors (u8), stage (u8: 0 none, 1 LZ4), bytes before the stage, bytes
//! stored (varints); then the stored bytes of the frames. Before the stage a frame is the lengths
//! of its vectors (varints), then the vectors.

use std::ops::Range;
use std::sync::OnceLock;

use varve_codec::{ByteReader, CodecError, compress_lz4, decompress_lz4, put_varint};

use crate::GROUP_VECTORS_MAX;

const STAGE_NONE: u8 = 0;
const STAGE_LZ4: u8 = 1;
/// The most vectors in a frame.
const FRAME_VECTORS_MAX: usize = 8;
/// A frame ends with the vector in which it passes this.
const FRAME_BYTES_MAX: usize = 256 << 10;
/// Frames above this are stored without a general stage, so that undoing one never allocates more.
const STAGED_BYTES_MAX: usize = 16 << 20;

/// The frames of one column of one group, while they are written.
#[derive(Default)]
pub(crate) struct FrameWriter {
    /// Whether the column takes a general stage; key columns do not, since point reads go through
    /// them.
    staged: bool,
    frames: Vec<WrittenFrame>,
    pending: Vec<u8>,
    pending_lengths: Vec<usize>,
}

pub(crate) struct WrittenFrame {
    pub(crate) vectors: usize,
    stage: u8,
    raw_bytes: usize,
    stored: Vec<u8>,
}

impl WrittenFrame {
    pub(crate) fn bytes(&self) -> usize {
        self.stored.len()
    }
}

impl FrameWriter {
    pub(crate) fn new(staged: bool) -> FrameWriter {
        FrameWriter {
            staged,
            ..FrameWriter::default()
        }
    }

    /// Adds the next vector, which `encode` appends. Returns its bytes.
    pub(crate) fn add_vector<E>(
        &mut self,
        encode: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<usize, E> {
        let before = self.pending.len();
        encode(&mut self.pending)?;
        let bytes = self.pending.len() - before;
        self.pending_lengths.push(bytes);
        if self.pending_lengths.len() == FRAME_VECTORS_MAX || self.pending.len() > FRAME_BYTES_MAX {
            self.end_frame();
        }
        Ok(bytes)
    }

    /// Bytes of finished and pending frames.
    pub(crate) fn bytes(&self) -> usize {
        let finished: usize = self.frames.iter().map(WrittenFrame::bytes).sum();
        finished + self.pending.len()
    }

    /// All frames.
    pub(crate) fn finish(mut self) -> Vec<WrittenFrame> {
        self.end_frame();
        self.frames
    }

    fn end_frame(&mut self) {
        if self.pending_lengths.is_empty() {
            return;
        }
        let mut raw = Vec::with_capacity(self.pending.len() + self.pending_lengths.len() * 3);
        for length in &self.pending_lengths {
            put_varint(*length as u64, &mut raw);
        }
        raw.append(&mut self.pending);
        let vectors = self.pending_lengths.len();
        self.pending_lengths.clear();
        let raw_bytes = raw.len();
        let (stage, stored) = match self.staged && raw_bytes <= STAGED_BYTES_MAX {
            true => match compress_lz4(&raw) {
                // The general stage must save more than a tenth.
                block if block.len() * 10 < raw_bytes * 9 => (STAGE_LZ4, block),
                _ => (STAGE_NONE, raw),
            },
            false => (STAGE_NONE, raw),
        };
        self.frames.push(WrittenFrame {
            vectors,
            stage,
            raw_bytes,
            stored,
        });
    }
}

/// Appends a segment of these frames.
pub(crate) fn encode(frames: &[WrittenFrame], out: &mut Vec<u8>) {
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

/// One frame of a segment that is read.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) first_vector: usize,
    pub(crate) vectors: usize,
    stage: u8,
    raw_bytes: usize,
    /// Where in the segment its stored bytes are.
    stored: Range<usize>,
    /// The bytes before the stage, once they were needed.
    raw: OnceLock<Vec<u8>>,
}

/// The frames of a segment of `vectors` vectors.
pub(crate) fn decode(
    segment: &[u8],
    first_vector: usize,
    vectors: usize,
) -> Result<Vec<Frame>, CodecError> {
    let mut reader = ByteReader::new(segment);
    let mut frames: Vec<Frame> = Vec::new();
    let (mut seen, mut stored_bytes) = (0, 0);
    while seen < vectors.min(GROUP_VECTORS_MAX) {
        let count = usize::from(reader.u8()?);
        let stage = reader.u8()?;
        let raw_bytes = reader.count(0, u32::MAX as usize, "frame length")?;
        let bytes = reader.count(0, segment.len(), "frame length")?;
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
    let header_bytes = segment.len() - reader.rest().len();
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
    /// The bytes of vector `vector` of the group, where `segment` is the segment that the frame
    /// came from.
    pub(crate) fn vector<'a>(
        &'a self,
        segment: &'a [u8],
        vector: usize,
    ) -> Result<&'a [u8], CodecError> {
        let mut reader = ByteReader::new(self.content(segment)?);
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

    fn content<'a>(&'a self, segment: &'a [u8]) -> Result<&'a [u8], CodecError> {
        let stored = segment
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
