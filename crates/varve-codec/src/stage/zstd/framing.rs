//! What surrounds the blocks of a frame.

/// The two forms of a frame; bytes do not tell which they are, so whoever stores them must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZstdFraming {
    /// Magic, content size, dictionary id if there is one, checksum: what the `zstd` tool reads.
    Standard,
    /// None of these: two bytes of header, then blocks.
    Compact,
}

impl ZstdFraming {
    pub(crate) fn is_compact(self) -> bool {
        self == ZstdFraming::Compact
    }
}
