//! Merges sources whose keys overlap into one stream in key order. A source that stands alone for
//! a whole vector passes it on as it is; rows are compared by key only where sources interleave.
//!
//! Live rows of a table have distinct keys. Entries of an index may be there several times: the
//! newest one counts, and hides the others even where it says that the entry was deleted.

use std::collections::VecDeque;

use varve_types::{
    Batch, ColumnBuilder, CommitSeq, Pacer, PredicateTest, Selection, VECTOR_ROWS, Value,
};

use crate::error::Result;
use crate::read::View;
use crate::read::run_cursor::ResolvedScan;
use crate::read::scan::{Cursor, Source, SourceRange, TableSource};
use crate::tree::Tree;

/// Pieces of at least so many rows are passed on without a copy.
const PIECE_ROWS_MIN: usize = VECTOR_ROWS / 4;

/// A merge under way.
pub(super) struct Merge {
    /// Sources not yet reached, in the order of reading.
    waiting: VecDeque<SourceRange>,
    inputs: Vec<Input>,
    layout: Layout,
}

/// Where things are in the batches of the sources.
struct Layout {
    /// Output columns come first.
    width: usize,
    /// How many columns are read, positions not counted.
    read: usize,
    /// The columns of the key.
    key: Vec<usize>,
    /// Of an index the column that tells when and how entries were written.
    entry: Option<usize>,
    /// Tests to be made once it is known which entry counts.
    tests: Vec<(usize, PredicateTest)>,
    reverse: bool,
}

struct Input {
    source: Source,
    cursor: Cursor,
    rows: Option<Rows>,
}

/// What is left of the batch of a source.
struct Rows {
    batch: Batch,
    next: usize,
    /// The key of the next row.
    head: Vec<u8>,
    last: Vec<u8>,
    /// Every key and its end, once the batch had to be cut.
    keys: Option<(Vec<u8>, Vec<usize>)>,
}

/// How new an entry is: own ones above committed ones.
type Age = (u8, u64, u32);

enum Step {
    /// The next waiting source is reached.
    Open,
    /// So many rows of an input come next.
    Take(usize, usize),
    /// The next rows of these inputs have one key; the first one counts.
    Newest(Vec<usize>),
}

impl Merge {
    /// Has the sources read what the merge needs beside the output.
    pub(super) fn new(
        resolved: &mut ResolvedScan,
        waiting: VecDeque<SourceRange>,
        late_tests: Vec<(usize, PredicateTest)>,
    ) -> Merge {
        let width = resolved.outputs.len();
        let outputs = &mut resolved.outputs;
        let mut place = |stored: usize| {
            let known = outputs.iter().position(|output| *output == stored);
            known.unwrap_or_else(|| {
                outputs.push(stored);
                outputs.len() - 1
            })
        };
        let mut layout = Layout {
            width,
            read: 0,
            key: resolved
                .tree
                .key()
                .iter()
                .map(|stored| place(*stored))
                .collect(),
            entry: resolved.tree.entry_column().map(&mut place),
            tests: late_tests
                .into_iter()
                .map(|(stored, test)| (place(stored), test))
                .collect(),
            reverse: resolved.spec.reverse,
        };
        layout.read = resolved.outputs.len();
        Merge {
            waiting,
            inputs: Vec::new(),
            layout,
        }
    }

    /// The next rows, at most a vector; `None` at the end.
    pub(super) async fn next(
        &mut self,
        view: &View,
        resolved: &ResolvedScan,
        rows_max: u64,
        pacer: &mut Pacer,
    ) -> Result<Option<Batch>> {
        let rows_max = usize::try_from(rows_max).map_or(VECTOR_ROWS, |max| max.min(VECTOR_ROWS));
        let mut output: Vec<ColumnBuilder> = Vec::new();
        let mut rows = 0;
        while rows < rows_max {
            pacer.pause().await;
            self.refill(view, resolved, pacer).await?;
            let piece = match self.step(&resolved.tree) {
                None => break,
                Some(Step::Open) => {
                    if let Some(range) = self.waiting.pop_front() {
                        self.inputs.push(Input {
                            source: range.source,
                            cursor: Cursor::open(range.source, view, resolved)?,
                            rows: None,
                        });
                    }
                    continue;
                }
                Some(Step::Take(input, count)) => {
                    self.take(&resolved.tree, input, count.min(rows_max - rows))
                }
                Some(Step::Newest(same)) => self.take_newest(view, resolved, &same),
            };
            let Some(piece) = piece.map(|piece| self.layout.living(&piece)) else {
                continue;
            };
            if piece.is_empty() {
                continue;
            }
            if rows == 0 && piece.rows() >= PIECE_ROWS_MIN.min(rows_max) {
                return Ok(Some(piece));
            }
            rows += piece.rows();
            let piece = piece.compact();
            if output.is_empty() {
                let columns = piece.physical_columns().iter();
                output = columns
                    .map(|column| ColumnBuilder::new(column.logical_type()))
                    .collect();
            }
            for (builder, column) in output.iter_mut().zip(piece.physical_columns()) {
                builder.append(column);
            }
        }
        let columns = output.into_iter().map(|column| column.finish().into());
        Ok((rows > 0).then(|| Batch::new(columns.collect(), rows)))
    }

