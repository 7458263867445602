//! Background jobs beside everything else, cancelled, paused and resumed at any of their steps.

use varve_store::{JobInfo, JobState};

use crate::chance::Chance;
use crate::executor::yield_now;
use crate::failure::{Outcome, broken};
use crate::world::Handle;

/// Gives orders to jobs at random times; at its end, or dropped, it leaves none paused.
pub(crate) async fn order_jobs(handle: Handle, mut chance: Chance, orders: u64) -> Outcome<()> {
    let handle = ResumesAll(handle);
    for _ in 0..orders {
        for _ in 0..chance.below(30) {
            yield_now().await;
        }
        let store = &handle.0.store;
        let jobs: Vec<JobInfo> = store.jobs();
        let mut alive: Vec<&JobInfo> = jobs.iter().filter(|job| !has_ended(job)).collect();
        alive.truncate(4);
        let Some(job) = chance.pick(&alive) else {
            store.wake_jobs();
            continue;
        };
        let (order, is_obeyed) = match chance.below(5) {
            0..2 => ("cancels", store.cancel_job(job.id)),
            2 => ("pauses", store.pause_job(job.id)),
            _ => ("resumes", store.resume_job(job.id)),
        };
        handle
            .0
            .world
            .note(|| format!("{order} {}: {is_obeyed}", job.kind));
        if !is_obeyed {
            return broken(format!("a job that is {:?} is not there", job.state));
        }
    }
    Ok(())
}

struct ResumesAll(Handle);

impl Drop for ResumesAll {
    fn drop(&mut self) {
        let store = &self.0.store;
        for job in store.jobs().iter().filter(|job| !has_ended(job)) {
            store.resume_job(job.id);
        }
    }
}

fn has_ended(job: &JobInfo) -> bool {
    matches!(
        job.state,
        JobState::Done | JobState::Failed | JobState::Cancelled
    )
}

/// Waits for a time when no job is at work: only then may whoever runs them leave, unless a handle
/// is allowed to take no more commits.
pub(crate) async fn end_jobs(handle: Handle) -> Outcome<()> {
    let is_running = |job: &JobInfo| job.state == JobState::Running;
    while handle.store.jobs().iter().any(is_running) {
        yield_now().await;
    }
    Ok(())
}

/// Where nothing went wrong, no job failed.
pub(crate) fn check_jobs(handle: &Handle) -> Outcome<()> {
    let jobs = handle.store.jobs();
    match jobs.iter().find(|job| job.state == JobState::Failed) {
        Some(job) => broken(format!(
            "{}: {}",
            job.kind,
            job.error.as_deref().unwrap_or("")
        )),
        None => Ok(()),
    }
}
