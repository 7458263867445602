//! Frames to bytes (RFC 8878), for whole frames into buffers of their exact size: what is decoded
//! is its own window, so there is nothing to copy and one loop for all frames.
//!
//! A decoder keeps tables and room for the literals of a block (128 KiB) from frame to frame. What
//! a header says about windows and sizes costs no memory.

mod backward;
mod frame;
mod fse;
mod huffman;
mod literals;
mod sequences;
mod trained;

pub(super) use frame::{FrameDecoder, content_bytes_max};
pub(super) use trained::Trained;

use crate::CodecError;

type Result<T> = core::result::Result<T, CodecError>;

const MALFORMED: CodecError = CodecError::Malformed("zstd frame");
const BLOCK_BYTES_MAX: usize = 128 << 10;
