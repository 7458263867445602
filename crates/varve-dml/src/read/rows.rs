//! Rows of batches, and where they are in the store.

use std::sync::Arc;

use varve_types::{Batch, ColumnData, Error, Result, RowPosition, Value};

/// The positions that are a column of rows.
pub fn positions_of(rows: &[Batch], at: usize) -> Result<Vec<RowPosition>> {
    let mut positions = Vec::with_capacity(rows.iter().map(Batch::rows).sum());
    for batch in rows {
        let column = batch.physical_columns().get(at);
        let column = column.map(varve_types::Column::flatten);
        let Some(ColumnData::Int64(values)) = column.as_ref().map(|column| column.data()) else {
            return Err(Error::internal(
                "rows to be changed come without their positions",
            ));
        };
        positions.extend(
            values
                .iter()
                .map(|value| RowPosition(value.cast_unsigned())),
        );
    }
    Ok(positions)
}

/// Some rows of a batch without a selection, in any order.
pub fn chosen(rows: &Batch, chosen: &[u32]) -> Batch {
    let columns = rows.physical_columns().iter();
    let columns = columns.map(|column| Arc::new(column.take(chosen)));
    Batch::new(columns.collect(), chosen.len())
}

/// All rows of batches as values: for small results.
pub fn values_of(batches: &[Batch]) -> Vec<Vec<Value>> {
    let mut rows = Vec::with_capacity(batches.iter().map(Batch::rows).sum());
    for batch in batches {
        let batch = batch.compact();
        for row in 0..batch.rows() {
            let columns = batch.physical_columns().iter();
            rows.push(columns.map(|column| column.value(row)).collect());
        }
    }
    rows
}
