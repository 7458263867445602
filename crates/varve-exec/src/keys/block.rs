//! Keys one after another.

/// Byte strings in one buffer.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeyBlock {
    bytes: Vec<u8>,
    ends: Vec<usize>,
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
        self.push_with(|bytes| bytes.extend_from_slice(key));
    }

    /// Adds the key that `write` appends to the buffer.
    pub(crate) fn push_with(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
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
