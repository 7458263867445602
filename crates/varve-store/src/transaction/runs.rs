//! Runs that a bulk load writes for its transaction, which publishes them.

use std::sync::Arc;

use crate::run::Run;
use crate::store::{PageSink, Spill, Store};
use crate::transaction::Transaction;
use crate::tree::Tree;

impl Transaction {
    pub(crate) fn store(&self) -> &Arc<Store> {
        &self.snapshot.store
    }

    /// Where the values of new runs go.
    pub(crate) fn sink(&mut self) -> &mut PageSink {
        let store = &self.snapshot.store;
        let spill = self.spill.get_mut();
        spill.get_or_insert_with(|| Spill::new(store)).sink()
    }

    /// Adds content whose values and head are written. It stays where a savepoint is returned to:
    /// a sweep deletes what nothing refers to.
    pub(crate) fn add_content(&mut self, run: Arc<Run>) {
        let tree = Arc::clone(&self.snapshot.catalog.content);
        self.write_set().tree_mut(&tree).runs.push(run);
    }

    /// Adds a run whose values and head are written.
    pub(crate) fn add_run(&mut self, tree: &Arc<Tree>, run: Run) {
        let mut own = self.write_set();
        own.savepoints.note_newest_run(run.tree, run.id);
        own.tree_mut(tree).runs.push(Arc::new(run));
    }
}
