//! Deletes content to which no run refers any more.

use std::sync::Arc;

use roaring::{RoaringBitmap, RoaringTreemap};
use varve_kv::{Durability, WriteBatch};
use varve_run::Holds;
use varve_sort::{VecMap, VecSet};
use varve_types::{LocalFuture, Pacer, RunId};

use crate::content_tree::{NUMBER, TREE};
use crate::error::Result;
use crate::read::{each_vector, number_at};
use crate::run::{Run, Version};
use crate::store::{HeldAddresses, Job, JobControl, Publication, Store};

struct Sweep;

/// A sweep, where runs with references went since the last one.
pub(crate) fn due(store: &Arc<Store>) -> Option<Box<dyn Job>> {
    let is_due = store.addresses.is_worn() && store.state().failure.is_none();
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

/// What was read of the runs so far.
#[derive(Default)]
struct Seen {
    runs: VecSet<RunId>,
    /// All numbers that runs refer to.
    referred: RoaringTreemap,
    /// Of runs of content the numbers of their rows.
    numbers: VecMap<RunId, Vec<i64>>,
}

impl Store {
    /// Deletes content to which nothing refers.
    pub(crate) async fn sweep_content(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        // Runs of content stay the same meanwhile.
        let _compacting = self.compacting.lock().await;
        {
            // No publication is under way that would wear content unseen.
            let _commit_lock = self.take_commit_lock().await;
            self.addresses.set_worn(false);
        }
        let done = self.try_sweep(control).await;
        if done.is_err() {
            self.addresses.set_worn(true);
        }
        self.wake_jobs();
        done
    }

    async fn try_sweep(self: &Arc<Store>, control: &mut JobControl) -> Result<()> {
        let mut seen = Seen::default();
        loop {
            let version = Arc::clone(&self.state().version);
            for run in version.all_runs() {
                self.see(run, &mut seen).await?;
                control.step().await?;
            }
            let commit_lock = self.take_commit_lock().await;
            self.state().check_usable()?;
            let current = Arc::clone(&self.state().version);
            if current.all_runs().all(|run| seen.runs.contains(&run.id)) {
                self.delete_content(&current, &seen).await?;
                let _ = self.reap().await;
                return Ok(());
            }
            drop(commit_lock);
        }
    }

    async fn see(&self, run: &Run, seen: &mut Seen) -> Result<()> {
        if !seen.runs.insert(run.id) {
            return Ok(());
        }
        let mut pacer = Pacer::new(&self.env);
        // Nobody knows what a run refers to whose head is damaged.
        let head = run.head()?;
        if run.tree == TREE {
            let mut numbers = Vec::new();
            let read = |_, columns: &[varve_types::Column]| {
                for column in columns {
                    numbers.extend((0..column.len()).filter_map(|row| number_at(column, row)));
                }
                Ok(())
            };
            each_vector(self, run, &[NUMBER], &mut pacer, read).await?;
            seen.numbers.insert(run.id, numbers);
        } else if run.refers {
            let columns = head.columns().iter().enumerate();
            let references = columns.filter(|(_, column)| column.holds == Holds::References);
            let references: Vec<usize> = references.map(|(at, _)| at).collect();
            let referred = &mut seen.referred;
            let read = |_, columns: &[varve_types::Column]| {
                for column in columns {
                    let numbers = (0..column.len()).filter_map(|row| number_at(column, row));
                    referred.extend(numbers.map(i64::cast_unsigned));
                }
                Ok(())
            };
            each_vector(self, run, &references, &mut pacer, read).await?;
        }
        Ok(())
    }

    /// Publishes what is dead. The caller holds the commit lock.
    async fn delete_content(&self, version: &Version, seen: &Seen) -> Result<()> {
        let mut batch = WriteBatch::new();
        let publication = {
            let state = self.state();
            let mut publication = Publication::new(&state);
            let mut addresses = self.addresses.hold();
            let is_kept = |number: i64, addresses: &HeldAddresses<'_>| {
                seen.referred.contains(number.cast_unsigned()) || addresses.is_in_use(number)
            };
            let mut gone = VecSet::new();
            for run in version.runs(TREE) {
                let numbers = seen.numbers.get(&run.id);
                let mut dead = RoaringBitmap::new();
                for (number, ordinal) in numbers.into_iter().flatten().zip(0..) {
                    let is_dead = run.deletion_vector.folded.contains(ordinal);
                    if !is_dead && !is_kept(*number, &addresses) {
                        dead.insert(ordinal);
                        gone.insert(*number);
                    }
                }
                if !dead.is_empty() {
                    let folded = dead | &*run.deletion_vector.folded;
                    publication.set_deletion_vector(run, folded, &mut batch)?;
                }
            }
            if gone.is_empty() {
                return Ok(());
            }
            addresses.retain(|number| !gone.contains(&number));
            publication.write(self, &state, state.last, &mut batch)?;
            publication
        };
        self.write_change(batch, Durability::Strict).await?;
        publication.install(&mut self.state());
        Ok(())
    }
}
