//! The vectors of a block as stored: frames of up to eight vectors, each with or without a general
//! stage.
//!
//! Layout: for each frame: vectors (u8), stage (u8: 0 none, 1 LZ4, 2 zstd, 3 zstd with a
//! dictionary), the resource of the shared part that is the dictionary, where there is one, bytes
//! before the stage, bytes stored (varints); then the stored bytes of the frames. Before the stage
//! a frame is the lengths of its vectors (varints), then the vectors. Frames of zstd are compact
//! ones: see [`ZstdFraming`].

use std::ops::Range;
use std::sync::OnceLock;

use crate::reader::ByteReader;
use crate::stage::{compress_lz4, decompress_lz4};
use crate::writer::{fitting, put_varint};
use crate::{
    BLOCK_VECTORS_MAX, CodecError, ZstdDictionary, ZstdEncoder, ZstdFraming, decompress_zstd,
};

const STAGE_NONE: u8 = 0;
const STAGE_LZ4: u8 = 1;
const STAGE_ZSTD: u8 = 2;
const STAGE_ZSTD_DICTIONARY: u8 = 3;
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
    dictionary: Option<u64>,
    raw_bytes: usize,
    stored: Vec<u8>,
}

/// zstd as the general stage.
pub struct ZstdStage<'a> {
    /// Makes the frames.
    pub encoder: &'a mut dyn ZstdEncoder,
    /// 1 to 19.
    pub level: u8,
    /// A dictionary and the id that it is stored under.
    pub dictionary: Option<(u64, ZstdDictionary)>,
    /// The most vectors in a frame: 8, or 1 for columns of point reads.
    pub vectors_max: usize,
}

/// Finds the dictionaries that frames name.
pub trait ZstdDictionaries {
    /// The dictionary stored under `id`.
    fn dictionary(&self, id: u64) -> Option<&ZstdDictionary>;
}

/// There are no dictionaries.
impl ZstdDictionaries for () {
    fn dictionary(&self, _: u64) -> Option<&ZstdDictionary> {
        None
    }
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
    let frames = cut(vectors, FRAME_VECTORS_MAX).into_iter();
    let frames = frames.map(|vectors| match stage {
        Stage::None => plain_frame(&vectors),
        Stage::Lz4 => plain_frame(&vectors).staged(STAGE_LZ4, None, compress_lz4),
    });
    frames.collect()
}

/// Frames of encoded vectors under zstd, where that saves more than a tenth of a frame.
pub fn write_zstd_frames<'a>(
    vectors: impl Iterator<Item = &'a [u8]>,
    stage: &mut ZstdStage<'_>,
) -> Result<Vec<WrittenFrame>, CodecError> {
    let dictionary = stage.dictionary.as_ref();
    let code = match dictionary {
        None => STAGE_ZSTD,
        Some(_) => STAGE_ZSTD_DICTIONARY,
    };
    let mut frames = Vec::new();
    for vectors in cut(vectors, stage.vectors_max) {
        let frame = plain_frame(&vectors);
        let tables = dictionary.map(|(_, tables)| tables);
        let framing = ZstdFraming::Compact;
        let block = stage
            .encoder
            .compress(&frame.stored, stage.level, tables, framing)?;
        frames.push(frame.staged(code, dictionary.map(|(id, _)| *id), |_| block));
    }
    Ok(frames)
}

/// Puts consecutive vectors together to frames.
pub(crate) fn cut<'a>(
    vectors: impl Iterator<Item = &'a [u8]>,
    vectors_max: usize,
) -> Vec<Vec<&'a [u8]>> {
    let mut frames: Vec<Vec<&[u8]>> = Vec::new();
    let mut room = false;
    let mut bytes = 0;
    for vector in vectors {
        match frames.last_mut().filter(|_| room) {
            Some(frame) => frame.push(vector),
            None => {
                frames.push(vec![vector]);
                bytes = 0;
            }
        }
        bytes += vector.len();
        let count = frames.last().map_or(0, Vec::len);
        room = count < vectors_max.min(FRAME_VECTORS_MAX) && bytes <= FRAME_BYTES_MAX;
    }
    frames
}

