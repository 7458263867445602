//! What a trained dictionary gives to frames besides its text (RFC 8878, 5).

use super::Result;
use super::fse::FseTable;
use super::huffman::HuffmanTable;
use super::literals::little_endian;
use super::sequences::{LITERAL_LENGTHS, MATCH_LENGTHS, OFFSETS};
use crate::{ByteReader, CodecError};

const MAGIC: [u8; 4] = [0x37, 0xA4, 0x30, 0xEC];
const MALFORMED: CodecError = CodecError::Malformed("zstd dictionary");

/// The tables that the first block of a frame may use as if a block before had left them.
pub(in super::super) struct Trained {
    /// What frames call it; not 0.
    pub(in super::super) id: u32,
    /// Where its text begins.
    pub(in super::super) text_from: usize,
    pub(super) literals: HuffmanTable,
    pub(super) offsets: FseTable,
    pub(super) match_lengths: FseTable,
    pub(super) literal_lengths: FseTable,
    pub(super) recent: [usize; 3],
}

impl Trained {
    /// Reads a dictionary; `None` if it is not a trained one, and so all text.
    pub(in super::super) fn read(
        bytes: &[u8],
    ) -> core::result::Result<Option<Trained>, CodecError> {
        match bytes.strip_prefix(&MAGIC) {
            None => Ok(None),
            Some(rest) => match Trained::read_tables(rest, bytes.len()) {
                Ok(trained) => Ok(Some(trained)),
                Err(_) => Err(MALFORMED),
            },
        }
    }

    fn read_tables(rest: &[u8], len: usize) -> Result<Trained> {
        let mut reader = ByteReader::new(rest);
        let id = u32::try_from(little_endian(reader.take(4)?)).map_err(|_| MALFORMED)?;
        let mut trained = Trained {
            id,
            text_from: 0,
            literals: HuffmanTable::default(),
            offsets: FseTable::default(),
            match_lengths: FseTable::default(),
            literal_lengths: FseTable::default(),
            recent: [0; 3],
        };
        let mut rest = trained.literals.read(reader.rest())?;
        for (table, field) in [
            (&mut trained.offsets, OFFSETS),
            (&mut trained.match_lengths, MATCH_LENGTHS),
            (&mut trained.literal_lengths, LITERAL_LENGTHS),
        ] {
            rest = table.read(rest, field.log_max, field.code_max)?;
        }
        let mut reader = ByteReader::new(rest);
        for offset in &mut trained.recent {
            *offset = little_endian(reader.take(4)?);
        }
        let text = reader.rest();
        let is_inside = |offset: &usize| (1..=text.len()).contains(offset);
        if id == 0 || !trained.recent.iter().all(is_inside) {
            return Err(MALFORMED);
        }
        trained.text_from = len - text.len();
        Ok(trained)
    }

    /// Memory that it holds.
    pub(in super::super) fn memory_bytes(&self) -> usize {
        self.literals.memory_bytes()
            + self.offsets.memory_bytes()
            + self.match_lengths.memory_bytes()
            + self.literal_lengths.memory_bytes()
            + size_of::<Trained>()
    }
}
