//! Streams the rows of a tree as one transaction sees them.

use std::collections::VecDeque;
use std::sync::Arc;

use varve_run::VectorFilter;
use varve_types::{
    Batch, KeyRange, LocalFuture, Pacer, PredicateTest, ScanSpec, Summary, VECTOR_ROWS,
};

use crate::error::Result;
use crate::key_range::{fixed_prefix, range_in_run, range_of_tests};
use crate::memtable::MemtableSlot;
use crate::read::View;
use crate::read::cutoff::{promising_first, stored_cutoff};
use crate::read::merge::Merge;
use crate::read::prune::Tests;
use crate::read::run_cursor::{ResolvedScan, RunCursor};
use crate::read::table_cursor::TableCursor;

/// A running scan; it owns what it reads from, so it may outlive the call that made it. The
/// transaction must not write while it runs.
pub struct TreeScan {
    view: View,
    resolved: ResolvedScan,
    reading: Reading,
    key_ordered: bool,
    rows_left: u64,
    known: Summary,
}

enum Reading {
    /// One source after another, in order of first keys.
    Serial {
        sources: VecDeque<SourceRange>,
        current: Option<Cursor>,
    },
    Merged(Merge),
}

/// Where rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    Run(u32),
    Table(TableSource),
}

/// Rows in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableSource {
    Memtable(MemtableSlot),
    WriteSet,
}

/// A source with its lowest and its highest key.
#[derive(Clone, Debug)]
pub(super) struct SourceRange {
    pub(super) source: Source,
    pub(super) first: Vec<u8>,
    pub(super) last: Vec<u8>,
}

/// Reads one source.
pub(super) enum Cursor {
    Run(Box<RunCursor>),
    Table(TableCursor),
}

impl Cursor {
    pub(super) fn open(source: Source, view: &View, resolved: &ResolvedScan) -> Result<Cursor> {
        Ok(match source {
            Source::Run(slot) => {
                let cursor = RunCursor::new(slot, view.run(slot)?.clone(), resolved)?;
                Cursor::Run(Box::new(cursor))
            }
            Source::Table(source) => Cursor::Table(TableCursor::new(source)),
        })
    }

    /// The next rows, at most a vector; `None` at the end.
    pub(super) async fn next(
        &mut self,
        view: &View,
        resolved: &ResolvedScan,
        pacer: &mut Pacer,
    ) -> Result<Option<Batch>> {
        loop {
            pacer.pause().await;
            let batch = match self {
                Cursor::Run(cursor) => cursor.next(&view.snapshot.store, resolved, pacer).await?,
                Cursor::Table(cursor) => cursor.next(view, resolved)?,
            };
            if batch.as_ref().is_none_or(|batch| !batch.is_empty()) {
                return Ok(batch);
            }
        }
    }
}

impl TreeScan {
    pub(crate) fn new(view: View, spec: ScanSpec) -> Result<TreeScan> {
        let tree = Arc::clone(&view.tree);
        let outputs: Result<Vec<usize>> = spec.columns.iter().map(|at| tree.stored(*at)).collect();
        let outputs = outputs?;
        let tests: Result<Vec<(usize, PredicateTest)>> = spec
            .predicates
            .iter()
            .map(|predicate| Ok((tree.stored(predicate.column)?, predicate.test.clone())))
            .collect();
        let tests = tests?;
        let tested_range = range_of_tests(&tree, &tests).intersect(&spec.range);
        // What an entry of an index says beside its key may differ from an older one that it hides.
        let (tests, late_tests): (Vec<_>, Vec<_>) = tests
            .into_iter()
            .partition(|(stored, _)| tree.index().is_none() || tree.key().contains(stored));
        let filter = |(stored, test): &(usize, PredicateTest)| {
            let ty = tree.types().get(*stored)?;
            VectorFilter::new(*ty, test)
        };
        let rows_left = spec.limit_rows.unwrap_or(u64::MAX);
        let chunk_rows_max = match spec.limit_rows {
            Some(rows) if tests.is_empty() => usize::try_from(rows).unwrap_or(VECTOR_ROWS),
            _ => VECTOR_ROWS,
        };
        let cutoff = stored_cutoff(&tree, &spec)?;
        let mut resolved = ResolvedScan {
            content: None,
            cutoff,
            filters: tests.iter().map(filter).collect(),
            tree,
            outputs,
            tests: Tests(tests),
            seq: view.snapshot.seq,
            tested_range,
            spec,
            chunk_rows_max: chunk_rows_max.clamp(1, VECTOR_ROWS),
        };
        let (mut sources, overlap) = sources(&view, &resolved)?;
        let is_index = resolved.tree.index().is_some();
        let reading = if is_index || resolved.spec.ordered && overlap {
            Reading::Merged(Merge::new(&mut resolved, sources, late_tests))
        } else {
            promising_first(&view, &resolved, sources.make_contiguous())?;
            Reading::Serial {
                sources,
                current: None,
            }
        };
        let in_part = resolved.spec.with_position || resolved.spec.limit_rows.is_some();
        if in_part || matches!(reading, Reading::Merged(_)) {
            // Where sources are merged, only their rows tell which of them count.
            resolved.spec.wanted = None;
        }
        let tested = resolved.tests.0.iter().map(|(stored, _)| *stored);
        let read: Vec<usize> = resolved.outputs.iter().copied().chain(tested).collect();
        resolved.content = (!view.referring(&read).is_empty()).then(|| view.content());
        Ok(TreeScan {
            key_ordered: !overlap && resolved.cutoff.is_none()
                || matches!(reading, Reading::Merged(_)),
            view,
            resolved,
            reading,
            rows_left,
            known: Summary::default(),
        })
    }

