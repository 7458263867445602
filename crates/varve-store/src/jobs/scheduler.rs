//! Runs jobs, one of each lane at a time.

use std::sync::{Arc, Weak};

use futures_util::future::{Either, join, select};
use varve_types::Env;

use crate::error::Result;
use crate::store::{Job, JobControl, JobId, JobInfo, JobSource, Jobs, Store};
use crate::{compaction, content, flush};

/// Jobs of different lanes alternate step by step; those of one lane follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lane {
    /// What commits may have to wait for.
    Flush,
    /// What only makes the store smaller or faster.
    Background,
}

impl Lane {
    const ALL: [Lane; 2] = [Lane::Flush, Lane::Background];

    /// A job that the state of the store asks for.
    fn due(self, store: &Arc<Store>) -> Option<Box<dyn Job>> {
        match self {
            Lane::Flush => flush::due(store),
            Lane::Background => (store.scheduled_job())
                .or_else(|| compaction::due(store))
                .or_else(|| content::due(store)),
        }
    }
}

/// What is to run next.
struct Next {
    id: JobId,
    job: Box<dyn Job>,
    /// Whether it was registered; others are asked for by the state of the store.
    is_registered: bool,
}

/// Runs the jobs of a store until it is closed or nobody else has it any more; it does not keep the
/// store open. May be sent to the thread that is to run it.
pub struct JobRunner {
    store: Weak<Store>,
    jobs: Arc<Jobs>,
    env: Arc<dyn Env>,
}

impl JobRunner {
    /// Ends when the store is closed or dropped.
    pub async fn run(self) {
        let [flush, background] = Lane::ALL.map(|lane| self.run_lane(lane));
        join(flush, background).await;
    }

    async fn run_lane(&self, lane: Lane) {
        while !self.jobs.is_stopped() {
            let seen = self.jobs.signal.raised();
            let now_us = self.env.monotonic_us();
            {
                let Some(store) = self.store.upgrade() else {
                    return;
                };
                if lane == Lane::Flush
                    && (store.store_overdue_records(now_us).await
                        || store.look_for_room_if_due(now_us).await)
                {
                    continue;
                }
                if let Some(next) = store.next_job(lane, Some(now_us)) {
                    // Errors are kept with the job.
                    let _ = store.run_job(next, true).await;
                    continue;
                }
            }
            let raised = std::pin::pin!(self.jobs.signal.raised_since(seen));
            let next_us = [
                self.jobs.next_retry_us(now_us),
                self.store_due_us(lane),
                self.scheduled_us(lane),
            ];
            match next_us.into_iter().flatten().min() {
                Some(at_us) => {
                    let retry = self.env.sleep(at_us.saturating_sub(now_us));
                    match select(raised, retry).await {
                        Either::Left(_) | Either::Right(_) => {}
                    }
                }
                None => raised.await,
            }
        }
    }
}

/// Notes that an attempt is over, however that came.
struct Attempt<'a> {
    jobs: &'a Jobs,
    id: JobId,
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.jobs.abandon(self.id);
    }
}

impl JobRunner {
    /// When a job of the layers above is due.
    fn scheduled_us(&self, lane: Lane) -> Option<u64> {
        let store = self.store.upgrade().filter(|_| lane == Lane::Background)?;
        let source = store.state().job_source.clone();
        source?.due_us()
    }

    /// When records of commits that were acknowledged early must be stored, or room looked for.
    fn store_due_us(&self, lane: Lane) -> Option<u64> {
        let store = self.store.upgrade().filter(|_| lane == Lane::Flush)?;
        let state = store.state();
        let records_us = state.log.due_us(store.settings.async_delay_us);
        let due = [records_us, store.fullness.look_at_us()];
        let due_us = due.into_iter().flatten().min();
        due_us.filter(|_| state.failure.is_none())
    }
}

impl core::fmt::Debug for JobRunner {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("JobRunner").finish_non_exhaustive()
    }
}

impl Store {
    /// What runs the jobs of this store.
    pub fn job_runner(self: &Arc<Store>) -> JobRunner {
        JobRunner {
            store: Arc::downgrade(self),
            jobs: Arc::clone(&self.jobs),
            env: Arc::clone(&self.env),
        }
    }

    /// Runs all jobs that are due, and those that become due by them, without resting. The first
    /// error ends it; jobs that failed before are tried again.
    pub async fn run_jobs_until_idle(self: &Arc<Store>) -> Result<()> {
        self.run_jobs_within(u64::MAX).await.map(drop)
    }

