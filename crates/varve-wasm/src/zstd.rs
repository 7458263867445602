//! What makes frames of zstd: a module of its own, which the worker's script fetches and calls.

use std::cell::RefCell;
use std::sync::Arc;

use js_sys::{Promise, Reflect};
use varve_types::{Error, Failure, LocalFuture, Result};
use varvedb::{CodecError, ZstdDictionary, ZstdEncoder, ZstdEncoders, ZstdFraming, ZstdSource};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen(raw_module = "./zstd.js")]
extern "C" {
    /// Resolves when the module is there.
    #[wasm_bindgen(js_name = fetchZstd)]
    fn fetch_zstd() -> Promise;

    /// Returns when the module is there, and throws when it cannot be loaded.
    #[wasm_bindgen(js_name = fetchZstdNow, catch)]
    fn fetch_zstd_now() -> core::result::Result<(), JsValue>;

    /// Says which dictionary the next frames are made with.
    #[wasm_bindgen(js_name = setZstdDictionary, catch)]
    fn set_zstd_dictionary(dictionary: Option<&[u8]>) -> core::result::Result<(), JsValue>;

    #[wasm_bindgen(js_name = compressZstd, catch)]
    fn compress_zstd(
        raw: &[u8],
        level: u8,
        is_compact: bool,
    ) -> core::result::Result<Vec<u8>, JsValue>;

    #[wasm_bindgen(js_name = trainZstd, catch)]
    fn train_zstd(
        samples: &[u8],
        lengths: &[u32],
        bytes_max: usize,
    ) -> core::result::Result<Vec<u8>, JsValue>;
}

/// The module, by whatever loads it.
#[derive(Debug)]
pub struct ZstdModule;

impl ZstdSource for ZstdModule {
    fn fetch(&self) -> LocalFuture<'_, Result<Arc<dyn ZstdEncoders>>> {
        Box::pin(async {
            let fetched = JsFuture::from(fetch_zstd()).await;
            fetched.map_err(|thrown| not_loaded(&thrown))?;
            Ok(Arc::new(Loaded) as Arc<dyn ZstdEncoders>)
        })
    }

    fn fetch_now(&self) -> Result<Arc<dyn ZstdEncoders>> {
        fetch_zstd_now().map_err(|thrown| not_loaded(&thrown))?;
        Ok(Arc::new(Loaded))
    }
}

/// `58030` with what the script says.
fn not_loaded(thrown: &JsValue) -> Error {
    let text = |name: &str| Reflect::get(thrown, &name.into()).ok()?.as_string();
    let message = text("message").unwrap_or_else(|| "zstd could not be loaded".to_owned());
    let error = Error::failed(Failure::NotLoaded, message);
    match text("hint") {
        Some(hint) => error.with_hint(hint),
        None => error,
    }
}

thread_local! {
    /// The dictionary that the module has.
    static LAST: RefCell<Option<ZstdDictionary>> = const { RefCell::new(None) };
}

/// The module once it is there.
struct Loaded;

impl ZstdEncoders for Loaded {
    fn encoder(&self) -> Box<dyn ZstdEncoder> {
        Box::new(Loaded)
    }

    fn train(
        &self,
        samples: &[u8],
        lengths: &[u32],
        dictionary_bytes_max: usize,
    ) -> core::result::Result<Vec<u8>, CodecError> {
        train_zstd(samples, lengths, dictionary_bytes_max)
            .map_err(|_| CodecError::Malformed("training samples"))
    }
}

impl ZstdEncoder for Loaded {
    fn compress(
        &mut self,
        raw: &[u8],
        level: u8,
        dictionary: Option<&ZstdDictionary>,
        framing: ZstdFraming,
    ) -> core::result::Result<Vec<u8>, CodecError> {
        let damaged = |_| CodecError::Malformed("zstd dictionary");
        LAST.with_borrow_mut(|last| {
            let is_set = match (&*last, dictionary) {
                (Some(last), Some(dictionary)) => last.is_same(dictionary),
                (None, None) => true,
                _ => false,
            };
            if !is_set {
                set_zstd_dictionary(dictionary.map(ZstdDictionary::bytes)).map_err(damaged)?;
                *last = dictionary.cloned();
            }
            compress_zstd(raw, level, framing == ZstdFraming::Compact).map_err(damaged)
        })
    }
}
