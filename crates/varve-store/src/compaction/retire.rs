//! Takes runs of which no row lives off the list, without reading them.

use std::sync::Arc;

use varve_kv::{Durability, WriteBatch};
use varve_types::LocalFuture;

use crate::error::Result;
use crate::run::Run;
use crate::store::{Job, JobControl, Publication, State, Store};

/// Retires the runs that are dead by now.
pub(super) struct Retirement;

impl Job for Retirement {
    fn kind(&self) -> &'static str {
        "retirement"
    }

    fn run<'a>(
        &'a mut self,
        store: &'a Arc<Store>,
        _: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(store.retire_dead_runs())
    }
}

impl State {
    /// The runs that are listed and of which every row is deleted. Those of indexes are not among
    /// them: what they delete hides others.
    pub(super) fn dead_runs(&self) -> impl Iterator<Item = &Arc<Run>> {
        let tables = self.catalog.all_trees();
        let tables = tables.filter(|(_, tree)| tree.index().is_none());
        let runs = tables.flat_map(|(id, _)| self.version.runs(id));
        runs.filter(|run| run.deletion_vector.len() == run.rows)
    }
}

impl Store {
    /// One commit without these runs. Their pages stay until no snapshot holds them.
    pub(super) async fn retire_dead_runs(self: &Arc<Store>) -> Result<()> {
        if self.state().dead_runs().next().is_none() {
            return Ok(());
        }
        let _commit_lock = self.take_commit_lock().await;
        let mut batch = WriteBatch::new();
        let publication = {
            let state = self.state();
            state.check_usable()?;
            let mut publication = Publication::new(&state);
            for run in state.dead_runs() {
                publication.remove_run(run);
            }
            publication.write(self, &state, state.last, &mut batch)?;
            publication
        };
        self.write_change(batch, Durability::Strict).await?;
        publication.install(&mut self.state());
        // They are gone; pages that could not be deleted now are deleted later.
        let _ = self.reap().await;
        Ok(())
    }
}
