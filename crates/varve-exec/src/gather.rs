//! Rows of several batches put together as one.

use std::sync::Arc;

use varve_types::{Batch, Column, ColumnBuilder, ColumnData, ColumnRef, LogicalType, PhysicalType};

/// One row of one of several batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    pub(crate) batch: u32,
    pub(crate) row: u32,
}

impl Pick {
    /// A row of NULLs.
    pub(crate) const NULLS: Pick = Pick {
        batch: u32::MAX,
        row: 0,
    };
}

/// The rows at `picks`, in that order. `batches` have no selection; `types` are those of their
/// columns.
pub(crate) fn gather(batches: &[Batch], types: &[LogicalType], picks: &[Pick]) -> Batch {
    let columns = gather_columns(batches, types, picks);
    Batch::new(columns, picks.len())
}

pub(crate) fn gather_columns(
    batches: &[Batch],
    types: &[LogicalType],
    picks: &[Pick],
) -> Vec<ColumnRef> {
    let columns = types.iter().enumerate().map(|(i, ty)| {
        let sources: Vec<Option<&ColumnRef>> = batches
            .iter()
            .map(|batch| batch.physical_columns().get(i))
            .collect();
        Arc::new(gather_column(*ty, &sources, picks))
    });
    columns.collect()
}

fn gather_column(ty: LogicalType, sources: &[Option<&ColumnRef>], picks: &[Pick]) -> Column {
    let copied = match ty.physical() {
        PhysicalType::Int32 => copy(sources, picks, |data| match data {
            ColumnData::Int32(values) => Some(values),
            _ => None,
        })
        .map(ColumnData::Int32),
        PhysicalType::Int64 => copy(sources, picks, |data| match data {
            ColumnData::Int64(values) => Some(values),
            _ => None,
        })
        .map(ColumnData::Int64),
        PhysicalType::Float64 => copy(sources, picks, |data| match data {
            ColumnData::Float64(values) => Some(values),
            _ => None,
        })
        .map(ColumnData::Float64),
        _ => None,
    };
    let column = copied.and_then(|data| Column::plain(ty, data, None));
    column.unwrap_or_else(|| {
        let mut builder = ColumnBuilder::with_capacity(ty, picks.len());
        for pick in picks {
            match sources.get(pick.batch as usize) {
                Some(Some(column)) => builder.push_row(column, pick.row as usize),
                _ => builder.push_null(),
            }
        }
        builder.finish()
    })
}

/// The picked values where every source is plain and without NULLs.
fn copy<T: Copy>(
    sources: &[Option<&ColumnRef>],
    picks: &[Pick],
    values: impl Fn(&ColumnData) -> Option<&Vec<T>>,
) -> Option<Vec<T>> {
    let sources: Vec<&Vec<T>> = sources
        .iter()
        .map(|column| {
            let column = (*column)?;
            values(column.data()).filter(|_| column.validity().is_none())
        })
        .collect::<Option<_>>()?;
    let value = |pick: &Pick| sources.get(pick.batch as usize)?.get(pick.row as usize);
    picks.iter().map(|pick| value(pick).copied()).collect()
}
