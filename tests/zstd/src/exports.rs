//! What the test calls.

use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// The whole list, a line for each entry.
#[wasm_bindgen(js_name = hashes)]
pub fn all_hashes() -> Result<String, JsError> {
    let levels: Vec<u8> = (1..=19).collect();
    Ok(crate::hashes(&levels)?)
}
