//! Streams the rows of a tree as one transaction sees them.

use std::collections::VecDeque;
use std::sync::Arc;

use roaring::RoaringBitmap;
use varve_run::VectorFilter;
use varve_types::{Batch, ColumnPredicate, CommitSeq, PredicateTest, Result, TreeId, VECTOR_ROWS};

use crate::memtable::RowTable;
use crate::pacer::Pacer;
use crate::read::prune::Tests;
use crate::read::run_cursor::{RunCursor, ScanPlan, position_column};
use crate::read::view::OWN_SEQ;
use crate::read::{ChunkRequest, RowRef, TableChunk, View};

/// What a scan is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ScanOptions {
    /// The tree.
    pub tree: TreeId,
    /// Output columns: positions in `TreeSchema::columns`.
    pub columns: Vec<usize>,
    /// Only rows that pass all of these, applied exactly; they name positions in
    /// `TreeSchema::columns`.
    pub predicates: Vec<ColumnPredicate>,
    /// Adds a last BIGINT column with each row's `RowPosition`, bit for bit.
    pub with_position: bool,
    /// Rows in descending key order, where [`TreeScan::is_key_ordered`].
    pub reverse: bool,
    /// Most rows that the reader will take, if it knows.
    pub limit_rows: Option<u64>,
}

/// A running scan; it owns what it reads from, so it may outlive the call that made it. The
/// transaction must not write while it runs.
pub struct TreeScan {
    view: View,
    plan: ScanPlan,
    /// What is still to be read, in order of first keys.
    sources: VecDeque<Source>,
    current: Option<Cursor>,
    key_ordered: bool,
    rows_left: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Run(u32),
    Memtable,
    Own,
}

enum Cursor {
    Run(RunCursor),
    Table(TableCursor),
}

struct TableCursor {
    source: Source,
    after: Option<Vec<u8>>,
    done: bool,
}

impl TreeScan {
    pub(crate) fn new(view: View, options: &ScanOptions) -> Result<TreeScan> {
        let tree = Arc::clone(&view.tree);
        let outputs: Result<Vec<usize>> =
            options.columns.iter().map(|at| tree.stored(*at)).collect();
        let tests: Result<Vec<(usize, PredicateTest)>> = options
            .predicates
            .iter()
            .map(|predicate| Ok((tree.stored(predicate.column)?, predicate.test.clone())))
            .collect();
        let tests = tests?;
        let filter = |(stored, test): &(usize, PredicateTest)| {
            let ty = tree.types().get(*stored)?;
            VectorFilter::new(*ty, test)
        };
        let plan = ScanPlan {
            filters: tests.iter().map(filter).collect(),
            tree,
            outputs: outputs?,
            tests: Tests(tests),
            with_position: options.with_position,
            reverse: options.reverse,
            seq: view.snapshot.seq,
        };
        let (sources, key_ordered) = sources(&view, options.reverse)?;
        Ok(TreeScan {
            view,
            plan,
            sources,
            current: None,
            key_ordered,
            rows_left: options.limit_rows.unwrap_or(u64::MAX),
        })
    }

    /// Whether rows come in the order of the sort key (descending if reverse was asked for).
    pub fn is_key_ordered(&self) -> bool {
        self.key_ordered
    }

    /// The next batch of at most 1,024 rows, or `None` after the last one. Batches are not empty.
    pub async fn next(&mut self) -> Result<Option<Batch>> {
        let store = Arc::clone(&self.view.snapshot.store);
        let mut pacer = Pacer::new(&store.env);
        while self.rows_left > 0 {
            pacer.pause().await;
            let batch = match &mut self.current {
                Some(Cursor::Run(cursor)) => cursor.next(&store, &self.plan, &mut pacer).await?,
                Some(Cursor::Table(cursor)) => cursor.next(&self.view, &self.plan)?,
                None => None,
            };
            match batch {
                Some(batch) if batch.is_empty() => {}
                Some(batch) => {
                    self.rows_left = self.rows_left.saturating_sub(batch.rows() as u64);
                    return Ok(Some(batch));
                }
                None => match self.sources.pop_front() {
                    Some(source) => self.current = Some(self.open(source)?),
                    None => return Ok(None),
                },
            }
        }
        Ok(None)
    }

