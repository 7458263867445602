//! What the test calls.

use varve_run::fixtures::to_hex;
use wasm_bindgen::prelude::{JsError, wasm_bindgen};

/// The golden run.
#[wasm_bindgen(js_name = goldenRun)]
pub fn golden_run() -> Result<String, JsError> {
    Ok(to_hex(&varve_run::fixtures::golden_run()?))
}

/// The golden manifest.
#[wasm_bindgen(js_name = goldenManifest)]
pub fn golden_manifest() -> Result<String, JsError> {
    Ok(varve_store::fixtures::golden_manifest()?)
}

/// The golden log record.
#[wasm_bindgen(js_name = goldenLog)]
pub fn golden_log() -> Result<String, JsError> {
    Ok(varve_store::fixtures::golden_log()?)
}

/// The golden log value that several records share.
#[wasm_bindgen(js_name = goldenMergedLog)]
pub fn golden_merged_log() -> Result<String, JsError> {
    Ok(varve_store::fixtures::golden_merged_log()?)
}
