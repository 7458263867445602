//! Goes through some columns of a group, past the page cache: all of a run is read once.

use varve_run::GroupReader;
use varve_types::{Column, Pacer, VECTOR_ROWS, Value};

use std::sync::Arc;

use crate::error::Result;
use crate::read::run_cursor::ordinal;
use crate::run::Run;
use crate::store::Store;

/// Calls `visit` with the ordinal of the first row of each vector of a group, and the columns at
/// some positions of the run.
pub(crate) async fn group_vectors(
    store: &Store,
    run: &Run,
    group: usize,
    positions: &[usize],
    pacer: &mut Pacer,
    mut visit: impl FnMut(u32, &[Column]) -> Result<()>,
) -> Result<()> {
    let head = run.head()?;
    let Some(info) = head.groups().get(group) else {
        return Ok(());
    };
    let values = store.read_values(run, head, group, positions).await?;
    let reader = GroupReader::new(Arc::clone(head), group, values);
    let reader = reader.map_err(|error| run.place_error(error))?;
    for vector in 0..info.vectors() {
        pacer.pause().await;
        let columns = positions.iter().map(|at| {
            let column = reader.column(*at, vector);
            column.map_err(|error| run.place_error(error))
        });
        let columns: Result<Vec<Column>> = columns.collect();
        let first = info.first_row + (vector * VECTOR_ROWS) as u64;
        visit(ordinal(first)?, &columns?)?;
    }
    Ok(())
}

/// The number at a row of a column of references; `None` for NULL.
pub(crate) fn number_at(column: &Column, row: usize) -> Option<i64> {
    match column.value(row) {
        Value::Int8(number) => Some(number),
        _ => None,
    }
}
