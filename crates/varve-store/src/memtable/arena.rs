//! Byte strings that are only ever added, in chunks, so that no single allocation grows with their
//! number.
//!
//! Layout: a string lies in one chunk as its length (4 bytes, little-endian), its bytes, and zeros
//! up to a multiple of four; so its place is a number of 32 bits.

use varve_types::{Broken, Invariant, invariant};

/// The size of a chunk; a longer string has one of its own.
const CHUNK_BYTES: usize = 1 << 20;
const CHUNK_SHIFT: u32 = 18;
const UNIT: usize = 4;
/// More of them have no number.
const CHUNKS_MAX: usize = 1 << (u32::BITS - CHUNK_SHIFT);
/// The first chunk begins with this much and doubles, so that small tables are small.
const FIRST_BYTES: usize = 256;

/// A growing store of byte strings.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Vec<u8>>,
}

/// Where a byte string lies: the chunk, and the unit of four bytes in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot(u32);

impl Slot {
    /// The slot as a number, below 2^29 in the first 2 GiB.
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    /// The slot of a number that [`Slot::number`] gave.
    pub(crate) fn from_number(number: u32) -> Slot {
        Slot(number)
    }
}

impl Arena {
    /// Adds the concatenation of two strings.
    pub(crate) fn push(&mut self, head: &[u8], tail: &[u8]) -> Result<Slot, Broken> {
        let bytes = head.len() + tail.len();
        let length = u32::try_from(bytes).or_broken("length in an arena")?;
        let stored = (UNIT + bytes).next_multiple_of(UNIT);
        let fits = |chunk: &Vec<u8>| chunk.len() + stored <= CHUNK_BYTES;
        if !self.chunks.last().is_some_and(fits) {
            let room = if self.chunks.is_empty() {
                FIRST_BYTES
            } else {
                CHUNK_BYTES
            };
            invariant!(self.chunks.len() < CHUNKS_MAX, "chunks of an arena");
            self.chunks.push(Vec::with_capacity(room.max(stored)));
        }
        let before = self.chunks.len().saturating_sub(1);
        let chunk = self.chunks.last_mut().or_broken("chunk of an arena")?;
        let start = chunk.len();
        debug_assert!(start.is_multiple_of(UNIT) && start < CHUNK_BYTES);
        let place = (before << CHUNK_SHIFT) | (start / UNIT);
        let slot = Slot(u32::try_from(place).or_broken("place in an arena")?);
        chunk.extend_from_slice(&length.to_le_bytes());
        chunk.extend_from_slice(head);
        chunk.extend_from_slice(tail);
        chunk.resize(start + stored, 0);
        Ok(slot)
    }

    pub(crate) fn get(&self, slot: Slot) -> &[u8] {
        let units = slot.0 as usize;
        let chunk = self.chunks.get(units >> CHUNK_SHIFT);
        let start = (units & ((1 << CHUNK_SHIFT) - 1)) * UNIT;
        let string = chunk.and_then(|chunk| {
            let (length, rest) = chunk.get(start..)?.split_first_chunk::<UNIT>()?;
            rest.get(..u32::from_le_bytes(*length) as usize)
        });
        string.unwrap_or_default()
    }

    /// The bytes at a slot, to be changed in place.
    pub(crate) fn get_mut(&mut self, slot: Slot) -> Option<&mut [u8]> {
        let units = slot.0 as usize;
        let chunk = self.chunks.get_mut(units >> CHUNK_SHIFT)?;
        let start = (units & ((1 << CHUNK_SHIFT) - 1)) * UNIT;
        let (length, rest) = chunk.get_mut(start..)?.split_first_chunk_mut::<UNIT>()?;
        rest.get_mut(..u32::from_le_bytes(*length) as usize)
    }

    /// Bytes allocated.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(Vec::capacity).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, Slot};

    #[test]
    fn strings_come_back_from_whatever_chunk() {
        let mut arena = Arena::default();
        let lengths = [
            0,
            1,
            3,
            4,
            200,
            70_000,
            1 << 20,
            5,
            3 << 20,
            0,
            999_999,
            999_999,
        ];
        let slots: Vec<Slot> = lengths
            .iter()
            .zip(0..)
            .map(|(bytes, i)| arena.push(&[i], &vec![i; *bytes]).unwrap())
            .collect();
        for ((slot, bytes), i) in slots.iter().zip(lengths).zip(0..) {
            assert_eq!(arena.get(*slot), vec![i; bytes + 1], "{i}");
            assert_eq!(Slot::from_number(slot.number()), *slot);
        }
        arena.get_mut(slots[2]).unwrap()[3] = 9;
        assert_eq!(arena.get(slots[2]), [2, 2, 2, 9]);
        assert_eq!(arena.get(Slot(u32::MAX)), b"");
        let mut small = Arena::default();
        small.push(b"few", b"").unwrap();
        assert_eq!(small.bytes(), 256);
    }
}
