//! Flush as a job.

use std::sync::Arc;

use varve_types::LocalFuture;

use crate::error::Result;
use crate::store::{Job, JobControl, Store};

struct FlushJob;

impl Job for FlushJob {
    fn kind(&self) -> &'static str {
        "flush"
    }

    fn run<'a>(
        &'a mut self,
        store: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(store.flush_frozen(control))
    }
}

/// A flush, where a memtable is frozen.
pub(crate) fn due(store: &Arc<Store>) -> Option<Box<dyn Job>> {
    let state = store.state();
    let is_due = state.frozen.is_some() && state.failure.is_none();
    is_due.then(|| Box::new(FlushJob) as Box<dyn Job>)
}
