//! The background jobs of a database.

use varve_store::{JobId, JobInfo, JobRunner};
use varve_types::Result;

use crate::database::Database;

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
        self.shared.schedule.wake(&self.shared.store);
        Ok(self.shared.store.run_jobs_until_idle().await?)
    }

    /// As [`Database::run_jobs_until_idle`], but no job begins after so many microseconds; whether
    /// nothing is left to do.
    pub async fn run_jobs_within(&self, budget_us: u64) -> Result<bool> {
        self.shared.schedule.wake(&self.shared.store);
        Ok(self.shared.store.run_jobs_within(budget_us).await?)
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
