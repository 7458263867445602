//! Keys, values and ranges between Rust and IndexedDB.
//!
//! Keys are binary keys, which IndexedDB orders by unsigned bytes, a prefix first. Binary keys come
//! after numbers, dates and strings and before arrays, so bounds that are binary on one side only
//! still need the other side to keep out foreign kinds.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use varve_kv::{Bytes, Key, KeyRange};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::failure::Failure;

/// Arrays from here on are given back at once instead of when the garbage is next collected, which
/// browsers put off for tens of megabytes.
const LARGE_BYTES: u32 = 16 << 10;

#[wasm_bindgen]
extern "C" {
    /// `ArrayBuffer` with the method by which it loses its memory.
    #[wasm_bindgen(extends = ArrayBuffer)]
    type TransferableBuffer;

    #[wasm_bindgen(method, catch)]
    fn transfer(this: &TransferableBuffer, bytes: u32) -> Result<ArrayBuffer, JsValue>;
}

/// Gives back the memory of an array that nobody reads any more. Browsers that cannot (before 2024)
/// do so later.
pub(crate) fn release(array: &Uint8Array) {
    if array.length() >= LARGE_BYTES {
        let buffer: TransferableBuffer = array.buffer().unchecked_into();
        drop(buffer.transfer(0));
    }
}

/// A fresh array, never a view of wasm memory: to store a view is to clone the whole memory behind
/// it.
pub(crate) fn to_js(bytes: &[u8]) -> Uint8Array {
    Uint8Array::from(bytes)
}

/// Reads a key back, which IndexedDB answers as an `ArrayBuffer`.
pub(crate) fn key_from_js(value: JsValue) -> Result<Key, Failure> {
    match value.dyn_into::<ArrayBuffer>() {
        Ok(buffer) => Ok(Uint8Array::new(&buffer).to_vec()),
        Err(other) => Err(Failure::corrupt(
            None,
            format!("a key is no bytes but {other:?}"),
        )),
    }
}

/// Reads a value back, once; `undefined` means that the key is absent.
pub(crate) fn value_from_js(value: JsValue) -> Result<Option<Bytes>, Failure> {
    if value.is_undefined() {
        return Ok(None);
    }
    let array: Uint8Array = value
        .dyn_into()
        .map_err(|other| Failure::corrupt(None, format!("a value is no bytes but {other:?}")))?;
    let bytes =
        usize::try_from(array.length()).map_err(|_| Failure::backend("a value is too long"))?;
    let mut value: Bytes = std::iter::repeat_n(0u8, bytes).collect();
    match Bytes::get_mut(&mut value) {
        Some(target) => array.copy_to(target),
        None => return Err(Failure::backend("a new value is shared")),
    }
    release(&array);
    Ok(Some(value))
}

/// The range as IndexedDB knows it, or `None` for an empty one, which IndexedDB refuses.
pub(crate) fn range_to_js(range: &KeyRange) -> Result<Option<idb::KeyRange>, Failure> {
    if range.is_empty() {
        return Ok(None);
    }
    let start = to_js(&range.start);
    let js_range = match &range.end {
        Some(end) => idb::KeyRange::bound(&start, &to_js(end), Some(false), Some(true))?,
        // The empty array is the first key beyond all binary ones.
        None => idb::KeyRange::bound(&start, &Array::new(), Some(false), Some(true))?,
    };
    Ok(Some(js_range))
}
