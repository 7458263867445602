//! Byte strings one after another: the layout of bytea, uuid, interval, jsonb and arrays.

/// Byte strings as one buffer and offsets, as [`crate::TextData`] holds text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryData {
    offsets: Vec<u32>,
    bytes: Vec<u8>,
}

impl Default for BinaryData {
    fn default() -> BinaryData {
        BinaryData {
            offsets: vec![0],
            bytes: Vec::new(),
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
        sound.then_some(BinaryData { offsets, bytes })
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

    /// Adds a value at the end. A buffer past 4 GiB keeps its length and the value reads as empty:
    /// batches are bounded far below that.
    pub fn push(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        let end = u32::try_from(self.bytes.len()).unwrap_or(u32::MAX);
        self.offsets.push(end);
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
