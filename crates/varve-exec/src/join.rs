//! The rows of a join's build side by their keys.

use varve_types::{Batch, ColumnRef, LogicalType, Selection};

use crate::chunked::Chunked;
use crate::gather::{Pick, gather_columns};
use crate::keys::{ABSENT, KeyIndex};
use crate::sort::types_of;

/// What a batch and a column take beside their values.
const HEADER_BYTES: usize = 96;

/// Rows in lists, one list a distinct key, each in the order of the input.
pub(crate) struct BuildSide {
    index: KeyIndex,
    batches: Vec<Batch>,
    types: Vec<LogicalType>,
    /// The list of each key.
    lists: Chunked<List>,
    entries: Chunked<Entry>,
    batch_bytes: usize,
    ids: Vec<u32>,
    new_rows: Vec<u32>,
}

#[derive(Clone, Copy)]
struct List {
    first: u32,
    last: u32,
}

#[derive(Clone, Copy)]
struct Entry {
    pick: Pick,
    /// The next row of the list, or [`ABSENT`].
    next: u32,
}

impl BuildSide {
    /// No rows yet; `types` are those of the keys.
    pub(crate) fn new(types: &[LogicalType]) -> BuildSide {
        BuildSide {
            index: KeyIndex::new(types),
            batches: Vec::new(),
            types: Vec::new(),
            lists: Chunked::default(),
            entries: Chunked::default(),
            batch_bytes: 0,
            ids: Vec::new(),
            new_rows: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Adds the rows of a batch without selection. A NULL equals nothing, so rows with one are left
    /// out.
    pub(crate) fn add(&mut self, batch: Batch, keys: Vec<ColumnRef>) {
        let (batch, keys) = without_nulls(batch, keys);
        let Ok(number) = u32::try_from(self.batches.len()) else {
            return;
        };
        if batch.is_empty() {
            return;
        }
        if self.types.is_empty() {
            self.types = types_of(Some(&batch));
        }
        self.index
            .insert(&keys, batch.rows(), &mut self.ids, &mut self.new_rows);
        for (row, id) in (0..).zip(&self.ids) {
            let entry = self.entries.len();
            let pick = Pick { batch: number, row };
            self.entries.push(Entry { pick, next: ABSENT });
            let Some(list) = self.lists.get_mut(*id) else {
                self.lists.push(List {
                    first: entry,
                    last: entry,
                });
                continue;
            };
            let last = core::mem::replace(&mut list.last, entry);
            if let Some(last) = self.entries.get_mut(last) {
                last.next = entry;
            }
        }
        self.batch_bytes += batch.memory_bytes() + HEADER_BYTES * (batch.width() + 1);
        self.batches.push(batch);
    }

    /// The matches of left rows with these keys.
    pub(crate) fn find(&self, keys: &[ColumnRef], rows: usize) -> Matches {
        let mut ids = Vec::new();
        self.index.find(keys, rows, &mut ids);
        Matches {
            ids,
            row: 0,
            entry: None,
        }
    }

    /// The columns of the rows at `picks`.
    pub(crate) fn gather(&self, picks: &[Pick]) -> Vec<ColumnRef> {
        gather_columns(&self.batches, &self.types, picks)
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.lists.memory_bytes() + self.entries.memory_bytes();
        self.index.memory_bytes() + self.batch_bytes + lists
    }
}

/// Walks over the matches of a left batch, in the order of its rows.
pub(crate) struct Matches {
    /// The key of each left row.
    ids: Vec<u32>,
    row: u32,
    /// The next match of this row; `None` before its first.
    entry: Option<u32>,
}

impl Matches {
    /// A left row and a build row that match it.
    pub(crate) fn next(&mut self, build: &BuildSide) -> Option<(u32, Pick)> {
        loop {
            let id = *self.ids.get(self.row as usize)?;
            let first = || build.lists.get(id).map_or(ABSENT, |list| list.first);
            let at = self.entry.unwrap_or_else(first);
            if let Some(entry) = build.entries.get(at) {
                self.entry = Some(entry.next);
                return Some((self.row, entry.pick));
            }
            self.row += 1;
            self.entry = None;
        }
    }
}

fn without_nulls(batch: Batch, keys: Vec<ColumnRef>) -> (Batch, Vec<ColumnRef>) {
    if keys.iter().all(|key| key.null_count() == 0) {
        return (batch, keys);
    }
    let rows = (0..).take(batch.rows());
    let present = rows.filter(|row| keys.iter().all(|key| !key.is_null(*row as usize)));
    let present = Selection::new(present.collect());
    let keys = keys.iter().map(|key| key.take(present.rows()).into());
    (batch.select(&present).compact(), keys.collect())
}
