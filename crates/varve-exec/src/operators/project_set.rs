//! ProjectSet: set-returning functions, as many rows for each input row as the longest call gives.

use std::sync::Arc;

use varve_expr::{evaluate, shifted_value};
use varve_sql::{ProjectSetNode, SetCall, SetFunction};
use varve_types::{
    Batch, ColumnBuilder, ColumnRef, Decimal, Error, LocalFuture, LogicalType, Result, SqlState,
    VECTOR_ROWS, Value,
};

use crate::BatchStream;
use crate::context::Running;

/// Gives the rows of one input row after those of the row before.
pub(crate) struct ProjectSetStream<'a> {
    running: Running<'a>,
    input: Box<dyn BatchStream + 'a>,
    node: &'a ProjectSetNode,
    open: Option<Open>,
}

/// An input batch, and how far its rows were expanded.
struct Open {
    batch: Batch,
    /// The arguments of each call.
    args: Vec<Vec<ColumnRef>>,
    row: usize,
    /// The calls for this row; `None` before it is begun.
    series: Option<Vec<Series>>,
    ordinal: i64,
}

/// The rest of a series.
struct Series {
    next: Option<Value>,
    stop: Value,
    step: Value,
    is_rising: bool,
}

impl Series {
    /// The series of one row; a NULL argument makes it empty.
    fn new(call: &SetCall, args: &[ColumnRef], row: usize) -> Result<Series> {
        let SetFunction::GenerateSeries = call.function;
        let mut values = args.iter().map(|arg| arg.value(row));
        let start = values.next().unwrap_or(Value::Null);
        let stop = values.next().unwrap_or(Value::Null);
        let one = match call.ty {
            LogicalType::Int4 => Value::Int4(1),
            LogicalType::Int8 => Value::Int8(1),
            _ => Value::Numeric(Decimal::from_parts(1, 0)),
        };
        let step = values.next().unwrap_or(one);
        let mut series = Series {
            next: None,
            stop,
            step,
            is_rising: true,
        };
        if start.is_null() || series.stop.is_null() || series.step.is_null() {
            return Ok(series);
        }
        let parts = [
            ("start value", &start),
            ("stop value", &series.stop),
            ("step size", &series.step),
        ];
        for (what, value) in parts {
            if let Value::Numeric(number) = value
                && !number.is_finite()
            {
                let special = if number.is_nan() { "NaN" } else { "infinity" };
                return Err(invalid(format!("{what} cannot be {special}")));
            }
        }
        series.is_rising = match sign(&series.step) {
            0 => return Err(invalid("step size cannot equal zero".to_owned())),
            sign => sign > 0,
        };
        series.next = Some(start).filter(|start| series.reaches(start));
        Ok(series)
    }

    /// Whether a value is not behind the last one.
    fn reaches(&self, value: &Value) -> bool {
        let order = value.compare(&self.stop);
        order.is_some_and(|order| {
            if self.is_rising {
                order.is_le()
            } else {
                order.is_ge()
            }
        })
    }

    fn take(&mut self) -> Result<Option<Value>> {
        let Some(now) = self.next.take() else {
            return Ok(None);
        };
        // A series of integers ends where they do.
        let next = match (&now, &self.step) {
            (Value::Int4(now), Value::Int4(step)) => now.checked_add(*step).map(Value::Int4),
            (Value::Int8(now), Value::Int8(step)) => now.checked_add(*step).map(Value::Int8),
            (now, step) => shifted_value(now, step, false)?,
        };
        self.next = next.filter(|next| self.reaches(next));
        Ok(Some(now))
    }
}

fn sign(step: &Value) -> i32 {
    let wide = match step {
        Value::Numeric(step) => return step.signum(),
        Value::Interval(step) => step.span_us().signum(),
        other => i128::from(other.word().unwrap_or(0).signum()),
    };
    i32::try_from(wide).unwrap_or(0)
}

fn invalid(message: String) -> Error {
    Error::new(SqlState::INVALID_PARAMETER_VALUE, message)
}

impl<'a> ProjectSetStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        node: &'a ProjectSetNode,
    ) -> ProjectSetStream<'a> {
        ProjectSetStream {
            running,
            input,
            node,
            open: None,
        }
    }

    async fn open_next(&mut self) -> Result<bool> {
        let Some(batch) = self.input.next().await? else {
            return Ok(false);
        };
        let batch = batch.compact();
        let eval = self.running.eval();
        let mut args = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            let columns = call.args.iter().map(|arg| evaluate(arg, &batch, &eval));
            args.push(columns.collect::<Result<Vec<_>>>()?);
        }
        self.open = Some(Open {
            batch,
            args,
            row: 0,
            series: None,
            ordinal: 0,
        });
        Ok(true)
    }

    /// Up to 1,024 rows of the batch at hand; `None` when it is done.
    fn expand(&mut self) -> Result<Option<Batch>> {
        let Some(open) = &mut self.open else {
            return Ok(None);
        };
        let calls = &self.node.calls;
        let mut rows: Vec<u32> = Vec::with_capacity(VECTOR_ROWS);
        let mut results: Vec<ColumnBuilder> = calls
            .iter()
            .map(|call| ColumnBuilder::new(call.ty))
            .collect();
        let mut ordinals = ColumnBuilder::new(LogicalType::Int8);
        while rows.len() < VECTOR_ROWS && open.row < open.batch.rows() {
            let series = match &mut open.series {
                Some(series) => series,
                None => {
                    let begun = calls
                        .iter()
                        .zip(&open.args)
                        .map(|(call, args)| Series::new(call, args, open.row));
                    open.ordinal = 0;
                    open.series.insert(begun.collect::<Result<_>>()?)
                }
            };
            if series.iter().all(|series| series.next.is_none()) {
                open.row += 1;
                open.series = None;
                continue;
            }
            for (series, result) in series.iter_mut().zip(&mut results) {
                result.push(&series.take()?.unwrap_or(Value::Null));
            }
            open.ordinal += 1;
            ordinals.push(&Value::Int8(open.ordinal));
            rows.push(u32::try_from(open.row).unwrap_or(u32::MAX));
        }
        if rows.is_empty() {
            self.open = None;
            return Ok(None);
        }
        let input = open.batch.physical_columns().iter();
        let mut columns: Vec<ColumnRef> =
            input.map(|column| Arc::new(column.take(&rows))).collect();
        columns.extend(results.into_iter().map(|result| Arc::new(result.finish())));
        if self.node.ordinality {
            columns.push(Arc::new(ordinals.finish()));
        }
        Ok(Some(Batch::new(columns, rows.len())))
    }
}

impl BatchStream for ProjectSetStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            loop {
                self.running.checkpoint().await?;
                if let Some(batch) = self.expand()? {
                    return Ok(Some(batch));
                }
                if !self.open_next().await? {
                    return Ok(None);
                }
            }
        })
    }
}
