//! The literals of a block (RFC 8878, 3.1.1.3.1).

use super::huffman::HuffmanTable;
use super::{BLOCK_BYTES_MAX, MALFORMED, Result};
use crate::ByteReader;

const STREAMS: usize = 4;

/// Decodes literals; keeps the table of codes, which later blocks may use again, and room for them.
#[derive(Default)]
pub(super) struct LiteralsDecoder {
    table: HuffmanTable,
    /// Whether the frame had a table of its own.
    has_table: bool,
    room: Vec<u8>,
}

impl LiteralsDecoder {
    /// Begins a frame.
    pub(super) fn reset(&mut self) {
        self.has_table = false;
    }

    /// Takes the literals off the front of a block; `trained` is the dictionary's table.
    pub(super) fn read<'a>(
        &'a mut self,
        block: &mut ByteReader<'a>,
        trained: Option<&HuffmanTable>,
    ) -> Result<&'a [u8]> {
        let head = block.u8()?;
        let form = (head >> 2) & 3;
        match head & 3 {
            0 => {
                let bytes = plain_bytes(head, form, block)?;
                block.take(bytes)
            }
            1 => {
                let bytes = plain_bytes(head, form, block)?;
                let literal = block.u8()?;
                self.room.clear();
                self.room.resize(bytes, literal);
                Ok(&self.room)
            }
            kind => {
                // Two sizes of equal width, in as few bytes as they fit into.
                let (more, width) = match form {
                    0 | 1 => (2, 10),
                    2 => (3, 14),
                    _ => (4, 18),
                };
                let sizes = (little_endian(block.take(more)?) as u64) << 4 | u64::from(head >> 4);
                let size = |bits: u64| usize::try_from(bits).map_err(|_| MALFORMED);
                let literals = size(sizes & ((1 << width) - 1))?;
                let section = block.take(size(sizes >> width)?)?;
                if literals > BLOCK_BYTES_MAX {
                    return Err(MALFORMED);
                }
                let streams = match kind {
                    2 => {
                        let streams = self.table.read(section)?;
                        self.has_table = true;
                        streams
                    }
                    _ => section,
                };
                let table = match (self.has_table, trained) {
                    (true, _) => &self.table,
                    (false, Some(trained)) => trained,
                    (false, None) => return Err(MALFORMED),
                };
                self.room.resize(literals, 0);
                match form {
                    0 => table.decode(streams, &mut self.room)?,
                    _ => decode_streams(table, streams, &mut self.room)?,
                }
                Ok(&self.room)
            }
        }
    }
}

/// How many literals there are of those that are not coded.
fn plain_bytes(head: u8, form: u8, block: &mut ByteReader<'_>) -> Result<usize> {
    let (more, shift) = match form {
        0 | 2 => (0, 3),
        1 => (1, 4),
        _ => (2, 4),
    };
    let high = little_endian(block.take(more)?) << (8 - shift);
    match high | usize::from(head >> shift) {
        bytes if bytes <= BLOCK_BYTES_MAX => Ok(bytes),
        _ => Err(MALFORMED),
    }
}

/// Four streams, behind the sizes of the first three; each has a quarter of the literals.
fn decode_streams(table: &HuffmanTable, section: &[u8], literals: &mut [u8]) -> Result<()> {
    let mut section = ByteReader::new(section);
    let sizes = section.take(2 * (STREAMS - 1))?;
    let mut quarters = literals.chunks_mut(literals.len().div_ceil(STREAMS).max(1));
    for size in sizes.chunks(2) {
        let stream = section.take(little_endian(size))?;
        table.decode(stream, quarters.next().ok_or(MALFORMED)?)?;
    }
    table.decode(section.rest(), quarters.next().ok_or(MALFORMED)?)
}

/// A number of up to four bytes.
pub(super) fn little_endian(bytes: &[u8]) -> usize {
    let append = |number: usize, byte: &u8| number << 8 | usize::from(*byte);
    bytes.iter().rev().fold(0, append)
}
