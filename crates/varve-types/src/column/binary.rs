//! Byte strings one after another: the layout of bytea, uuid, interval, jsonb and arrays.

use crate::meter::{Booking, LARGE_BYTES, fitting};

/// Byte strings as one buffer and offsets, as [`crate::TextData`] holds text.
#[derive(Debug)]
pub struct BinaryData {
    offsets: Vec<u32>,
    bytes: Vec<u8>,
    booking: Booking,
}

impl Clone for BinaryData {
    fn clone(&self) -> BinaryData {
        if self.bytes.len() >= LARGE_BYTES {
            return self.iter().collect();
        }
        BinaryData {
            offsets: self.offsets.clone(),
            bytes: self.bytes.clone(),
            booking: Booking::default(),
        }
    }
}

impl PartialEq for BinaryData {
    fn eq(&self, other: &BinaryData) -> bool {
        self.offsets == other.offsets && self.bytes == other.bytes
    }
}

impl Eq for BinaryData {}

impl Default for BinaryData {
    fn default() -> BinaryData {
        BinaryData {
            offsets: vec![0],
            bytes: Vec::new(),
            booking: Booking::default(),
        }
    }
}

impl BinaryData {
    /// Values from offsets and a buffer, or `None` unless the offsets start at 0, never fall and
    /// end at the end of the buffer.
    pub fn from_parts(offsets: Vec<u32>, bytes: Vec<u8>) -> Option<BinaryData> {
        let sound = offsets.first() == Some(&0)
            && offsets
                .last()
                .is_some_and(|end| *end as usize == bytes.len())
            && offsets.is_sorted();
        let booking = Booking::default();
        sound.then_some(BinaryData {
            offsets,
            bytes,
            booking,
        })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Value `i`; empty past the end.
    pub fn get(&self, i: usize) -> &[u8] {
        let (Some(start), Some(end)) = (self.offsets.get(i), self.offsets.get(i + 1)) else {
            return &[];
        };
        let bytes = self.bytes.get(*start as usize..*end as usize);
        bytes.unwrap_or_default()
    }

    /// Adds a value at the end; an empty one where the statement may not use so much memory, or the
    /// buffer would pass 4 GiB: see [`crate::meter`].
    pub fn push(&mut self, value: &[u8]) {
        let (len, capacity) = (self.bytes.len(), self.bytes.capacity());
        if let Some(wanted) = self.booking.admit(len, capacity, value.len()) {
            self.bytes.reserve_exact(wanted - len);
            self.bytes.extend_from_slice(value);
        }
        self.offsets
            .push(fitting(self.bytes.len(), "binary buffer"));
    }

    /// Gives back what is booked for the buffer: whoever holds it books it from now on.
    pub(crate) fn give_back(&self) {
        self.booking.give_back();
    }

    /// The values in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The offsets: one more than values.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All values one after another.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl<'a> FromIterator<&'a [u8]> for BinaryData {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(values: I) -> BinaryData {
        let mut data = BinaryData::default();
        for value in values {
            data.push(value);
        }
        data
    }
}
