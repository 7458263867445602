//! Frames to bytes. Frames are decoded straight into the caller's buffer, so what a header says
//! about windows and sizes costs no memory; beside it a decoder holds one block (128 KiB) and the
//! tables of the frame.

use super::super::buffer;
use super::decode::{FrameDecoder, content_bytes_max};
use crate::{CodecError, ZstdDictionary, ZstdFraming};

/// The memory that decoding needs, kept from frame to frame.
#[derive(Default)]
pub struct ZstdDecoder(FrameDecoder);

impl ZstdDecoder {
    /// A decoder that holds nothing yet.
    pub fn new() -> ZstdDecoder {
        ZstdDecoder::default()
    }

    /// Decodes `frame` into `raw`, which it must fill exactly. A checksum in it is verified.
    ///
    /// A compact frame does not say which dictionary it was made with: with another one, or none,
    /// the answer is an error or wrong bytes. Whoever stores it keeps a checksum.
    pub fn decode(
        &mut self,
        frame: &[u8],
        framing: ZstdFraming,
        dictionary: Option<&ZstdDictionary>,
        raw: &mut [u8],
    ) -> Result<(), CodecError> {
        let written = self.written(frame, framing, dictionary, raw)?;
        if written != raw.len() {
            return Err(CodecError::Malformed("zstd frame"));
        }
        Ok(())
    }

    /// Decodes a frame of any length up to `bytes_max`, and adds its content to `raw`.
    ///
    /// Room is made for the blocks that are there, never for what a header says.
    pub fn append(
        &mut self,
        frame: &[u8],
        framing: ZstdFraming,
        dictionary: Option<&ZstdDictionary>,
        (raw, bytes_max): (&mut Vec<u8>, usize),
    ) -> Result<(), CodecError> {
        let bytes = zstd_content_bytes_max(frame, framing)?;
        let start = raw.len();
        raw.resize(start.saturating_add(bytes.min(bytes_max)), 0);
        let room = raw.get_mut(start..).unwrap_or_default();
        let written = self.written(frame, framing, dictionary, room);
        raw.truncate(start.saturating_add(*written.as_ref().unwrap_or(&0)));
        match written {
            Ok(_) => Ok(()),
            Err(_) if bytes > bytes_max => Err(CodecError::TooLarge { bytes, bytes_max }),
            Err(error) => Err(error),
        }
    }

    fn written(
        &mut self,
        frame: &[u8],
        framing: ZstdFraming,
        dictionary: Option<&ZstdDictionary>,
        raw: &mut [u8],
    ) -> Result<usize, CodecError> {
        if frame.is_empty() {
            return Err(CodecError::UnexpectedEnd);
        }
        let written = self.0.decode(frame, framing, dictionary, raw);
        written.map_err(|_| CodecError::Malformed("zstd frame"))
    }
}

impl core::fmt::Debug for ZstdDecoder {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ZstdDecoder").finish_non_exhaustive()
    }
}

/// The most bytes that a frame can hold, by what it says and by its blocks: what a caller without a
/// header of its own makes room for.
pub fn zstd_content_bytes_max(frame: &[u8], framing: ZstdFraming) -> Result<usize, CodecError> {
    content_bytes_max(frame, framing).map_err(|_| CodecError::Malformed("zstd frame"))
}

/// The content of one frame. `raw_bytes` is what the caller's own header says; a frame that gives
/// more or less is refused, as is a length above `bytes_max`. For many small frames keep a
/// [`ZstdDecoder`] instead.
pub fn decompress_zstd(
    frame: &[u8],
    framing: ZstdFraming,
    dictionary: Option<&ZstdDictionary>,
    raw_bytes: usize,
    bytes_max: usize,
) -> Result<Vec<u8>, CodecError> {
    let mut raw = buffer(raw_bytes, bytes_max)?;
    ZstdDecoder::new().decode(frame, framing, dictionary, &mut raw)?;
    Ok(raw)
}
