//! Segments of one frame with one vector: what a group stores beside the vectors of its columns.

use varve_codec::{CodecError, read_frames};

/// What is read from the bytes of such a segment, its general stage undone.
pub(crate) fn read_single<T>(
    stored: &[u8],
    read: impl FnOnce(&[u8]) -> Result<T, CodecError>,
) -> Result<T, CodecError> {
    let frames = read_frames(stored, 0, 1)?;
    let frame = frames.first().ok_or(CodecError::UnexpectedEnd)?;
    read(frame.vector(stored, 0, &())?)
}
