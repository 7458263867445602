//! The engine is split after it is linked (`varve-wasm-split`): what pages seldom run is in a
//! second part, and stubs in the first one call what JavaScript has to load it.

use wasm_bindgen::prelude::wasm_bindgen;

// The stubs name this import, so it must be in the module, whoever calls it.
#[wasm_bindgen(raw_module = "./second-part.js")]
extern "C" {
    /// Returns when the second part is there, and throws when it cannot be loaded.
    #[wasm_bindgen(js_name = loadSecondPart)]
    fn load_second_part();
}

/// Loads the second part there and then, as a stub does.
#[wasm_bindgen(js_name = needSecondPart)]
pub fn need_second_part() {
    load_second_part();
}
