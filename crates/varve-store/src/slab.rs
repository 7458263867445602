//! Items of one size under numbers, in chunks, so that no single allocation grows with their
//! number; what is given back is used again.

use varve_types::{Broken, Invariant};

/// The largest chunk is at most 16 MiB for items of up to 4 KiB.
const CHUNK_SHIFT: u32 = 12;
const CHUNK_ITEMS: usize = 1 << CHUNK_SHIFT;

/// A growing set of items.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    chunks: Vec<Vec<T>>,
    free: Vec<u32>,
    /// The number that was not handed out yet; all below were.
    next: u32,
}

impl<T> Default for Slab<T> {
    fn default() -> Slab<T> {
        Slab {
            chunks: Vec::new(),
            free: Vec::new(),
            next: 0,
        }
    }
}

impl<T> Slab<T> {
    /// Adds an item; returns its number, which is below `u32::MAX`.
    pub(crate) fn add(&mut self, item: T) -> Result<u32, Broken> {
        if let Some(number) = self.free.pop() {
            let slot = self.get_mut(number).or_broken("free number of a slab")?;
            *slot = item;
            return Ok(number);
        }
        let number = self.next;
        let next = number.checked_add(1).or_broken("numbers of a slab")?;
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK_ITEMS => chunk.push(item),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK_ITEMS);
                chunk.push(item);
                self.chunks.push(chunk);
            }
            // Small sets are small: the first chunk grows by itself.
            None => self.chunks.push(vec![item]),
        }
        self.next = next;
        debug_assert!(self.get(number).is_some() && self.get(next).is_none());
        Ok(number)
    }

    /// Gives a number back; its item may be replaced from now on.
    pub(crate) fn free(&mut self, number: u32) {
        debug_assert!(number < self.next, "{number} was never handed out");
        debug_assert!(
            self.free.last() != Some(&number),
            "{number} was given back before"
        );
        self.free.push(number);
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        let number = number as usize;
        let chunk = self.chunks.get(number >> CHUNK_SHIFT)?;
        chunk.get(number & (CHUNK_ITEMS - 1))
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        let number = number as usize;
        let chunk = self.chunks.get_mut(number >> CHUNK_SHIFT)?;
        chunk.get_mut(number & (CHUNK_ITEMS - 1))
    }

    /// How many numbers were handed out, those given back included; the next new one.
    pub(crate) fn next_number(&self) -> u32 {
        self.next
    }

    /// All items in the order of their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Bytes allocated.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        let items: usize = self.chunks.iter().map(Vec::capacity).sum();
        items * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK_ITEMS, Slab};

    #[test]
    fn numbers_stay_and_are_used_again() {
        let mut slab = Slab::default();
        let count = u32::try_from(CHUNK_ITEMS * 2 + 3).unwrap();
        for i in 0..count {
            assert_eq!(slab.add(i), Ok(i));
        }
        assert!(slab.iter().copied().eq(0..count));
        slab.free(7);
        assert_eq!(slab.add(99), Ok(7));
        assert_eq!(slab.get(7), Some(&99));
        *slab.get_mut(count - 1).unwrap() = 1;
        assert_eq!(slab.get(count - 1), Some(&1));
        assert_eq!(slab.get(count), None);
        assert_eq!(slab.next_number(), count);
    }
}
