//! Lists that grow without one large allocation.

const CHUNK_BITS: u32 = 12;
const CHUNK: usize = 1 << CHUNK_BITS;

/// A list in chunks: no allocation grows with its length, and nothing moves when it does.
#[derive(Debug)]
pub(crate) struct Chunked<T> {
    chunks: Vec<Vec<T>>,
    len: u32,
}

impl<T> Default for Chunked<T> {
    fn default() -> Chunked<T> {
        Chunked {
            chunks: Vec::new(),
            len: 0,
        }
    }
}

impl<T> Chunked<T> {
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn push(&mut self, item: T) {
        if (self.len as usize).is_multiple_of(CHUNK) {
            self.chunks.push(Vec::new());
        }
        if let Some(chunk) = self.chunks.last_mut() {
            chunk.push(item);
            self.len += 1;
        }
    }

    pub(crate) fn get(&self, i: u32) -> Option<&T> {
        let chunk = self.chunks.get((i >> CHUNK_BITS) as usize)?;
        chunk.get(i as usize % CHUNK)
    }

    pub(crate) fn get_mut(&mut self, i: u32) -> Option<&mut T> {
        let chunk = self.chunks.get_mut((i >> CHUNK_BITS) as usize)?;
        chunk.get_mut(i as usize % CHUNK)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.len as usize * size_of::<T>()
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Chunked};

    #[test]
    fn behaves_like_a_vector() {
        let mut list = Chunked::default();
        assert_eq!(list.get(0), None);
        for i in 0..3 * CHUNK + 1 {
            list.push(i);
        }
        *list.get_mut(5).unwrap() = 50;
        assert_eq!(list.len() as usize, 3 * CHUNK + 1);
        for (i, expected) in [(0, 0), (5, 50), (4096, CHUNK), (12288, 3 * CHUNK)] {
            assert_eq!(list.get(i), Some(&expected));
        }
        assert_eq!(list.get(12289), None);
    }
}
