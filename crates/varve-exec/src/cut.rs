//! What a reader of a few rows tells the scan below it: which rows it does not want any more.

use std::sync::Arc;

use varve_expr::Expr;
use varve_plan::{AggregateCall, Plan, ScanNode, SortKeyExpr};
use varve_types::{Batch, Cutoff, LocalFuture, LogicalType, Result};

use crate::BatchStream;

/// The scan whose rows become those of a sort, and what may leave them out while the sort reads
/// them: where the first key is a column of the scan with integers, dates or timestamps.
pub(crate) fn cut_of_sort<'a>(
    input: &'a Plan,
    keys: &[SortKeyExpr],
) -> Option<(&'a ScanNode, Arc<Cutoff>)> {
    let first = keys.first()?;
    cut_of(input, &first.expr, first.descending, first.nulls_first)
}

/// The same of aggregates over all rows that only the rows with the greatest value of one column
/// decide, or those with the least; with the place of the column among those of the input.
pub(crate) fn cut_of_aggregates<'a>(
    input: &'a Plan,
    calls: &[AggregateCall],
) -> Option<(&'a ScanNode, Arc<Cutoff>, usize)> {
    let mut decided: Option<(&Expr, bool)> = None;
    for call in calls {
        if call.filter.is_some() || !call.order.is_empty() {
            return None;
        }
        let (argument, greatest) = call.function.decided_by()?;
        let by = (call.args.get(argument)?, greatest);
        if decided.replace(by).is_some_and(|before| before != by) {
            return None;
        }
    }
    let (by, greatest) = decided?;
    let Expr::Column { index, .. } = by else {
        return None;
    };
    let (scan, cutoff) = cut_of(input, by, greatest, false)?;
    Some((scan, cutoff, *index))
}

fn cut_of<'a>(
    input: &'a Plan,
    by: &Expr,
    descending: bool,
    nulls_first: bool,
) -> Option<(&'a ScanNode, Arc<Cutoff>)> {
    let Expr::Column { index, ty } = by else {
        return None;
    };
    let is_counted = matches!(
        ty,
        LogicalType::Int2
            | LogicalType::Int4
            | LogicalType::Int8
            | LogicalType::Date
            | LogicalType::Timestamp
            | LogicalType::TimestampTz
    );
    let mut index = *index;
    let mut plan = input;
    let scan = loop {
        plan = match plan {
            Plan::Scan(scan) => break scan,
            Plan::Filter { input, .. } => input,
            Plan::Project { input, exprs } => match exprs.get(index)? {
                Expr::Column { index: below, .. } => {
                    index = *below;
                    input
                }
                _ => return None,
            },
            _ => return None,
        };
    };
    let column = *scan.columns.get(index)?;
    let cutoff = Cutoff::new(column, descending, nulls_first);
    is_counted.then(|| (scan, Arc::new(cutoff)))
}

/// Tells the scan below of the best value that it has seen.
pub(crate) struct CuttingStream<'a> {
    pub(crate) input: Box<dyn BatchStream + 'a>,
    pub(crate) cutoff: Arc<Cutoff>,
    /// The place of the column.
    pub(crate) column: usize,
    pub(crate) best: Option<i64>,
}

impl BatchStream for CuttingStream<'_> {
    fn next(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(async move {
            let Some(batch) = self.input.next().await? else {
                return Ok(None);
            };
            let batch = batch.compact();
            if let Some(column) = batch.physical_columns().get(self.column) {
                let values = (0..batch.rows()).filter_map(|row| column.value(row).integer());
                self.best = match self.cutoff.descending {
                    true => values.chain(self.best).max(),
                    false => values.chain(self.best).min(),
                };
            }
            if let Some(best) = self.best {
                self.cutoff.set_last(best);
            }
            Ok(Some(batch))
        })
    }
}
