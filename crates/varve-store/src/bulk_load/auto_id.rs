//! Keys that the store hands out: the integers above the greatest key of a table.

use std::sync::Arc;

use varve_types::{Column, ColumnData, ColumnRef, LogicalType, Value, decode_key_value};

use crate::error::{Result, StoreErrorKind};
use crate::memtable::MemtableSlot;
use crate::read::View;
use crate::tree::Tree;

/// The next key.
pub(super) struct AutoId {
    /// Where the key is among the columns.
    column: usize,
    ty: LogicalType,
    next: i128,
}

impl AutoId {
    /// Counts on from the greatest key that a tree ever had as far as its runs and memtables tell.
    pub(super) fn new(view: &View) -> Result<AutoId> {
        let tree = &view.tree;
        let (column, ty) = integer_key(tree).ok_or(StoreErrorKind::NoAutoId)?;
        let runs = view.runs.iter().filter_map(|run| run.run.key_range());
        let mut greatest: Option<i64> = runs.filter_map(|(_, last)| integer_of(ty, last)).max();
        for slot in MemtableSlot::ALL {
            view.with_memtable(slot, |table, _| {
                let last = table.key_range().and_then(|(_, last)| integer_of(ty, last));
                greatest = greatest.max(last);
            });
        }
        Ok(AutoId {
            column,
            ty,
            next: greatest.map_or(1, |greatest| i128::from(greatest) + 1),
        })
    }

    /// Puts a column of the next `rows` keys among the other columns; `22003` beyond the type.
    pub(super) fn insert(&mut self, columns: &mut Vec<ColumnRef>, rows: usize) -> Result<()> {
        let end = self.next + rows as i128;
        let ids = self.next..end;
        self.next = end;
        let data = match self.ty {
            LogicalType::Int4 => {
                let ids: Option<Vec<i32>> = ids.map(|id| i32::try_from(id).ok()).collect();
                ids.map(ColumnData::Int32)
            }
            _ => {
                let ids: Option<Vec<i64>> = ids.map(|id| i64::try_from(id).ok()).collect();
                ids.map(ColumnData::Int64)
            }
        };
        let column = data.and_then(|data| Column::plain(self.ty, data, None));
        let column = column.ok_or(StoreErrorKind::IdOutOfRange(self.ty))?;
        columns.insert(self.column.min(columns.len()), Arc::new(column));
        Ok(())
    }
}

/// Where the key is, if it is one integer column.
fn integer_key(tree: &Tree) -> Option<(usize, LogicalType)> {
    let [at] = tree.key() else {
        return None;
    };
    let ty = *tree.types().get(*at)?;
    matches!(ty, LogicalType::Int4 | LogicalType::Int8).then_some((*at, ty))
}

/// The number in the bytes of a key of one integer column.
pub(super) fn integer_of(ty: LogicalType, mut key: &[u8]) -> Option<i64> {
    match decode_key_value(ty, &mut key)? {
        Value::Int4(number) => Some(number.into()),
        Value::Int8(number) => Some(number),
        _ => None,
    }
}

/// The greatest row id or integer key of a run with this last key.
pub(super) fn greatest(tree: &Tree, last_key: &[u8]) -> Option<i64> {
    let (_, ty) = integer_key(tree)?;
    integer_of(ty, last_key)
}
