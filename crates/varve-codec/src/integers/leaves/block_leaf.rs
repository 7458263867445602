//! Leaves that all vectors of a block may be written in.

use crate::CodecError;
use crate::integers::leaves::kind::IntegerKind;
use crate::reader::ByteReader;

/// A leaf that is chosen for a block, and not by estimates for each vector.
#[derive(Debug)]
pub(crate) struct BlockLeaf {
    pub(crate) tag: u8,
    /// Whether it looks at the bits of doubles.
    pub(crate) for_doubles: bool,
    /// It holds no vector of fewer rows.
    pub(crate) rows_min: usize,
    /// What decoding costs beside the basic codecs, in sixteenths of the bytes.
    pub(crate) decode_cost: u64,
    /// Appends the integers behind the tag; `None` where it cannot hold them.
    pub(crate) encode: fn(&[i64], &mut Vec<u8>) -> Option<()>,
    /// The integers behind a tag.
    pub(crate) decode: fn(ByteReader<'_>, usize) -> Result<Vec<i64>, CodecError>,
    /// The integers at some positions behind a tag.
    pub(crate) gather: Gather,
}

/// Takes what follows the tag, the number of rows, and the positions.
type Gather = fn(ByteReader<'_>, usize, &[u16]) -> Result<Vec<i64>, CodecError>;

impl BlockLeaf {
    /// Appends the integers, tag first. Returns the tag; `None` where the leaf cannot hold them.
    pub(crate) fn put(&self, kind: IntegerKind, values: &[i64], out: &mut Vec<u8>) -> Option<u8> {
        if values.len() < self.rows_min || self.for_doubles && kind != IntegerKind::Float64 {
            return None;
        }
        out.push(self.tag);
        (self.encode)(values, out)?;
        Some(self.tag)
    }
}
