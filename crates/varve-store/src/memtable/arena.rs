//! Bytes that are only ever added, in chunks, so that no single allocation grows with their number.

const CHUNK_BYTES: usize = 1 << 20;

/// A growing store of byte strings.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    chunks: Vec<Vec<u8>>,
}

/// Where a byte string lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    chunk: usize,
    start: usize,
    end: usize,
}

impl Arena {
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Slot {
        let fits = |chunk: &&mut Vec<u8>| chunk.capacity() - chunk.len() >= bytes.len();
        if self.chunks.last_mut().filter(fits).is_none() {
            let room = bytes.len().max(CHUNK_BYTES);
            self.chunks.push(Vec::with_capacity(room));
        }
        let chunk = self.chunks.len().saturating_sub(1);
        let mut slot = Slot {
            chunk,
            start: 0,
            end: 0,
        };
        if let Some(last) = self.chunks.last_mut() {
            slot.start = last.len();
            last.extend_from_slice(bytes);
            slot.end = last.len();
        }
        slot
    }

    pub(crate) fn get(&self, slot: Slot) -> &[u8] {
        let chunk = self.chunks.get(slot.chunk);
        let bytes = chunk.and_then(|chunk| chunk.get(slot.start..slot.end));
        bytes.unwrap_or_default()
    }
}
