//! Chimp128: each double XORed with the one among the 128 before it that shares its low bits.
//!
//! Pays on doubles that come back after a while, where neither a dictionary nor ALP holds them.
//! Worst case: nine bytes a value, and a read of one row unwinds all before it; since a row may
//! build on one far before it there is no way back from the end but to decode the vector and walk
//! back. The chooser takes it only where it saves half.
//! Paper: Liakos, Papakonstantinopoulou, Kotidis, "Chimp: Efficient Lossless Floating Point
//! Compression for Time Series Databases" (2022), its parts in streams of their own.
//! Layout: bits of the first double (u64), number of bits (varint); for each row but the first its
//! kind (2 bits); then, each for the rows that have it: how many rows back less one (7 bits), the
//! class of leading zeros (3 bits), width less one (6 bits), the bits that are left.
//! Kinds: 0 equal to a row before; 1 the bits between leading and trailing zeros, against a row
//! before; 2 all behind the leading zeros, as many as at the row before; 3 with a new class of
//! them. Kinds 2 and 3 are against the row before.

use crate::CodecError;
use crate::bits::{bits_at, get, pack, packed_bytes, unpack};
use crate::entropy::BitWriter;
use crate::float::{f64_from_integer, integer_from_f64};
use crate::integers::leaves::block_leaf::BlockLeaf;
use crate::positions::{pick, rows_through};
use crate::reader::ByteReader;
use crate::tags::TAG_CHIMP;
use crate::writer::{low32, put_varint};

const EQUAL: u64 = 0;
const CENTRE: u64 = 1;
const SAME_LEADING: u64 = 2;
const NEW_LEADING: u64 = 3;

/// Leading zeros are rounded down to one of these.
const LEADING: [u32; 8] = [0, 8, 12, 16, 18, 20, 22, 24];
/// No class: nothing is the same as it.
const NO_CLASS: usize = LEADING.len();
const BACK_MAX: usize = 128;
/// Trailing zeros that pay for saying which row they are against.
const TRAILING_MIN: u32 = 6 + 7;
/// Rows are found by so many low bits.
const LOW_BITS: u32 = TRAILING_MIN + 1;

pub(crate) static LEAF: BlockLeaf = BlockLeaf {
    tag: TAG_CHIMP,
    for_doubles: true,
    rows_min: 1,
    // It must save half.
    decode_cost: 16,
    encode,
    decode,
    gather,
};

/// Appends the integers of at least one double.
pub(crate) fn encode(integers: &[i64], out: &mut Vec<u8>) -> Option<()> {
    let bits: Vec<u64> = integers
        .iter()
        .map(|integer| f64_from_integer(*integer).to_bits())
        .collect();
    let low = |bits: u64| low32(bits & ((1 << LOW_BITS) - 1)) as usize;
    // One past the last row with these low bits.
    let mut seen = vec![0_usize; 1 << LOW_BITS];
    let mut parts = Parts::default();
    let mut class = NO_CLASS;
    let mut before = 0;
    for (row, now) in bits.iter().enumerate() {
        let slot = seen.get_mut(low(*now));
        let found = slot.map_or(0, |slot| core::mem::replace(slot, row + 1));
        if row > 0 {
            let back = row - found.saturating_sub(1);
            let candidate = (found > 0 && back <= BACK_MAX)
                .then(|| bits.get(found - 1))
                .flatten()
                .map(|candidate| (back, candidate ^ now))
                .filter(|(_, change)| change.trailing_zeros() > TRAILING_MIN);
            class = parts.put(candidate, before ^ now, class);
        }
        before = *now;
    }
    out.extend_from_slice(&bits.first()?.to_le_bytes());
    put_varint(parts.stream.len() as u64, out);
    pack(parts.kinds.into_iter(), 2, out);
    pack(parts.backs.into_iter(), 7, out);
    pack(parts.classes.into_iter(), 3, out);
    pack(parts.widths.into_iter(), 6, out);
    out.append(&mut parts.stream.finish());
    Some(())
}

#[derive(Default)]
struct Parts {
    kinds: Vec<u64>,
    backs: Vec<u64>,
    classes: Vec<u64>,
    widths: Vec<u64>,
    stream: BitWriter,
}

