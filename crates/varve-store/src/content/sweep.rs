//! Deletes content to which no run refers any more.

use std::sync::Arc;

use roaring::{RoaringBitmap, RoaringTreemap};
use varve_kv::{Durability, WriteBatch};
use varve_run::Holds;
use varve_sort::{VecMap, VecSet};
use varve_types::{Column, Failure, Invariant, LocalFuture, Pacer, RunId};

use crate::content_tree::{NUMBER, TREE};
use crate::error::Result;
use crate::read::{group_vectors, number_at};
use crate::run::{Run, Version};
use crate::store::{Addresses, Job, JobControl, Publication, Store};

struct Sweep;

/// A sweep, where runs with references went since the last one. Nobody knows what a damaged run
/// refers to, so there is none while one is listed.
pub(crate) fn due(store: &Arc<Store>) -> Option<Box<dyn Job>> {
    if !store.addresses.is_sweep_due() {
        return None;
    }
    let state = store.state();
    let is_damaged = |run: &Arc<Run>| run.head().is_err() || state.damaged.contains(&run.id);
    let is_due = state.failure.is_none() && !state.version.all_runs().any(is_damaged);
    is_due.then(|| Box::new(Sweep) as Box<dyn Job>)
}

impl Job for Sweep {
    fn kind(&self) -> &'static str {
        "content sweep"
    }

    fn run<'a>(
        &'a mut self,
        store: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>> {
        Box::pin(store.sweep_content(control))
    }
}

/// Lets a sweep be due again unless it came to its end.
struct Begun<'a> {
    addresses: &'a Addresses,
    is_done: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.addresses.set_sweep_due(true);
        }
    }
}

/// What was read of the runs so far.
#[derive(Default)]
struct Seen {
    runs: VecSet<RunId>,
    /// All numbers that runs refer to.
    referred: RoaringTreemap,
    /// By run of content what nothing seen refers to.
    dead: VecMap<RunId, Dead>,
}

/// Rows of a run of content, and their numbers in the same order.
#[derive(Default)]
struct Dead {
    rows: RoaringBitmap,
    numbers: RoaringTreemap,
}

impl Dead {
    /// Something refers to a value after all.
    fn keep(&mut self, number: i64) {
        let number = number.cast_unsigned();
        if !self.numbers.contains(number) {
            return;
        }
        let before = self.numbers.rank(number) - 1;
        let row = u32::try_from(before)
            .ok()
            .and_then(|at| self.rows.select(at));
        if let Some(row) = row {
            self.rows.remove(row);
            self.numbers.remove(number);
        }
    }
}

impl Store {
    /// Deletes content to which nothing refers.
    pub(crate) async fn sweep_content(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        // No run of content is merged meanwhile; others may come.
        let _compacting = self.compacting.lock().await;
        let mut begun = {
            // No publication is under way that would free content unseen.
            let _commit_lock = self.take_commit_lock().await;
            self.addresses.set_sweep_due(false);
            Begun {
                addresses: &self.addresses,
                is_done: false,
            }
        };
        let done = self.try_sweep(control).await;
        begun.is_done = done.is_ok();
        drop(begun);
        self.wake_jobs();
        done
    }

    async fn try_sweep(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        let mut seen = Seen::default();
        loop {
            let version = Arc::clone(&self.state().version);
            let (content, others): (Vec<&Arc<Run>>, Vec<&Arc<Run>>) =
                version.all_runs().partition(|run| run.tree == TREE);
            for run in others.into_iter().chain(content) {
                if seen.runs.insert(run.id) {
                    let read = self.see(run, &mut seen, control).await;
                    self.note_damage(run, &read);
                    read?;
                }
            }
            let commit_lock = self.take_commit_lock().await;
            self.state().check_usable()?;
            let current = Arc::clone(&self.state().version);
            if current.all_runs().all(|run| seen.runs.contains(&run.id)) {
                self.delete_content(&current, seen).await?;
                let _ = self.reap().await;
                return Ok(());
            }
            drop(commit_lock);
        }
    }

    /// Another attempt would find the same.
    fn note_damage(&self, run: &Run, read: &Result<()>) {
        if let Err(error) = read
            && matches!(error.failure(), Some(Failure::Corrupt | Failure::Internal))
        {
            self.state().damaged.insert(run.id);
        }
    }

    async fn see(&self, run: &Run, seen: &mut Seen, control: &mut JobControl) -> Result<()> {
        let mut pacer = Pacer::new(&self.env);
        let head = run.head()?;
        let columns = head.columns().iter().enumerate();
        let references = columns.filter(|(_, column)| column.holds == Holds::References);
        let references: Vec<usize> = references.map(|(at, _)| at).collect();
        let mut dead = Dead::default();
        for group in 0..head.groups().len() {
            if run.tree == TREE {
                let read = |first: u32, columns: &[Column]| {
                    let numbers = columns.first().or_broken("numbers of content")?;
                    for (row, ordinal) in (0..numbers.len()).zip(first..) {
                        let number = number_at(numbers, row).or_broken("number of content")?;
                        let number = number.cast_unsigned();
                        let is_dead = run.deletion_vector.folded.contains(ordinal);
                        if !is_dead && !seen.referred.contains(number) {
                            dead.rows.insert(ordinal);
                            dead.numbers.insert(number);
                        }
                    }
                    Ok(())
                };
                group_vectors(self, run, group, &[NUMBER], &mut pacer, read).await?;
            } else if run.refers {
                let read = |_: u32, columns: &[Column]| {
                    for column in columns {
                        let numbers = (0..column.len()).filter_map(|row| number_at(column, row));
                        for number in numbers {
                            seen.referred.insert(number.cast_unsigned());
                            seen.dead.values_mut().for_each(|dead| dead.keep(number));
                        }
                    }
                    Ok(())
                };
                group_vectors(self, run, group, &references, &mut pacer, read).await?;
            }
            control.step().await?;
        }
        if run.tree == TREE {
            seen.dead.insert(run.id, dead);
        }
        Ok(())
    }

    /// Publishes what is dead. The caller holds the commit lock.
    async fn delete_content(&self, version: &Version, mut seen: Seen) -> Result<()> {
        let mut batch = WriteBatch::new();
        let publication = {
            let state = self.state();
            let mut publication = Publication::new(&state);
            let mut addresses = self.addresses.hold();
            let mut is_anything_dead = false;
            for run in version.runs(TREE) {
                let Some(dead) = seen.dead.get_mut(&run.id) else {
                    continue;
                };
                for number in addresses.spare(&dead.numbers) {
                    dead.keep(number);
                }
                if !dead.rows.is_empty() {
                    is_anything_dead = true;
                    addresses.forget(&dead.numbers);
                    let folded = &dead.rows | &*run.deletion_vector.folded;
                    publication.set_deletion_vector(run, folded, &mut batch)?;
                }
            }
            if !is_anything_dead {
                return Ok(());
            }
            publication.write(self, &state, state.last, &mut batch)?;
            publication
        };
        self.write_change(batch, Durability::Strict).await?;
        publication.install(&mut self.state());
        Ok(())
    }
}
