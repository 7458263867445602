//! `COPY ... (DEFAULT 'marker')`: fields that stand for the default of their column.

use std::sync::Arc;

use varve_catalog::Filled;
use varve_expr::{EvalContext, evaluate};
use varve_plan::CopyPlan;
use varve_types::{Batch, ColumnBuilder, Error, Result, Selection, SqlState, Value};

use crate::record::{FieldKind, RawField};

/// Whether a field stands for the default of its column.
pub(super) fn is_default(plan: &CopyPlan, field: RawField<'_>) -> bool {
    let marker = plan.options.default.as_ref();
    match field.kind {
        FieldKind::Default => true,
        FieldKind::Plain => marker.is_some_and(|marker| field.bytes == marker.as_bytes()),
        FieldKind::Quoted | FieldKind::Value | FieldKind::Null => false,
    }
}

/// Refuses the marker in a column without a default.
pub(super) fn check_default(plan: &CopyPlan, position: usize) -> Result<()> {
    let column = plan.table.columns.get(position);
    match column {
        Some(column) if column.default.is_none() || column.filled == Filled::Generated => {
            let message = "unexpected default marker in COPY data";
            let detail = format!("Column \"{}\" has no default value.", column.name);
            let error = Error::new(SqlState::BAD_COPY_FILE_FORMAT, message);
            Err(error.with_detail(detail))
        }
        _ => Ok(()),
    }
}

/// The rows with defaults in some places: the number of a row and the position of a column each.
pub(super) fn filled(
    plan: &CopyPlan,
    rows: Batch,
    places: &[(u32, usize)],
    context: &EvalContext<'_>,
) -> Result<Batch> {
    if places.is_empty() {
        return Ok(rows);
    }
    let mut columns = rows.physical_columns().to_vec();
    for (position, (definition, column)) in plan.table.columns.iter().zip(&mut columns).enumerate()
    {
        let own = places.iter().filter(|(_, at)| *at == position);
        let own: Vec<u32> = own.map(|(row, _)| *row).collect();
        let Some(default) = definition.default.as_ref().filter(|_| !own.is_empty()) else {
            continue;
        };
        let chosen = rows.select(&Selection::new(own.clone())).compact();
        let values = evaluate(default, &chosen, context)?;
        let mut merged = ColumnBuilder::with_capacity(definition.ty, rows.rows());
        let mut next = 0;
        for (row, number) in (0..rows.rows()).zip(0_u32..) {
            if own.get(next) == Some(&number) {
                let value: Value = values.value(next);
                merged.push(&value);
                next += 1;
            } else {
                merged.push_row(column, row);
            }
        }
        *column = Arc::new(merged.finish());
    }
    Ok(Batch::new(columns, rows.rows()))
}
