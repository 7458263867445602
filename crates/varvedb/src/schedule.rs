//! Runs the jobs that SQL describes: those of `add_job` and of the policies.
//!
//! What is known of them are rows of tables (`varve-catalog/src/built_in/jobs.sql`). The store asks
//! [`JobSchedule`] when one is due and runs it as background work, in a session of its own. The
//! work of a job and the note that it is done are one transaction, so a job that was interrupted
//! did nothing, and one that is done is not run again.

use std::sync::{Arc, Weak};

use varve_store::{Job, JobControl, JobSource, Store, StoreError};
use varve_types::{Error, LocalFuture, Result, Value};

use crate::session::Session;
use crate::shared::Shared;

/// A look at what is due follows the last one not earlier.
const REST_US: u64 = 100_000;
/// The next look after one that failed.
const FAILURE_REST_US: u64 = 60_000_000;

/// Gives the store the jobs of a database.
pub(crate) struct ScheduledJobs(pub Weak<Shared>);

impl JobSource for ScheduledJobs {
    fn due_us(&self) -> Option<u64> {
        let shared = self.0.upgrade()?;
        shared.schedule.due_us()
    }

    fn job(&self) -> Box<dyn Job> {
        Box::new(DueJobs(Weak::clone(&self.0)))
    }
}

/// Runs each job that is due now once.
struct DueJobs(Weak<Shared>);

impl Job for DueJobs {
    fn kind(&self) -> &'static str {
        "scheduled jobs"
    }

    fn run<'a>(
        &'a mut self,
        _: &'a Arc<Store>,
        control: &'a mut JobControl,
    ) -> LocalFuture<'a, core::result::Result<(), StoreError>> {
        Box::pin(async move {
            let Some(shared) = self.0.upgrade() else {
                return Ok(());
            };
            // A commit that comes after the look sets it anew.
            shared.schedule.rest();
            let ran = run_due(&shared, control).await;
            let rest_us = match &ran {
                Ok(Some(wait_us)) => Some((*wait_us).max(REST_US)),
                Ok(None) => None,
                Err(_) => Some(FAILURE_REST_US),
            };
            if let Some(rest_us) = rest_us {
                let due_us = shared.env.monotonic_us().saturating_add(rest_us);
                shared.schedule.set_due(due_us);
            }
            ran.map(|_| ()).map_err(StoreError::from)
        })
    }
}

/// Gives after how many microseconds the next one is due.
async fn run_due(shared: &Arc<Shared>, control: &mut JobControl) -> Result<Option<u64>> {
    let mut ran = Vec::new();
    loop {
        // Nothing that a job sets is left for the next one.
        let mut session = Session::new(Arc::clone(shared));
        if !shared.schedule.find(&*session.catalog_now()?) {
            return Ok(None);
        }
        if shared.schedule.begins() {
            let recover = "SELECT _timescaledb_functions.recover_jobs()";
            session.query(recover, &[]).await?;
        }
        let next = "SELECT job, wait_us FROM _timescaledb_functions.next_job()";
        let found = session.query(next, &[]).await?;
        let rows = found.rows();
        let Some([Value::Int4(job), Value::Int8(wait_us)]) = rows.first().map(Vec::as_slice) else {
            return Ok(None);
        };
        let wait_us = u64::try_from(*wait_us).unwrap_or(0);
        if wait_us > 0 || ran.contains(job) {
            return Ok(Some(wait_us));
        }
        ran.push(*job);
        session.run_scheduled(*job).await?;
        control.step().await?;
    }
}

impl Session {
    /// Runs a job that is due, and notes how that ended. An error is one of the notes.
    async fn run_scheduled(&mut self, job: i32) -> Result<()> {
        let begin = "SELECT _timescaledb_functions.begin_job($1)";
        let begun = match self.query(begin, &[Value::Int4(job)]).await {
            Ok(begun) => begun,
            // What is announced may fail as the work itself would.
            Err(error) => return self.note_failure(job, &error).await,
        };
        let rows = begun.rows();
        let Some([Value::Int8(runtime_ms_max)]) = rows.first().map(Vec::as_slice) else {
            // Somebody has changed it meanwhile.
            return Ok(());
        };
        let limit = format!("SET statement_timeout = {runtime_ms_max}");
        self.query(&limit, &[]).await?;
        let run = "CALL _timescaledb_functions.run_begun_job($1)";
        let ran = self.query(run, &[Value::Int4(job)]).await;
        let Err(error) = ran else { return Ok(()) };
        self.query("SET statement_timeout = 0", &[]).await?;
        self.note_failure(job, &error).await
    }

    async fn note_failure(&mut self, job: i32, error: &Error) -> Result<()> {
        let fail = "SELECT _timescaledb_functions.fail_job($1, $2, $3)";
        let code = Value::text(error.state().code());
        let values = [Value::Int4(job), code, Value::text(error.message())];
        self.query(fail, &values).await?;
        Ok(())
    }
}
