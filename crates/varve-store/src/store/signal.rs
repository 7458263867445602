//! Wakes whoever waits for something to change.

use std::future::poll_fn;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

/// A counter of changes, and who waits for the next one.
#[derive(Default)]
pub(crate) struct Signal {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    raised: u64,
    wakers: Vec<Waker>,
}

impl Signal {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No step under this lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often it was raised so far.
    pub(crate) fn raised(&self) -> u64 {
        self.inner().raised
    }

    pub(crate) fn raise(&self) {
        let wakers = {
            let mut inner = self.inner();
            inner.raised = inner.raised.wrapping_add(1);
            core::mem::take(&mut inner.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until it has been raised since it was at `seen`.
    pub(crate) async fn raised_since(&self, seen: u64) {
        poll_fn(|context| {
            let mut inner = self.inner();
            if inner.raised != seen {
                return Poll::Ready(());
            }
            if !inner
                .wakers
                .iter()
                .any(|waker| waker.will_wake(context.waker()))
            {
                inner.wakers.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}
