//! Some rows of a table in memory, in key order, as columns.

use std::ops::Bound;

use roaring::RoaringBitmap;
use varve_types::{
    Column, ColumnBuilder, ColumnRef, CommitSeq, Invariant, KeyRange, LogicalType, Value,
};

use crate::error::{Result, StoreError};
use crate::format::row::{Projection, decode_row};
use crate::memtable::{RowTable, RowVersion};
use crate::tree::Tree;

/// Which rows of a table are wanted next.
pub(crate) struct ChunkRequest<'a> {
    pub(crate) tree: &'a Tree,
    /// Stored columns, in the order of the output.
    pub(crate) columns: &'a [usize],
    pub(crate) seq: CommitSeq,
    /// Versions to leave out.
    pub(crate) dead: Option<&'a RoaringBitmap>,
    /// The key of the last row before, in the direction of reading.
    pub(crate) after: Option<&'a [u8]>,
    pub(crate) reverse: bool,
    /// Rows outside of it are left out.
    pub(crate) range: &'a KeyRange,
    pub(crate) rows_max: usize,
}

/// Rows of a table.
pub(crate) struct TableChunk {
    pub(crate) columns: Vec<ColumnRef>,
    /// The number of each row's version.
    pub(crate) versions: Vec<u32>,
    /// The key of the last row, to go on from; `None` when the table has no further rows.
    pub(crate) last_key: Option<Vec<u8>>,
}

impl TableChunk {
    /// Reads the rows asked for.
    pub(crate) fn read(table: &RowTable, request: &ChunkRequest<'_>) -> Result<TableChunk> {
        let after = request.after.map(Bound::Excluded);
        let KeyRange { from, to } = request.range;
        if request.reverse {
            let to = to.as_deref().map(Bound::Excluded);
            let start = after.or(to).unwrap_or(Bound::Unbounded);
            collect(table, request, table.descend(start, request.seq))
        } else {
            let from = from.as_deref().map(Bound::Included);
            let start = after.or(from).unwrap_or(Bound::Unbounded);
            collect(table, request, table.ascend(start, request.seq))
        }
    }
}

fn collect<'a>(
    table: &RowTable,
    request: &ChunkRequest<'_>,
    rows: impl Iterator<Item = (&'a [u8], u32)>,
) -> Result<TableChunk> {
    let projection = Projection::new(request.columns, request.tree.types().len());
    let mut outputs = builders(request.tree, request.columns, request.rows_max);
    let mut versions = Vec::new();
    let mut last_key = None;
    let KeyRange { from, to } = request.range;
    for (key, version) in rows {
        let below = from.as_deref().is_some_and(|from| key < from);
        let above = to.as_deref().is_some_and(|to| key >= to);
        if below || above {
            break;
        }
        if request.dead.is_some_and(|dead| dead.contains(version)) {
            continue;
        }
        decode_version(table, request.tree, version, &projection, &mut outputs)?;
        versions.push(version);
        if versions.len() == request.rows_max {
            last_key = Some(key.to_vec());
            break;
        }
    }
    let entry = request.tree.entry_column();
    let columns = outputs.into_iter().zip(request.columns);
    Ok(TableChunk {
        columns: columns
            .map(|(output, stored)| {
                let column = output.finish();
                ColumnRef::new(if Some(*stored) == entry {
                    dated(table, &versions, &column)
                } else {
                    column
                })
            })
            .collect(),
        versions,
        last_key,
    })
}

/// What index entries do, with the commits that did it.
fn dated(table: &RowTable, versions: &[u32], column: &Column) -> Column {
    let values = versions.iter().enumerate().map(|(row, version)| {
        let begin = table.version(*version).map(RowVersion::begin);
        let begin = begin.map_or(0, |begin| begin.0);
        let operation = match column.value(row) {
            Value::Int8(operation) => operation & 1,
            _ => 0,
        };
        Value::Int8((begin << 1).cast_signed() | operation)
    });
    let values: Vec<Value> = values.collect();
    Column::from_values(LogicalType::Int8, &values)
}

/// One builder for each of these stored columns.
pub(crate) fn builders(tree: &Tree, columns: &[usize], rows: usize) -> Vec<ColumnBuilder> {
    let types = columns
        .iter()
        .filter_map(|column| tree.types().get(*column));
    types
        .map(|ty| ColumnBuilder::with_capacity(*ty, rows.min(64)))
        .collect()
}

/// Adds one version of a table to the outputs.
pub(crate) fn decode_version(
    table: &RowTable,
    tree: &Tree,
    version: u32,
    projection: &Projection,
    outputs: &mut [ColumnBuilder],
) -> Result<()> {
    let row = table.row(version).or_broken("version of a table")?;
    decode_row(tree.types(), row, projection, outputs).map_err(|detail| {
        let tree = tree.schema().tree;
        StoreError::corrupted(format!(
            "a row of tree {tree} in memory is corrupt: {detail}"
        ))
    })
}
