//! Limit: skips rows, then gives rows up to a number.

use varve_expr::{EvalContext, Expr, evaluate_constant};
use varve_types::{Batch, Error, LocalFuture, Result, SqlState, Value};

use crate::BatchStream;

/// Rows by their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowRange {
    /// Rows left out first.
    pub(crate) offset: u64,
    /// Most rows given after them.
    pub(crate) limit: Option<u64>,
}

impl RowRange {
    /// Evaluates LIMIT and OFFSET.
    pub(crate) fn evaluate(
        limit: Option<&Expr>,
        offset: Option<&Expr>,
        eval: &EvalContext<'_>,
    ) -> Result<RowRange> {
        let limit_state = SqlState::INVALID_ROW_COUNT_IN_LIMIT_CLAUSE;
        let offset_state = SqlState::INVALID_ROW_COUNT_IN_OFFSET_CLAUSE;
        Ok(RowRange {
            limit: row_count(limit, eval, limit_state, "LIMIT")?,
            offset: row_count(offset, eval, offset_state, "OFFSET")?.unwrap_or(0),
        })
    }

    /// How many input rows are read at most, when at most `rows_wanted` of the output are.
    pub(crate) fn rows_read(&self, rows_wanted: Option<u64>) -> Option<u64> {
        let given = [self.limit, rows_wanted].into_iter().flatten().min()?;
        Some(given.saturating_add(self.offset))
    }
}

fn row_count(
    expr: Option<&Expr>,
    eval: &EvalContext<'_>,
    state: SqlState,
    clause: &str,
) -> Result<Option<u64>> {
    let count = match expr.map(|expr| evaluate_constant(expr, eval)).transpose()? {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Int8(count)) => count,
        Some(Value::Int4(count)) => i64::from(count),
        Some(_) => return Err(Error::internal(format!("{clause} is not a bigint"))),
    };
    let negative = |_| Error::new(state, format!("{clause} must not be negative"));
    u64::try_from(count).map(Some).map_err(negative)
}

/// Cuts its input; it drops the input, and what that holds, as soon as the last row is given.
pub(crate) struct LimitStream<'a> {
    input: Option<Box<dyn BatchStream + 'a>>,
    rest: RowRange,
}

impl<'a> LimitStream<'a> {
    pub(crate) fn new(input: Box<dyn BatchStream + 'a>, range: RowRange) -> LimitStream<'a> {
        LimitStream {
            input: (range.limit != Some(0)).then_some(input),
            rest: range,
        }
    }

    /// The part of a batch that lies in the range; the range moves on.
    fn cut(&mut self, batch: Batch) -> Batch {
        let rows = batch.rows();
        let skipped = usize::try_from(self.rest.offset).map_or(rows, |offset| offset.min(rows));
        self.rest.offset -= widen(skipped);
        let left = rows - skipped;
        let limit = self
            .rest
            .limit
            .and_then(|limit| usize::try_from(limit).ok());
        let given = limit.map_or(left, |limit| limit.min(left));
        if let Some(limit) = &mut self.rest.limit {
            *limit -= widen(given);
        }
        if given == rows {
            return batch;
        }
        batch.slice(skipped, given)
    }
}

fn widen(rows: usize) -> u64 {
    u64::try_from(rows).unwrap_or(u64::MAX)
}

impl BatchStream for LimitStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(input) = &mut self.input {
                let Some(batch) = input.next().await? else {
                    break;
                };
                let batch = self.cut(batch);
                if self.rest.limit == Some(0) {
                    self.input = None;
                }
                if !batch.is_empty() {
                    return Ok(Some(batch));
                }
            }
            self.input = None;
            Ok(None)
        })
    }
}
