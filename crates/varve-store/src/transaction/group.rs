//! Group commit: whoever gets the commit lock commits for all who wait for it, in one KV commit.
//!
//! A commit queues its request, then waits for its answer or for the commit lock. With the lock it
//! takes requests off the queue, validates them in order, writes the log records of all that may
//! commit, applies them in order and answers each. What is under way is kept with the store, not
//! with the future that began it: where that is dropped, whoever takes the commit lock next repeats
//! the same write, which is safe because nothing else was committed, and answers.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::lock::MutexGuard as CommitLockGuard;
use varve_kv::KvError;
use varve_types::{CommitSeq, Failure};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::store::{Member, Store, Work};
use crate::transaction::commit::{apply, prepare};
use crate::write_set::lock_write_set;

impl Store {
    /// Commits a transaction, together with others that come at the same time.
    pub(super) async fn commit(self: &Arc<Store>, work: Work) -> Result<CommitSeq> {
        let (bytes, is_alone) = {
            let write_set = lock_write_set(&work.write_set);
            let is_alone = work.spill.is_some()
                || !write_set.changes.is_empty()
                || write_set.watched.is_some();
            (write_set.buffer_bytes(), is_alone)
        };
        let ticket = self.commits.add(work, bytes, is_alone);
        loop {
            let mut commit_lock = pin!(self.take_commit_lock());
            let next = poll_fn(|context| match ticket.poll_answer(context) {
                Poll::Ready(answer) => Poll::Ready(Err(answer)),
                Poll::Pending => commit_lock.as_mut().poll(context).map(Ok),
            });
            match next.await {
                Err(answer) => return answer,
                Ok(commit_lock) => self.lead(commit_lock).await?,
            }
        }
    }

    /// Commits the next group of the queue; there is none where the commit lock was given up
    /// meanwhile, so that the memtable could be flushed, and another one led.
    async fn lead<'a>(self: &'a Arc<Store>, commit_lock: CommitLockGuard<'a, ()>) -> Result<()> {
        self.state().check_usable()?;
        self.merge_log_if_due().await?;
        let _commit_lock = self.make_room(commit_lock, || self.commits.bytes()).await?;
        let is_nearly_full = self.commits.adds_rows() && self.is_nearly_full().await;
        let members = self.commits.take_group();
        let prepared = prepare(self, members, is_nearly_full);
        for (member, error) in prepared.refused {
            member.request.set_answer(Err(error));
        }
        self.commits.put_back(prepared.later, false);
        if let Some(group) = prepared.group {
            let is_async = group.batch.is_empty();
            *self.commits.under_way() = Some(group);
            if is_async {
                self.apply_group();
                self.wake_jobs();
            } else {
                self.write_group().await;
            }
        }
        self.store_overdue().await;
        Ok(())
    }

    /// Writes the group that is under way, if there is one, and answers its members. The caller
    /// holds the commit lock.
    pub(crate) async fn write_group(&self) {
        let (batch, durability, adds_rows, was_tried, is_alone) = {
            let mut group = self.commits.under_way();
            let Some(group) = &mut *group else {
                return;
            };
            let was_tried = core::mem::replace(&mut group.was_tried, true);
            let batch = group.batch.clone();
            let is_alone = group.accepted.len() == 1;
            (
                batch,
                group.durability,
                group.adds_rows,
                was_tried,
                is_alone,
            )
        };
        let bytes = batch.bytes();
        match self.write_any(batch, durability, adds_rows).await {
            Ok(()) => {
                if self.apply_group() {
                    // The commit stands; pages that could not be deleted now are deleted later.
                    let _ = self.reap().await;
                    self.wake_jobs();
                }
            }
            Err(error) => {
                let is_unknown = was_tried || error.outcome_is_unknown();
                if error == KvError::StorageFull && (is_unknown || is_alone) {
                    self.set_full_by(bytes);
                }
                self.give_up_group(&error.into(), is_unknown);
            }
        }
    }

    /// The group that is under way was not written, or nobody can tell.
    fn give_up_group(&self, error: &StoreError, is_unknown: bool) {
        let group = self.commits.under_way().take();
        let members = group.into_iter().flat_map(|group| group.accepted);
        let members: Vec<Member> = members.map(|(member, _)| member).collect();
        {
            let mut state = self.state();
            // What was booked for the rows is not needed after all.
            state.book_memtables();
            if is_unknown {
                state.failure = Some(StoreErrorKind::CommitInterrupted.into());
            }
        }
        if is_unknown || members.len() == 1 {
            for member in members {
                member.request.set_answer(Err(error.clone()));
            }
        } else {
            // Perhaps it was too much at once, or one of them.
            self.commits.put_back(members, true);
        }
    }

    /// Makes the commits of the group under way visible and answers its members; tells whether
    /// there may be work for jobs: runs were published, or are to be written again.
    fn apply_group(&self) -> bool {
        let Some(group) = self.commits.under_way().take() else {
            return false;
        };
        let count = group.accepted.len();
        let mut makes_work = false;
        let mut answers = Vec::with_capacity(count);
        let now_us = self.env.monotonic_us();
        {
            let mut state = self.state();
            if !group.batch.is_empty() {
                state.log.add_stored(&group.values);
                state.counters.kv_commits += 1;
            }
            state.counters.group_max = state.counters.group_max.max(count as u64);
            for (mut member, mut accepted) in group.accepted {
                if group.batch.is_empty()
                    && let Some(record) = accepted.record.take()
                {
                    state.log.wait(record, now_us);
                }
                if let Some(spill) = &mut member.work.spill {
                    spill.set_published();
                }
                makes_work |= accepted.publication.is_some();
                let seq = accepted.seq;
                let applied = apply(&mut state, &member.work, accepted);
                match applied {
                    Ok(wears_runs) => makes_work |= wears_runs,
                    // The commit stands in the storage: an open reads it.
                    Err(broken) => state.failure = Some(broken.into()),
                }
                answers.push((member, applied.map(|_| seq)));
            }
            state.book_memtables();
        }
        for (member, answer) in answers {
            // The snapshot ends before the answer is heard.
            drop(member.work);
            member.request.set_answer(answer.map_err(StoreError::from));
        }
        makes_work
    }

    /// Merges the values of the log where there are many. A full disk does not stop commits at
    /// once, since deletes are what would help.
    async fn merge_log_if_due(&self) -> Result<()> {
        let values_max = self.settings.log_values_max;
        if self.state().log.values() < values_max {
            return Ok(());
        }
        match self.merge_log().await {
            Err(error) if error.failure() == Some(Failure::StorageFull) => Ok(()),
            answer => answer,
        }
    }

    /// Stores the records that have waited long enough. The caller holds the commit lock.
    async fn store_overdue(&self) {
        let delay_us = self.settings.async_delay_us;
        let now_us = self.env.monotonic_us();
        let is_overdue = self.state().log.is_overdue(now_us, delay_us);
        if is_overdue {
            // Whoever commits next is told why it failed.
            let _ = self.store_waiting().await;
        }
    }
}
