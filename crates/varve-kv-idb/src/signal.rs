//! The way from an event handler to the future that waits for it.

use std::cell::RefCell;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Carries one value from whoever sets it first to one waiter.
pub(crate) struct Signal<T>(Rc<RefCell<State<T>>>);

struct State<T> {
    value: Option<T>,
    is_set: bool,
    waker: Option<Waker>,
}

impl<T> Signal<T> {
    pub(crate) fn new() -> Self {
        Self(Rc::new(RefCell::new(State {
            value: None,
            is_set: false,
            waker: None,
        })))
    }

    /// Sets the value, unless one was set before.
    pub(crate) fn set(&self, value: T) {
        let waker = {
            let mut state = self.0.borrow_mut();
            if state.is_set {
                return;
            }
            state.is_set = true;
            state.value = Some(value);
            state.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    pub(crate) async fn wait(self) -> T {
        poll_fn(|context| {
            let mut state = self.0.borrow_mut();
            match state.value.take() {
                Some(value) => Poll::Ready(value),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}
