//! Writes what can be read of a damaged run to a new one, and puts the damaged one aside.

use std::sync::Arc;

use roaring::RoaringTreemap;
use varve_kv::{Durability, WriteBatch};
use varve_run::{RunHead, RunWriter};
use varve_types::{Batch, Column, Pacer, RunId, Selection};

use crate::content_tree::{NUMBER, TREE};
use crate::error::Result;
use crate::format::{keys, quarantine};
use crate::integrity::inspect::{Inspected, Inspection};
use crate::integrity::readable;
use crate::integrity::references::sound_rows;
use crate::read::{View, group_vectors, number_at, ordinal, reference_position};
use crate::run::Run;
use crate::store::{PageSink, Publication, Store};
use crate::tree::Tree;
use crate::{RunRepair, paced_run};

impl Store {
    /// Replaces a damaged run by one with the rows that can be read. The caller holds the commit
    /// lock, and nobody reads the store yet.
    pub(super) async fn salvage(self: &Arc<Store>, run: RunId) -> Result<Option<RunRepair>> {
        let (run, tree) = {
            let state = self.state();
            let Some(run) = state.version.all_runs().find(|found| found.id == run) else {
                return Ok(None);
            };
            let run = Arc::clone(run);
            let tree = state.catalog.tree(run.tree).map(Arc::clone);
            (run, tree)
        };
        let mut sink = PageSink::new(self);
        let mut repair = RunRepair {
            tree: run.tree,
            run: run.id,
            rows_kept: 0,
            rows_lost: 0,
            deletions_lost: 0,
            errors: Vec::new(),
        };
        let last = self.state().last;
        let head = match run.head() {
            Ok(head) => Some(Arc::clone(head)),
            Err(error) => {
                repair.errors.push(error.to_string());
                repair.deletions_lost = self.deleted_rows(run.id);
                self.read_head(run.id).await?
            }
        };
        let new = match (&tree, head) {
            (Some(tree), Some(head)) => {
                let inspection = Inspection::new(self, &run, head);
                self.copy_rows(&run, tree, inspection, &mut sink, &mut repair)
                    .await?
            }
            _ => {
                repair.rows_lost = run.rows.saturating_sub(run.deletion_vector.count(last));
                None
            }
        };
        sink.write_pending().await?;
        let mut batch = WriteBatch::new();
        let publication = {
            let state = self.state();
            let mut publication = Publication::new(&state);
            publication.put_aside(&run);
            if let Some(new) = new {
                publication.version.set(new);
            }
            publication.write(self, &state, state.last, &mut batch)?;
            publication
        };
        let note = quarantine::encode(run.id, run.tree, &repair.errors);
        batch.put(keys::quarantine(run.id), note);
        sink.end_intent(&mut batch);
        self.write_change(batch, Durability::Strict).await?;
        sink.set_published();
        publication.install(&mut self.state());
        self.cache.forget_run(run.id);
        self.groups.forget_run(run.id);
        Ok(Some(repair))
    }

    /// The head by itself: a run whose deletion vector is lost has one.
    async fn read_head(&self, run: RunId) -> Result<Option<Arc<RunHead>>> {
        let value = readable(&*self.kv, &keys::head(run)).await?;
        let head = value.and_then(|value| RunHead::decode(run, &value).ok());
        Ok(head.map(Arc::new))
    }

    /// The numbers of all content that is there.
    async fn living_content(&self) -> Result<RoaringTreemap> {
        let version = Arc::clone(&self.state().version);
        let mut living = RoaringTreemap::new();
        let mut pacer = Pacer::new(&self.env);
        for run in version.runs(TREE) {
            let dead = run.deletion_vector.all();
            for group in 0..run.head()?.groups().len() {
                let read = |first: u32, columns: &[Column]| {
                    let rows = columns.first().map_or(0, Column::len);
                    let numbers = (0..rows).zip(first..).filter_map(|(row, ordinal)| {
                        let number = number_at(columns.first()?, row)?;
                        (!dead.contains(ordinal)).then_some(number.cast_unsigned())
                    });
                    living.extend(numbers);
                    Ok(())
                };
                group_vectors(self, run, group, &[NUMBER], &mut pacer, read).await?;
            }
        }
        Ok(living)
    }

    /// How many rows of a run its deletion vector named when it was last stored.
    fn deleted_rows(&self, run: RunId) -> u64 {
        let state = self.state();
        let entry = state.manifest.runs.iter().find(|entry| entry.run == run);
        entry.map_or(0, |entry| entry.deleted_rows)
    }