    /// As [`Store::run_jobs_until_idle`], but no job begins after so many microseconds; whether
    /// none is left.
    pub async fn run_jobs_within(self: &Arc<Store>, budget_us: u64) -> Result<bool> {
        self.store_overdue_records(u64::MAX).await;
        let end_us = self.env.monotonic_us().saturating_add(budget_us);
        while self.env.monotonic_us() < end_us {
            let Some(next) = Lane::ALL.iter().find_map(|lane| self.next_job(*lane, None)) else {
                return Ok(true);
            };
            self.run_job(next, false).await?;
        }
        let is_due = |lane: &Lane| lane.due(self).is_some();
        Ok(!self.jobs.has_waiting() && !Lane::ALL.iter().any(is_due))
    }

    /// Jobs that are due at a time come from there from now on.
    pub fn set_job_source(&self, source: Arc<dyn JobSource>) {
        self.state().job_source = Some(source);
        self.jobs.wake();
    }

    /// The job of the layers above that is due now.
    fn scheduled_job(&self) -> Option<Box<dyn Job>> {
        let source = self.state().job_source.clone()?;
        let due_us = source.due_us()?;
        (due_us <= self.env.monotonic_us()).then(|| source.job())
    }

    /// Registers a job; it is run when it is the next, and again after it failed.
    pub fn add_job(&self, job: Box<dyn Job>) -> JobId {
        let id = self.jobs.add(&*job);
        self.jobs.put_back(id, job);
        self.jobs.wake();
        id
    }

    /// Lets whoever runs the jobs look again at what is due.
    pub fn wake_jobs(&self) {
        self.jobs.wake();
    }

    /// Ends all jobs at their next step, and whoever runs them. Commits go on as before.
    pub fn stop_jobs(&self) {
        self.jobs.stop();
    }

    /// Every job that has not ended, and the last ones that have, oldest first.
    pub fn jobs(&self) -> Vec<JobInfo> {
        self.jobs.list()
    }

    /// Ends a job at its next step; false where none of this id is under way. What the state of the
    /// store asks for is begun again, later.
    pub fn cancel_job(&self, id: JobId) -> bool {
        self.jobs.cancel(id)
    }

    /// Holds a job at its next step; false where none of this id is under way. A flush that a
    /// commit waits for goes on nevertheless.
    pub fn pause_job(&self, id: JobId) -> bool {
        self.jobs.pause(id)
    }

    /// Lets a job that is paused, or waits after a failure, go on; false where there is none.
    pub fn resume_job(&self, id: JobId) -> bool {
        self.jobs.resume(id)
    }

    /// Stores records of commits that were acknowledged early, if it is time.
    async fn store_overdue_records(&self, now_us: u64) -> bool {
        let is_overdue = {
            let state = self.state();
            state.failure.is_none() && state.log.is_overdue(now_us, self.settings.async_delay_us)
        };
        if is_overdue {
            let _commit_lock = self.take_commit_lock().await;
            // Whoever commits next is told why it failed.
            let _ = self.store_waiting().await;
        }
        is_overdue
    }

    /// What a lane is to run now; whatever failed before, where `now_us` is `None`.
    fn next_job(self: &Arc<Store>, lane: Lane, now_us: Option<u64>) -> Option<Next> {
        if lane == Lane::Background
            && let Some((id, job)) = self.jobs.next_registered(now_us)
        {
            return Some(Next {
                id,
                job,
                is_registered: true,
            });
        }
        let job = lane.due(self)?;
        let may_try = now_us.is_none_or(|now_us| self.jobs.may_try(job.kind(), now_us));
        may_try.then(|| Next {
            id: self.jobs.add(&*job),
            job,
            is_registered: false,
        })
    }

    async fn run_job(self: &Arc<Store>, next: Next, is_polite: bool) -> Result<()> {
        let Next {
            id,
            mut job,
            is_registered,
        } = next;
        self.jobs.start(id, self.env.now_us());
        let _attempt = Attempt {
            jobs: &self.jobs,
            id,
        };
        let mut control = JobControl::new(self, id, is_polite);
        let done = job.run(self, &mut control).await;
        let job = is_registered.then_some(job);
        self.jobs.end(id, job, &done, self.env.monotonic_us());
        done
    }
}
