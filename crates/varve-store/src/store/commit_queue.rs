//! The commits that wait for the commit lock, and the group of them that is under way.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use roaring::RoaringBitmap;
use varve_kv::{Durability, WriteBatch};
use varve_sort::VecMap;
use varve_types::{CommitSeq, RunId, TreeId};

use crate::durability::CommitDurability;
use crate::error::Result;
use crate::format::log::Record;
use crate::memtable::MemtableSlot;
use crate::store::log::LogValue;
use crate::store::publication::Publication;
use crate::store::snapshot::Snapshot;
use crate::store::spill::Spill;
use crate::write_set::{RowLocks, WriteSet, lock_write_set};

/// Most transactions that share a KV commit.
const GROUP_MAX: usize = 512;

/// What one transaction wants to commit.
pub(crate) struct Work {
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) write_set: Arc<Mutex<WriteSet>>,
    /// Finished.
    pub(crate) spill: Option<Spill>,
    pub(crate) durability: CommitDurability,
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

    pub(crate) fn set_answer(&self, result: Result<CommitSeq>) {
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
pub(crate) struct Member {
    pub(crate) request: Arc<Request>,
    pub(crate) work: Work,
}

/// A version of the memtable and its key.
pub(crate) type KeyedVersion = (u32, Vec<u8>);

/// Deletes in terms of what is there now.
#[derive(Default)]
pub(crate) struct Deletes {
    /// Versions of the memtables, with their keys.
    pub(crate) versions: VecMap<(MemtableSlot, TreeId), Vec<KeyedVersion>>,
    /// Rows of runs, own ones included.
    pub(crate) rows: VecMap<(TreeId, RunId), RoaringBitmap>,
    /// What the transaction locks, where it is now.
    pub(crate) row_locks: RowLocks,
}

impl Deletes {
    pub(crate) fn add(&mut self, tree: TreeId, run: RunId, rows: &RoaringBitmap) {
        *self.rows.entry((tree, run)).or_default() |= rows;
    }
}

/// A transaction that may commit, as one of its group.
pub(crate) struct Accepted {
    pub(crate) seq: CommitSeq,
    pub(crate) deletes: Deletes,
    /// Its log record, until it is part of a batch.
    pub(crate) record: Option<Record>,
    pub(crate) publication: Option<Publication>,
}

/// Transactions that are being committed together.
pub(crate) struct Group {
    /// Empty where all of them are acknowledged before they are stored.
    pub(crate) batch: WriteBatch,
    pub(crate) durability: Durability,
    /// The log values in the batch.
    pub(crate) values: Vec<LogValue>,
    pub(crate) accepted: Vec<(Member, Accepted)>,
    /// Whether there are new rows among what it changes.
    pub(crate) adds_rows: bool,
    /// Whether an attempt to write it was given up half-way.
    pub(crate) was_tried: bool,
}

impl CommitQueue {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Queued>> {
        lock(&self.waiting)
    }

    /// The group that is under way, if there is one.
    pub(crate) fn under_way(&self) -> MutexGuard<'_, Option<Group>> {
        lock(&self.under_way)
    }

    /// Adds a transaction to those who wait.
    pub(crate) fn add(&self, work: Work, bytes: u64, is_alone: bool) -> Ticket<'_> {
        let request = Arc::new(Request {
            work: Mutex::new(Some(work)),
            bytes,
            answer: Mutex::default(),
        });
        self.waiting().push_back(Queued {
            request: Arc::clone(&request),
            is_alone,
        });
        Ticket {
            queue: self,
            request,
        }
    }

    /// What the rows of those who wait take in the memtable.
    pub(crate) fn bytes(&self) -> u64 {
        let waiting = self.waiting();
        let group = waiting.iter().take(GROUP_MAX);
        group.map(|queued| queued.request.bytes).sum()
    }

    /// Whether any of those who wait has new rows.
    pub(crate) fn adds_rows(&self) -> bool {
        let waiting = self.waiting();
        let mut group = waiting.iter().take(GROUP_MAX);
        group.any(|queued| {
            let work = lock(&queued.request.work);
            let adds_rows = |work: &Work| lock_write_set(&work.write_set).adds_rows();
            work.as_ref().is_some_and(adds_rows)
        })
    }

    /// The next transactions that may share a KV commit.
    pub(crate) fn take_group(&self) -> Vec<Member> {
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
    pub(crate) fn put_back(&self, members: Vec<Member>, is_alone: bool) {
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
pub(crate) struct Ticket<'a> {
    queue: &'a CommitQueue,
    request: Arc<Request>,
}

impl Ticket<'_> {
    pub(crate) fn poll_answer(&self, context: &Context<'_>) -> Poll<Result<CommitSeq>> {
        self.request.poll_answer(context)
    }
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