    /// The rows that no other run and no memtable has by the same key: where a deletion vector is
    /// lost, those others are newer.
    async fn without_newer(
        self: &Arc<Store>,
        run: &Run,
        tree: &Arc<Tree>,
        columns: &[Arc<Column>],
        alive: Selection,
    ) -> Result<Selection> {
        let transaction = self.begin();
        let write_set = Arc::clone(&transaction.write_set);
        let mut view = View::new(
            Arc::clone(tree),
            Arc::clone(&transaction.snapshot),
            write_set,
        );
        view.runs
            .retain(|other| other.run.id != run.id && other.run.head().is_ok());
        let keys = alive.rows().iter().map(|row| {
            let mut key = Vec::new();
            tree.put_key(columns, *row as usize, &mut key);
            key
        });
        let keys: Vec<Vec<u8>> = keys.collect();
        let found = view.locate(&keys).await?;
        let rows = alive.rows().iter().zip(found);
        let rows = rows.filter(|(_, found)| found.is_none());
        Ok(Selection::new(rows.map(|(row, _)| *row).collect()))
    }

    /// The new run, unless no row is left.
    async fn copy_rows(
        self: &Arc<Store>,
        run: &Run,
        tree: &Arc<Tree>,
        mut inspection: Inspection<'_>,
        sink: &mut PageSink,
        repair: &mut RunRepair,
    ) -> Result<Option<Arc<Run>>> {
        let last = self.state().last;
        let id = sink.new_run();
        let head = Arc::clone(inspection.head());
        let refers = |stored: &usize| reference_position(tree, &head, *stored).is_some();
        let referring: Vec<usize> = (0..tree.columns().len()).filter(refers).collect();
        let mut writer = RunWriter::new(tree.run_spec(id, &referring))?;
        let content = match referring.is_empty() {
            true => RoaringTreemap::new(),
            false => self.living_content().await?,
        };
        let mut pacer = Pacer::new(&self.env);
        for group in 0..inspection.groups() {
            for vector in inspection.group(group).await? {
                let mut alive = alive(run, &vector, last)?;
                let Some(columns) = vector.columns else {
                    repair.rows_lost += alive.len() as u64;
                    continue;
                };
                let sound = sound_rows(run, &head, &columns, &alive, &content);
                repair.rows_lost += (alive.len() - sound.len()) as u64;
                alive = sound;
                let references = referring.iter().filter_map(|stored| {
                    let column = columns.get(reference_position(tree, &head, *stored)?)?;
                    Some(Arc::new(column.clone()))
                });
                let stored = tree.columns().iter().zip(0..).map(|(column, at)| {
                    let found = head.column_position(column.id);
                    let found = found.and_then(|found| columns.get(found)).cloned();
                    let missing = || crate::read::missing_column(tree, at, vector.rows);
                    Arc::new(found.unwrap_or_else(missing))
                });
                let stored: Vec<Arc<Column>> = stored.chain(references).collect();
                if repair.deletions_lost > 0 && !tree.has_row_id() {
                    alive = self.without_newer(run, tree, &stored, alive).await?;
                }
                let batch = Batch::new(stored, vector.rows).select(&alive);
                repair.rows_kept += alive.len() as u64;
                writer.append(&batch)?;
                paced_run::encode(&mut writer, &mut pacer).await?;
                sink.put_values(id, writer.take_values()).await?;
            }
        }
        let errors = inspection.errors.iter().map(ToString::to_string);
        repair.errors.extend(errors);
        if repair.rows_kept == 0 {
            return Ok(None);
        }
        let mut finished = paced_run::finish(writer, &mut pacer).await?;
        sink.put_finished(&mut finished).await?;
        let bytes = finished.bytes;
        Ok(Some(Arc::new(Run::new(
            run.tree,
            Arc::new(finished.head),
            bytes,
        ))))
    }
}

/// The rows of a vector that no commit deleted.
fn alive(run: &Run, vector: &Inspected, last: varve_types::CommitSeq) -> Result<Selection> {
    let first = ordinal(vector.first_row)?;
    let end = ordinal(vector.first_row + vector.rows as u64)?;
    let alive = (first..end).zip(0..);
    let alive = alive.filter(|(ordinal, _)| !run.deletion_vector.is_dead(*ordinal, last));
    let alive = alive.map(|(_, row)| row);
    Ok(Selection::new(alive.collect()))
}
