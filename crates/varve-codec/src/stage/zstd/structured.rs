//! Bytes to frames, by crate `structured-zstd`.

use core::cell::Cell;

use structured_zstd::encoding::{CompressionLevel, EncoderDictionary, FrameCompressor};

use super::encoder::{ZSTD_LEVEL_MAX, ZSTD_LEVEL_MIN, ZstdEncoder, ZstdEncoders};
use super::train::train_dictionary;
use crate::{CodecError, ZstdDictionary, ZstdFraming};

/// Rows of a column rarely spread over more powers of two.
const COMPRESSORS_MAX: usize = 6;

/// The encoder. From frame to frame it keeps the last dictionary and the tables of its compressors:
/// at level 19 1.3 MiB for small rows with a dictionary of 112 KiB, 20 MiB for contents of a MiB.
#[derive(Default)]
pub struct StructuredZstd {
    dictionary: Option<(ZstdDictionary, EncoderDictionary)>,
    /// The most recently used comes first; without a dictionary there is one.
    compressors: Vec<Compressor>,
}

/// A compressor indexes its dictionary for one level and one power of two of content sizes: with
/// any other it starts again, which costs up to 25 ms. So each pair has its own.
struct Compressor {
    level: u8,
    size_class: u32,
    frames: FrameCompressor,
}

impl StructuredZstd {
    /// An encoder that holds nothing yet.
    pub fn new() -> StructuredZstd {
        StructuredZstd::default()
    }

    fn set_dictionary(&mut self, dictionary: Option<&ZstdDictionary>) -> Result<(), CodecError> {
        let unchanged = match (&self.dictionary, dictionary) {
            (Some((last, _)), Some(dictionary)) => last.is_same(dictionary),
            (None, None) => true,
            _ => false,
        };
        if unchanged {
            return Ok(());
        }
        self.compressors.clear();
        self.dictionary = None;
        if let Some(dictionary) = dictionary {
            let prepared = EncoderDictionary::from_serialized_or_raw_content(dictionary.bytes())
                .map_err(|_| CodecError::Malformed("zstd dictionary"))?;
            self.dictionary = Some((dictionary.clone(), prepared));
        }
        Ok(())
    }

    /// The compressor for contents of this size, now the first one.
    fn compressor(&mut self, level: u8, raw_bytes: usize) -> Result<&mut Compressor, CodecError> {
        let size_class = match self.dictionary {
            Some(_) => raw_bytes.next_power_of_two().trailing_zeros(),
            None => 0,
        };
        let wanted = |each: &Compressor| each.level == level && each.size_class == size_class;
        let compressor = if let Some(at) = self.compressors.iter().position(wanted) {
            self.compressors.remove(at)
        } else {
            let others_max = match self.dictionary {
                Some(_) => COMPRESSORS_MAX - 1,
                None => 0,
            };
            self.compressors.truncate(others_max);
            let mut frames = FrameCompressor::new(CompressionLevel::from_level(i32::from(level)));
            if let Some((_, prepared)) = &self.dictionary {
                frames
                    .set_encoder_dictionary(prepared.clone())
                    .map_err(|_| CodecError::Malformed("zstd dictionary"))?;
            }
            Compressor {
                level,
                size_class,
                frames,
            }
        };
        Ok(self.compressors.insert_mut(0, compressor))
    }
}

impl ZstdEncoder for StructuredZstd {
    fn compress(
        &mut self,
        raw: &[u8],
        level: u8,
        dictionary: Option<&ZstdDictionary>,
        framing: ZstdFraming,
    ) -> Result<Vec<u8>, CodecError> {
        if !(ZSTD_LEVEL_MIN..=ZSTD_LEVEL_MAX).contains(&level) {
            return Err(CodecError::Malformed("zstd level"));
        }
        self.set_dictionary(dictionary)?;
        let compact = framing.is_compact();
        let frames = &mut self.compressor(level, raw.len())?.frames;
        frames.set_magicless(compact);
        frames.set_content_size_flag(!compact);
        frames.set_dictionary_id_flag(!compact);
        frames.set_content_checksum(!compact);
        Ok(frames.compress_independent_frame(raw))
    }
}

impl core::fmt::Debug for StructuredZstd {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("StructuredZstd")
            .field("compressors", &self.compressors.len())
            .finish_non_exhaustive()
    }
}

thread_local! {
    /// An encoder that was left with its dictionary prepared, for the next one on the thread.
    static PREPARED: Cell<Option<StructuredZstd>> = const { Cell::new(None) };
}

/// An encoder that is kept for the thread while it has a dictionary: preparing one takes up to
/// 25 ms.
struct Kept(StructuredZstd);

impl ZstdEncoder for Kept {
    fn compress(
        &mut self,
        raw: &[u8],
        level: u8,
        dictionary: Option<&ZstdDictionary>,
        framing: ZstdFraming,
    ) -> Result<Vec<u8>, CodecError> {
        self.0.compress(raw, level, dictionary, framing)
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if self.0.dictionary.is_some() {
            let encoder = core::mem::take(&mut self.0);
            // Where the thread ends there is no next one.
            let _ = PREPARED.try_with(|prepared| prepared.set(Some(encoder)));
        }
    }
}

/// Makes encoders of this kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct StructuredZstdEncoders;

impl ZstdEncoders for StructuredZstdEncoders {
    fn encoder(&self) -> Box<dyn ZstdEncoder> {
        let prepared = PREPARED.try_with(Cell::take).ok().flatten();
        Box::new(Kept(prepared.unwrap_or_default()))
    }

    fn train(
        &self,
        samples: &[u8],
        lengths: &[u32],
        dictionary_bytes_max: usize,
    ) -> Result<Vec<u8>, CodecError> {
        train_dictionary(samples, lengths, dictionary_bytes_max)
    }
}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;

    use super::StructuredZstdEncoders;
    use crate::{ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming};

    thread_local! {
        static HELD: RefCell<Option<Box<dyn ZstdEncoder>>> = const { RefCell::new(None) };
    }

    /// What is registered first with a thread is dropped last.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the end of a thread is tested")]
    fn a_thread_may_end_with_an_encoder_that_has_a_dictionary() {
        let thread = std::thread::spawn(|| {
            HELD.with_borrow_mut(|held| *held = None);
            let dictionary = ZstdDictionary::new(b"any bytes are a dictionary").unwrap();
            let compact = ZstdFraming::Compact;
            let mut first = StructuredZstdEncoders.encoder();
            first
                .compress(b"any bytes", 3, Some(&dictionary), compact)
                .unwrap();
            drop(first);
            let mut second = StructuredZstdEncoders.encoder();
            second
                .compress(b"any bytes", 3, Some(&dictionary), compact)
                .unwrap();
            HELD.with_borrow_mut(|held| *held = Some(second));
        });
        thread.join().unwrap();
    }
}
