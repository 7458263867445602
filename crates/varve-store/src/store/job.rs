//! What a job is, and what can be seen of it.

use std::sync::Arc;

use varve_types::LocalFuture;

use crate::error::Result;
use crate::store::{JobControl, Store};

/// A piece of background work.
pub trait Job: Send {
    /// What it does, in a word.
    fn kind(&self) -> &'static str;

    /// What it works on, for the view of jobs.
    fn object(&self) -> Option<String> {
        None
    }

    /// Does the work, with [`JobControl::step`] between small pieces. Dropped at any step, or ended
    /// by an error, it must leave the store as if that step had not come. After an error it is run
    /// again, later; what it keeps in `self` until then lets it go on where it was.
    fn run<'a>(
        &'a mut self,
        store: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, Result<()>>;
}

/// Makes jobs of the layers above that are due at a time.
pub trait JobSource: Send + Sync {
    /// When the next one is due, in monotonic microseconds; `None` for never. Whoever makes it
    /// earlier calls [`Store::wake_jobs`].
    fn due_us(&self) -> Option<u64>;

    /// The job that is due then.
    fn job(&self) -> Box<dyn Job>;
}

/// Names a job as long as the store is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobState {
    /// It waits for others, or for its next attempt.
    Queued,
    /// It is at work.
    Running,
    /// It stopped at a step until it is resumed.
    Paused,
    /// It came to its end.
    Done,
    /// It ended with an error.
    Failed,
    /// It was stopped.
    Cancelled,
}

impl JobState {
    /// The word for it in the view of jobs.
    pub fn name(self) -> &'static str {
        match self {
            JobState::Queued => "queued",
            JobState::Running => "running",
            JobState::Paused => "paused",
            JobState::Done => "done",
            JobState::Failed => "failed",
            JobState::Cancelled => "cancelled",
        }
    }
}

/// A job as the view of jobs shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobInfo {
    /// Its name among the jobs of this store handle.
    pub id: JobId,
    /// What it does.
    pub kind: &'static str,
    /// What it works on.
    pub object: Option<String>,
    /// Where it is.
    pub state: JobState,
    /// Units of work done in this attempt.
    pub done: u64,
    /// Units of work in all, where they are known.
    pub total: Option<u64>,
    /// When the last attempt began, in microseconds since 1970.
    pub started_us: Option<i64>,
    /// Why the last attempt failed.
    pub error: Option<String>,
}