fn plain_frame(vectors: &[&[u8]]) -> WrittenFrame {
    let mut raw = Vec::new();
    for vector in vectors {
        put_varint(vector.len() as u64, &mut raw);
    }
    for vector in vectors {
        raw.extend_from_slice(vector);
    }
    WrittenFrame {
        vectors: vectors.len(),
        stage: STAGE_NONE,
        dictionary: None,
        raw_bytes: raw.len(),
        stored: raw,
    }
}

impl WrittenFrame {
    /// The frame under a general stage, if that saves more than a tenth.
    fn staged(
        self,
        stage: u8,
        dictionary: Option<u64>,
        compress: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> WrittenFrame {
        if self.raw_bytes > STAGED_BYTES_MAX {
            return self;
        }
        let stored = compress(&self.stored);
        if stored.len() * 10 >= self.raw_bytes * 9 {
            return self;
        }
        WrittenFrame {
            stage,
            dictionary,
            stored,
            ..self
        }
    }
}

/// Appends these frames behind their directory.
pub fn put_frames(frames: &[WrittenFrame], out: &mut Vec<u8>) -> Result<(), CodecError> {
    for frame in frames {
        let vectors = fitting(frame.vectors);
        out.push(vectors.ok_or(CodecError::Malformed("vectors of a frame"))?);
        out.push(frame.stage);
        if let Some(id) = frame.dictionary {
            put_varint(id, out);
        }
        put_varint(frame.raw_bytes as u64, out);
        put_varint(frame.stored.len() as u64, out);
    }
    for frame in frames {
        out.extend_from_slice(&frame.stored);
    }
    Ok(())
}

/// One of the frames that are read.
#[derive(Debug)]
pub struct Frame {
    first_vector: usize,
    vectors: usize,
    stage: u8,
    dictionary: Option<u64>,
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
        let dictionary = match stage {
            STAGE_ZSTD_DICTIONARY => Some(reader.varint()?),
            _ => None,
        };
        let raw_bytes = reader.count(0, u32::MAX as usize, "frame length")?;
        let bytes = reader.count(0, stored.len(), "frame length")?;
        let sound_stage = match stage {
            STAGE_NONE => raw_bytes == bytes,
            STAGE_LZ4 | STAGE_ZSTD | STAGE_ZSTD_DICTIONARY => true,
            _ => false,
        };
        if count == 0 || !sound_stage {
            return Err(CodecError::Malformed("frame"));
        }
        frames.push(Frame {
            first_vector: first_vector + seen,
            vectors: count,
            stage,
            dictionary,
            raw_bytes,
            stored: stored_bytes..stored_bytes + bytes,
            raw: OnceLock::new(),
        });
        seen += count;
        stored_bytes += bytes;
        if stored_bytes > stored.len() {
            return Err(CodecError::UnexpectedEnd);
        }
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
    pub fn vector<'a>(
        &'a self,
        stored: &'a [u8],
        vector: usize,
        dictionaries: &dyn ZstdDictionaries,
    ) -> Result<&'a [u8], CodecError> {
        let mut reader = ByteReader::new(self.content(stored, dictionaries)?);
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

    /// Bytes that the frame keeps since its general stage was undone.
    pub fn kept_bytes(&self) -> usize {
        self.raw.get().map_or(0, Vec::len)
    }

    fn content<'a>(
        &'a self,
        stored: &'a [u8],
        dictionaries: &dyn ZstdDictionaries,
    ) -> Result<&'a [u8], CodecError> {
        let stored = stored
            .get(self.stored.clone())
            .ok_or(CodecError::UnexpectedEnd)?;
        if self.stage == STAGE_NONE {
            return Ok(stored);
        }
        if let Some(raw) = self.raw.get() {
            return Ok(raw);
        }
        let raw = match self.stage {
            STAGE_LZ4 => decompress_lz4(stored, self.raw_bytes, STAGED_BYTES_MAX)?,
            _ => {
                let dictionary = match self.dictionary {
                    None => None,
                    Some(id) => Some(
                        dictionaries
                            .dictionary(id)
                            .ok_or(CodecError::MissingDictionary(id))?,
                    ),
                };
                let framing = ZstdFraming::Compact;
                decompress_zstd(
                    stored,
                    framing,
                    dictionary,
                    self.raw_bytes,
                    STAGED_BYTES_MAX,
                )?
            }
        };
        Ok(self.raw.get_or_init(|| raw))
    }
}