    fn open(&self, source: Source) -> Result<Cursor> {
        if let Source::Run(slot) = source
            && let Some(run) = self.view.runs.get(slot as usize)
        {
            return Ok(Cursor::Run(RunCursor::new(slot, run.clone())?));
        }
        Ok(Cursor::Table(TableCursor {
            source,
            after: None,
            done: false,
        }))
    }
}

impl core::fmt::Debug for TreeScan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("TreeScan")
            .field("tree", &self.view.id())
            .field("sources", &self.sources)
            .field("key_ordered", &self.key_ordered)
            .finish_non_exhaustive()
    }
}

/// What there is to read, in order of first keys, and whether no two key ranges overlap.
fn sources(view: &View, reverse: bool) -> Result<(VecDeque<Source>, bool)> {
    let mut ranges: Vec<(Vec<u8>, Vec<u8>, Source)> = Vec::new();
    let mut add = |range: Option<(&[u8], &[u8])>, source| {
        if let Some((first, last)) = range {
            ranges.push((first.to_vec(), last.to_vec(), source));
        }
    };
    for (run, slot) in view.runs.iter().zip(0..) {
        add(run.run.head()?.key_range(), Source::Run(slot));
    }
    view.with_memtable(|table, _| add(table.key_range(), Source::Memtable));
    view.with_own(|table| add(table.key_range(), Source::Own));
    ranges.sort_by(|a, b| a.0.cmp(&b.0));
    let key_ordered = ranges.is_sorted_by(|a, b| a.1 < b.0);
    let sources = ranges.into_iter().map(|(_, _, source)| source);
    let sources = if reverse {
        sources.rev().collect()
    } else {
        sources.collect()
    };
    Ok((sources, key_ordered))
}

impl TableCursor {
    /// The rows that pass among the next 1,024; an empty batch where none does, `None` at the end.
    fn next(&mut self, view: &View, plan: &ScanPlan) -> Result<Option<Batch>> {
        if self.done {
            return Ok(None);
        }
        let tested = plan.tests.0.iter().map(|(stored, _)| *stored);
        let columns: Vec<usize> = plan.outputs.iter().copied().chain(tested).collect();
        let read = |table: &RowTable, seq: CommitSeq, dead: Option<&RoaringBitmap>| {
            let request = ChunkRequest {
                tree: &plan.tree,
                columns: &columns,
                seq,
                dead,
                after: self.after.as_deref(),
                reverse: plan.reverse,
                rows_max: VECTOR_ROWS,
            };
            TableChunk::read(table, &request)
        };
        let chunk = match self.source {
            Source::Own => view.with_own(|table| read(table, OWN_SEQ, None)),
            _ => view.with_memtable(|table, dead| read(table, plan.seq, dead)),
        };
        let Some(mut chunk) = chunk.transpose()? else {
            return Ok(None);
        };
        self.done = chunk.last_key.is_none();
        self.after = chunk.last_key.take();
        let source = self.source;
        let mut columns = chunk.columns;
        let tested = columns.split_off(plan.outputs.len());
        if plan.with_position {
            let rows = chunk.versions.iter().map(|version| match source {
                Source::Own => RowRef::Own(*version),
                _ => RowRef::Memtable(*version),
            });
            columns.push(Arc::new(position_column(rows)));
        }
        // Tested columns come last, so that each test can be laid on the rows left by those before.
        let width = columns.len();
        columns.extend(tested);
        let mut batch = Batch::new(columns, chunk.versions.len());
        for ((_, test), at) in plan.tests.0.iter().zip(width..) {
            if let Some(column) = batch.column(at) {
                batch = batch.select(&test.select(&column));
            }
        }
        let columns = batch
            .physical_columns()
            .iter()
            .take(width)
            .cloned()
            .collect();
        let output = Batch::new(columns, chunk.versions.len());
        Ok(Some(match batch.selection() {
            Some(selection) if selection.len() < chunk.versions.len() => output.select(selection),
            _ => output,
        }))
    }
}
