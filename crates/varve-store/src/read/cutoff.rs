//! What a scan leaves out while its reader finds better rows: runs and vectors whose zone maps say
//! that no row of theirs can be among the first any more. What may hold the first rows is read
//! first, so that soon most is left out.

use std::sync::Arc;

use varve_run::{GroupIndex, ZoneMap};
use varve_types::{Cutoff, ScanSpec, Value};

use crate::error::Result;
use crate::read::View;
use crate::read::part::Part;
use crate::read::run_cursor::{ResolvedScan, RunCursor, run_position};
use crate::read::scan::{Source, SourceRange};
use crate::tree::Tree;

/// What zone maps tell of a [`Cutoff`] in one run; `column` is where the run keeps its column.
pub(super) struct RunCutoff<'a> {
    pub(super) cutoff: &'a Cutoff,
    pub(super) column: usize,
}

impl RunCutoff<'_> {
    /// Whether no row of those that a zone map describes is wanted any more.
    pub(super) fn excludes(&self, zone: &ZoneMap) -> bool {
        let (min, max) = bounds(zone);
        self.cutoff.excludes(min, max, zone.null_count > 0)
    }

    /// Puts vectors of a group in the order of their first rows.
    pub(super) fn sort(&self, index: &GroupIndex, vectors: &mut [Part]) {
        varve_sort::sort_by_key(vectors, |part| {
            self.rank(index.zone(part.vector, self.column))
        });
    }

    /// Where the rows that a zone map describes come in the order: the least first.
    pub(super) fn rank(&self, zone: Option<&ZoneMap>) -> i64 {
        let (min, max) = zone.map_or((None, None), bounds);
        match self.cutoff.first_of(min, max) {
            Some(first) if self.cutoff.descending => !first,
            Some(first) => first,
            None => i64::MIN,
        }
    }
}

fn bounds(zone: &ZoneMap) -> (Option<i64>, Option<i64>) {
    let integer = |value: &Option<Value>| value.as_ref().and_then(Value::integer);
    (integer(&zone.min), integer(&zone.max))
}

impl RunCursor {
    /// What the scan is cut off by, if the run has that column.
    pub(super) fn cutoff<'r>(&self, resolved: &'r ResolvedScan) -> Option<RunCutoff<'r>> {
        let (stored, cutoff) = resolved.cutoff.as_ref()?;
        let column = self.position(resolved, *stored)?;
        Some(RunCutoff { cutoff, column })
    }

    /// Whether no row of the run is wanted any more.
    pub(super) fn is_run_cut_off(&self, resolved: &ResolvedScan) -> bool {
        self.cutoff(resolved).is_some_and(|cutoff| {
            let stats = self.head.stats().get(cutoff.column);
            stats.is_some_and(|stats| cutoff.excludes(&stats.zone))
        })
    }

    /// Whether no row of a vector of the open group is wanted any more.
    pub(super) fn is_cut_off(&self, resolved: &ResolvedScan, part: Part) -> bool {
        let zones = self.group.as_ref().and_then(|open| open.zones.as_ref());
        let index = zones.and_then(|parts| parts.index());
        let (Some(index), Some(cutoff)) = (index, self.cutoff(resolved)) else {
            return false;
        };
        let zone = index.zone(part.vector, cutoff.column);
        zone.is_some_and(|zone| cutoff.excludes(zone))
    }
}

/// What cuts off rows of a scan, with the stored column. Where rows come in order, or an entry may
/// hide another one, it is not used.
pub(super) fn stored_cutoff(tree: &Tree, spec: &ScanSpec) -> Result<Option<(usize, Arc<Cutoff>)>> {
    match &spec.cutoff {
        Some(cutoff) if !spec.ordered && tree.index().is_none() => {
            Ok(Some((tree.stored(cutoff.column)?, Arc::clone(cutoff))))
        }
        _ => Ok(None),
    }
}

/// Where rows are cut off, sources are read in the order of their first rows; those in memory, of
/// which nothing is known, come before runs.
pub(super) fn promising_first(
    view: &View,
    resolved: &ResolvedScan,
    sources: &mut [SourceRange],
) -> Result<()> {
    let Some((stored, cutoff)) = &resolved.cutoff else {
        return Ok(());
    };
    let mut ranks = Vec::with_capacity(sources.len());
    for source in &*sources {
        let Source::Run(slot) = source.source else {
            ranks.push((source.source, i64::MIN));
            continue;
        };
        let head = view.run(slot)?.run.head()?;
        let column = run_position(&resolved.tree, head, *stored);
        let rank = column.map(|column| {
            let zone = head.stats().get(column).map(|stats| &stats.zone);
            RunCutoff { cutoff, column }.rank(zone)
        });
        ranks.push((source.source, rank.unwrap_or(i64::MIN)));
    }
    let rank = |source: &SourceRange| {
        let mut known = ranks.iter();
        known
            .find(|(known, _)| *known == source.source)
            .map(|(_, rank)| *rank)
    };
    varve_sort::sort_by_key(sources, rank);
    Ok(())
}
