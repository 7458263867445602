//! Where a statement leaves its rows for those who pull them.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use varve_system_views::Field;
use varve_types::Batch;

/// Where a statement that runs leaves one batch at a time.
#[derive(Default)]
pub(crate) struct Outlet {
    pub batch: RefCell<Option<Batch>>,
    pub fields: RefCell<Arc<[Field]>>,
    has_given: Cell<bool>,
    pub is_closed: Cell<bool>,
}

impl Outlet {
    /// Says which columns the batches will have.
    pub(crate) fn open(&self, fields: &[Field]) {
        self.fields.replace(fields.into());
    }

    /// Leaves a batch, and waits until it is taken; whether more are wanted.
    pub(crate) async fn give(&self, batch: Batch) -> bool {
        if self.is_closed.get() {
            return false;
        }
        self.has_given.set(true);
        self.batch.replace(Some(batch));
        // The stream polls the statement again once it has taken the batch: nobody is to be woken.
        poll_fn(|_| match self.batch.borrow().is_some() {
            true => Poll::Pending,
            false => Poll::Ready(()),
        })
        .await;
        !self.is_closed.get()
    }

    /// Whether a batch was given: a statement is not run again after that.
    pub(crate) fn has_given(&self) -> bool {
        self.has_given.get()
    }
}
