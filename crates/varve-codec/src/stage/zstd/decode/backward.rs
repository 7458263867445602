//! Bits that are read from the end of their bytes to the start, as huffman codes and sequences are
//! (RFC 8878, 4.1). The highest set bit of the last byte ends them and is none of them.

use super::{MALFORMED, Result};

/// How many bits are at hand after [`BackwardBits::refill`], if there are so many.
pub(super) const AT_HAND_BITS: u32 = 56;

/// A reader; past the start there are zeros, which [`BackwardBits::end`] tells.
pub(super) struct BackwardBits<'a> {
    bytes: &'a [u8],
    /// How many of `bytes` are not in `ahead`.
    unread: usize,
    /// The next bits, the first of them on top.
    ahead: u64,
    /// How many bits of `ahead` are counted; below them may be bits of unread bytes.
    left: u32,
    is_exceeded: bool,
}

impl<'a> BackwardBits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Result<BackwardBits<'a>> {
        let last = bytes.last().copied().unwrap_or(0);
        if last == 0 {
            return Err(MALFORMED);
        }
        let mut bits = BackwardBits {
            bytes,
            unread: bytes.len(),
            ahead: 0,
            left: 0,
            is_exceeded: false,
        };
        bits.refill();
        bits.skip(last.leading_zeros() + 1);
        Ok(bits)
    }

    /// Makes sure of [`AT_HAND_BITS`].
    #[inline]
    pub(super) fn refill(&mut self) {
        let bits = match self.unread.checked_sub(8) {
            Some(from) => self.bytes.get(from..).and_then(|rest| rest.first_chunk()),
            None => None,
        };
        if let Some(bits) = bits {
            self.ahead |= u64::from_le_bytes(*bits) >> self.left;
            let read = (63 - self.left) / 8;
            self.unread -= read as usize;
            self.left += 8 * read;
            return;
        }
        while self.left <= AT_HAND_BITS && self.unread > 0 {
            self.unread -= 1;
            let byte = self.bytes.get(self.unread).copied().unwrap_or(0);
            self.ahead |= u64::from(byte) << (AT_HAND_BITS - self.left);
            self.left += 8;
        }
    }

    /// The next `width` bits as a number, without taking them.
    #[inline]
    pub(super) fn peek(&self, width: u32) -> usize {
        ((self.ahead >> 1) >> (63 - width)) as usize
    }

    /// Leaves out `width` bits.
    #[inline]
    pub(super) fn skip(&mut self, width: u32) {
        self.ahead <<= width;
        self.is_exceeded |= width > self.left;
        self.left = self.left.saturating_sub(width);
    }

    /// The next `width` bits, at most 31.
    #[inline]
    pub(super) fn take(&mut self, width: u32) -> usize {
        let value = self.peek(width);
        self.skip(width);
        value
    }

    /// How many bits have not been taken.
    pub(super) fn remaining(&self) -> usize {
        8 * self.unread + self.left as usize
    }

    /// Refuses to have read too little or too much.
    pub(super) fn end(&self) -> Result<()> {
        match self.remaining() == 0 && !self.is_exceeded {
            true => Ok(()),
            false => Err(MALFORMED),
        }
    }
}
