//! Which runs of a tree to merge next: a pure function of their shapes.
//!
//! Runs have *tiers* by their bytes, four times as many from one to the next; the top tier begins
//! at half of the bytes of a full run. Four runs of a tier below the top become one: so a row is
//! written once a tier at most, and there are few runs of each. Full runs whose key ranges are
//! apart stay as they are, however many there are; where five of them lie over each other they are
//! merged and cut anew, which leaves one at each key. A run of which a third is deleted is written
//! again, and so is one whose rows are to be stored otherwise by now.
//!
//! Runs of two partitions are never merged. Those that lie in several are written again, which
//! leaves runs of one partition each.
//!
//! What is chosen ends: every choice leaves fewer rows in runs that lie in several partitions, else
//! fewer in runs that are too large, else fewer dead rows, else fewer runs, else the same number
//! with less overlap, else fewer outdated runs.

use varve_types::RunId;

use crate::partition::RunPlace;
use crate::run::{DEAD_SHARE, is_worn};
use crate::value_frames::Rewrite;

/// What the choice knows of a run that nothing else is being done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunShape<'a> {
    pub(crate) run: RunId,
    pub(crate) place: RunPlace,
    pub(crate) first_key: &'a [u8],
    pub(crate) last_key: &'a [u8],
    pub(crate) bytes: u64,
    pub(crate) rows: u64,
    /// Those of the rows that are deleted.
    pub(crate) dead: u64,
    /// Whether its rows are to be stored otherwise by now.
    pub(crate) is_outdated: bool,
}

impl RunShape<'_> {
    /// Whether it is written again, whatever lies about it.
    fn is_to_be_rewritten(&self) -> bool {
        self.is_outdated || self.place == RunPlace::Several
    }
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// A run is full at about this.
    pub(crate) run_bytes_max: u64,
    /// So many runs of a tier below the top are merged.
    pub(crate) tier_runs: usize,
    /// No more full runs lie over each other.
    pub(crate) full_depth_max: usize,
    /// No more runs of any tier lie over each other.
    pub(crate) depth_max: usize,
    /// A run is written again when one of so many rows is dead.
    pub(crate) dead_share: u64,
}

/// Runs to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Ascending.
    pub(crate) runs: Vec<RunId>,
    /// An output ends at about this.
    pub(crate) output_bytes: u64,
    /// Why they are written again.
    pub(crate) why: Rewrite,
}

/// Runs that are merged at once.
const RUNS_AT_ONCE: usize = 16;
/// The lowest tier ends at this part of a full run.
const TINY_SHARE: u64 = 2048;

impl Effort {
    /// Beside the work of a store.
    pub(crate) fn steady(run_bytes_max: u64) -> Effort {
        Effort {
            run_bytes_max,
            tier_runs: 4,
            full_depth_max: 4,
            depth_max: 16,
            dead_share: DEAD_SHARE,
        }
    }

    /// Every deleted row goes.
    pub(crate) fn all_dead(run_bytes_max: u64) -> Effort {
        Effort {
            dead_share: u64::MAX,
            ..Effort::steady(run_bytes_max)
        }
    }

    /// Every deleted row goes, and no two runs lie over each other.
    pub(crate) fn full(run_bytes_max: u64) -> Effort {
        Effort {
            run_bytes_max,
            tier_runs: 2,
            full_depth_max: 1,
            depth_max: 1,
            dead_share: u64::MAX,
        }
    }

    /// The same of content, which is merged more rarely: its values are large, and new ones seldom
    /// lie between old ones.
    pub(crate) fn of_content(&self) -> Effort {
        let tier_runs = match self.is_thorough() {
            true => self.tier_runs,
            false => self.tier_runs.max(RUNS_AT_ONCE),
        };
        Effort { tier_runs, ..*self }
    }

    /// Whether no dead row is to be left.
    pub(crate) fn is_thorough(&self) -> bool {
        self.dead_share == u64::MAX
    }

    /// The tier of a run, and whether it is the top one.
    fn tier(&self, shape: &RunShape<'_>) -> (u32, bool) {
        let mut tier = 0;
        let mut end = (self.run_bytes_max / TINY_SHARE).max(1);
        let top = self.run_bytes_max / 2;
        while end < top && shape.bytes >= end {
            tier += 1;
            end = end.saturating_mul(4);
        }
        (tier, shape.bytes >= top)
    }

    fn is_top(&self, shape: &RunShape<'_>) -> bool {
        self.tier(shape).1
    }

    fn is_worn(&self, shape: &RunShape<'_>) -> bool {
        is_worn(shape.rows, shape.dead, self.dead_share)
    }

