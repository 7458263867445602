//! What decoding a vector may lean on: the shared part of its block, and how deep codecs may nest.

use crate::{CodecError, Shared};

/// Codecs nest at most this deep, so that hostile bytes cannot exhaust the stack.
const DEPTH_MAX: u8 = 8;

/// Passed down from codec to nested codec.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) shared: &'a Shared,
    /// The most bytes of text that the vector may decode to.
    pub(crate) bytes_max: usize,
    depth: u8,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(shared: &'a Shared, bytes_max: usize) -> Scope<'a> {
        Scope {
            shared,
            bytes_max,
            depth: 0,
        }
    }

    /// The scope of what a codec nests.
    pub(crate) fn nested(self) -> Result<Scope<'a>, CodecError> {
        if self.depth == DEPTH_MAX {
            return Err(CodecError::Malformed("nesting"));
        }
        Ok(Scope {
            depth: self.depth + 1,
            ..self
        })
    }
}
