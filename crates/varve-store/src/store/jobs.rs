//! The jobs of a store handle: what is queued, what runs, and how the last ones ended.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use varve_sort::VecMap;

use crate::error::{Result, StoreError, StoreErrorKind};
use crate::store::signal::Signal;
use crate::store::{Job, JobId, JobInfo, JobState};

/// How many jobs that ended are remembered.
const ENDED_MAX: usize = 32;
/// How long a job that failed waits for its next attempt, first and at most.
const RETRY_FIRST_US: u64 = 1_000_000;
const RETRY_MAX_US: u64 = 60_000_000;

/// All jobs, and what is asked of them.
#[derive(Default)]
pub(crate) struct Jobs {
    inner: Mutex<Inner>,
    /// Something may be due, or was asked of a job.
    pub(crate) signal: Signal,
    /// A request came since a job looked last.
    foreground: AtomicBool,
    /// How many wait for a flush that is under way.
    pub(crate) hurried: AtomicU32,
}

#[derive(Default)]
struct Inner {
    is_stopped: bool,
    last_id: u64,
    entries: VecMap<JobId, Entry>,
    /// By kind when jobs that the state of the store asks for may be tried again.
    retries: VecMap<&'static str, Retry>,
}

struct Entry {
    info: JobInfo,
    /// A registered job that does not run now.
    waiting: Option<Box<dyn Job>>,
    retry: Retry,
    is_cancelled: bool,
    is_paused: bool,
}

/// When a job that failed is tried again.
#[derive(Clone, Copy, Default)]
struct Retry {
    failures: u32,
    at_us: u64,
}

impl Retry {
    fn fail(&mut self, now_us: u64) {
        let wait_us = RETRY_FIRST_US << self.failures.min(6);
        self.failures = self.failures.saturating_add(1);
        self.at_us = now_us.saturating_add(wait_us.min(RETRY_MAX_US));
    }
}

/// What a job finds at a step.
pub(crate) enum Order {
    GoOn,
    Pause,
    Stop(StoreError),
}

impl Jobs {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No step under this lock can panic half-way.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets whoever runs jobs look again at what is due.
    pub(crate) fn wake(&self) {
        self.signal.raise();
    }

    /// Ends all jobs at their next step, and whoever runs them.
    pub(crate) fn stop(&self) {
        self.inner().is_stopped = true;
        self.wake();
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.inner().is_stopped
    }

    /// A request came: jobs leave it its share.
    pub(crate) fn note_foreground(&self) {
        self.foreground.store(true, Ordering::Relaxed);
    }

    /// Whether a request came since the last call.
    pub(crate) fn take_foreground(&self) -> bool {
        self.foreground.swap(false, Ordering::Relaxed)
    }

    /// Adds a job; one that cannot run yet is kept here until then.
    pub(crate) fn add(&self, job: &dyn Job) -> JobId {
        let mut inner = self.inner();
        inner.last_id += 1;
        let id = JobId(inner.last_id);
        let info = JobInfo {
            id,
            kind: job.kind(),
            object: job.object(),
            state: JobState::Queued,
            done: 0,
            total: None,
            started_us: None,
            error: None,
        };
        let entry = Entry {
            info,
            waiting: None,
            retry: Retry::default(),
            is_cancelled: false,
            is_paused: false,
        };
        inner.entries.insert(id, entry);
        id
    }

    /// Keeps a registered job until it can run.
    pub(crate) fn put_back(&self, id: JobId, job: Box<dyn Job>) {
        if let Some(entry) = self.inner().entries.get_mut(&id) {
            entry.waiting = Some(job);
        }
    }

    /// The first registered job that may run now; whatever the time is, where `now_us` is `None`.
    pub(crate) fn next_registered(&self, now_us: Option<u64>) -> Option<(JobId, Box<dyn Job>)> {
        let mut inner = self.inner();
        let may_run = |entry: &&mut Entry| {
            let is_due = now_us.is_none_or(|now_us| entry.retry.at_us <= now_us);
            entry.waiting.is_some() && !entry.is_paused && is_due
        };
        let entry = inner.entries.values_mut().find(may_run)?;
        Some((entry.info.id, entry.waiting.take()?))
    }

    /// Whether a registered job waits.
    pub(crate) fn has_waiting(&self) -> bool {
        let inner = self.inner();
        inner.entries.values().any(|entry| entry.waiting.is_some())
    }

    /// Whether a job of this kind may be tried now.
    pub(crate) fn may_try(&self, kind: &'static str, now_us: u64) -> bool {
        let inner = self.inner();
        let retry = inner.retries.get(kind);
        retry.is_none_or(|retry| retry.at_us <= now_us)
    }