    /// Outputs of equal size: none is small because the others are full.
    fn output_bytes(&self, chosen: &[RunShape<'_>]) -> u64 {
        let max = self.run_bytes_max.max(1);
        let living = chosen.iter().map(living_bytes).fold(0, u64::saturating_add);
        let outputs = (living.saturating_add(max / 2) / max).max(1);
        let most = max.saturating_add(max / 2);
        if outputs == 1 {
            return most;
        }
        // Sizes are known as they were before: a tenth of room.
        let each = living / outputs;
        each.saturating_add(each / 10).min(most)
    }
}

/// Bytes of the rows that are not deleted, if all are of a size.
fn living_bytes(shape: &RunShape<'_>) -> u64 {
    let living = u128::from(shape.rows.saturating_sub(shape.dead));
    let bytes = u128::from(shape.bytes) * living / u128::from(shape.rows.max(1));
    u64::try_from(bytes).unwrap_or(shape.bytes)
}

/// The runs to merge next; `None` where all is well.
pub(crate) fn choose(shapes: &[RunShape<'_>], effort: &Effort) -> Option<Choice> {
    let mut by_place: Vec<RunShape<'_>> = shapes.to_vec();
    varve_sort::sort_by_key(&mut by_place, |shape| {
        (shape.place, shape.first_key, shape.run)
    });
    let mut places = by_place.chunk_by(|a, b| a.place == b.place);
    places.find_map(|by_key| choose_in_place(by_key, effort))
}

/// The same of runs that lie in one place, by their first keys.
fn choose_in_place(by_key: &[RunShape<'_>], effort: &Effort) -> Option<Choice> {
    let chosen = tier_of_many(by_key, effort)
        .or_else(|| {
            let full = by_key.iter().filter(|shape| effort.is_top(shape));
            let full: Vec<RunShape<'_>> = full.copied().collect();
            deepest(&full, effort.full_depth_max, RUNS_AT_ONCE)
        })
        .or_else(|| {
            let (depth, fan) = (effort.depth_max, effort.tier_runs);
            deepest(by_key, depth, fan)
        })
        .or_else(|| most_dead(by_key, effort))
        .or_else(|| {
            Some(vec![
                *by_key.iter().find(|shape| shape.is_to_be_rewritten())?,
            ])
        })?;
    let mut runs: Vec<RunId> = chosen.iter().map(|shape| shape.run).collect();
    varve_sort::sort(&mut runs);
    Some(Choice {
        runs,
        output_bytes: effort.output_bytes(&chosen),
        why: Rewrite::Merge,
    })
}

/// Neighbours of the lowest tier that has too many runs, with the smaller ones between them.
fn tier_of_many<'a>(by_key: &[RunShape<'a>], effort: &Effort) -> Option<Vec<RunShape<'a>>> {
    let tiers: Vec<(u32, bool)> = by_key.iter().map(|shape| effort.tier(shape)).collect();
    let below_top = tiers.iter().filter(|(_, top)| !top);
    let highest = below_top.map(|(tier, _)| *tier).max()?;
    for tier in 0..=highest {
        let is_of = |found: &(u32, bool)| *found == (tier, false);
        if tiers.iter().filter(|found| is_of(found)).count() < effort.tier_runs {
            continue;
        }
        let mut chosen = Vec::new();
        let mut smaller = Vec::new();
        for (shape, found) in by_key.iter().zip(&tiers) {
            if is_of(found) {
                chosen.append(&mut smaller);
                chosen.push(*shape);
            } else if !found.1 && found.0 < tier && !chosen.is_empty() {
                smaller.push(*shape);
            }
            if chosen.len() >= RUNS_AT_ONCE {
                break;
            }
        }
        return Some(chosen);
    }
    None
}

/// Runs over the first of the keys at which most of them lie over each other, if that is too many:
/// the smallest, so many that enough of them become one, but no fewer than `least`.
fn deepest<'a>(
    by_key: &[RunShape<'a>],
    depth_max: usize,
    least: usize,
) -> Option<Vec<RunShape<'a>>> {
    let mut open: Vec<RunShape<'a>> = Vec::new();
    let mut deepest: Vec<RunShape<'a>> = Vec::new();
    for shape in by_key {
        open.retain(|other| other.last_key >= shape.first_key);
        open.push(*shape);
        if open.len() > deepest.len() {
            deepest.clone_from(&open);
        }
    }
    let over = deepest.len().checked_sub(depth_max)?;
    if over == 0 {
        return None;
    }
    varve_sort::sort_by_key(&mut deepest, |shape| (shape.bytes, shape.run));
    deepest.truncate((over + 1).max(least).clamp(2, RUNS_AT_ONCE));
    Some(deepest)
}

/// The run with most bytes of deleted rows, and others of its size over it that are worn.
fn most_dead<'a>(by_key: &[RunShape<'a>], effort: &Effort) -> Option<Vec<RunShape<'a>>> {
    let worn = || by_key.iter().filter(|shape| effort.is_worn(shape));
    let dead_bytes = |shape: &RunShape<'_>| shape.bytes - living_bytes(shape).min(shape.bytes);
    let most = worn().max_by_key(|shape| (dead_bytes(shape), core::cmp::Reverse(shape.run)))?;
    let tier = effort.tier(most);
    let beside = worn().filter(|shape| {
        shape.run != most.run
            && effort.tier(shape) <= tier
            && shape.first_key <= most.last_key
            && most.first_key <= shape.last_key
    });
    let beside = beside.take(RUNS_AT_ONCE - 1);
    Some(core::iter::once(most).chain(beside).copied().collect())
}

#[cfg(test)]
#[allow(clippy::cast_possible_truncation, reason = "test data is small")]
#[path = "choose_tests.rs"]
mod tests;
