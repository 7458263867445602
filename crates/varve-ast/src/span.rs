//! Where a part of a statement stands.

/// The bytes of a part of a text: from its first one up to the one behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
}

impl Span {
    /// From the start of this part to the end of another one.
    #[must_use]
    pub fn to(self, last: Span) -> Span {
        Span {
            start: self.start,
            end: last.end,
        }
    }
}
