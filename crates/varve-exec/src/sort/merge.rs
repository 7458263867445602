//! Merges sorted runs.

use core::cmp::Ordering;
use std::rc::Rc;

use varve_types::{Batch, Broken, Invariant, LogicalType, Reservation, Result, VECTOR_ROWS};

use super::{Run, SortKeys};
use crate::context::book;
use crate::gather::{Pick, gather};
use crate::keys::KeyBlock;

/// Gives the extended rows of several runs in order; of equal rows, those of the earlier run first.
pub(crate) struct Merge<'a> {
    keys: Rc<SortKeys<'a>>,
    types: Vec<LogicalType>,
    cursors: Vec<Cursor<'a>>,
    /// A binary heap of cursors that have rows, the least row on top.
    heap: Vec<usize>,
    booked: Reservation,
    opened: bool,
}

struct Cursor<'a> {
    run: Run<'a>,
    batch: Batch,
    keys: KeyBlock,
    row: usize,
    booked_bytes: usize,
    /// Where the batch stands among the sources of the batch being made.
    source: Option<u32>,
}

impl<'a> Merge<'a> {
    /// A merge of these runs, earliest first; `booked` is empty and takes what is read back.
    pub(crate) fn new(
        keys: Rc<SortKeys<'a>>,
        runs: impl IntoIterator<Item = Run<'a>>,
        booked: Reservation,
    ) -> Merge<'a> {
        let cursor = |run| Cursor {
            run,
            batch: Batch::new(Vec::new(), 0),
            keys: KeyBlock::default(),
            row: 0,
            booked_bytes: 0,
            source: None,
        };
        let cursors: Vec<Cursor<'a>> = runs.into_iter().map(cursor).collect();
        let types = cursors.first().map(|cursor| cursor.run.types.clone());
        Merge {
            keys,
            types: types.unwrap_or_default(),
            cursors,
            heap: Vec::new(),
            booked,
            opened: false,
        }
    }

    /// The next rows, keys still behind them.
    pub(crate) async fn next(&mut self) -> Result<Option<Batch>> {
        if !self.opened {
            self.open().await?;
        }
        if let Some(batch) = self.whole_batch().await? {
            return Ok(Some(batch));
        }
        let (mut sources, mut picks) = (Vec::new(), Vec::with_capacity(VECTOR_ROWS));
        while picks.len() < VECTOR_ROWS
            && let Some(top) = self.heap.first().copied()
            && let Some(cursor) = self.cursors.get_mut(top)
        {
            picks.push(cursor.pick(&mut sources)?);
            if cursor.row == cursor.batch.rows() && !self.refill(top).await? {
                self.heap.swap_remove(0);
            }
            self.sift_down(0);
        }
        for cursor in &mut self.cursors {
            cursor.source = None;
        }
        if picks.is_empty() {
            return Ok(None);
        }
        Ok(Some(gather(&sources, &self.types, &picks)))
    }

    async fn open(&mut self) -> Result<()> {
        self.opened = true;
        for cursor in 0..self.cursors.len() {
            if self.refill(cursor).await? {
                self.heap.push(cursor);
            }
        }
        for place in (0..self.heap.len() / 2).rev() {
            self.sift_down(place);
        }
        Ok(())
    }

    /// A batch as it lies in the last run that has rows.
    async fn whole_batch(&mut self) -> Result<Option<Batch>> {
        let [last] = self.heap[..] else {
            return Ok(None);
        };
        let Some(cursor) = self.cursors.get_mut(last).filter(|cursor| cursor.row == 0) else {
            return Ok(None);
        };
        let batch = cursor.batch.clone();
        if !self.refill(last).await? {
            self.heap.clear();
        }
        Ok(Some(batch))
    }

    /// Brings the next batch of a cursor; false after the last one.
    async fn refill(&mut self, at: usize) -> Result<bool> {
        let Some(cursor) = self.cursors.get_mut(at) else {
            return Ok(false);
        };
        cursor.row = 0;
        cursor.source = None;
        cursor.booked_bytes = 0;
        cursor.keys.clear();
        cursor.batch = Batch::new(Vec::new(), 0);
        let Some((batch, was_read)) = cursor.run.next().await? else {
            return Ok(false);
        };
        self.keys.encode(&batch, &mut cursor.keys);
        let batch_bytes = if was_read { batch.memory_bytes() } else { 0 };
        cursor.booked_bytes = batch_bytes + cursor.keys.memory_bytes();
        cursor.batch = batch;
        let bytes = self.cursors.iter().map(|cursor| cursor.booked_bytes).sum();
        book(&mut self.booked, bytes)?;
        Ok(true)
    }

    fn sift_down(&mut self, mut place: usize) {
        loop {
            let children = [2 * place + 1, 2 * place + 2];
            let mut least = place;
            for child in children {
                if child < self.heap.len() && self.compare(child, least).is_lt() {
                    least = child;
                }
            }
            if least == place {
                return;
            }
            self.heap.swap(place, least);
            place = least;
        }
    }

    /// The order of the rows on which two places of the heap stand.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        let (Some(a), Some(b)) = (self.heap.get(a), self.heap.get(b)) else {
            return Ordering::Equal;
        };
        let key = |at: usize| {
            let cursor = self.cursors.get(at);
            cursor.map_or(&[][..], |cursor| cursor.keys.get(cursor.row))
        };
        key(*a).cmp(key(*b)).then(a.cmp(b))
    }
}

impl Cursor<'_> {
    /// Takes the row that the cursor stands on.
    fn pick(&mut self, sources: &mut Vec<Batch>) -> Result<Pick, Broken> {
        let batch = match self.source {
            Some(source) => source,
            None => {
                let source = u32::try_from(sources.len()).or_broken("batches of a merge")?;
                sources.push(self.batch.clone());
                *self.source.insert(source)
            }
        };
        let row = u32::try_from(self.row).or_broken("rows of a batch")?;
        self.row += 1;
        Ok(Pick { batch, row })
    }
}
