//! What a check found and what a repair did.

use varve_types::{RunId, TreeId};

use crate::error::StoreError;

/// What a check read, and what was wrong with it. [`crate::Store::check`] names trees and runs, the
/// layers above name what these are to them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckReport<P = Problem> {
    /// Values read: records of the store, heads and pages.
    pub values: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Stored rows decoded, deleted ones included that still take space.
    pub rows: u64,
    /// What is not as it was written; empty where all is sound.
    pub problems: Vec<P>,
}

/// One thing that is not as it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// The tree whose rows are concerned, unless it is a record of the store itself.
    pub tree: Option<TreeId>,
    /// The run concerned.
    pub run: Option<RunId>,
    /// What is wrong, naming page or record.
    pub error: StoreError,
}

impl<P> Default for CheckReport<P> {
    fn default() -> CheckReport<P> {
        CheckReport {
            values: 0,
            bytes: 0,
            rows: 0,
            problems: Vec::new(),
        }
    }
}

impl<P> CheckReport<P> {
    /// The same report with other words for what is wrong.
    pub fn map_problems<Q>(self, map: impl FnMut(P) -> Q) -> CheckReport<Q> {
        CheckReport {
            values: self.values,
            bytes: self.bytes,
            rows: self.rows,
            problems: self.problems.into_iter().map(map).collect(),
        }
    }
}

impl CheckReport {
    /// Whether everything is as it was written.
    pub fn is_sound(&self) -> bool {
        self.problems.is_empty()
    }

    /// The runs with problems, each once; those of content come first, since other runs refer to
    /// what is left of them.
    pub(crate) fn damaged_runs(&self) -> Vec<RunId> {
        let problems = self.problems.iter();
        let runs = problems.filter_map(|found| Some((found.tree?, found.run?)));
        let mut runs: Vec<(TreeId, RunId)> = runs.collect();
        varve_sort::sort(&mut runs);
        runs.dedup();
        runs.into_iter().map(|(_, run)| run).collect()
    }
}

/// What [`crate::Store::repair`] did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairReport {
    /// Records that were put back from their copies, by name.
    pub restored: Vec<String>,
    /// The first commit that is lost because its log record, or one before it, cannot be read.
    pub first_commit_lost: Option<u64>,
    /// Log values that were given up with it.
    pub log_values_lost: u64,
    /// Commits behind it that can be read and were applied again.
    pub commits_kept_after: u64,
    /// Trees that these changed, whose indexes are to be made anew.
    pub reapplied_trees: Vec<TreeId>,
    /// Runs that were put aside, and what was kept of them.
    pub runs: Vec<RunRepair>,
}

/// What became of one damaged run. Its values are kept under quarantine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRepair {
    /// Its tree.
    pub tree: TreeId,
    /// The run.
    pub run: RunId,
    /// Living rows that were written to a new run.
    pub rows_kept: u64,
    /// Living rows that could not be read. Where its deletion vector is lost too, deleted ones may
    /// be among them.
    pub rows_lost: u64,
    /// Whether the deletion vector is lost: up to so many deleted rows may be back.
    pub deletions_lost: u64,
    /// What was wrong with it.
    pub errors: Vec<String>,
}

impl RepairReport {
    /// Whether nothing had to be done.
    pub fn is_empty(&self) -> bool {
        *self == RepairReport::default()
    }
}
