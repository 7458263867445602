//! Limit: skips rows, then gives rows up to a number.

use varve_expr::{EvalContext, Expr, evaluate, evaluate_constant};
use varve_types::{Batch, ColumnRef, Error, LocalFuture, Result, SqlState, Value};

use crate::BatchStream;
use crate::context::Running;

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
    running: Running<'a>,
    input: Option<Box<dyn BatchStream + 'a>>,
    rest: RowRange,
    /// Rows like the last one in these follow it.
    ties: &'a [Expr],
    /// What the last row given had for them, once it was given.
    last: Option<Vec<Value>>,
}

impl<'a> LimitStream<'a> {
    pub(crate) fn new(
        running: Running<'a>,
        input: Box<dyn BatchStream + 'a>,
        range: RowRange,
        ties: &'a [Expr],
    ) -> LimitStream<'a> {
        LimitStream {
            running,
            input: (range.limit != Some(0)).then_some(input),
            rest: range,
            ties,
            last: None,
        }
    }

    /// What a row of a batch has for the ties.
    fn tie_columns(&self, batch: &Batch) -> Result<Vec<ColumnRef>> {
        let eval = self.running.eval();
        let ties = self.ties.iter().map(|tie| evaluate(tie, batch, &eval));
        ties.collect()
    }

    /// The rows of a batch up to the first that is not like the last row given.
    fn tied(&self, batch: &Batch, last: &[Value]) -> Result<Batch> {
        let columns = self.tie_columns(batch)?;
        let is_like = |row: &usize| {
            let mut pairs = columns.iter().zip(last);
            pairs.all(|(column, last)| same(&column.value(*row), last))
        };
        let rows = (0..batch.rows()).take_while(is_like).count();
        Ok(batch.slice(0, rows))
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

/// Whether two values are equal or both NULL.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (a, b) => a.compare(b) == Some(core::cmp::Ordering::Equal),
    }
}

fn widen(rows: usize) -> u64 {
    rows as u64
}

impl BatchStream for LimitStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            while let Some(input) = &mut self.input {
                let Some(batch) = input.next().await? else {
                    break;
                };
                if let Some(last) = &self.last {
                    let tied = self.tied(&batch, last)?;
                    if tied.rows() < batch.rows() {
                        self.input = None;
                    }
                    if !tied.is_empty() {
                        return Ok(Some(tied));
                    }
                    break;
                }
                let whole = batch.clone();
                let before = self.rest.offset;
                let mut batch = self.cut(batch);
                if self.rest.limit == Some(0) {
                    if self.ties.is_empty() {
                        self.input = None;
                    } else {
                        let skipped = usize::try_from(before - self.rest.offset);
                        let end = skipped.unwrap_or(usize::MAX).saturating_add(batch.rows());
                        let columns = self.tie_columns(&whole)?;
                        let row = end.saturating_sub(1);
                        let last: Vec<Value> =
                            columns.iter().map(|column| column.value(row)).collect();
                        let rest = whole.slice(end, whole.rows().saturating_sub(end));
                        let tied = self.tied(&rest, &last)?.rows();
                        if tied < rest.rows() {
                            self.input = None;
                        }
                        batch = whole.slice(end - batch.rows(), batch.rows() + tied);
                        self.last = Some(last);
                    }
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

#[cfg(test)]
mod tests {
    use varve_plan::Plan;
    use varve_types::{LogicalType, Value};

    use crate::testing::{Setting, limit, literal, show_batches, table};

    #[test]
    fn cuts_rows() {
        // Limit, offset, what is left, and how many of the input's batches are read.
        let cases = [
            (Some(0), None, "", 0),
            (Some(1), None, "1", 1),
            (Some(2), None, "1; 2", 1),
            (Some(3), None, "1; 2 | 3", 2),
            (Some(9), None, "1; 2 | 3 | 4; 5", 3),
            (None, None, "1; 2 | 3 | 4; 5", 3),
            (None, Some(1), "2 | 3 | 4; 5", 3),
            (Some(2), Some(1), "2 | 3", 2),
            (Some(1), Some(3), "4", 3),
            (None, Some(5), "", 3),
            (Some(i64::MAX), Some(i64::MAX), "", 3),
        ];
        for (rows, offset, expected, read) in cases {
            let setting = Setting::with(table("i", "1; 2 | 3 | 4; 5"));
            let plan = limit(setting.scan(0, "i"), rows, offset);
            let answer = setting.run(&plan).unwrap();
            assert_eq!(show_batches(&answer), expected, "{rows:?} {offset:?}");
            assert_eq!(
                setting.source.batches_given.get(),
                read,
                "{rows:?} {offset:?}"
            );
        }
    }

    #[test]
    fn null_is_no_limit_and_negative_an_error() {
        let null = || literal(Value::Null);
        let minus = || literal(Value::Int8(-1));
        let cases = [
            (Some(null()), Some(null()), Ok("1; 2")),
            (Some(minus()), None, Err("2201W")),
            (Some(null()), Some(minus()), Err("2201X")),
        ];
        for (limit, offset, expected) in cases {
            let setting = Setting::with(table("i", "1; 2"));
            let input = Box::new(setting.scan(0, "i"));
            let plan = Plan::Limit {
                input,
                limit,
                offset,
                ties: Vec::new(),
            };
            let answer = setting.run(&plan);
            let answer = answer.map(|batches| show_batches(&batches));
            let answer = answer.map_err(|error| error.state().code());
            assert_eq!(answer, expected.map(str::to_owned));
        }
        assert_eq!(null().logical_type(), LogicalType::Int8);
    }
}
