//! `varve-dialect` for JavaScript, as a module beside the engine's. A text goes in, the translation
//! comes out as JSON; what it means and how it is run is the client's business.
//!
//! Invariant: nothing of the engine is linked here, and nothing of this module into the engine.

mod json;

pub use json::json;

#[cfg(target_arch = "wasm32")]
mod exports {
    use varve_dialect::{UnknownDialect, translate};
    use wasm_bindgen::prelude::{JsError, wasm_bindgen};

    /// Translates a script of the dialect of this name; see `Translation` in `protocol.ts`.
    #[wasm_bindgen(js_name = translate)]
    pub fn translated(text: &str, dialect: &str) -> Result<String, JsError> {
        let dialect = dialect
            .parse()
            .map_err(|error: UnknownDialect| JsError::from(error))?;
        Ok(crate::json(&translate(text.as_bytes(), dialect)))
    }
}
