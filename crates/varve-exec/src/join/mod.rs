//! The rows of a join's build side by their keys.

mod probe;

use varve_types::{Batch, ColumnRef, LogicalType, Selection};

use crate::chunked::Chunked;
use crate::gather::{Pick, gather_columns};
use crate::keys::{ABSENT, KeyIndex};

pub(crate) use probe::Probe;

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
    row_bytes: usize,
    ids: Vec<u32>,
    new_rows: Vec<u32>,
    /// Whether rows without a key are kept too, to be given as rows without a match.
    keeps_all: bool,
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
    /// No rows yet; `keys` and `types` are the types of the keys and of the columns.
    pub(crate) fn new(keys: &[LogicalType], types: Vec<LogicalType>, keeps_all: bool) -> BuildSide {
        BuildSide {
            index: KeyIndex::new(keys),
            batches: Vec::new(),
            types,
            keeps_all,
            lists: Chunked::default(),
            entries: Chunked::default(),
            batch_bytes: 0,
            row_bytes: 0,
            ids: Vec::new(),
            new_rows: Vec::new(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Adds the rows of a batch without selection. A NULL equals nothing: rows with one in their
    /// key match no row.
    pub(crate) fn add(&mut self, batch: Batch, keys: Vec<ColumnRef>) {
        let Ok(number) = u32::try_from(self.batches.len()) else {
            return;
        };
        let Keyed { batch, keys, rows } = keyed_rows(batch, keys, self.keeps_all);
        if batch.is_empty() {
            return;
        }
        self.index
            .insert(&keys, rows.len(), &mut self.ids, &mut self.new_rows);
        for (row, id) in rows.iter().zip(&self.ids) {
            let entry = self.entries.len();
            let pick = Pick {
                batch: number,
                row: *row,
            };
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
        let bytes = batch.taken_over_bytes();
        self.row_bytes = self.row_bytes.max(bytes / batch.rows());
        self.batch_bytes += bytes + HEADER_BYTES * (batch.width() + 1);
        self.batches.push(batch);
    }

    /// The batches as they were added.
    pub(crate) fn batches(&self) -> &[Batch] {
        &self.batches
    }

    /// The types of the columns.
    pub(crate) fn types(&self) -> &[LogicalType] {
        &self.types
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

    /// Whether left rows with these keys have a match.
    pub(crate) fn find_any(&self, keys: &[ColumnRef], rows: usize) -> Vec<bool> {
        let mut ids = Vec::new();
        self.index.find(keys, rows, &mut ids);
        ids.iter().map(|id| self.lists.get(*id).is_some()).collect()
    }

    /// The columns of the rows at `picks`.
    pub(crate) fn gather(&self, picks: &[Pick]) -> Vec<ColumnRef> {
        gather_columns(&self.batches, &self.types, picks)
    }

    /// Bytes of the values of a row, on average of the batch in which they take most.
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_bytes
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        let lists = self.lists.memory_bytes() + self.entries.memory_bytes();
        self.index.memory_bytes() + self.batch_bytes + lists
    }
}

/// Walks over the matches of a left batch, in the order of its rows.
#[derive(Default)]
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
            self.skip_row();
        }
    }

    /// Leaves out what further matches the present left row has.
    pub(crate) fn skip_row(&mut self) {
        self.row += 1;
        self.entry = None;
    }
}

/// A batch, the keys of the rows that have one, and which rows these are.
struct Keyed {
    batch: Batch,
    keys: Vec<ColumnRef>,
    rows: Vec<u32>,
}

fn keyed_rows(batch: Batch, keys: Vec<ColumnRef>, keeps_all: bool) -> Keyed {
    let all = (0..).take(batch.rows());
    if keys.iter().all(|key| key.null_count() == 0) {
        let rows = all.collect();
        return Keyed { batch, keys, rows };
    }
    let present = |row: &u32| keys.iter().all(|key| !key.is_null(*row as usize));
    let rows: Vec<u32> = all.filter(present).collect();
    let keys = keys.iter().map(|key| key.take(&rows).into()).collect();
    if keeps_all {
        return Keyed { batch, keys, rows };
    }
    let batch = batch.select(&Selection::new(rows)).compact();
    let rows = (0..).take(batch.rows()).collect();
    Keyed { batch, keys, rows }
}
