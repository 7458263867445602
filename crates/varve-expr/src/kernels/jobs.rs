//! Orders to background jobs.

use varve_types::{Column, ColumnBuilder, Result, Value};

use crate::tree::{Call, JobOrder};

pub(super) fn cancel(call: &Call<'_>) -> Result<Column> {
    order(call, JobOrder::Cancel)
}

pub(super) fn pause(call: &Call<'_>) -> Result<Column> {
    order(call, JobOrder::Pause)
}

pub(super) fn resume(call: &Call<'_>) -> Result<Column> {
    order(call, JobOrder::Resume)
}

fn order(call: &Call<'_>, order: JobOrder) -> Result<Column> {
    let mut answers = ColumnBuilder::with_capacity(call.result, call.rows);
    for row in 0..call.rows {
        let job = call.args.first().map_or(Value::Null, |arg| arg.value(row));
        let host = call.context.host;
        answers.push(&match job {
            Value::Int8(job) => Value::Boolean(host.is_some_and(|host| host.order_job(job, order))),
            _ => Value::Null,
        });
    }
    Ok(answers.finish())
}
