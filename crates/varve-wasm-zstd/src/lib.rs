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
    /// That of the calls that follow.
    dictionary: Option<ZstdDictionary>,
}

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Says which dictionary the next frames are made with: many small ones are, and to hand it over
/// with each would cost more than to compress them.
pub fn set_dictionary(bytes: Option<&[u8]>) -> Result<(), CodecError> {
    let dictionary = bytes.map(ZstdDictionary::new).transpose()?;
    KEPT.with_borrow_mut(|kept| kept.dictionary = dictionary);
    Ok(())
}

/// The frame of `raw`, with the dictionary that was set last.
pub fn compressed(raw: &[u8], level: u8, framing: ZstdFraming) -> Result<Vec<u8>, CodecError> {
    KEPT.with_borrow_mut(|kept| {
        let dictionary = kept.dictionary.as_ref();
        kept.encoder.compress(raw, level, dictionary, framing)
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

    /// Says which dictionary the next frames are made with, none or one; false where it is damaged.
    #[wasm_bindgen(js_name = setDictionary)]
    pub fn set_dictionary(dictionary: Option<Vec<u8>>) -> bool {
        crate::set_dictionary(dictionary.as_deref()).is_ok()
    }

    /// The frame of `raw`, on a level from 1 to 22; nothing where the dictionary is damaged.
    #[wasm_bindgen]
    pub fn compress(raw: &[u8], level: u8, is_compact: bool) -> Option<Vec<u8>> {
        let framing = match is_compact {
            true => ZstdFraming::Compact,
            false => ZstdFraming::Standard,
        };
        crate::compressed(raw, level, framing).ok()
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
                    super::set_dictionary(dictionary).unwrap();
                    let kept = super::compressed(&text, level, framing);
                    assert_eq!(kept, fresh, "round {round}, level {level}");
                }
            }
        }
    }
}