#[cfg(test)]
mod tests {
    use super::{Stage, ZstdStage, put_frames, read_frames, write_frames, write_zstd_frames};
    use crate::testing::mutations;
    use crate::{CodecError, ZstdDictionaries, ZstdDictionary, ZstdEncoder, ZstdFraming};

    /// Stands for an encoder: zeros as a frame of one repeated byte.
    struct Zeros;

    impl ZstdEncoder for Zeros {
        fn compress(
            &mut self,
            raw: &[u8],
            _: u8,
            _: Option<&ZstdDictionary>,
            framing: ZstdFraming,
        ) -> Result<Vec<u8>, CodecError> {
            assert!(framing.is_compact());
            let mut frame = vec![0, 0x58];
            for chunk in raw.chunks(100_000) {
                let header = (chunk.len() as u32) << 3 | 2;
                frame.extend_from_slice(&header.to_le_bytes()[..3]);
                frame.push(0);
            }
            frame.extend_from_slice(&[1, 0, 0]);
            Ok(frame)
        }
    }

    struct Shelf(ZstdDictionary);

    impl ZstdDictionaries for Shelf {
        fn dictionary(&self, id: u64) -> Option<&ZstdDictionary> {
            (id == 300).then_some(&self.0)
        }
    }

    #[test]
    fn vectors_come_back_from_their_frames() {
        let long = vec![7_u8; 300_000];
        let vectors: Vec<Vec<u8>> = (0..20)
            .map(|i| {
                if i == 3 {
                    long.clone()
                } else {
                    vec![i; usize::from(i) * 10]
                }
            })
            .collect();
        let frames = write_frames(vectors.iter().map(Vec::as_slice), Stage::Lz4);
        let counts: Vec<usize> = frames.iter().map(super::WrittenFrame::vectors).collect();
        assert_eq!(counts, [4, 8, 8], "the long vector ends its frame");
        let mut bytes = Vec::new();
        put_frames(&frames, &mut bytes).unwrap();
        assert!(bytes.len() < 3000);
        let frames = read_frames(&bytes, 5, 20).unwrap();
        for (i, vector) in vectors.iter().enumerate() {
            let frame = frames
                .iter()
                .rfind(|frame| frame.first_vector() <= i + 5)
                .unwrap();
            assert_eq!(frame.vector(&bytes, i + 5, &()).unwrap(), vector);
        }
        mutations(&bytes, 2000, |bytes| {
            for frame in read_frames(bytes, 0, 20).into_iter().flatten() {
                let _ = frame.vector(bytes, frame.first_vector(), &());
            }
        });
    }

    #[test]
    fn frames_name_the_dictionary_that_they_need() {
        let shelf = Shelf(ZstdDictionary::new(b"any bytes are a dictionary").unwrap());
        let vectors = [vec![0_u8; 500]];
        let mut stage = ZstdStage {
            encoder: &mut Zeros,
            level: 3,
            dictionary: Some((300, shelf.0.clone())),
            vectors_max: 1,
        };
        let frames = write_zstd_frames(vectors.iter().map(Vec::as_slice), &mut stage).unwrap();
        let mut bytes = Vec::new();
        put_frames(&frames, &mut bytes).unwrap();
        assert!(bytes.len() < 20);
        let frames = read_frames(&bytes, 0, 1).unwrap();
        assert_eq!(
            frames[0].vector(&bytes, 0, &()),
            Err(CodecError::MissingDictionary(300))
        );
    }
}
