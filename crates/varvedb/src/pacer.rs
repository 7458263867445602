//! Lets others have their turn during long work outside the executor.

use std::sync::Arc;

use varve_types::Env;

/// Yields when a slice of work has passed since the last yield.
pub(crate) struct Pacer {
    env: Arc<dyn Env>,
    since_us: u64,
}

impl Pacer {
    /// A pacer whose slice begins now.
    pub fn new(env: Arc<dyn Env>) -> Pacer {
        let since_us = env.monotonic_us();
        Pacer { env, since_us }
    }

    /// To be called at least every few milliseconds of work.
    pub async fn pace(&mut self) {
        if self.env.monotonic_us().saturating_sub(self.since_us) >= self.env.slice_us() {
            self.env.yield_now().await;
            self.since_us = self.env.monotonic_us();
        }
    }
}
