//! The background job: one choice at a time is carried out.

use std::sync::Arc;

use varve_types::{LocalFuture, Parallel, TreeId};

use crate::compaction::choose::{Choice, Effort};
use crate::compaction::extent::Extent;
use crate::compaction::retire::Retirement;
use crate::compaction::work::Steps;
use crate::error::Result;
use crate::store::{Job, JobControl, Store};

/// Merges runs of a tree.
struct Compaction {
    tree: TreeId,
    choice: Choice,
}

/// What is to be merged now.
pub(crate) fn due(store: &Arc<Store>) -> Option<Box<dyn Job>> {
    let effort = Effort::steady(store.settings.run_bytes_max);
    let state = store.state();
    state.check_usable().ok()?;
    if state.dead_runs().next().is_some() {
        return Some(Box::new(Retirement));
    }
    let (tree, choice) = state.next_compaction(&Extent::All, &effort)?;
    Some(Box::new(Compaction { tree, choice }))
}

impl Job for Compaction {
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
        Box::pin(store.compact_chosen(self.tree, &self.choice, control))
    }
}

impl Steps for JobControl {
    async fn step(&mut self) -> Result<()> {
        JobControl::step(self).await
    }

    fn set_total(&mut self, rows: u64) {
        JobControl::set_total(self, rows);
    }

    fn add_done(&mut self, rows: u64) {
        JobControl::add_done(self, rows);
    }

    fn is_bounded(&self) -> bool {
        JobControl::is_bounded(self)
    }

    fn is_over(&self) -> bool {
        JobControl::is_over(self)
    }

    fn parallel(&self) -> Option<Arc<dyn Parallel>> {
        JobControl::parallel(self)
    }
}
