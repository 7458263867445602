//! Keys one after another.

use varve_types::meter::Booking;

/// Byte strings in one buffer. Where the statement may not use so much memory, a key is empty and
/// the statement fails: see [`varve_types::meter`].
#[derive(Debug, Default)]
pub(crate) struct KeyBlock {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    booking: Booking,
}

impl KeyBlock {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Key `i`; empty past the end.
    pub(crate) fn get(&self, i: usize) -> &[u8] {
        let start = match i.checked_sub(1) {
            None => 0,
            Some(before) => self.ends.get(before).copied().unwrap_or(0),
        };
        let end = self.ends.get(i).copied().unwrap_or(start);
        self.bytes.get(start..end).unwrap_or(&[])
    }

    pub(crate) fn push(&mut self, key: &[u8]) {
        if self.admit(key.len()) {
            self.bytes.extend_from_slice(key);
        }
        self.ends.push(self.bytes.len());
    }

    /// Adds the key that `write` appends to the buffer: about `bytes_max` bytes at most.
    pub(crate) fn push_with(&mut self, bytes_max: usize, write: impl FnOnce(&mut Vec<u8>)) {
        if self.admit(bytes_max) {
            write(&mut self.bytes);
        }
        self.ends.push(self.bytes.len());
    }

    fn admit(&mut self, more: usize) -> bool {
        let (len, capacity) = (self.bytes.len(), self.bytes.capacity());
        let wanted = self.booking.admit(len, capacity, more);
        if let Some(wanted) = wanted {
            self.bytes.reserve_exact(wanted - len);
        }
        wanted.is_some()
    }

    /// Forgets the keys and keeps the room.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.bytes.len() + self.ends.len() * size_of::<usize>()
    }
}
