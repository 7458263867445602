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
        while !reader.rest().is_empty() {
            if !framing.is_compact() {
                match little_endian(reader.take(4)?) {
                    MAGIC => {}
                    magic if magic & !15 == SKIPPABLE => {
                        let bytes = little_endian(reader.take(4)?);
                        reader.take(bytes)?;
                        continue;
                    }
                    _ => return Err(MALFORMED),
                }
            }
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
        let head = reader.u8()?;
        let is_single_segment = head & 0x20 != 0;
        let has_checksum = head & 4 != 0;
        if head & 8 != 0 {
            return Err(MALFORMED);
        }
        if !is_single_segment {
            // The window, which is never more than what is decoded.
            reader.u8()?;
        }
        let id = little_endian(reader.take((1 << (head & 3)) >> 1)?);
        let known_id = dictionary.map_or(0, |dictionary| dictionary.id() as usize);
        if id != 0 && id != known_id {
            return Err(MALFORMED);
        }
        let declared = match (head >> 6, is_single_segment) {
            (0, false) => None,
            (0, true) => Some(little_endian(reader.take(1)?)),
            (1, _) => Some(little_endian(reader.take(2)?) + 256),
            (2, _) => Some(little_endian(reader.take(4)?)),
            _ => Some(wide(reader.take(8)?)?),
        };
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
        if declared.is_some_and(|declared| declared != written) {
            return Err(MALFORMED);
        }
        if has_checksum {
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
        let head = little_endian(reader.take(3)?);
        let bytes = head >> 3;
        if bytes > BLOCK_BYTES_MAX {
            return Err(MALFORMED);
        }
        match (head >> 1) & 3 {
            0 => content.append(reader.take(bytes)?)?,
            1 => {
                let byte = reader.u8()?;
                content.fill(byte, bytes)?;
            }
            2 => {
                let trained = dictionary.and_then(ZstdDictionary::trained);
                let mut block = ByteReader::new(reader.take(bytes)?);
                let table = trained.map(|trained| &trained.literals);
                let literals = self.literals.read(&mut block, table)?;
                self.sequences
                    .run(block.rest(), literals, trained, content)?;
            }
            _ => return Err(MALFORMED),
        }
        Ok(head & 1 == 1)
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
