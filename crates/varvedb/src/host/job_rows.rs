//! The view of jobs.

use varve_store::JobInfo;
use varve_types::Value;

use crate::shared::Shared;

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
