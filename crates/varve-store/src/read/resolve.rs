//! Puts content in the place of references.

use std::sync::Arc;

use varve_run::VECTOR_BYTES_MAX;
use varve_sort::VecSet;
use varve_types::{
    Batch, Bitmap, Column, ColumnBuilder, ColumnRef, Invariant, LocalFuture, LogicalType,
    PhysicalType, Value,
};

use crate::content_tree::{DATA, bytes_at};
use crate::error::{Result, StoreError};
use crate::read::vectors::number_at;
use crate::read::{PageSource, View};
use crate::write_set::RowRef;

/// So many values are read first; what they take decides how many are read next.
const VALUES_FIRST: usize = 8;

/// A column with content in the place of its references; `content` is the view of content that
/// belongs to the view of the rows.
pub(crate) async fn resolve(
    content: &View,
    column: &ColumnRef,
    references: &ColumnRef,
) -> Result<ColumnRef> {
    let numbers = numbers(references);
    if numbers.is_empty() {
        return Ok(Arc::clone(column));
    }
    let numbers: Vec<i64> = numbers.into_iter().collect();
    let keys: Vec<Vec<u8>> = numbers.iter().map(|number| key(content, *number)).collect();
    let rows = content.locate(&keys).await?;
    let rows: Result<Vec<RowRef>> = rows
        .into_iter()
        .zip(&numbers)
        .map(|(row, number)| row.ok_or_else(|| missing(*number)))
        .collect();
    let mut data = Vec::with_capacity(numbers.len());
    for rows in rows?.chunks(varve_types::VECTOR_ROWS) {
        data.extend(content.gather_stored(rows, &[DATA], &[]).await?);
    }
    Ok(Arc::new(assemble(column, references, &numbers, &data)?))
}

/// The same of a single row, or `None` when pages must be read first.
pub(crate) fn resolve_now(
    content: &View,
    column: &ColumnRef,
    references: &ColumnRef,
    source: &mut PageSource<'_>,
) -> Result<Option<ColumnRef>> {
    let Some(number) = number_at(references, 0) else {
        return Ok(Some(Arc::clone(column)));
    };
    let Some(row) = content.locate_now(key(content, number), source)? else {
        return Ok(None);
    };
    let row = row.ok_or_else(|| missing(number))?;
    let Some(data) = content.gather_stored_now(row, &[DATA], &[], source)? else {
        return Ok(None);
    };
    let column = assemble(column, references, &[number], &data)?;
    Ok(Some(Arc::new(column)))
}

fn numbers(references: &Column) -> VecSet<i64> {
    let rows = 0..references.len();
    VecSet::from_iter(rows.filter_map(|row| number_at(references, row)))
}

fn key(content: &View, number: i64) -> Vec<u8> {
    let mut key = Vec::new();
    let tree = &content.tree;
    tree.put_key_of_values(&[Value::Int8(number)], &mut key);
    key
}

fn missing(number: i64) -> StoreError {
    StoreError::corrupted(format!(
        "content {number}, to which a row refers, is missing"
    ))
}

/// A dictionary of the content, which `data` has by ascending number, and of the values that lie in
/// the rows.
fn assemble(
    column: &Column,
    references: &Column,
    numbers: &[i64],
    data: &[ColumnRef],
) -> Result<Column> {
    let ty = column.logical_type();
    let mut values = ColumnBuilder::new(ty);
    for part in data {
        for row in 0..part.len() {
            push(&mut values, ty, bytes_at(part, row).unwrap_or_default())?;
        }
    }
    let mut codes = Vec::with_capacity(column.len());
    let mut validity = Bitmap::filled(column.len(), true);
    for row in 0..column.len() {
        let code = match number_at(references, row) {
            Some(number) => numbers.binary_search(&number).ok().or_broken("content")?,
            None if column.is_null(row) => {
                validity.set(row, false);
                0
            }
            None => {
                values.push_row(column, row);
                values.len() - 1
            }
        };
        codes.push(u32::try_from(code).or_broken("code of content")?);
    }
    let values = Arc::new(values.finish());
    let column = Column::dictionary(codes, values, Some(validity));
    Ok(column.or_broken("dictionary of content")?)
}

fn push(values: &mut ColumnBuilder, ty: LogicalType, bytes: &[u8]) -> Result<()> {
    match ty.physical() {
        PhysicalType::Bytes => {
            let text = core::str::from_utf8(bytes);
            let text = text.map_err(|_| StoreError::corrupted("content of a text is not UTF-8"))?;
            values.push_str(text);
        }
        _ => values.push_binary(bytes),
    }
    Ok(())
}

/// Rows with references, resolved part by part, so that no part takes much more than a vector may.
pub(crate) struct Unresolved {
    columns: Vec<ColumnRef>,
    /// Of columns that are resolved their positions, and their references.
    referring: Vec<(usize, ColumnRef)>,
    rows: usize,
    next_row: usize,
    values_at_once: usize,
}

impl Unresolved {
    /// Of `columns`, and of the positions of some their references.
    pub(crate) fn new(
        columns: Vec<ColumnRef>,
        referring: Vec<(usize, ColumnRef)>,
        rows: usize,
    ) -> Unresolved {
        Unresolved {
            columns,
            referring,
            rows,
            next_row: 0,
            values_at_once: VALUES_FIRST,
        }
    }

    /// The next rows, and the number of the first of them; `None` after the last. Boxed, so that
    /// what few reads need is code of its own.
    pub(crate) fn next<'a>(
        &'a mut self,
        content: &'a View,
    ) -> LocalFuture<'a, Result<Option<(usize, Batch)>>> {
        Box::pin(self.next_part(content))
    }

    async fn next_part(&mut self, content: &View) -> Result<Option<(usize, Batch)>> {
        if self.next_row == self.rows {
            return Ok(None);
        }
        let (start, end) = (self.next_row, self.part_end());
        let part = |column: &ColumnRef| match (start, end) {
            (0, end) if end == self.rows => Arc::clone(column),
            (start, end) => Arc::new(column.slice(start, end - start)),
        };
        let mut columns: Vec<ColumnRef> = self.columns.iter().map(part).collect();
        let mut bytes = 0;
        for (at, references) in &self.referring {
            if let Some(column) = columns.get_mut(*at) {
                *column = resolve(content, column, &part(references)).await?;
                bytes += column.memory_bytes();
            }
        }
        if bytes > VECTOR_BYTES_MAX {
            self.values_at_once = (self.values_at_once / 2).max(1);
        } else if bytes < VECTOR_BYTES_MAX / 4 {
            self.values_at_once = self.values_at_once.saturating_mul(2);
        }
        self.next_row = end;
        Ok(Some((start, Batch::new(columns, end - start))))
    }

    /// All rows that are left, which have no references to resolve.
    pub(crate) fn rest(&mut self) -> Option<(usize, Batch)> {
        let first = core::mem::replace(&mut self.next_row, self.rows);
        (first < self.rows).then(|| (first, Batch::new(self.columns.clone(), self.rows)))
    }

    /// The row before which enough values are referred to.
    fn part_end(&self) -> usize {
        let mut numbers = std::collections::BTreeSet::new();
        for row in self.next_row..self.rows {
            let of_row = self.referring.iter();
            let of_row = of_row.filter_map(|(_, references)| number_at(references, row));
            numbers.extend(of_row);
            if numbers.len() > self.values_at_once && row > self.next_row {
                return row;
            }
        }
        self.rows
    }
}
