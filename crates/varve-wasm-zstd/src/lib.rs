//! The encoder of zstd and its trainer for JavaScript, as a module beside the engine's: together
//! they are as large as a quarter of it, and few pages need them. Bytes go in and come out, the
//! same as natively.
//!
//! Invariant: nothing of the engine is linked here but its codecs, and nothing of this module into
//! the engine.

use std::cell::RefCell;

use varve_codec::{
    CodecError, StructuredZstd, StructuredZstdEncoders, ZstdDictionary, ZstdEncoder, ZstdEncoders,
    ZstdFraming,
};

/// What is kept from call to call.
#[derive(Default)]
struct Kept {
    encoder: StructuredZstd,
    /// That of the last call.
    dictionary: Option<ZstdDictionary>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// The frame of `raw`.
pub fn compressed(
    raw: &[u8],
    level: u8,
    dictionary: Option<&[u8]>,
    framing: ZstdFraming,
) -> Result<Vec<u8>, CodecError> {
    KEPT.with_borrow_mut(|kept| {
        let last = kept.dictionary.take();
        let dictionary = match (dictionary, last) {
            (None, _) => None,
            (Some(bytes), Some(last)) if last.bytes() == bytes => Some(last),
            (Some(bytes), _) => Some(ZstdDictionary::new(bytes)?),
        };
        let frame = kept
            .encoder
            .compress(raw, level, dictionary.as_ref(), framing);
        kept.dictionary = dictionary;
        frame
    })
}

/// A dictionary for rows like `samples`, which stand one after another.
pub fn trained(
    samples: &[u8],
    lengths: &[u32],
    dictionary_bytes_max: usize,
) -> Result<Vec<u8>, CodecError> {
    StructuredZstdEncoders.train(samples, lengths, dictionary_bytes_max)
}

#[cfg(target_arch = "wasm32")]
mod exports {
    use varve_codec::ZstdFraming;
    use wasm_bindgen::prelude::wasm_bindgen;

    /// The frame of `raw`, on a level from 1 to 22; nothing where the dictionary is damaged.
    #[wasm_bindgen]
    pub fn compress(
        raw: &[u8],
        level: u8,
        dictionary: Option<Vec<u8>>,
        is_compact: bool,
    ) -> Option<Vec<u8>> {
        let framing = match is_compact {
            true => ZstdFraming::Compact,
            false => ZstdFraming::Standard,
        };
        crate::compressed(raw, level, dictionary.as_deref(), framing).ok()
    }

    /// A dictionary of at most `bytes_max` for rows like `samples`, which stand one after another,
    /// with their `lengths`; nothing where they make none.
    #[wasm_bindgen]
    pub fn train(samples: &[u8], lengths: &[u32], bytes_max: usize) -> Option<Vec<u8>> {
        crate::trained(samples, lengths, bytes_max).ok()
    }
}

#[cfg(test)]
mod tests {
    use varve_codec::{StructuredZstd, ZstdDictionary, ZstdEncoder, ZstdFraming};

    #[test]
    fn bytes_are_those_of_a_fresh_encoder_whatever_came_before() {
        let text = b"varve layer of sediment, fine and sorted; ".repeat(20);
        let dictionaries: [Option<&[u8]>; 3] = [None, Some(b"layer of sediment"), Some(b"sorted")];
        for round in 0..2 {
            for dictionary in dictionaries {
                for level in [1, 3, 19, 22] {
                    let framing = ZstdFraming::Compact;
                    let prepared = dictionary.map(|bytes| ZstdDictionary::new(bytes).unwrap());
                    let fresh =
                        StructuredZstd::new().compress(&text, level, prepared.as_ref(), framing);
                    let kept = super::compressed(&text, level, dictionary, framing);
                    assert_eq!(kept, fresh, "round {round}, level {level}");
                }
            }
        }
    }
}
