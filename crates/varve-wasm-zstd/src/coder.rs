//! What the worker calls.

use std::cell::RefCell;

use varve_codec::{
    ByteReader, CodecError, StructuredZstd, ZstdDictionary, ZstdEncoder, ZstdFraming,
    train_dictionary,
};
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// The version that this module was built from, so that files of two releases are not mixed.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

/// An encoder with its memory, and the last dictionary that it was given.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct ZstdCoder {
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    encoder: StructuredZstd,
    dictionary: Option<ZstdDictionary>,
}

/// Frames one after another.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    lengths: Vec<u32>,
}

#[wasm_bindgen]
impl Frames {
    /// All frames.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// The length of each.
    #[wasm_bindgen(getter)]
    pub fn lengths(&self) -> Vec<u32> {
        self.lengths.clone()
    }
}

#[wasm_bindgen]
impl ZstdCoder {
    /// A coder that holds nothing yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> ZstdCoder {
        ZstdCoder::default()
    }

    /// One frame for each of the contents in `raw`, whose `lengths` add up to it. A dictionary is
    /// prepared once while calls pass the same bytes.
    pub fn compress(
        &self,
        raw: &[u8],
        lengths: &[u32],
        level: u8,
        dictionary: Option<Vec<u8>>,
        compact: bool,
    ) -> Result<Frames, JsError> {
        let framing = if compact {
            ZstdFraming::Compact
        } else {
            ZstdFraming::Standard
        };
        let mut state = self.state.borrow_mut();
        Ok(state.compress(raw, lengths, level, dictionary.as_deref(), framing)?)
    }

    /// A dictionary of at most `bytes_max` for rows like `samples`, whose `lengths` add up to it.
    pub fn train(
        &self,
        samples: &[u8],
        lengths: &[u32],
        bytes_max: usize,
    ) -> Result<Vec<u8>, JsError> {
        Ok(train_dictionary(samples, lengths, bytes_max)?)
    }
}

impl State {
    fn compress(
        &mut self,
        raw: &[u8],
        lengths: &[u32],
        level: u8,
        dictionary: Option<&[u8]>,
        framing: ZstdFraming,
    ) -> Result<Frames, CodecError> {
        if self.dictionary.as_ref().map(ZstdDictionary::bytes) != dictionary {
            self.dictionary = dictionary.map(ZstdDictionary::new).transpose()?;
        }
        let mut rest = ByteReader::new(raw);
        let mut frames = Frames::default();
        for &length in lengths {
            let content = rest.take(usize::try_from(length).unwrap_or(usize::MAX))?;
            let dictionary = self.dictionary.as_ref();
            let frame = self.encoder.compress(content, level, dictionary, framing)?;
            frames.bytes.extend_from_slice(&frame);
            let too_long = |_| CodecError::Malformed("frame length");
            frames
                .lengths
                .push(u32::try_from(frame.len()).map_err(too_long)?);
        }
        rest.end()?;
        Ok(frames)
    }
}
