//! Gorilla: each double XORed with the one before, and of the result only the bits between its
//! leading and trailing zeros.
//!
//! Pays on doubles that repeat or change in few bits; decimal numbers keep nearly all of theirs.
//! Worst case: nine bytes a value, and a read of one row unwinds all between it and the nearer end,
//! so the chooser takes it only where it saves half.
//! Paper: Pelkonen et al., "Gorilla: A Fast, Scalable, In-Memory Time Series Database" (2015), its
//! parts in streams of their own, so that it is decoded from either end.
//! Layout: bits of the first and of the last double (u64), number of changes, of windows and of
//! bits (varints); for each row but the first whether it changes (a bit); for each change whether
//! it opens a window (a bit); for each window its leading zeros and width less one (6 bits each);
//! the bits of the changes in their windows.

use crate::CodecError;
use crate::bits::{bits_at, get, pack, packed_bytes};
use crate::entropy::BitWriter;
use crate::float::{f64_from_integer, integer_from_f64};
use crate::integers::leaves::block_leaf::BlockLeaf;
use crate::positions::{pick, pick_from_end, rows_through};
use crate::reader::ByteReader;
use crate::tags::TAG_GORILLA;
use crate::writer::put_varint;

pub(crate) static LEAF: BlockLeaf = BlockLeaf {
    tag: TAG_GORILLA,
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
    let mut changed = Vec::new();
    let mut opens = Vec::new();
    let mut windows: Vec<u64> = Vec::new();
    let mut stream = BitWriter::default();
    let mut window: Option<Window> = None;
    for (before, now) in bits.iter().zip(bits.iter().skip(1)) {
        let change = before ^ now;
        changed.push(u64::from(change != 0));
        if change == 0 {
            continue;
        }
        let tight = Window::of(change);
        let kept = window.filter(|window| window.holds(tight));
        let used = kept.unwrap_or(tight);
        opens.push(u64::from(kept.is_none()));
        if kept.is_none() {
            windows.push(used.code());
        }
        stream.put_wide(change >> used.trailing(), used.width);
        window = Some(used);
    }
    out.extend_from_slice(&bits.first()?.to_le_bytes());
    out.extend_from_slice(&bits.last()?.to_le_bytes());
    put_varint(opens.len() as u64, out);
    put_varint(windows.len() as u64, out);
    put_varint(stream.len() as u64, out);
    pack(changed.into_iter(), 1, out);
    pack(opens.into_iter(), 1, out);
    pack(windows.into_iter(), 12, out);
    out.append(&mut stream.finish());
    Some(())
}

/// Where the bits of a change lie.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    leading: u32,
    /// At least 1.
    width: u32,
}

impl Window {
    fn of(change: u64) -> Window {
        let leading = change.leading_zeros();
        Window {
            leading,
            width: 64 - leading - change.trailing_zeros(),
        }
    }

    fn holds(self, other: Window) -> bool {
        self.leading <= other.leading && self.trailing() <= other.trailing()
    }

    fn trailing(self) -> u32 {
        // Below 64 even where damage has a change come before its window.
        64_u32.saturating_sub(self.leading + self.width).min(63)
    }

    fn code(self) -> u64 {
        u64::from(self.leading) << 6 | u64::from(self.width - 1)
    }

    #[expect(clippy::cast_possible_truncation, reason = "six bits")]
    fn from_code(code: u64) -> Window {
        Window {
            leading: (code >> 6) as u32,
            width: (code & 63) as u32 + 1,
        }
    }
}

/// A vector as stored.
struct Stored<'a> {
    first: u64,
    last: u64,
    changes: usize,
    window_count: usize,
    stream_bits: usize,
    changed: &'a [u8],
    opens: &'a [u8],
    windows: &'a [u8],
    stream: &'a [u8],
}

