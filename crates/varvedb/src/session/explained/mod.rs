//! What EXPLAIN answers with.

mod present;
mod storage;

use std::sync::Arc;

use varve_plan::QueryPlanRow;
use varve_system_views::Field;
use varve_types::{Batch, Column, LogicalType, VECTOR_ROWS, Value};

use crate::shared::result_set::ResultSet;

pub(super) use storage::storage_lines;

/// The lines of a plan, or one document.
pub(super) fn lines(lines: Vec<String>, is_json: bool) -> ResultSet {
    let ty = match is_json {
        true => LogicalType::Json,
        false => LogicalType::Text,
    };
    let rows: Vec<[Value; 1]> = lines.into_iter().map(|line| [Value::text(line)]).collect();
    answer([("QUERY PLAN", ty)], &rows)
}

/// The columns of SQLite's EXPLAIN QUERY PLAN.
pub(super) fn query_plan(rows: &[QueryPlanRow]) -> ResultSet {
    let number = LogicalType::Int4;
    let fields = [
        ("id", number),
        ("parent", number),
        ("notused", number),
        ("detail", LogicalType::Text),
    ];
    let row = |row: &QueryPlanRow| {
        [
            Value::Int4(row.id),
            Value::Int4(row.parent),
            Value::Int4(0),
            Value::text(row.detail.as_str()),
        ]
    };
    answer(fields, &rows.iter().map(row).collect::<Vec<_>>())
}

fn answer<const N: usize>(fields: [(&str, LogicalType); N], rows: &[[Value; N]]) -> ResultSet {
    let batch = |rows: &[[Value; N]]| {
        let columns = fields.iter().enumerate().map(|(at, (_, ty))| {
            let values = rows.iter().filter_map(|row| row.get(at).cloned());
            Arc::new(Column::from_values(*ty, &values.collect::<Vec<Value>>()))
        });
        Batch::new(columns.collect(), rows.len())
    };
    let field = |(name, ty): &(&str, LogicalType)| Field {
        name: (*name).to_owned(),
        ty: *ty,
    };
    ResultSet {
        fields: fields.iter().map(field).collect(),
        batches: rows.chunks(VECTOR_ROWS).map(batch).collect(),
        command: "EXPLAIN",
        ..ResultSet::default()
    }
}
