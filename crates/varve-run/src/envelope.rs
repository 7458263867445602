//! The envelope around every stored value of a run.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 4 | magic `VRUN` |
//! | 4 | 2 | format version, little-endian |
//! | 6 | 1 | kind: 1 head, 2 data |
//! | 7 | 1 | 0 |
//! | 8 | 8 | xxh3-64 of the payload, seeded with run, value number and kind, little-endian |
//! | 16 | | payload |
//!
//! The seed makes a sound value in the wrong place as corrupt as a broken one. The fields before
//! the checksum are compared with constants, so nothing of the value goes unchecked.

use std::sync::Arc;

use varve_codec::CodecError;
use varve_types::RunId;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::RunError;

const MAGIC: [u8; 4] = *b"VRUN";
/// The format version that is written and read.
const VERSION: u16 = 1;
/// Bytes before the payload.
pub(crate) const ENVELOPE_BYTES: usize = 16;

/// What a value holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Head,
    Data(u32),
}

impl Kind {
    fn code(self) -> u8 {
        match self {
            Kind::Head => 1,
            Kind::Data(_) => 2,
        }
    }

    fn value_number(self) -> Option<u32> {
        match self {
            Kind::Head => None,
            Kind::Data(number) => Some(number),
        }
    }

    fn checksum(self, run: RunId, payload: &[u8]) -> u64 {
        let number = u64::from(self.value_number().unwrap_or(u32::MAX));
        let seed = run.0.rotate_left(40) ^ (number << 8) ^ u64::from(self.code());
        xxh3_64_with_seed(payload, seed)
    }
}

/// A value with room for the envelope, whose payload is appended before [`seal`].
pub(crate) fn begin() -> Vec<u8> {
    vec![0; ENVELOPE_BYTES]
}

/// Fills in the envelope.
pub(crate) fn seal(kind: Kind, run: RunId, value: &mut [u8]) {
    if let Some((envelope, payload)) = value.split_first_chunk_mut::<ENVELOPE_BYTES>() {
        *envelope = expected(kind, run, payload);
    }
}

/// The payload of a value, if its envelope is sound.
pub(crate) fn open(kind: Kind, run: RunId, value: &[u8]) -> Result<&[u8], RunError> {
    let corrupt = RunError::corrupt(run, kind.value_number());
    let (envelope, payload) = value
        .split_first_chunk::<ENVELOPE_BYTES>()
        .ok_or_else(|| corrupt(CodecError::UnexpectedEnd))?;
    let [m0, m1, m2, m3, v0, v1, ..] = *envelope;
    let version = u16::from_le_bytes([v0, v1]);
    if [m0, m1, m2, m3] != MAGIC {
        Err(corrupt(CodecError::Malformed("magic")))
    } else if version > VERSION {
        Err(RunError::UnsupportedVersion { run, version })
    } else if *envelope != expected(kind, run, payload) {
        Err(corrupt(CodecError::Malformed("checksum")))
    } else {
        Ok(payload)
    }
}

fn expected(kind: Kind, run: RunId, payload: &[u8]) -> [u8; ENVELOPE_BYTES] {
    let [m0, m1, m2, m3] = MAGIC;
    let [v0, v1] = VERSION.to_le_bytes();
    let [c0, c1, c2, c3, c4, c5, c6, c7] = kind.checksum(run, payload).to_le_bytes();
    let code = kind.code();
    [
        m0, m1, m2, m3, v0, v1, code, 0, c0, c1, c2, c3, c4, c5, c6, c7,
    ]
}

/// Large values take a multiple of so many bytes of memory: where one was given up, the next one
/// fits, although no two have the same size. Otherwise a cache of values leaves gaps.
const ROOM_BYTES: usize = 64 << 10;

/// A data value whose envelope was found sound; what page caches hold, so that each page is checked
/// once.
#[derive(Clone, Debug)]
pub struct CheckedValue {
    number: u32,
    bytes: Arc<Vec<u8>>,
}

impl CheckedValue {
    /// Checks value `number` of `run` as it was stored.
    pub fn check(run: RunId, number: u32, bytes: Arc<[u8]>) -> Result<CheckedValue, RunError> {
        open(Kind::Data(number), run, &bytes)?;
        let room = match bytes.len() {
            small if small < ROOM_BYTES => small,
            large => large.next_multiple_of(ROOM_BYTES),
        };
        let mut kept = Vec::with_capacity(room);
        kept.extend_from_slice(&bytes);
        Ok(CheckedValue {
            number,
            bytes: Arc::new(kept),
        })
    }

    /// The number of the value in its run.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Bytes that the value takes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Some bytes of the payload.
    pub(crate) fn payload(&self, offset: u32, bytes: u32) -> Result<&[u8], CodecError> {
        let start = ENVELOPE_BYTES.saturating_add(offset as usize);
        let part = self.bytes.get(start..start.saturating_add(bytes as usize));
        part.ok_or(CodecError::UnexpectedEnd)
    }
}