    /// Gives each input rows, or drops it at its end.
    async fn refill(
        &mut self,
        view: &View,
        resolved: &ResolvedScan,
        pacer: &mut Pacer,
    ) -> Result<()> {
        let mut at = 0;
        while let Some(input) = self.inputs.get_mut(at) {
            if input.rows.is_none() {
                let Some(batch) = input.cursor.next(view, resolved, pacer).await? else {
                    self.inputs.swap_remove(at);
                    continue;
                };
                input.rows = Some(Rows::new(&resolved.tree, &self.layout, &batch));
            }
            at += 1;
        }
        Ok(())
    }

    /// What comes next; every input has rows.
    fn step(&mut self, tree: &Tree) -> Option<Step> {
        let reverse = self.layout.reverse;
        let before = |a: &[u8], b: &[u8]| if reverse { a > b } else { a < b };
        let mut best: Option<(usize, &[u8])> = None;
        // The lowest key of anything but the best.
        let mut limit: Option<&[u8]> = self.waiting.front().map(|range| {
            let key = if reverse { &range.last } else { &range.first };
            key.as_slice()
        });
        let mut same = Vec::new();
        let reached = limit;
        for (at, input) in self.inputs.iter().enumerate() {
            let Some(head) = input.rows.as_ref().map(|rows| rows.head.as_slice()) else {
                continue;
            };
            let mut other = Some(head);
            match best {
                Some((_, key)) if key == head => same.push(at),
                Some((_, key)) if before(key, head) => {}
                _ => {
                    other = best.map(|(_, key)| key);
                    best = Some((at, head));
                    same = vec![at];
                }
            }
            if let Some(other) = other
                && limit.is_none_or(|limit| before(other, limit))
            {
                limit = Some(other);
            }
        }
        let Some((best, head)) = best else {
            return reached.map(|_| Step::Open);
        };
        if reached.is_some_and(|reached| !before(head, reached)) {
            return Some(Step::Open);
        }
        if same.len() > 1 {
            return Some(Step::Newest(same));
        }
        let limit = limit.map(<[u8]>::to_vec);
        let rows = self.inputs.get_mut(best)?.rows.as_mut()?;
        let count = match limit {
            None => rows.batch.rows().saturating_sub(rows.next),
            Some(limit) => rows.count_before(&limit, tree, &self.layout),
        };
        Some(Step::Take(best, count))
    }

    /// The next rows of an input.
    fn take(&mut self, tree: &Tree, input: usize, count: usize) -> Option<Batch> {
        let slot = &mut self.inputs.get_mut(input)?.rows;
        let rows = slot.as_mut()?;
        let piece = rows.batch.slice(rows.next, count);
        rows.next += count;
        if rows.next >= rows.batch.rows() {
            *slot = None;
        } else {
            rows.find_head(tree, &self.layout);
        }
        Some(piece)
    }

    /// The newest of entries with one key; the others are passed over.
    fn take_newest(
        &mut self,
        view: &View,
        resolved: &ResolvedScan,
        same: &[usize],
    ) -> Option<Batch> {
        let age = |at: &usize| self.age(view, *at);
        let newest = same.iter().copied().max_by_key(age)?;
        let mut found = None;
        for at in same {
            let piece = self.take(&resolved.tree, *at, 1);
            if *at == newest {
                found = piece;
            }
        }
        found
    }

