//! Futures as promises. They are boxed first, so that what makes a promise of one is compiled once
//! and not for each export.

use js_sys::Promise;
use varve_types::{LocalFuture, Result};
use wasm_bindgen::prelude::JsValue;
use wasm_bindgen_futures::future_to_promise;

use crate::convert::error_object;

/// A promise of what `work` answers; an error rejects it as an object with all fields.
pub fn promise(work: LocalFuture<'static, Result<JsValue>>) -> Promise {
    promise_or_thrown(Box::pin(async move {
        work.await.map_err(|error| error_object(&error))
    }))
}

/// A promise of what `work` answers, or what it throws.
pub fn promise_or_thrown(work: LocalFuture<'static, Result<JsValue, JsValue>>) -> Promise {
    future_to_promise(work)
}
