//! Frames of zstd for the functions of SQL: what `varve-codec` makes and reads, with dictionaries
//! that are prepared once for many rows.

use std::cell::RefCell;
use std::sync::Arc;

use varve_codec::{
    CodecError, ZstdDecoder, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming,
    zstd_content_bytes_max,
};
use varve_expr::{Zstd, ZstdForm};
use varve_store::{ZstdSource, zstd_encoders};
use varve_types::{Error, Result, SqlState, meter};

/// An encoder that held more is not codecs.
const RETAINED_RAW_BYTES_MAX: usize = 128 << 10;
/// Dictionaries that are kept prepared, if they are no larger than those that are trained.
const DICTIONARIES_MAX: usize = 4;
const DICTIONARY_BYTES_MAX: usize = 1 << 20;

thread_local! {
    /// What the thread keeps from row to row.
    static CODECS: RefCell<Codecs> = RefCell::default();
}

#[derive(Default)]
struct Codecs {
    encoder: Option<Box<dyn ZstdEncoder>>,
    decoder: ZstdDecoder,
    /// The most recently used comes first.
    dictionaries: Vec<ZstdDictionary>,
}

impl Codecs {
    fn dictionary(&mut self, bytes: Option<&[u8]>) -> Result<Option<ZstdDictionary>> {
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let known = self.dictionaries.iter();
        let mut known = known.enumerate();
        let dictionary = match known.find(|(_, known)| known.bytes() == bytes) {
            Some((at, _)) => self.dictionaries.remove(at),
            None => ZstdDictionary::new(bytes).map_err(|error| damaged("dictionary", error))?,
        };
        if bytes.len() <= DICTIONARY_BYTES_MAX {
            self.dictionaries.truncate(DICTIONARIES_MAX - 1);
            self.dictionaries.insert(0, dictionary.clone());
        }
        Ok(Some(dictionary))
    }
}

/// Frames of values.
pub(crate) struct ZstdValues {
    /// What makes them in this build.
    built_in: Option<Arc<dyn ZstdEncoders>>,
    /// Where it comes from otherwise.
    source: Option<Arc<dyn ZstdSource>>,
}

impl ZstdValues {
    /// By the encoder of this build, or by that of `source`.
    pub fn new(source: Option<Arc<dyn ZstdSource>>) -> ZstdValues {
        ZstdValues {
            built_in: zstd_encoders(),
            source,
        }
    }

    fn encoders(&self) -> Result<Arc<dyn ZstdEncoders>> {
        match (&self.built_in, &self.source) {
            (Some(encoders), _) => Ok(Arc::clone(encoders)),
            (None, Some(source)) => source.fetch_now(),
            (None, None) => {
                let error = Error::unsupported("compressing by zstd in this build");
                Err(error.with_hint("What was compressed elsewhere can be decompressed."))
            }
        }
    }
}

impl Zstd for ZstdValues {
    fn compress(&self, raw: &[u8], level: u8, form: ZstdForm<'_>) -> Result<Vec<u8>> {
        let encoders = self.encoders()?;
        CODECS.with_borrow_mut(|codecs| {
            let dictionary = codecs.dictionary(form.dictionary)?;
            let mut encoder = codecs.encoder.take().unwrap_or_else(|| encoders.encoder());
            let frame = encoder.compress(raw, level, dictionary.as_ref(), framing(form));
            if raw.len() <= RETAINED_RAW_BYTES_MAX && frame.is_ok() {
                codecs.encoder = Some(encoder);
            }
            frame.map_err(|error| damaged("dictionary", error))
        })
    }

    fn decompress(&self, frame: &[u8], bytes_max: usize, form: ZstdForm<'_>) -> Result<Vec<u8>> {
        CODECS.with_borrow_mut(|codecs| {
            let dictionary = codecs.dictionary(form.dictionary)?;
            let framing = framing(form);
            let bytes = zstd_content_bytes_max(frame, framing);
            let bytes = bytes.map_err(|error| refused(error, form))?;
            meter::room(bytes.min(bytes_max))?;
            let mut raw = Vec::new();
            let room = (&mut raw, bytes_max);
            let decoded = codecs
                .decoder
                .append(frame, framing, dictionary.as_ref(), room);
            decoded.map_err(|error| refused(error, form))?;
            Ok(raw)
        })
    }

    fn train(&self, samples: &[u8], lengths: &[u32], bytes_max: usize) -> Result<Vec<u8>> {
        let trained = self.encoders()?.train(samples, lengths, bytes_max);
        trained.map_err(|_| {
            let message = "these samples make no dictionary";
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            error.with_hint(
                "It takes seven samples at least, which have something in common, and ten times \
                 the bytes of the dictionary or more.",
            )
        })
    }
}

fn framing(form: ZstdForm<'_>) -> ZstdFraming {
    match form.is_compact {
        true => ZstdFraming::Compact,
        false => ZstdFraming::Standard,
    }
}

fn damaged(what: &str, error: CodecError) -> Error {
    let message = format!("invalid zstd {what}");
    Error::new(SqlState::INVALID_BINARY_REPRESENTATION, message).with_detail(error.to_string())
}

/// Why a frame was not read.
fn refused(error: CodecError, form: ZstdForm<'_>) -> Error {
    if let CodecError::TooLarge { bytes_max, .. } = error {
        let message = format!("the content of the zstd frame exceeds {bytes_max} bytes");
        return Error::new(SqlState::PROGRAM_LIMIT_EXCEEDED, message);
    }
    let other = if form.is_compact { "no" } else { "a" };
    damaged("frame", error).with_hint(format!(
        "It is damaged, was compressed with another dictionary, or is {other} compact one."
    ))
}
