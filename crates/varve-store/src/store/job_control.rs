//! What a job asks between two pieces of its work.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;

use varve_types::{Env, LocalFuture, Parallel};

use crate::error::Result;
use crate::store::jobs::Order;
use crate::store::{JobId, Jobs, Store};

/// Slows work down that a request waits for, and ends it.
pub trait Pace: Send + Sync {
    /// Is awaited after so many microseconds of work, while nothing is half done. An error ends the
    /// work.
    fn rest(&self, worked_us: u64) -> LocalFuture<'_, varve_types::Result<()>>;

    /// Whether there is a time that the work has to end in, so that it is done in small parts.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Whether that time is over: the work ends where what is done can be kept.
    fn is_over(&self) -> bool {
        false
    }
}

/// Given to a job that runs: where it is cancelled, paused and slowed down, and tells how far it
/// is.
pub struct JobControl {
    env: Arc<dyn Env>,
    jobs: Arc<Jobs>,
    /// `None` for work that a request does itself.
    id: Option<JobId>,
    slice_started_us: u64,
    /// Whether requests get their share of the time.
    is_polite: bool,
    /// Given by a request that is slowed down.
    pace: Option<Arc<dyn Pace>>,
    done: u64,
    total: Option<u64>,
    /// What encodes at the same time; `None` for one thread.
    parallel: Option<Arc<dyn Parallel>>,
}

impl JobControl {
    pub(crate) fn new(store: &Store, id: JobId, is_polite: bool) -> JobControl {
        JobControl {
            id: Some(id),
            is_polite,
            ..JobControl::of_request(store)
        }
    }

    /// For work that a request waits for: it is neither listed nor slowed down.
    pub(crate) fn of_request(store: &Store) -> JobControl {
        JobControl {
            env: Arc::clone(&store.env),
            jobs: Arc::clone(&store.jobs),
            id: None,
            slice_started_us: store.env.monotonic_us(),
            is_polite: false,
            pace: None,
            done: 0,
            total: None,
            parallel: None,
        }
    }

    /// As [`JobControl::of_request`], but with rests in between.
    pub(crate) fn at_pace(store: &Store, pace: Arc<dyn Pace>) -> JobControl {
        JobControl {
            pace: Some(pace),
            ..JobControl::of_request(store)
        }
    }

    /// The same with several threads to encode on.
    pub(crate) fn with_parallel(self, parallel: Option<Arc<dyn Parallel>>) -> JobControl {
        JobControl { parallel, ..self }
    }

    /// What encodes at the same time; `None` for one thread.
    pub(crate) fn parallel(&self) -> Option<Arc<dyn Parallel>> {
        self.parallel.clone()
    }

    /// To be awaited between pieces of work that take about a millisecond, and while nothing is
    /// half done. `57014` when the job is cancelled, `08003` when the store is closed: return
    /// it.
    pub async fn step(&mut self) -> Result<()> {
        if let Some(id) = self.id {
            self.obey(id).await?;
        }
        let worked_us = self
            .env
            .monotonic_us()
            .saturating_sub(self.slice_started_us);
        // The next piece may take as long again.
        if worked_us < self.env.slice_us() / 2 {
            return Ok(());
        }
        if let Some(pace) = &self.pace {
            pace.rest(worked_us).await?;
        } else if self.is_polite && self.jobs.take_foreground() && !self.is_hurried() {
            self.env.sleep(worked_us).await;
        } else {
            self.env.yield_now().await;
        }
        if self.id.is_some() {
            // Jobs of other lanes are polled by the same task.
            yield_to_siblings().await;
        }
        self.slice_started_us = self.env.monotonic_us();
        Ok(())
    }

    async fn obey(&self, id: JobId) -> Result<()> {
        loop {
            let seen = self.jobs.signal.raised();
            match self.jobs.order(id) {
                Order::Stop(error) => return Err(error),
                Order::Pause if !self.is_hurried() => self.jobs.signal.raised_since(seen).await,
                Order::Pause | Order::GoOn => return Ok(()),
            }
        }
    }

    /// Whether a request that is slowed down has only some time.
    pub(crate) fn is_bounded(&self) -> bool {
        self.pace.as_ref().is_some_and(|pace| pace.is_bounded())
    }

    /// Whether that time is over.
    pub(crate) fn is_over(&self) -> bool {
        self.pace.as_ref().is_some_and(|pace| pace.is_over())
    }

    /// Tells how many units of work there are.
    pub fn set_total(&mut self, units: u64) {
        self.total = Some(units);
        self.show_progress();
    }

    /// Tells that so many more units are done.
    pub fn add_done(&mut self, units: u64) {
        self.done = self.done.saturating_add(units);
        self.show_progress();
    }

    fn show_progress(&self) {
        if let Some(id) = self.id {
            self.jobs.set_progress(id, self.done, self.total);
        }
    }

    /// Whether a request waits for a flush, which may be what runs here.
    fn is_hurried(&self) -> bool {
        self.jobs.hurried.load(Ordering::Relaxed) > 0
    }
}

impl core::fmt::Debug for JobControl {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("JobControl")
            .field("id", &self.id)
            .field("done", &self.done)
            .field("total", &self.total)
            .finish_non_exhaustive()
    }
}

/// As long as one lives, jobs neither rest nor stay paused.
pub(crate) struct Hurry(Arc<Jobs>);

impl Hurry {
    pub(crate) fn new(jobs: &Arc<Jobs>) -> Hurry {
        jobs.hurried.fetch_add(1, Ordering::Relaxed);
        jobs.wake();
        Hurry(Arc::clone(jobs))
    }
}

impl Drop for Hurry {
    fn drop(&mut self) {
        self.0.hurried.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn yield_to_siblings() {
    let mut has_yielded = false;
    poll_fn(|context| {
        if core::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}