    /// Whether rows come in the order of the sort key (descending if reverse was asked for).
    pub fn is_key_ordered(&self) -> bool {
        self.key_ordered
    }

    /// The next batch of at most 1,024 rows, or `None` after the last one. Batches are not empty.
    pub fn next_batch(&mut self) -> LocalFuture<'_, Result<Option<Batch>>> {
        Box::pin(self.read_batch())
    }

    /// After the last batch: what is known of the rows that were wanted and not given.
    pub fn known(&mut self) -> Summary {
        core::mem::take(&mut self.known)
    }

    async fn read_batch(&mut self) -> Result<Option<Batch>> {
        if self.rows_left == 0 {
            return Ok(None);
        }
        let store = Arc::clone(&self.view.snapshot.store);
        let mut pacer = Pacer::new(&store.env);
        let (view, resolved) = (&self.view, &self.resolved);
        let batch = match &mut self.reading {
            Reading::Merged(merge) => {
                merge
                    .next(view, resolved, self.rows_left, &mut pacer)
                    .await?
            }
            Reading::Serial { sources, current } => loop {
                if let Some(cursor) = current
                    && let Some(batch) = cursor.next(view, resolved, &mut pacer).await?
                {
                    break Some(batch);
                }
                if let Some(Cursor::Run(cursor)) = current.take() {
                    self.known.merge(cursor.known);
                }
                match sources.pop_front() {
                    Some(next) => *current = Some(Cursor::open(next.source, view, resolved)?),
                    None => break None,
                }
            },
        };
        if let Some(batch) = &batch {
            self.rows_left = self.rows_left.saturating_sub(batch.rows() as u64);
        }
        Ok(batch)
    }
}

impl core::fmt::Debug for TreeScan {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("TreeScan")
            .field("tree", &self.view.id())
            .field("key_ordered", &self.key_ordered)
            .finish_non_exhaustive()
    }
}

/// What there is to read, in order of first keys (last keys downwards, in reverse), and whether key
/// ranges overlap.
fn sources(view: &View, resolved: &ResolvedScan) -> Result<(VecDeque<SourceRange>, bool)> {
    let mut sources: Vec<SourceRange> = Vec::new();
    let KeyRange { from, to } = &resolved.tested_range;
    if to.as_ref().is_some_and(|to| from.as_ref() >= Some(to)) {
        return Ok((sources.into(), false));
    }
    let mut add = |range: Option<(&[u8], &[u8])>, source| {
        if let Some((first, last)) = range
            && resolved.tested_range.meets(first, last)
        {
            sources.push(SourceRange {
                source,
                first: first.to_vec(),
                last: last.to_vec(),
            });
        }
    };
    let tree = &resolved.tree;
    let (prefix, columns) = fixed_prefix(tree, &resolved.tests.0);
    for (run, slot) in view.runs.iter().zip(0..) {
        let head = run.run.head()?;
        let within = range_in_run(tree, (&prefix, columns), head);
        let range = head.key_range().map(|(first, last)| match &within {
            Some((from, to)) => (first.max(from), last.min(to)),
            None => (first, last),
        });
        let range = range.filter(|(first, last)| first <= last);
        add(range, Source::Run(slot));
    }
    for slot in MemtableSlot::ALL {
        let source = Source::Table(TableSource::Memtable(slot));
        view.with_memtable(slot, |table, _| add(table.key_range(), source));
    }
    let source = Source::Table(TableSource::WriteSet);
    view.with_own_rows(|table| add(table.key_range(), source));
    varve_sort::sort_by(&mut sources, |a, b| a.first.cmp(&b.first));
    let overlap = !sources.is_sorted_by(|a, b| a.last < b.first);
    if resolved.spec.reverse {
        varve_sort::sort_by(&mut sources, |a, b| b.last.cmp(&a.last));
    }
    Ok((sources.into(), overlap))
}