impl Parts {
    /// Adds a row: how far back its candidate is and how it differs from that, how it differs from
    /// the row before, and the class of that. Gives the row's class.
    fn put(&mut self, candidate: Option<(usize, u64)>, change: u64, class: usize) -> usize {
        let (back, centre) = candidate.unwrap_or((1, change));
        if centre == 0 {
            self.kinds.push(EQUAL);
            self.backs.push(back as u64 - 1);
            return NO_CLASS;
        }
        if candidate.is_some() {
            let (class, leading) = leading_class(centre);
            let trailing = centre.trailing_zeros();
            let width = 64 - leading - trailing;
            self.kinds.push(CENTRE);
            self.backs.push(back as u64 - 1);
            self.classes.push(class as u64);
            self.widths.push(u64::from(width) - 1);
            self.stream.put_wide(centre >> trailing, width);
            return NO_CLASS;
        }
        let (now, leading) = leading_class(change);
        if now == class {
            self.kinds.push(SAME_LEADING);
        } else {
            self.kinds.push(NEW_LEADING);
            self.classes.push(now as u64);
        }
        self.stream.put_wide(change, 64 - leading);
        now
    }
}

/// The class of the leading zeros, and how many it stands for.
fn leading_class(change: u64) -> (usize, u32) {
    let leading = change.leading_zeros();
    let classes = LEADING.into_iter().enumerate();
    let mut held = classes.filter(|(_, class)| *class <= leading);
    held.next_back().unwrap_or((0, 0))
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    decode_front(reader, rows, rows)
}

pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let front = rows_through(positions);
    pick(&decode_front(reader, rows, front)?, positions)
}

/// The integers of the first `front` of `rows` rows.
fn decode_front(
    mut reader: ByteReader<'_>,
    rows: usize,
    front: usize,
) -> Result<Vec<i64>, CodecError> {
    let steps = rows
        .checked_sub(1)
        .ok_or(CodecError::Malformed("row count"))?;
    let first = reader.take(8)?.first_chunk::<8>();
    let first = first.map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let stream_bits = reader.count(0, steps * 64, "number of bits")?;
    let kinds = unpack(reader.take(packed_bytes(steps, 2))?, 2, steps, |kind| kind);
    let count = |wanted: &[u64]| kinds.iter().filter(|kind| wanted.contains(kind)).count();
    let backs = reader.take(packed_bytes(count(&[EQUAL, CENTRE]), 7))?;
    let classes = reader.take(packed_bytes(count(&[CENTRE, NEW_LEADING]), 3))?;
    let widths = reader.take(packed_bytes(count(&[CENTRE]), 6))?;
    let stream = reader.take(packed_bytes(stream_bits, 1))?;
    reader.end()?;

    let mut all = Vec::with_capacity(front);
    all.push(first);
    let (mut back_at, mut class_at, mut width_at, mut stream_at) = (0, 0, 0, 0);
    let mut leading = None;
    for kind in kinds.into_iter().take(front.saturating_sub(1)) {
        let before = if kind == EQUAL || kind == CENTRE {
            let back = low32(get(backs, 7, back_at)) as usize + 1;
            back_at += 1;
            all.len().checked_sub(back).and_then(|row| all.get(row))
        } else {
            all.last()
        };
        let before = *before.ok_or(CodecError::Malformed("distance back"))?;
        if kind == CENTRE || kind == NEW_LEADING {
            let class = low32(get(classes, 3, class_at)) as usize;
            leading = LEADING.get(class).copied();
            class_at += 1;
        }
        let (width, shift) = match kind {
            EQUAL => (0, 0),
            CENTRE => {
                let width = low32(get(widths, 6, width_at)) + 1;
                width_at += 1;
                let room = 64 - leading.unwrap_or(0);
                let shift = room.checked_sub(width);
                (width, shift.ok_or(CodecError::Malformed("width"))?)
            }
            _ => (
                64 - leading.ok_or(CodecError::Malformed("leading zeros"))?,
                0,
            ),
        };
        all.push(before ^ bits_at(stream, stream_at, width) << shift);
        stream_at += width as usize;
        if kind == EQUAL || kind == CENTRE {
            leading = None;
        }
    }
    all.truncate(front);
    Ok(all
        .into_iter()
        .map(|bits| integer_from_f64(f64::from_bits(bits)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use crate::integer_from_f64;
    use crate::reader::ByteReader;

    #[test]
    fn golden_bytes() {
        let mut out = Vec::new();
        encode(&[1.0, 1.0, 1.5, 0.1].map(integer_from_f64), &mut out);
        let first = [0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
        assert_eq!(out[..8], first);
        // Equal to the row before; the centre against it, 12 leading zeros and one bit; 0.1 has
        // other low bits than all before it, so it takes its 64 bits less 8 leading zeros.
        let bits = 1 + 56;
        assert_eq!(out[8..10], [bits, 0b11_01_00]);
        let back = decode(ByteReader::new(&out), 4).unwrap();
        assert_eq!(back, [1.0, 1.0, 1.5, 0.1].map(integer_from_f64));
    }
}
