//! Writes complete rows into a table, after what the table promises of them was checked.

use varve_expr::{DEFAULT_LOCALE, format_value};
use varve_sql::{ColumnDef, IndexDef, RowLock, TableDef};
use varve_store::{ClaimKind, InsertError, Transaction};
use varve_types::{Batch, ColumnData, Error, Result, RowPosition, SqlState, Value};

use crate::deferred::Deferred;
use crate::index;

/// Inserts rows that have one column a table column; answers how many.
pub(crate) async fn insert(
    transaction: &mut Transaction,
    deferred: &mut Deferred,
    table: &TableDef,
    rows: &[Batch],
) -> Result<u64> {
    let mut count = 0;
    for batch in rows {
        check_not_null(table, batch)?;
        count += batch.rows() as u64;
    }
    let rows = rows
        .iter()
        .map(|batch| index::with_row_ids(transaction, table, batch));
    let rows: Vec<Batch> = rows.collect();
    for batch in &rows {
        transaction
            .insert(table.tree, batch)
            .await
            .map_err(|error| name_constraint(table, error))?;
    }
    index::add(transaction, deferred, table, &rows).await?;
    Ok(count)
}

/// Replaces rows: the columns of the table with their new values, then the positions of the old
/// rows. Rows that keep their keys need not be looked up.
pub(crate) async fn update(
    transaction: &mut Transaction,
    deferred: &mut Deferred,
    table: &TableDef,
    rows: &[Batch],
    keeps_key: bool,
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
    let changed = index::keep_row_ids(transaction, table, &positions, changed).await?;
    let old = index::read(transaction, table, &positions).await?;
    let updated = if keeps_key {
        let same_keys = transaction.update_same_keys(table.tree, &positions, &changed);
        same_keys.await
    } else {
        transaction.update(table.tree, &positions, &changed).await
    };
    updated.map_err(|error| name_constraint(table, error))?;
    index::replace(transaction, deferred, table, &old, &changed).await?;
    Ok(positions.len() as u64)
}

/// Deletes the rows at the positions that are the last column of `rows`.
pub(crate) async fn delete(
    transaction: &mut Transaction,
    table: &TableDef,
    rows: &[Batch],
) -> Result<u64> {
    let positions = positions_of(rows)?;
    let old = index::read(transaction, table, &positions).await?;
    transaction.delete(table.tree, &positions).await?;
    index::remove(transaction, table, &old).await?;
    Ok(positions.len() as u64)
}

/// Claims the rows at the positions that are the last column of `rows`; answers the other columns.
pub(crate) async fn claim(
    transaction: &mut Transaction,
    lock: RowLock,
    rows: &[Batch],
) -> Result<Vec<Batch>> {
    let kind = if lock.update {
        ClaimKind::Update
    } else {
        ClaimKind::Share
    };
    let positions = positions_of(rows)?;
    transaction.claim_rows(lock.tree, &positions, kind).await?;
    let without_position = |batch: &Batch| {
        let mut columns = batch.physical_columns().to_vec();
        columns.pop();
        Batch::new(columns, batch.rows())
    };
    Ok(rows.iter().map(without_position).collect())
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
    let (index, key) = match error {
        InsertError::Duplicate { index, key } => (index, key),
        InsertError::Other(error) => return error,
    };
    let index = table.indexes.iter().find(|known| Some(known.tree) == index);
    let columns: Vec<usize> = match index {
        None => table.primary_key.clone(),
        Some(index) => index.keys.iter().map(|(column, _)| *column).collect(),
    };
    let names: Vec<String> = columns.iter().map(|at| table.label_at(*at)).collect();
    let values: Vec<String> = key.iter().map(shown_value).collect();
    let constraint = match index {
        None => format!("{}_pkey", table.name),
        Some(index) => index.name.clone(),
    };
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

fn shown_value(value: &Value) -> String {
    if value.is_null() {
        "null".to_owned()
    } else {
        format_value(value, &DEFAULT_LOCALE)
    }
}

/// The error of a unique index that cannot be made.
pub(crate) fn cannot_build(table: &TableDef, index: &IndexDef, error: InsertError) -> Error {
    let is_duplicate = matches!(error, InsertError::Duplicate { .. });
    let shape = TableDef {
        indexes: vec![index.clone()],
        ..table.clone()
    };
    let named = name_constraint(&shape, error);
    if !is_duplicate {
        return named;
    }
    let message = format!("could not create unique index \"{}\"", index.name);
    let detail = named.fields().detail.clone().unwrap_or_default();
    let detail = detail.replace(" already exists.", " is duplicated.");
    Error::new(SqlState::UNIQUE_VIOLATION, message)
        .with_detail(detail)
        .with_table(&table.name)
        .with_constraint(index.name.clone())
}
