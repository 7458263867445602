//! Runs of equal rows: what a column whose form tells them is worked on by.

use std::borrow::Cow;
use std::sync::Arc;

use crate::column::{Column, ColumnData, ColumnRef};
use crate::meter::fitting;

/// The runs of a column of which its form tells.
#[derive(Clone, Debug)]
pub struct Runs<'a> {
    /// The row before which each run ends, strictly ascending.
    pub ends: Cow<'a, [u32]>,
    /// One value a run; a plain column.
    pub values: &'a ColumnRef,
}

impl Column {
    /// Its runs, where it is a constant or has run ends.
    pub fn runs(&self) -> Option<Runs<'_>> {
        match &self.data {
            ColumnData::Constant(values) if self.len > 0 => Some(Runs {
                ends: Cow::Owned(vec![fitting(self.len, "rows of a column")]),
                values,
            }),
            ColumnData::RunEnds { ends, values } => Some(Runs {
                ends: Cow::Borrowed(ends),
                values,
            }),
            _ => None,
        }
    }

    /// The column whose row `i` is `values[sources[i]]`, NULL past the end of that plain column. It
    /// has runs, unless they would be many for its rows.
    #[must_use]
    pub fn in_runs(values: &Column, sources: &[u32]) -> Column {
        let mut cuts: Vec<(u32, u32)> = Vec::new();
        for (end, source) in (1_u32..).zip(sources) {
            match cuts.last_mut() {
                Some((last, of)) if of == source => *last = end,
                _ => cuts.push((end, *source)),
            }
        }
        let (ends, heads): (Vec<u32>, Vec<u32>) = cuts.into_iter().unzip();
        let runs = are_few(ends.len(), sources.len())
            .then(|| Column::run_ends(ends, Arc::new(values.take(&heads))));
        runs.flatten().unwrap_or_else(|| values.take(sources))
    }
}

/// The rows at `rows` of a column of these runs.
pub(super) fn take(ends: &[u32], values: &Column, rows: &[u32]) -> Column {
    let (mut run, mut start) = (0, 0);
    let source = |row: &u32| {
        let end = ends.get(run).copied().unwrap_or(start);
        if !(start..end).contains(row) {
            run = ends.partition_point(|end| end <= row);
            let before = run.checked_sub(1).and_then(|before| ends.get(before));
            start = before.copied().unwrap_or(0);
        }
        // The run past the last one has no value.
        fitting(run, "runs of a column")
    };
    Column::in_runs(values, &rows.iter().map(source).collect::<Vec<u32>>())
}

/// Runs of rows that are equal in all of some columns.
#[derive(Clone, Debug)]
pub struct CommonRuns {
    /// The row before which each run ends, strictly ascending.
    pub ends: Vec<u32>,
    /// The first row of each run.
    pub heads: Vec<ColumnRef>,
}

impl CommonRuns {
    /// The common runs of columns of one length; `None` where a form does not tell, or there are so
    /// many that the rows are as well taken one by one.
    pub fn new(columns: &[ColumnRef]) -> Option<CommonRuns> {
        let (first, others) = columns.split_first()?;
        let mut ends = first.runs()?.ends.into_owned();
        for column in others {
            ends = merged(&ends, &column.runs()?.ends);
        }
        if !are_few(ends.len(), first.len()) {
            return None;
        }
        let starts = core::iter::once(&0).chain(&ends);
        let starts: Vec<u32> = starts.take(ends.len()).copied().collect();
        let heads = columns.iter().map(|column| Arc::new(column.take(&starts)));
        Some(CommonRuns {
            heads: heads.collect(),
            ends,
        })
    }
}

fn merged(a: &[u32], b: &[u32]) -> Vec<u32> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut ends = Vec::new();
    while let Some(end) = [a.peek(), b.peek()].into_iter().flatten().min() {
        let end = **end;
        a.next_if(|next| **next == end);
        b.next_if(|next| **next == end);
        ends.push(end);
    }
    ends
}

fn are_few(runs: usize, rows: usize) -> bool {
    runs <= rows / 2
}
