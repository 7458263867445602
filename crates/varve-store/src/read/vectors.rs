//! Goes through some columns of a run, page by page.

use varve_types::{Column, Pacer, VECTOR_ROWS, Value};

use crate::error::Result;
use crate::read::pages::{column_pages, group_reader};
use crate::read::run_cursor::ordinal;
use crate::run::Run;
use crate::store::Store;

/// Calls `visit` with the ordinal of the first row of each vector, and the columns at some
/// positions of the run.
pub(crate) async fn each_vector(
    store: &Store,
    run: &Run,
    positions: &[usize],
    pacer: &mut Pacer,
    mut visit: impl FnMut(u32, &[Column]) -> Result<()>,
) -> Result<()> {
    let head = run.head()?;
    for (group, info) in head.groups().iter().enumerate() {
        let pages = store
            .read_pages(run.tree, column_pages(head, group, positions))
            .await?;
        let reader = group_reader(store, head, group, &pages)?;
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