impl<'a> Stored<'a> {
    fn take(mut reader: ByteReader<'a>, rows: usize) -> Result<Stored<'a>, CodecError> {
        let steps = rows
            .checked_sub(1)
            .ok_or(CodecError::Malformed("row count"))?;
        let mut end = || -> Result<u64, CodecError> {
            let bytes = reader.take(8)?.first_chunk::<8>();
            Ok(bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
        };
        let (first, last) = (end()?, end()?);
        let changes = reader.count(0, steps, "number of changes")?;
        let window_count = reader.count(0, changes, "number of windows")?;
        let stream_bits = reader.count(0, changes * 64, "number of bits")?;
        let stored = Stored {
            first,
            last,
            changes,
            window_count,
            stream_bits,
            changed: reader.take(packed_bytes(steps, 1))?,
            opens: reader.take(packed_bytes(changes, 1))?,
            windows: reader.take(packed_bytes(window_count, 12))?,
            stream: reader.take(packed_bytes(stream_bits, 1))?,
        };
        reader.end()?;
        Ok(stored)
    }

    fn window(&self, at: usize) -> Window {
        Window::from_code(get(self.windows, 12, at))
    }

    /// The integers of the first `count` rows.
    fn front(&self, count: usize) -> Vec<i64> {
        let (mut bits, mut change_at, mut window_end, mut stream_at) = (self.first, 0, 0, 0);
        let mut window = Window::default();
        let mut integers = Vec::with_capacity(count);
        for step in 0..count {
            integers.push(integer_from_f64(f64::from_bits(bits)));
            if get(self.changed, 1, step) == 1 {
                if get(self.opens, 1, change_at) == 1 {
                    window = self.window(window_end);
                    window_end += 1;
                }
                let change = bits_at(self.stream, stream_at, window.width);
                bits ^= change << window.trailing();
                stream_at += window.width as usize;
                change_at += 1;
            }
        }
        integers
    }

    /// The integers of the last `count` of `rows` rows, from the last back.
    fn back(&self, rows: usize, count: usize) -> Vec<i64> {
        let (mut bits, mut change_end, mut stream_end) =
            (self.last, self.changes, self.stream_bits);
        let mut window_end = self.window_count;
        let mut integers = Vec::with_capacity(count);
        for step in (0..rows).rev().take(count) {
            integers.push(integer_from_f64(f64::from_bits(bits)));
            if step > 0 && get(self.changed, 1, step - 1) == 1 {
                let window = self.window(window_end.saturating_sub(1));
                stream_end = stream_end.saturating_sub(window.width as usize);
                change_end = change_end.saturating_sub(1);
                bits ^= bits_at(self.stream, stream_end, window.width) << window.trailing();
                if get(self.opens, 1, change_end) == 1 {
                    window_end = window_end.saturating_sub(1);
                }
            }
        }
        integers
    }
}

pub(crate) fn decode(reader: ByteReader<'_>, rows: usize) -> Result<Vec<i64>, CodecError> {
    Ok(Stored::take(reader, rows)?.front(rows))
}

/// Starts at the end that is nearer to the positions.
pub(crate) fn gather(
    reader: ByteReader<'_>,
    rows: usize,
    positions: &[u16],
) -> Result<Vec<i64>, CodecError> {
    let stored = Stored::take(reader, rows)?;
    let least = positions.iter().min().map_or(0, |min| usize::from(*min));
    let front = rows_through(positions);
    let back = rows.saturating_sub(least);
    if front <= back {
        return pick(&stored.front(front), positions);
    }
    pick_from_end(&stored.back(rows, back), rows, positions)
}

#[cfg(test)]
mod tests {
    use super::{Stored, encode};
    use crate::integer_from_f64;
    use crate::reader::ByteReader;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    #[test]
    fn golden_bytes() {
        let mut out = Vec::new();
        encode(&[1.0, 1.0, 1.5, 1.25].map(integer_from_f64), &mut out);
        let ends = [
            [0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
            [0, 0, 0, 0, 0, 0, 0xf4, 0x3f],
        ]
        .concat();
        // 1.5 differs from 1 in bit 51, 1.25 from 1.5 in bits 51 and 50.
        let counts = [2, 2, 3];
        let streams = [0b110, 0b11, 0x00, 0x13, 0x30, 0b111];
        assert_eq!(out, [ends.as_slice(), &counts, &streams].concat());
    }

    proptest! {
        #[test]
        fn forward_and_backward_agree(
            bits in proptest::collection::vec(any::<u64>(), 1..300),
            mask: u64,
            part in 0..=100_usize,
        ) {
            let bits = bits.iter().map(|bits| bits & mask & (bits >> 7 | 0xff00));
            let integers: Vec<i64> = bits.map(|bits| integer_from_f64(f64::from_bits(bits)))
                .collect();
            let rows = integers.len();
            let mut out = Vec::new();
            encode(&integers, &mut out);
            let stored = Stored::take(ByteReader::new(&out), rows).unwrap();
            let some = rows * part / 100;
            prop_assert_eq!(stored.front(some), &integers[..some]);
            let mut back = stored.back(rows, some);
            back.reverse();
            prop_assert_eq!(back, &integers[rows - some..]);
        }
    }
}
