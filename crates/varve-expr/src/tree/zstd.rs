//! What functions of zstd call: how frames are made and read is no concern of expressions. As the
//! functions are immutable, indexes compute them too, where there is no session to ask.

use std::sync::OnceLock;

use varve_types::{Error, Result};

/// The form of a frame.
#[derive(Clone, Copy, Debug)]
pub struct ZstdForm<'a> {
    /// What it refers back into.
    pub dictionary: Option<&'a [u8]>,
    /// Without magic, content size, dictionary id and checksum.
    pub is_compact: bool,
}

/// What makes and reads frames of zstd.
pub trait Zstd: Send + Sync {
    /// The frame of `raw`, on a level from 1 to 22.
    fn compress(&self, raw: &[u8], level: u8, form: ZstdForm<'_>) -> Result<Vec<u8>>;

    /// The content of a frame, of at most `bytes_max`.
    fn decompress(&self, frame: &[u8], bytes_max: usize, form: ZstdForm<'_>) -> Result<Vec<u8>>;

    /// A dictionary of at most `bytes_max` for rows like `samples`: all of them one after another,
    /// with their `lengths`.
    fn train(&self, samples: &[u8], lengths: &[u32], bytes_max: usize) -> Result<Vec<u8>>;
}

static PROVIDED: OnceLock<Box<dyn Zstd>> = OnceLock::new();

/// Says what makes and reads frames in this process; the first one stays.
pub fn provide_zstd(zstd: impl Zstd + 'static) {
    PROVIDED.get_or_init(|| Box::new(zstd));
}

/// What makes and reads frames.
pub(crate) fn zstd() -> Result<&'static dyn Zstd> {
    let provided = PROVIDED.get().map(Box::as_ref);
    provided.ok_or_else(|| Error::unsupported("zstd in this build"))
}