    /// When the next job that failed may be tried again.
    pub(crate) fn next_retry_us(&self, now_us: u64) -> Option<u64> {
        let inner = self.inner();
        let waiting = inner
            .entries
            .values()
            .filter(|entry| entry.waiting.is_some());
        let retries = waiting
            .map(|entry| entry.retry)
            .chain(inner.retries.values().copied());
        retries
            .map(|retry| retry.at_us)
            .filter(|at_us| *at_us > now_us)
            .min()
    }

    pub(crate) fn start(&self, id: JobId, now_us: i64) {
        if let Some(entry) = self.inner().entries.get_mut(&id) {
            entry.info.state = JobState::Running;
            entry.info.started_us = Some(now_us);
            entry.info.done = 0;
            entry.info.total = None;
        }
    }

    /// Notes how an attempt ended. A registered job (`job`) that failed is tried again later; one
    /// that the state of the store asked for will be asked for again.
    pub(crate) fn end(&self, id: JobId, job: Option<Box<dyn Job>>, done: &Result<()>, now_us: u64) {
        let mut inner = self.inner();
        let Inner {
            entries, retries, ..
        } = &mut *inner;
        let Some(entry) = entries.get_mut(&id) else {
            return;
        };
        let kind = entry.info.kind;
        entry.info.error = done.as_ref().err().map(ToString::to_string);
        entry.info.state = match done {
            Ok(()) => JobState::Done,
            Err(_) if entry.is_cancelled => JobState::Cancelled,
            Err(_) => JobState::Failed,
        };
        match (entry.info.state, job) {
            (JobState::Failed, Some(job)) => {
                entry.retry.fail(now_us);
                entry.waiting = Some(job);
            }
            (JobState::Done, None) => drop(retries.remove(kind)),
            // What was cancelled does not begin again at once either.
            (_, None) => retries.entry(kind).or_default().fail(now_us),
            (_, Some(_)) => {}
        }
        inner.forget_ended();
    }

    /// An attempt was dropped before its end.
    pub(crate) fn abandon(&self, id: JobId) {
        if let Some(entry) = self.inner().entries.get_mut(&id)
            && entry.info.state == JobState::Running
        {
            entry.info.state = JobState::Cancelled;
        }
    }

    /// What a job that runs is to do.
    pub(crate) fn order(&self, id: JobId) -> Order {
        let inner = self.inner();
        if inner.is_stopped {
            return Order::Stop(StoreErrorKind::Closed.into());
        }
        match inner.entries.get(&id) {
            Some(entry) if entry.is_cancelled => Order::Stop(StoreErrorKind::JobCancelled.into()),
            Some(entry) if entry.is_paused => Order::Pause,
            _ => Order::GoOn,
        }
    }

    pub(crate) fn set_progress(&self, id: JobId, done: u64, total: Option<u64>) {
        if let Some(entry) = self.inner().entries.get_mut(&id) {
            entry.info.done = done;
            entry.info.total = total;
        }
    }

    /// Changes a job that has not ended; false where there is none of this id.
    fn ask(&self, id: JobId, change: impl FnOnce(&mut Entry)) -> bool {
        let found = {
            let mut inner = self.inner();
            let entry = inner.entries.get_mut(&id);
            entry
                .filter(|entry| !entry.has_ended())
                .map(change)
                .is_some()
        };
        self.wake();
        found
    }

    pub(crate) fn cancel(&self, id: JobId) -> bool {
        self.ask(id, |entry| {
            entry.is_cancelled = true;
            if entry.waiting.take().is_some() {
                entry.info.state = JobState::Cancelled;
            }
        })
    }

    pub(crate) fn pause(&self, id: JobId) -> bool {
        self.ask(id, |entry| entry.is_paused = true)
    }

    pub(crate) fn resume(&self, id: JobId) -> bool {
        self.ask(id, |entry| {
            entry.is_paused = false;
            entry.retry = Retry::default();
        })
    }

    /// Every job that has not ended, and the last ones that have, oldest first.
    pub(crate) fn list(&self) -> Vec<JobInfo> {
        let inner = self.inner();
        let info = |entry: &Entry| {
            let mut info = entry.info.clone();
            if entry.is_paused && !entry.has_ended() {
                info.state = JobState::Paused;
            }
            info
        };
        inner.entries.values().map(info).collect()
    }
}

impl Entry {
    /// Whether it will not run again.
    fn has_ended(&self) -> bool {
        let is_active = matches!(self.info.state, JobState::Queued | JobState::Running);
        !is_active && self.waiting.is_none()
    }
}

impl Inner {
    fn forget_ended(&mut self) {
        let ended = self.entries.values().filter(|entry| entry.has_ended());
        let ended: Vec<JobId> = ended.map(|entry| entry.info.id).collect();
        for id in ended.iter().rev().skip(ENDED_MAX) {
            self.entries.remove(id);
        }
    }
}
