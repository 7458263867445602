//! Which scan a sort of a few rows can tell that rows are not wanted.

use std::sync::Arc;

use varve_expr::Expr;
use varve_plan::{Plan, ScanNode, SortKeyExpr};
use varve_types::{Cutoff, LogicalType};

/// The scan whose rows become those of a sort, and what may leave them out while the sort reads
/// them: where the first key is a column of the scan with integers, dates or timestamps.
pub(crate) fn cut_of<'a>(
    input: &'a Plan,
    keys: &[SortKeyExpr],
) -> Option<(&'a ScanNode, Arc<Cutoff>)> {
    let first = keys.first()?;
    let Expr::Column { index, ty } = &first.expr else {
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
    let cutoff = Cutoff::new(column, first.descending, first.nulls_first);
    is_counted.then(|| (scan, Arc::new(cutoff)))
}
