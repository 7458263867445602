//! Frames and their blocks (RFC 8878, 3.1.1 and 3.1.2).

use xxhash_rust::xxh64::xxh64;

use super::literals::{LiteralsDecoder, little_endian};
use super::sequences::{Content, SequencesDecoder};
use super::{BLOCK_BYTES_MAX, MALFORMED, Result};
use crate::{ByteReader, ZstdDictionary, ZstdFraming};

const MAGIC: usize = 0xFD2F_B528;
/// The first of sixteen magics of frames that hold nothing of the content.
const SKIPPABLE: usize = 0x184D_2A50;

/// The memory that decoding needs, kept from frame to frame.
#[derive(Default)]
pub(in super::super) struct FrameDecoder {
    literals: LiteralsDecoder,
    sequences: SequencesDecoder,
}

impl FrameDecoder {
    /// Decodes frames that stand one behind the other, and gives the number of bytes written.
    pub(in super::super) fn decode(
        &mut self,
        frames: &[u8],
        framing: ZstdFraming,
        dictionary: Option<&ZstdDictionary>,
        raw: &mut [u8],
    ) -> Result<usize> {
        let mut written = 0;
        let mut reader = ByteReader::new(frames);
        while begin(&mut reader, framing)? {
            let room = raw.get_mut(written..).unwrap_or_default();
            written += self.decode_frame(&mut reader, dictionary, room)?;
        }
        Ok(written)
    }

    /// One frame behind its magic.
    fn decode_frame(
        &mut self,
        reader: &mut ByteReader<'_>,
        dictionary: Option<&ZstdDictionary>,
        raw: &mut [u8],
    ) -> Result<usize> {
        let header = Header::read(reader)?;
        let known_id = dictionary.map_or(0, |dictionary| dictionary.id() as usize);
        if header.dictionary != 0 && header.dictionary != known_id {
            return Err(MALFORMED);
        }
        let trained = dictionary.and_then(ZstdDictionary::trained);
        self.literals.reset();
        self.sequences.reset(trained);
        let mut content = Content {
            raw,
            at: 0,
            history: dictionary.map_or(&[], ZstdDictionary::text),
        };
        while !self.decode_block(reader, dictionary, &mut content)? {}
        let written = content.at;
        if header.content_bytes.is_some_and(|bytes| bytes != written) {
            return Err(MALFORMED);
        }
        if header.has_checksum {
            let hash = xxh64(content.raw.get(..written).unwrap_or_default(), 0);
            let checksum = u32::try_from(hash & 0xFFFF_FFFF).map_err(|_| MALFORMED)?;
            if reader.take(4)? != checksum.to_le_bytes() {
                return Err(MALFORMED);
            }
        }
        Ok(written)
    }

    /// One block; whether it was the last.
    fn decode_block(
        &mut self,
        reader: &mut ByteReader<'_>,
        dictionary: Option<&ZstdDictionary>,
        content: &mut Content<'_>,
    ) -> Result<bool> {
        let block = BlockHeader::read(reader)?;
        let bytes = block.bytes;
        match block.kind {
            0 => content.append(reader.take(bytes)?)?,
            1 => {
                let byte = reader.u8()?;
                content.fill(byte, bytes)?;
            }
            2 => {
                let trained = dictionary.and_then(ZstdDictionary::trained);
                let mut stored = ByteReader::new(reader.take(bytes)?);
                let table = trained.map(|trained| &trained.literals);
                let literals = self.literals.read(&mut stored, table)?;
                self.sequences
                    .run(stored.rest(), literals, trained, content)?;
            }
            _ => return Err(MALFORMED),
        }
        Ok(block.is_last)
    }
}

/// The most bytes that frames which stand one behind the other can hold: never more than
/// [`BLOCK_BYTES_MAX`] for each block that is there, whatever headers say.
pub(in super::super) fn content_bytes_max(frames: &[u8], framing: ZstdFraming) -> Result<usize> {
    let mut sum: usize = 0;
    let mut reader = ByteReader::new(frames);
    while begin(&mut reader, framing)? {
        let header = Header::read(&mut reader)?;
        let mut bytes_max: usize = 0;
        loop {
            let block = BlockHeader::read(&mut reader)?;
            let (stored, content) = match block.kind {
                0 => (block.bytes, block.bytes),
                1 => (1, block.bytes),
                _ => (block.bytes, BLOCK_BYTES_MAX),
            };
            reader.take(stored)?;
            bytes_max = bytes_max.saturating_add(content);
            if block.is_last {
                break;
            }
        }
        if header.has_checksum {
            reader.take(4)?;
        }
        if header.content_bytes.is_some_and(|bytes| bytes > bytes_max) {
            return Err(MALFORMED);
        }
        sum = sum.saturating_add(header.content_bytes.unwrap_or(bytes_max));
    }
    Ok(sum)
}

/// Passes over what stands before a frame's header, frames without content included; false where
/// there is no further one.
fn begin(reader: &mut ByteReader<'_>, framing: ZstdFraming) -> Result<bool> {
    while !reader.rest().is_empty() {
        if framing.is_compact() {
            return Ok(true);
        }
        match little_endian(reader.take(4)?) {
            MAGIC => return Ok(true),
            magic if magic & !15 == SKIPPABLE => {
                let bytes = little_endian(reader.take(4)?);
                reader.take(bytes)?;
            }
            _ => return Err(MALFORMED),
        }
    }
    Ok(false)
}

/// What a frame says of itself, behind its magic.
struct Header {
    has_checksum: bool,
    /// 0 where it names none.
    dictionary: usize,
    content_bytes: Option<usize>,
}

impl Header {
    fn read(reader: &mut ByteReader<'_>) -> Result<Header> {
        let head = reader.u8()?;
        let is_single_segment = head & 0x20 != 0;
        if head & 8 != 0 {
            return Err(MALFORMED);
        }
        if !is_single_segment {
            // The window, which is never more than what is decoded.
            reader.u8()?;
        }
        let dictionary = little_endian(reader.take((1 << (head & 3)) >> 1)?);
        let content_bytes = match (head >> 6, is_single_segment) {
            (0, false) => None,
            (0, true) => Some(little_endian(reader.take(1)?)),
            (1, _) => Some(little_endian(reader.take(2)?) + 256),
            (2, _) => Some(little_endian(reader.take(4)?)),
            _ => Some(wide(reader.take(8)?)?),
        };
        Ok(Header {
            has_checksum: head & 4 != 0,
            dictionary,
            content_bytes,
        })
    }
}

/// What stands before a block.
struct BlockHeader {
    is_last: bool,
    /// 0 as it is, 1 one byte that repeats, 2 compressed.
    kind: usize,
    /// Of the block, or how often its byte repeats.
    bytes: usize,
}

impl BlockHeader {
    fn read(reader: &mut ByteReader<'_>) -> Result<BlockHeader> {
        let head = little_endian(reader.take(3)?);
        let bytes = head >> 3;
        if bytes > BLOCK_BYTES_MAX {
            return Err(MALFORMED);
        }
        Ok(BlockHeader {
            is_last: head & 1 == 1,
            kind: (head >> 1) & 3,
            bytes,
        })
    }
}

/// A content size of eight bytes.
fn wide(bytes: &[u8]) -> Result<usize> {
    let (low, high) = bytes.split_at_checked(4).ok_or(MALFORMED)?;
    match little_endian(high) {
        0 => Ok(little_endian(low)),
        _ => Err(MALFORMED),
    }
}
