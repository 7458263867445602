//! Group commit: whoever gets the commit lock commits for all who wait for it, in one KV commit.
//!
//! A commit queues its request, then waits for its answer or for the commit lock. With the lock it
//! takes requests off the queue, validates them in order, writes the log records of all that may
//! commit, applies them in order and answers each. What is under way is kept with the store, not
//! with the future that began it: where that is dropped, whoever takes the commit lock next repeats
//! the same write, which is safe because nothing else was committed, and answers.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use futures_util::lock::MutexGuard as CommitLockGuard;
use varve_kv::WriteBatch;
use varve_types::{CommitSeq, Failure};

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::log::LogValue;
use crate::snapshot::Snapshot;
use crate::transaction::commit::{Accepted, apply, prepare};
use crate::transaction::spill::Spill;
use crate::transaction::write_set::WriteSet;
use crate::{CommitDurability, Durability, Store};

/// Most transactions that share a KV commit.
const GROUP_MAX: usize = 512;

/// What one transaction wants to commit.
pub(super) struct Work {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) write_set: Arc<Mutex<WriteSet>>,
    /// Finished.
    pub(super) spill: Option<Spill>,
    pub(super) durability: CommitDurability,
}

/// A commit that waits, or is under way.
pub(crate) struct Request {
    /// Taken by whoever leads the group.
    work: Mutex<Option<Work>>,
    /// What its rows take in the memtable.
    bytes: u64,
    answer: Mutex<Answer>,
}

#[derive(Default)]
struct Answer {
    result: Option<Result<CommitSeq>>,
    waker: Option<Waker>,
}

/// No step under these locks can panic half-way.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Request {
    fn poll_answer(&self, context: &Context<'_>) -> Poll<Result<CommitSeq>> {
        let mut answer = lock(&self.answer);
        match answer.result.take() {
            Some(result) => Poll::Ready(result),
            None => {
                answer.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }

    fn set_answer(&self, result: Result<CommitSeq>) {
        let mut answer = lock(&self.answer);
        answer.result = Some(result);
        let waker = answer.waker.take();
        drop(answer);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// The commits that wait, and the group that is under way.
#[derive(Default)]
pub(crate) struct CommitQueue {
    waiting: Mutex<VecDeque<Queued>>,
    under_way: Mutex<Option<Group>>,
}

struct Queued {
    request: Arc<Request>,
    /// Whether it shares its KV commit with nobody.
    is_alone: bool,
}

/// A transaction of a group.
pub(super) struct Member {
    request: Arc<Request>,
    pub(super) work: Work,
}

/// Transactions that are being committed together.
pub(super) struct Group {
    /// Empty where all of them are acknowledged before they are stored.
    pub(super) batch: WriteBatch,
    pub(super) durability: Durability,
    /// The log values in the batch.
    pub(super) values: Vec<LogValue>,
    pub(super) accepted: Vec<(Member, Accepted)>,
    /// Whether there are new rows among what it changes.
    pub(super) adds_rows: bool,
    /// Whether an attempt to write it was given up half-way.
    pub(super) was_tried: bool,
}

impl CommitQueue {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Queued>> {
        lock(&self.waiting)
    }

    /// What the rows of those who wait take in the memtable.
    fn bytes(&self) -> u64 {
        let waiting = self.waiting();
        let group = waiting.iter().take(GROUP_MAX);
        group.map(|queued| queued.request.bytes).sum()
    }

    /// The next transactions that may share a KV commit.
    fn take_group(&self) -> Vec<Member> {
        let mut waiting = self.waiting();
        let mut members = Vec::new();
        while let Some(next) = waiting.pop_front_if(|next| !next.is_alone || members.is_empty()) {
            let is_alone = next.is_alone;
            let work = lock(&next.request.work).take();
            members.extend(work.map(|work| Member {
                request: next.request,
                work,
            }));
            if is_alone || members.len() >= GROUP_MAX {
                break;
            }
        }
        members
    }

    /// Puts transactions back to the front of the queue, in their order.
    pub(super) fn put_back(&self, members: Vec<Member>, is_alone: bool) {
        let mut waiting = self.waiting();
        for member in members.into_iter().rev() {
            *lock(&member.request.work) = Some(member.work);
            waiting.push_front(Queued {
                request: member.request,
                is_alone,
            });
        }
    }
}

/// A queued request; dropped before a group takes it, it is not committed.
struct Ticket<'a> {
    queue: &'a CommitQueue,
    request: Arc<Request>,
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.waiting();
        let at = waiting
            .iter()
            .position(|queued| Arc::ptr_eq(&queued.request, &self.request));
        let removed = at.and_then(|at| waiting.remove(at));
        drop(waiting);
        drop(removed);
    }
}

impl Store {
    /// Commits a transaction, together with others that come at the same time.
    pub(super) async fn commit(self: &Arc<Store>, work: Work) -> Result<CommitSeq> {
        let (bytes, is_alone) = {
            let write_set = crate::read::lock_write_set(&work.write_set);
            let is_alone = work.spill.is_some()
                || !write_set.changes.is_empty()
                || write_set.watched.is_some();
            (write_set.buffer_bytes(), is_alone)
        };
        let request = Arc::new(Request {
            work: Mutex::new(Some(work)),
            bytes,
            answer: Mutex::default(),
        });
        self.commits.waiting().push_back(Queued {
            request: Arc::clone(&request),
            is_alone,
        });
        let ticket = Ticket {
            queue: &self.commits,
            request,
        };
        loop {
            let mut commit_lock = pin!(self.take_commit_lock());
            let next = poll_fn(|context| match ticket.request.poll_answer(context) {
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
        let is_nearly_full = self.is_nearly_full().await;
        let members = self.commits.take_group();
        let prepared = prepare(self, members, is_nearly_full);
        for (member, error) in prepared.refused {
            member.request.set_answer(Err(error));
        }
        self.commits.put_back(prepared.later, false);
        if let Some(group) = prepared.group {
            let is_async = group.batch.is_empty();
            *lock(&self.commits.under_way) = Some(group);
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
        let (batch, durability, adds_rows, was_tried) = {
            let mut group = lock(&self.commits.under_way);
            let Some(group) = &mut *group else {
                return;
            };
            let was_tried = core::mem::replace(&mut group.was_tried, true);
            let batch = group.batch.clone();
            (batch, group.durability, group.adds_rows, was_tried)
        };
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
                self.give_up_group(&error.into(), is_unknown);
            }
        }
    }

    /// The group that is under way was not written, or nobody can tell.
    fn give_up_group(&self, error: &StoreError, is_unknown: bool) {
        let group = lock(&self.commits.under_way).take();
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

    /// Makes the commits of the group under way visible and answers its members; tells whether it
    /// published runs.
    fn apply_group(&self) -> bool {
        let Some(group) = lock(&self.commits.under_way).take() else {
            return false;
        };
        let count = group.accepted.len();
        let mut has_published = false;
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
                has_published |= accepted.publication.is_some();
                let seq = accepted.seq;
                let applied = apply(&mut state, &member.work, accepted);
                if let Err(broken) = applied {
                    // The commit stands in the storage: an open reads it.
                    state.failure = Some(broken.into());
                }
                answers.push((member, applied.map(|()| seq)));
            }
            state.book_memtables();
        }
        for (member, answer) in answers {
            // The snapshot ends before the answer is heard.
            drop(member.work);
            member.request.set_answer(answer.map_err(StoreError::from));
        }
        has_published
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
