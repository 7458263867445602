//! Writes the values of new runs under an intent, before the commit that publishes them.

use std::sync::Arc;

use varve_kv::{Bytes, Key, KvError, WriteBatch};
use varve_run::{FinishedRun, RunValue};
use varve_types::RunId;

use crate::Durability;
use crate::error::Result;
use crate::format::{intent, keys};
use crate::ids::Ids;
use crate::store::content_sink::ContentSink;
use crate::store::{Orphan, Store};

/// Collects values into strict batches. Dropped before it is published, it leaves its runs to be
/// deleted.
pub(crate) struct PageSink {
    store: Arc<Store>,
    intent: u64,
    runs: Vec<RunId>,
    /// Those of the runs that will not be published with the others.
    dropped: Vec<RunId>,
    /// How many of the runs the stored intent surely lists.
    runs_listed: usize,
    /// Whether an intent, and pages with it, may be stored.
    may_be_stored: bool,
    pending: Vec<(Key, Bytes)>,
    pending_bytes: u64,
    published: bool,
    is_compaction: bool,
    /// Whether its rows are new to the store.
    adds_rows: bool,
    /// What its runs refer to.
    pub(crate) content: ContentSink,
}

impl PageSink {
    pub(crate) fn new(store: &Arc<Store>) -> PageSink {
        PageSink {
            store: Arc::clone(store),
            intent: Ids::next(&store.ids.intent),
            runs: Vec::new(),
            dropped: Vec::new(),
            runs_listed: 0,
            may_be_stored: false,
            pending: Vec::new(),
            pending_bytes: 0,
            published: false,
            is_compaction: false,
            adds_rows: false,
            content: ContentSink::new(store),
        }
    }

    /// One for rows that are new to the store.
    pub(crate) fn of_new_rows(store: &Arc<Store>) -> PageSink {
        let mut sink = PageSink::new(store);
        sink.adds_rows = true;
        sink
    }

    /// One whose bytes are counted as those of a compaction.
    pub(crate) fn of_compaction(store: &Arc<Store>) -> PageSink {
        let mut sink = PageSink::new(store);
        sink.is_compaction = true;
        sink
    }

    /// Whether rows are new to the store among what comes next.
    pub(crate) fn set_adds_rows(&mut self, adds_rows: bool) {
        self.adds_rows = adds_rows;
    }

    /// The id of a run that will be written here.
    pub(crate) fn new_run(&mut self) -> RunId {
        let run = RunId(Ids::next(&self.store.ids.run));
        self.runs.push(run);
        run
    }

    /// Gives up a run; what was written of it goes with the publishing commit.
    pub(crate) fn drop_run(&mut self, run: RunId) {
        let ranges = keys::all_of_run(run);
        self.pending
            .retain(|(key, _)| !ranges.iter().any(|range| range.contains(key)));
        let bytes = |(key, value): &(Key, Bytes)| (key.len() + value.len()) as u64;
        self.pending_bytes = self.pending.iter().map(bytes).sum();
        self.dropped.push(run);
    }

    /// Takes values of a run; writes a batch where one is full.
    pub(crate) async fn put_values(&mut self, run: RunId, values: Vec<RunValue>) -> Result<()> {
        for value in values {
            self.put(keys::run_value(run, value.number), value.bytes)
                .await?;
        }
        Ok(())
    }

    /// Takes what a finished run still holds.
    pub(crate) async fn put_finished(&mut self, run: &mut FinishedRun) -> Result<()> {
        let values = core::mem::take(&mut run.values);
        self.put_values(run.head.run(), values).await?;
        let head = run.head_bytes.clone();
        self.put(keys::head(run.head.run()), head).await
    }

    async fn put(&mut self, key: Key, value: Vec<u8>) -> Result<()> {
        let bytes = (key.len() + value.len()) as u64;
        if self.pending_bytes + bytes > self.store.settings.write_batch_bytes_max {
            self.write_pending().await?;
        }
        self.pending_bytes += bytes;
        self.pending.push((key, value.into()));
        Ok(())
    }

    /// Writes what is left; the publishing commit may follow.
    pub(crate) async fn write_pending(&mut self) -> Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.adds_rows && self.store.is_nearly_full().await {
            return Err(KvError::StorageFull.into());
        }
        let mut batch = WriteBatch::new();
        if self.runs_listed < self.runs.len() {
            let value = intent::encode(self.intent, &self.runs);
            batch.put(keys::intent(self.intent), value);
        }
        for (key, value) in self.pending.drain(..) {
            batch.put(key, value);
        }
        let bytes = core::mem::take(&mut self.pending_bytes);
        // The answer may be lost, and this future dropped.
        self.may_be_stored = true;
        let written = self
            .store
            .write_any(batch, Durability::Strict, self.adds_rows)
            .await;
        if self.adds_rows && written == Err(KvError::StorageFull) {
            self.store.set_full_by(bytes);
        }
        written?;
        self.runs_listed = self.runs.len();
        let mut state = self.store.state();
        state.counters.run_bytes_written += bytes;
        if self.is_compaction {
            state.counters.compaction_bytes += bytes;
        }
        Ok(())
    }

    /// Adds to a publishing commit that the intent is done with.
    pub(crate) fn end_intent(&self, batch: &mut WriteBatch) {
        batch.delete(keys::intent(self.intent));
        for range in self.dropped.iter().flat_map(|run| keys::all_of_run(*run)) {
            batch.delete_range(range);
        }
    }

    /// The runs were published.
    pub(crate) fn set_published(&mut self) {
        self.published = true;
        if !self.dropped.is_empty() && self.content.has_own() {
            self.store.addresses.set_sweep_due(true);
        }
        self.content.set_published();
    }
}

impl Drop for PageSink {
    fn drop(&mut self) {
        if !self.published && self.may_be_stored {
            self.store.state().add_orphan(Orphan {
                intent: self.intent,
                runs: core::mem::take(&mut self.runs),
            });
        }
    }
}
