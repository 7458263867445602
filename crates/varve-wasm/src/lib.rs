//! VarveDB for JavaScript: what the worker of the npm package calls, and the form in which results
//! leave for the page. It knows the facade and the browser's backend, and nothing of SQL or
//! storage; natively only the result codec exists.
//!
//! Invariant: exports take `&self` and hold no borrow across an await.
//! Invariant: every failure leaves as a plain object with all fields of the error, a panic
//! included: after one the instance answers `XX000` to every call.

#[cfg(target_arch = "wasm32")]
mod browser_env;
#[cfg(any(target_arch = "wasm32", test))]
mod columns;
#[cfg(target_arch = "wasm32")]
mod convert;
#[cfg(target_arch = "wasm32")]
mod dump;
#[cfg(target_arch = "wasm32")]
mod engine;
#[cfg(target_arch = "wasm32")]
mod export;
#[cfg(target_arch = "wasm32")]
mod load;
#[cfg(any(target_arch = "wasm32", test))]
mod panic;
#[cfg(target_arch = "wasm32")]
mod promise;
#[cfg(target_arch = "wasm32")]
mod reports;
mod result;
#[cfg(target_arch = "wasm32")]
mod second_part;
#[cfg(target_arch = "wasm32")]
mod session;
#[cfg(target_arch = "wasm32")]
mod zstd;

#[cfg(target_arch = "wasm32")]
pub use engine::Engine;
#[cfg(target_arch = "wasm32")]
pub use export::{EngineExport, EngineImport};
#[cfg(target_arch = "wasm32")]
pub use load::EngineLoad;
pub use result::encode_results;
#[cfg(target_arch = "wasm32")]
pub use second_part::need_second_part;
#[cfg(target_arch = "wasm32")]
pub use session::EngineSession;
