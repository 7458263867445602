//! Waiting for time to pass in a native process, without an event loop.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Resolves after a time; a thread of its own sleeps meanwhile. That is cheap enough for what waits
/// milliseconds.
pub(crate) struct Timer {
    duration: Duration,
    state: Option<Arc<Mutex<State>>>,
}

#[derive(Default)]
struct State {
    is_over: bool,
    waker: Option<Waker>,
}

impl Timer {
    pub(crate) fn new(duration_us: u64) -> Timer {
        Timer {
            duration: Duration::from_micros(duration_us),
            state: None,
        }
    }
}

impl Future for Timer {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let duration = self.duration;
        let state = self.state.get_or_insert_with(|| start(duration));
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.is_over {
            return Poll::Ready(());
        }
        state.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is how the Env that the lint points to waits"
)]
fn start(duration: Duration) -> Arc<Mutex<State>> {
    let state = Arc::new(Mutex::new(State::default()));
    let sleeper = Arc::clone(&state);
    let end = move || {
        let mut state = sleeper.lock().unwrap_or_else(PoisonError::into_inner);
        state.is_over = true;
        if let Some(waker) = state.waker.take() {
            waker.wake();
        }
    };
    let sleep = {
        let end = end.clone();
        move || {
            std::thread::sleep(duration);
            end();
        }
    };
    // Without a thread to sleep on, the wait is over at once.
    if std::thread::Builder::new().spawn(sleep).is_err() {
        end();
    }
    state
}

#[cfg(test)]
mod tests {
    use super::Timer;
    use crate::SystemEnv;
    use varve_types::Env;

    #[test]
    fn it_waits() {
        let env = SystemEnv::new();
        pollster::block_on(Timer::new(20_000));
        assert!(env.monotonic_us() >= 20_000);
    }
}
