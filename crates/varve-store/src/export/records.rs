//! The framing of an export: a preamble, then records.
//!
//! Preamble: magic `VEXP`, format version (u16), 0 (u16). Record: checksum (u64), kind (u8), bytes
//! of the payload (u32), payload. The checksum is the xxh3-64 of what follows it in the record,
//! seeded with the checksum of the record before (0 for the first one): so it stands for everything
//! up to there, and that of the last record for the whole export. Numbers are little-endian.
//! Exports may follow each other in one stream.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::export::record_kind::RecordKind;

const MAGIC: [u8; 4] = *b"VEXP";
/// The format version that is written and read.
const VERSION: u16 = 1;
const PREAMBLE_BYTES: usize = 8;
/// Checksum, kind and length.
const FRAME_BYTES: usize = 13;
const CHECKSUM_BYTES: usize = 8;
/// No record is longer: a length beyond it is damage.
const PAYLOAD_BYTES_MAX: usize = 1 << 28;

/// The error of an export whose bytes are not what was written.
pub(super) fn damaged(what: impl core::fmt::Display) -> StoreError {
    StoreError::corrupted(format!("the export is damaged: {what}"))
}

/// Makes the bytes of an export.
#[derive(Default)]
pub(super) struct RecordWriter {
    out: Vec<u8>,
    /// The checksum of the last record.
    checksum: u64,
}

impl RecordWriter {
    /// One that has written the preamble.
    pub(super) fn new() -> RecordWriter {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.extend_from_slice(&[0, 0]);
        RecordWriter { out, checksum: 0 }
    }

    /// Appends a record; the payload is what these say one after the other.
    pub(super) fn put(&mut self, kind: RecordKind, payload: &[&[u8]]) -> Result<()> {
        let bytes: usize = payload.iter().map(|part| part.len()).sum();
        let length = u32::try_from(bytes)
            .ok()
            .filter(|_| bytes <= PAYLOAD_BYTES_MAX);
        let length = length.ok_or_else(|| {
            StoreError::internal(format!("a record of {bytes} bytes cannot be exported"))
        })?;
        self.out.reserve(FRAME_BYTES + bytes);
        let start = self.out.len();
        self.out.extend_from_slice(&[0; CHECKSUM_BYTES]);
        self.out.push(kind as u8);
        self.out.extend_from_slice(&length.to_le_bytes());
        for part in payload {
            self.out.extend_from_slice(part);
        }
        if let Some((checksum, rest)) = self
            .out
            .get_mut(start..)
            .and_then(<[u8]>::split_first_chunk_mut::<CHECKSUM_BYTES>)
        {
            self.checksum = xxh3_64_with_seed(rest, self.checksum);
            *checksum = self.checksum.to_le_bytes();
        }
        Ok(())
    }

    /// Bytes that were not taken yet.
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Takes so many bytes, or what there is.
    pub(super) fn take(&mut self, bytes_max: usize) -> Vec<u8> {
        let bytes = self.out.len().min(bytes_max);
        let rest = self.out.split_off(bytes);
        core::mem::replace(&mut self.out, rest)
    }
}

/// What is next in a stream of exports.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// An export begins.
    Start,
    Record(RecordKind, Vec<u8>),
}

/// Reads exports from bytes that come piece by piece. It holds the bytes of one record at most,
/// beside the last piece.
#[derive(Default)]
pub(super) struct RecordReader {
    buffer: Vec<u8>,
    /// How much of it has been read.
    read: usize,
    /// The checksum of the last record, within an export.
    within: Option<u64>,
}

impl RecordReader {
    /// Takes the next bytes of the stream.
    pub(super) fn push(&mut self, piece: &[u8]) {
        self.buffer.drain(..self.read);
        self.read = 0;
        self.buffer.extend_from_slice(piece);
    }

    /// Bytes that it holds.
    pub(super) fn held_bytes(&self) -> usize {
        self.buffer.capacity()
    }

    /// Whether everything was read, and no export is incomplete.
    pub(super) fn is_at_end(&self) -> bool {
        self.within.is_none() && self.read == self.buffer.len()
    }

    /// The next item; `None` where its last bytes have not come yet.
    pub(super) fn next(&mut self) -> Result<Option<Item>> {
        let rest = self.buffer.get(self.read..).unwrap_or_default();
        let Some(before) = self.within else {
            let Some((preamble, _)) = rest.split_first_chunk::<PREAMBLE_BYTES>() else {
                return Ok(None);
            };
            check_preamble(*preamble)?;
            self.read += PREAMBLE_BYTES;
            self.within = Some(0);
            return Ok(Some(Item::Start));
        };
        let Some((frame, payload)) = rest.split_first_chunk::<FRAME_BYTES>() else {
            return Ok(None);
        };
        let [c0, c1, c2, c3, c4, c5, c6, c7, code, l0, l1, l2, l3] = *frame;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        let kind = RecordKind::of_code(code).filter(|_| length <= PAYLOAD_BYTES_MAX);
        let kind = kind.ok_or_else(|| damaged("no record begins where one should"))?;
        let Some(payload) = payload.get(..length) else {
            return Ok(None);
        };
        let checksum = u64::from_le_bytes([c0, c1, c2, c3, c4, c5, c6, c7]);
        let summed = rest.get(CHECKSUM_BYTES..FRAME_BYTES + length);
        if xxh3_64_with_seed(summed.unwrap_or_default(), before) != checksum {
            return Err(damaged("a checksum does not fit"));
        }
        let payload = payload.to_vec();
        self.read += FRAME_BYTES + length;
        self.within = (kind != RecordKind::End).then_some(checksum);
        Ok(Some(Item::Record(kind, payload)))
    }
}

fn check_preamble(preamble: [u8; PREAMBLE_BYTES]) -> Result<()> {
    let [m0, m1, m2, m3, v0, v1, z0, z1] = preamble;
    let version = u16::from_le_bytes([v0, v1]);
    if [m0, m1, m2, m3] != MAGIC {
        return Err(StoreError::corrupted("this is no export of a store"));
    }
    if version > VERSION {
        return Err(StoreErrorKind::FormatTooNew {
            record: "the export".to_owned(),
            version,
            known: VERSION,
        }
        .into());
    }
    match (version, z0, z1) {
        (VERSION, 0, 0) => Ok(()),
        _ => Err(damaged("its first bytes")),
    }
}
