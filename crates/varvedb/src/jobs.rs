//! The background jobs of a database.

use varve_expr::JobOrder;
use varve_store::{JobId, JobInfo, JobRunner};
use varve_types::{Result, Value};

use crate::Database;
use crate::database::Shared;

impl Database {
    /// What runs flushes, compactions and other background work until the database is closed or its
    /// last handle is dropped. It may be sent to another thread; nothing depends on its being run,
    /// but without it commits do all of this work themselves.
    pub fn job_runner(&self) -> JobRunner {
        self.shared.store.job_runner()
    }

    /// Runs jobs on a thread of its own, which ends when the database is closed or its last handle
    /// is dropped.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn spawn_jobs(&self) -> std::io::Result<std::thread::JoinHandle<()>> {
        let runner = self.job_runner();
        let thread = std::thread::Builder::new().name("varve-jobs".to_owned());
        thread.spawn(move || pollster::block_on(runner.run()))
    }

    /// Runs all jobs that are due now, to their end.
    pub async fn run_jobs_until_idle(&self) -> Result<()> {
        Ok(self.shared.store.run_jobs_until_idle().await?)
    }

    /// Every job that has not ended, and the last ones that have, oldest first.
    pub fn jobs(&self) -> Vec<JobInfo> {
        self.shared.store.jobs()
    }

    /// Ends a job at its next step; false where none of this id is under way.
    pub fn cancel_job(&self, id: JobId) -> bool {
        self.shared.store.cancel_job(id)
    }

    /// Holds a job at its next step; false where none of this id is under way.
    pub fn pause_job(&self, id: JobId) -> bool {
        self.shared.store.pause_job(id)
    }

    /// Lets a paused job go on; false where none of this id is under way.
    pub fn resume_job(&self, id: JobId) -> bool {
        self.shared.store.resume_job(id)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A job that runs would keep the store until its end.
        self.store.stop_jobs();
    }
}

impl Shared {
    pub fn order_job(&self, job: i64, order: JobOrder) -> bool {
        let id = JobId(job.cast_unsigned());
        match order {
            JobOrder::Cancel => self.store.cancel_job(id),
            JobOrder::Pause => self.store.pause_job(id),
            JobOrder::Resume => self.store.resume_job(id),
        }
    }
}

impl core::fmt::Debug for Shared {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Shared")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// The rows of `varve_jobs`.
pub(crate) fn job_rows(shared: &Shared) -> Vec<Vec<Value>> {
    shared.store.jobs().iter().map(job_row).collect()
}

fn job_row(job: &JobInfo) -> Vec<Value> {
    let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::text);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a share of work need not be exact"
    )]
    let progress = |total: u64| Value::Float8(job.done.min(total) as f64 / total.max(1) as f64);
    vec![
        Value::Int8(i64::try_from(job.id.0).unwrap_or(i64::MAX)),
        Value::text(job.kind),
        text(&job.object),
        Value::text(job.state.name()),
        job.total.map_or(Value::Null, progress),
        job.started_us.map_or(Value::Null, Value::TimestampTz),
        text(&job.error),
    ]
}