    fn age(&self, view: &View, input: usize) -> Age {
        let Some(input) = self.inputs.get(input) else {
            return Age::default();
        };
        let entry = self.layout.entry.zip(input.rows.as_ref());
        let entry = entry.map_or(0, |(entry, rows)| {
            let column = rows.batch.physical_columns().get(entry);
            match column.map(|column| column.value(rows.next)) {
                Some(Value::Int8(entry)) => entry.cast_unsigned() >> 1,
                _ => 0,
            }
        });
        match input.source {
            Source::Table(TableSource::WriteSet) => (2, 0, 0),
            Source::Run(slot) => match view.run_seq(slot) {
                None => (1, 0, slot),
                Some(CommitSeq(0)) => (0, entry, slot),
                Some(published) => (0, published.0, slot),
            },
            Source::Table(TableSource::Memtable(_)) => (0, entry, u32::MAX),
        }
    }
}

impl Rows {
    fn new(tree: &Tree, layout: &Layout, batch: &Batch) -> Rows {
        let mut rows = Rows {
            batch: batch.compact(),
            next: 0,
            head: Vec::new(),
            last: Vec::new(),
            keys: None,
        };
        let last = rows.batch.rows().saturating_sub(1);
        rows.last = layout.key_of(tree, &rows.batch, last);
        rows.head = layout.key_of(tree, &rows.batch, 0);
        rows
    }

    fn find_head(&mut self, tree: &Tree, layout: &Layout) {
        self.head = match self.key(self.next) {
            Some(key) => key.to_vec(),
            None => layout.key_of(tree, &self.batch, self.next),
        };
    }

    /// How many of the next rows come before a key that is not before the first of them.
    fn count_before(&mut self, limit: &[u8], tree: &Tree, layout: &Layout) -> usize {
        let before = |key: &[u8]| {
            if layout.reverse {
                key > limit
            } else {
                key < limit
            }
        };
        if before(&self.last) {
            return self.batch.rows().saturating_sub(self.next);
        }
        if self.keys.is_none() {
            let (mut bytes, mut ends) = (Vec::new(), Vec::new());
            let columns = self.batch.physical_columns();
            let columns = layout.key.iter().filter_map(|at| columns.get(*at));
            let columns: Vec<_> = columns.collect();
            for row in 0..self.batch.rows() {
                tree.put_key_of(&columns, row, &mut bytes);
                ends.push(bytes.len());
            }
            self.keys = Some((bytes, ends));
        }
        // Doubling steps, then halving them: sources that alternate are cut after few rows.
        let passes = |count: usize| {
            let row = (self.next + count).checked_sub(1);
            row.and_then(|row| self.key(row)).is_some_and(&before)
        };
        let (mut low, mut step) = (1, 1);
        while passes(low + step) {
            low += step;
            step *= 2;
        }
        while step > 0 {
            if passes(low + step) {
                low += step;
            }
            step /= 2;
        }
        low
    }

    fn key(&self, row: usize) -> Option<&[u8]> {
        let (bytes, ends) = self.keys.as_ref()?;
        let start = match row.checked_sub(1) {
            Some(before) => *ends.get(before)?,
            None => 0,
        };
        bytes.get(start..*ends.get(row)?)
    }
}

impl Layout {
    fn key_of(&self, tree: &Tree, batch: &Batch, row: usize) -> Vec<u8> {
        let columns = batch.physical_columns();
        let columns = self.key.iter().filter_map(|at| columns.get(*at));
        let columns: Vec<_> = columns.collect();
        let mut key = Vec::new();
        tree.put_key_of(&columns, row, &mut key);
        key
    }

    /// Output columns of the rows that count, and their positions where those were asked for.
    fn living(&self, piece: &Batch) -> Batch {
        let mut piece = piece.clone();
        if let Some(column) = self.entry.and_then(|entry| piece.column(entry)) {
            let alive = |row: &u32| match column.value(*row as usize) {
                Value::Int8(entry) => entry & 1 == 0,
                _ => false,
            };
            let rows = Selection::all(piece.rows());
            let rows: Vec<u32> = rows.rows().iter().copied().filter(alive).collect();
            if rows.len() < piece.rows() {
                piece = piece.select(&Selection::new(rows));
            }
        }
        for (at, test) in &self.tests {
            if let Some(column) = piece.column(*at) {
                piece = piece.select(&test.select(&column));
            }
        }
        let columns = piece.physical_columns();
        let extra = self.read..columns.len();
        let kept = (0..self.width).chain(extra);
        let kept: Vec<_> = kept.filter_map(|at| columns.get(at).cloned()).collect();
        let rows = columns.first().map_or(piece.rows(), |column| column.len());
        let output = Batch::new(kept, rows);
        match piece.selection() {
            Some(selection) => output.select(selection),
            None => output,
        }
    }
}
