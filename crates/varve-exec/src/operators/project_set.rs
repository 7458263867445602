//! ProjectSet: set-returning functions, as many rows for each input row as the longest call gives.

use std::sync::Arc;

use varve_expr::evaluate;
use varve_sql::{ProjectSetNode, SetCall, SetFunction};
use varve_types::{
    Batch, ColumnBuilder, ColumnRef, Error, LocalFuture, LogicalType, Result, SqlState,
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

/// The rest of a series of integers.
struct Series {
    next: Option<i64>,
    stop: i64,
    step: i64,
}

impl Series {
    /// The series of one row; a NULL argument makes it empty.
    fn new(call: &SetCall, args: &[ColumnRef], row: usize) -> Result<Series> {
        let SetFunction::GenerateSeries = call.function;
        let mut numbers = [0, 0, 1];
        let mut next = None;
        for (number, arg) in numbers.iter_mut().zip(args) {
            match arg.value(row) {
                Value::Int4(value) => *number = i64::from(value),
                Value::Int8(value) => *number = value,
                _ => {
                    return Ok(Series {
                        next,
                        stop: 0,
                        step: 1,
                    });
                }
            }
        }
        let [start, stop, step] = numbers;
        if step == 0 {
            let message = "step size cannot equal zero";
            let error = Error::new(SqlState::INVALID_PARAMETER_VALUE, message);
            return Err(error);
        }
        if (step > 0 && start <= stop) || (step < 0 && start >= stop) {
            next = Some(start);
        }
        Ok(Series { next, stop, step })
    }

    fn take(&mut self) -> Option<i64> {
        let now = self.next?;
        self.next = now.checked_add(self.step).filter(|next| {
            if self.step > 0 {
                *next <= self.stop
            } else {
                *next >= self.stop
            }
        });
        Some(now)
    }
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
            for ((series, result), call) in series.iter_mut().zip(&mut results).zip(calls) {
                result.push(&match (series.take(), call.ty) {
                    (None, _) => Value::Null,
                    (Some(number), LogicalType::Int4) => {
                        i32::try_from(number).map_or(Value::Null, Value::Int4)
                    }
                    (Some(number), _) => Value::Int8(number),
                });
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
