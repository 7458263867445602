//! Writes complete rows into a table, after what the table promises of them was checked.

use varve_expr::format_value;
use varve_sql::{ColumnDef, TableDef};
use varve_store::{InsertError, Transaction};
use varve_types::{Batch, ColumnData, Error, Result, RowPosition, SqlState};

/// Inserts rows that have one column a table column; answers how many.
pub(crate) async fn insert(
    transaction: &mut Transaction,
    table: &TableDef,
    rows: &[Batch],
) -> Result<u64> {
    let mut count = 0;
    for batch in rows {
        check_not_null(table, batch)?;
        count += batch.rows() as u64;
    }
    for batch in rows {
        transaction
            .insert(table.tree, batch)
            .await
            .map_err(|error| name_constraint(table, error))?;
    }
    Ok(count)
}

/// Replaces rows: the columns of the table with their new values, then the positions of the old
/// rows.
pub(crate) async fn update(
    transaction: &mut Transaction,
    table: &TableDef,
    rows: &[Batch],
) -> Result<u64> {
    let positions = positions_of(rows)?;
    let mut changed = Vec::with_capacity(rows.len());
    for batch in rows {
        let columns = batch.physical_columns();
        let columns = columns
            .get(..table.columns.len())
            .unwrap_or(columns)
            .to_vec();
        let batch = Batch::new(columns, batch.rows());
        check_not_null(table, &batch)?;
        changed.push(batch);
    }
    transaction
        .update(table.tree, &positions, &changed)
        .await
        .map_err(|error| name_constraint(table, error))?;
    Ok(positions.len() as u64)
}

/// Deletes the rows at the positions that are the last column of `rows`.
pub(crate) async fn delete(
    transaction: &mut Transaction,
    table: &TableDef,
    rows: &[Batch],
) -> Result<u64> {
    let positions = positions_of(rows)?;
    transaction.delete(table.tree, &positions).await?;
    Ok(positions.len() as u64)
}

fn positions_of(rows: &[Batch]) -> Result<Vec<RowPosition>> {
    let mut positions = Vec::with_capacity(rows.iter().map(Batch::rows).sum());
    for batch in rows {
        let last = batch
            .physical_columns()
            .last()
            .map(varve_types::Column::flatten);
        let Some(ColumnData::Int64(values)) = last.as_ref().map(|column| column.data()) else {
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

/// `23502` when a NULL would go into a column that takes none.
pub(crate) fn check_not_null(table: &TableDef, batch: &Batch) -> Result<()> {
    for (definition, column) in table.columns.iter().zip(batch.physical_columns()) {
        if !definition.nullable && column.null_count() > 0 {
            return Err(not_null_error(table, definition));
        }
    }
    Ok(())
}

/// The error of [`check_not_null`] for one column.
pub(crate) fn not_null_error(table: &TableDef, column: &ColumnDef) -> Error {
    let message = format!(
        "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
        column.name, table.name
    );
    Error::new(SqlState::NOT_NULL_VIOLATION, message)
        .with_table(&table.name)
        .with_column(&column.name)
}

/// The error of an insert, with the constraint, the columns and the values that PostgreSQL names.
pub(crate) fn name_constraint(table: &TableDef, error: InsertError) -> Error {
    let key = match error {
        InsertError::Duplicate { key, .. } => key,
        InsertError::Other(error) => return error,
    };
    let names = table
        .primary_key
        .iter()
        .filter_map(|position| table.columns.get(*position));
    let names: Vec<&str> = names.map(|column| column.name.as_str()).collect();
    let values: Vec<String> = key.iter().map(format_value).collect();
    let constraint = format!("{}_pkey", table.name);
    let message = format!("duplicate key value violates unique constraint \"{constraint}\"");
    let detail = format!(
        "Key ({})=({}) already exists.",
        names.join(", "),
        values.join(", ")
    );
    Error::new(SqlState::UNIQUE_VIOLATION, message)
        .with_detail(detail)
        .with_table(&table.name)
        .with_constraint(constraint)
}
