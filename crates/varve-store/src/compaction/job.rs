//! Compaction as a job.

use std::sync::Arc;

use varve_types::{LocalFuture, Result, TreeId};

use crate::compaction::Steps;
use crate::compaction::choose::Effort;
use crate::{Job, JobControl, Store};

/// Merges runs of one tree until all is well with it.
struct CompactionJob {
    tree: TreeId,
}

impl Steps for JobControl {
    async fn step(&mut self) -> Result<()> {
        JobControl::step(self).await
    }
}

impl Job for CompactionJob {
    fn kind(&self) -> &'static str {
        "compaction"
    }

    fn object(&self) -> Option<String> {
        Some(format!("tree {}", self.tree))
    }

    fn run<'a>(
        &'a mut self,
        store: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(async move {
            let effort = Effort::steady(store.settings.run_bytes_max);
            store.compact(Some(self.tree), &effort, control).await
        })
    }
}

/// A compaction of the first tree that needs one.
pub(crate) fn due(store: &Arc<Store>) -> Option<Box<dyn Job>> {
    let state = store.state();
    if state.failure.is_some() {
        return None;
    }
    let effort = Effort::steady(store.settings.run_bytes_max);
    let (tree, _) = state.next_compaction(None, &effort)?;
    Some(Box::new(CompactionJob { tree }))
}
