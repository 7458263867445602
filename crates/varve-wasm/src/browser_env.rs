//! The surroundings of the engine in a browser.

use js_sys::{Date, Function, Promise, Uint8Array};
use varve_types::{Env, LocalFuture};
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::MessageChannel;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(into: &Uint8Array);

    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(then: &Function, wait_ms: f64) -> JsValue;
}

#[wasm_bindgen(raw_module = "./space.js")]
extern "C" {
    /// Tells the page, in a later turn.
    #[wasm_bindgen(js_name = spaceChanged)]
    fn space_changed(is_full: bool);
}

/// The longest stretch of work between two messages to the worker.
const SLICE_US: u64 = 8_000;

/// Clocks, randomness and turns of a page or a worker.
#[derive(Debug, Clone, Copy)]
pub struct BrowserEnv;

impl Env for BrowserEnv {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "2^63 microseconds are 292,000 years"
    )]
    fn now_us(&self) -> i64 {
        (Date::now() * 1000.0) as i64
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the clock starts at 0 when the worker does, and never goes back"
    )]
    fn monotonic_us(&self) -> u64 {
        (performance_now() * 1000.0) as u64
    }

    fn random_u64(&self) -> u64 {
        let random = Uint8Array::new_with_length(8);
        get_random_values(&random);
        let mut bytes = [0; 8];
        random.copy_to(&mut bytes);
        u64::from_le_bytes(bytes)
    }

    fn slice_us(&self) -> u64 {
        SLICE_US
    }

    fn yield_now(&self) -> LocalFuture<'static, ()> {
        Box::pin(turn())
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "a timer need not be exact to the microsecond"
    )]
    fn sleep(&self, duration_us: u64) -> LocalFuture<'static, ()> {
        let wait_ms = duration_us as f64 / 1000.0;
        Box::pin(async move {
            let timeout = Promise::new(&mut |resolve, _| drop(set_timeout(&resolve, wait_ms)));
            // The promise is never rejected.
            drop(JsFuture::from(timeout).await);
        })
    }

    fn storage_changed(&self, is_full: bool) {
        space_changed(is_full);
    }

    fn spawn(&self, task: LocalFuture<'static, ()>) {
        spawn_local(task);
    }
}

/// Resolves in a later turn of the event loop, after the messages that are waiting now. Not by a
/// timer: after a few of them browsers make each wait 4 ms at least.
async fn turn() {
    let Ok(channel) = MessageChannel::new() else {
        return;
    };
    let received = Promise::new(&mut |resolve, _| channel.port1().set_onmessage(Some(&resolve)));
    if channel.port2().post_message(&JsValue::NULL).is_ok() {
        // The promise is never rejected.
        drop(JsFuture::from(received).await);
    }
    // A port with a handler is kept alive until it is closed.
    channel.port1().close();
}
