//! Byte strings in Arrow's layout: offsets and one buffer.

use crate::error::CodecError;

/// Decoded strings: string `i` is `offsets[i]..offsets[i + 1]` of the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// One more than strings; the first is 0, the last the number of bytes.
    pub offsets: Vec<u32>,
    /// All strings one after another.
    pub bytes: Vec<u8>,
}

impl Strings {
    pub(crate) fn with_capacity(strings: usize) -> Strings {
        let mut offsets = Vec::with_capacity(strings + 1);
        offsets.push(0);
        Strings {
            offsets,
            bytes: Vec::new(),
        }
    }

    /// Adds a string unless the bytes would pass `bytes_max`.
    pub(crate) fn push(&mut self, string: &[u8], bytes_max: usize) -> Result<(), CodecError> {
        let bytes = self.bytes.len() + string.len();
        let end = u32::try_from(bytes).ok().filter(|_| bytes <= bytes_max);
        let end = end.ok_or(CodecError::TooLarge { bytes, bytes_max })?;
        self.bytes.extend_from_slice(string);
        self.offsets.push(end);
        Ok(())
    }

    /// Ends a string whose bytes were appended, unless they passed `bytes_max`.
    pub(crate) fn end_string(&mut self, bytes_max: usize) -> Result<(), CodecError> {
        let bytes = self.bytes.len();
        let end = u32::try_from(bytes).ok().filter(|_| bytes <= bytes_max);
        self.offsets
            .push(end.ok_or(CodecError::TooLarge { bytes, bytes_max })?);
        Ok(())
    }

    /// The same strings, to read.
    #[inline]
    pub fn as_ref(&self) -> StringsRef<'_> {
        StringsRef {
            offsets: &self.offsets,
            bytes: &self.bytes,
        }
    }
}

/// Strings to encode, laid out as in [`Strings`]; the first offset may be above 0.
#[derive(Clone, Copy, Debug)]
pub struct StringsRef<'a> {
    /// One more than strings.
    pub offsets: &'a [u32],
    /// The buffer that the offsets point into.
    pub bytes: &'a [u8],
}

impl<'a> StringsRef<'a> {
    /// Number of strings.
    #[inline]
    pub fn len(self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// Whether there are no strings.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The strings from `start` to `end`, or fewer where they end before.
    pub fn slice(self, start: usize, end: usize) -> StringsRef<'a> {
        let past = self.offsets.len();
        StringsRef {
            offsets: self
                .offsets
                .get(start.min(past)..(end + 1).min(past))
                .unwrap_or_default(),
            bytes: self.bytes,
        }
    }

    /// The bytes of all strings.
    pub(crate) fn text(self) -> &'a [u8] {
        let ends = self.offsets.first().zip(self.offsets.last());
        let text = ends.and_then(|(start, end)| self.bytes.get(*start as usize..*end as usize));
        text.unwrap_or_default()
    }

    /// String `i`; empty past the end and where offsets do not fit the buffer.
    #[inline]
    pub fn get(self, i: usize) -> &'a [u8] {
        match (self.offsets.get(i), self.offsets.get(i + 1)) {
            (Some(start), Some(end)) => self
                .bytes
                .get(*start as usize..*end as usize)
                .unwrap_or_default(),
            _ => &[],
        }
    }
}
